"""The numpy model: textbook arithmetic on invented weights, published numbers on the real ones."""

from __future__ import annotations

import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memtui.errors import UserError
from runners.models import minilm as module
from runners.models import weights
from runners.models.embedder import minilm
from runners.models.minilm import DIMENSIONS, HEADS, LAYERS, MAX_PIECES, Floats, MiniLM

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz"]


def invented_tensors() -> dict[str, Floats]:
    rng = np.random.default_rng(7)

    def normal(*shape: int, scale: float = 0.08) -> Floats:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": normal(len(PIECES), DIMENSIONS, scale=0.5),
        "embeddings.position_embeddings.weight": normal(512, DIMENSIONS, scale=0.2),
        "embeddings.token_type_embeddings.weight": normal(2, DIMENSIONS, scale=0.2),
    }
    for norm in (
        "embeddings",
        *(f"encoder.layer.{i}.{p}" for i in range(LAYERS) for p in ("attention.output", "output")),
    ):
        tensors[f"{norm}.LayerNorm.weight"] = 1 + normal(DIMENSIONS)
        tensors[f"{norm}.LayerNorm.bias"] = normal(DIMENSIONS)
    for i in range(LAYERS):
        for name, rows, columns in (
            ("attention.self.query", DIMENSIONS, DIMENSIONS),
            ("attention.self.key", DIMENSIONS, DIMENSIONS),
            ("attention.self.value", DIMENSIONS, DIMENSIONS),
            ("attention.output.dense", DIMENSIONS, DIMENSIONS),
            ("intermediate.dense", 4 * DIMENSIONS, DIMENSIONS),
            ("output.dense", DIMENSIONS, 4 * DIMENSIONS),
        ):
            tensors[f"encoder.layer.{i}.{name}.weight"] = normal(rows, columns)
            tensors[f"encoder.layer.{i}.{name}.bias"] = normal(rows)
    return tensors


def write_safetensors(path: Path, tensors: dict[str, Floats]) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": tensor.shape,
            "data_offsets": [at, at + tensor.nbytes],
        }
        at += tensor.nbytes
    raw = json.dumps(header).encode()
    data = b"".join(tensor.tobytes() for tensor in tensors.values())
    path.write_bytes(struct.pack("<Q", len(raw)) + raw + data)


def textbook(tensors: dict[str, Floats], ids: list[int]) -> npt.NDArray[np.float64]:
    """One sequence by the formulas of the paper, in double precision, with the exact erf."""
    w = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    erf = np.vectorize(math.erf)

    def dense(x: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        product: npt.NDArray[np.float64] = x @ w[f"{name}.weight"].T + w[f"{name}.bias"]
        return product

    def norm(x: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        scaled: npt.NDArray[np.float64] = centred / np.sqrt(
            (centred**2).mean(-1, keepdims=True) + 1e-12
        )
        return scaled * w[f"{name}.LayerNorm.weight"] + w[f"{name}.LayerNorm.bias"]

    places = w["embeddings.position_embeddings.weight"][: len(ids)]
    kind = w["embeddings.token_type_embeddings.weight"][0]
    x = norm(w["embeddings.word_embeddings.weight"][ids] + places + kind, "embeddings")
    size = DIMENSIONS // HEADS
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        q, k, v = (dense(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = []
        for h in range(HEADS):
            s = slice(h * size, (h + 1) * size)
            scores = np.exp(q[:, s] @ k[:, s].T / math.sqrt(size))
            heads.append((scores / scores.sum(-1, keepdims=True)) @ v[:, s])
        attended = dense(np.concatenate(heads, -1), f"{layer}.attention.output.dense")
        x = norm(attended + x, f"{layer}.attention.output")
        hidden = dense(x, f"{layer}.intermediate.dense")
        hidden = hidden * (1 + erf(hidden / math.sqrt(2))) / 2
        x = norm(dense(hidden, f"{layer}.output.dense") + x, f"{layer}.output")
    mean = x.mean(0)
    unit: npt.NDArray[np.float64] = mean / np.linalg.norm(mean)
    return unit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("invented")
    write_safetensors(path / "model.safetensors", invented_tensors())
    vocabulary = {piece: i for i, piece in enumerate(PIECES)}
    (path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}))
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> MiniLM:
    return MiniLM.load(folder)


def test_the_arithmetic_is_that_of_the_paper(model: MiniLM) -> None:
    windows = [[4, 5, 6, 7], list(range(4, 30)), [9]]
    vectors = model.encode(windows)
    tensors = invented_tensors()
    for vector, window in zip(vectors, windows, strict=True):
        np.testing.assert_allclose(vector, textbook(tensors, [2, *window, 3]), atol=2e-6)


def test_a_vector_does_not_depend_on_its_company(
    model: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = [[4 + (i + j) % 26 for j in range(1 + 5 * i)] for i in range(4)]
    together = model.encode(windows)
    monkeypatch.setattr(module, "_BATCH_PIECES", 1)
    np.testing.assert_allclose(together, model.encode(windows), atol=1e-6)
    assert model.encode([]).shape == (0, DIMENSIONS)


def test_a_long_text_is_cut_as_the_publisher_does_and_a_long_window_refused(model: MiniLM) -> None:
    pieces = model.pieces("a b c d e " * 80)
    cut = model.encode([pieces[: MAX_PIECES - 2]])
    np.testing.assert_array_equal(model.embed(["a b c d e " * 80]), cut)
    with pytest.raises(ValueError, match="at most 256"):
        model.encode([[4] * (MAX_PIECES - 1)])


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "other"])
def test_a_file_that_is_not_the_model_is_said_to_be_none(
    damage: str, folder: Path, tmp_path: Path
) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    if damage == "other":
        write_safetensors(tmp_path / "model.safetensors", {"x": np.zeros(3, np.float32)})
    else:
        content = {"cut": whole[:5000], "text": b"not a model at all", "empty": b""}[damage]
        (tmp_path / "model.safetensors").write_bytes(content)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    with pytest.raises(UserError, match=r"safetensors|weights"):
        MiniLM.load(tmp_path)


def test_absent_weights_are_a_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    with pytest.raises(UserError, match="are absent: run `memtui models install minilm`"):
        minilm()


def test_products_use_one_thread_where_numpy_brings_its_blas() -> None:
    code = (
        "import threading, numpy as np\n"
        "from runners.models.blas import one_thread_per_product\n"
        "told = one_thread_per_product()\n"
        "a = np.ones((600, 600), np.float32)\n"
        "import time\n"
        "wall, cpu = time.perf_counter(), time.process_time()\n"
        "while time.perf_counter() - wall < 0.3: a @ a\n"
        "used = (time.process_time() - cpu) / (time.perf_counter() - wall)\n"
        "print(told, used < 1.3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told, single = done.stdout.split()
    if told == "False":
        pytest.skip("this numpy has another BLAS")
    assert single == "True"


@pytest.fixture
def official() -> MiniLM:
    if (found := weights.state(weights.weights("minilm"))) != "installed":
        pytest.skip(f"the weights of all-MiniLM-L6-v2 are {found}")
    return minilm()


def test_published_values_of_the_real_model(official: MiniLM) -> None:
    """First components and cosine of the two sentences of the model card."""
    one, two = official.embed(["This is an example sentence", "Each sentence is converted"])
    np.testing.assert_allclose(one[:4], [0.0676569, 0.0634959, 0.0487131, 0.0793050], atol=1e-6)
    assert one @ two == pytest.approx(0.40456, abs=1e-5)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert official.sha256 == weights.KNOWN["minilm"].files[0].sha256
