"""all-MiniLM-L6-v2 in numpy: sentence vectors without torch, from the official weights.

The model is BERT (Devlin et al. 2018) with 6 layers, 12 heads and 384 dimensions, as published by
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0): mean over the tokens of the last layer, then
unit length. Weights come from `weights.py`; this module only reads them.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memtui.errors import UserError
from runners.models.wordpiece import WordPiece

Floats = npt.NDArray[np.float32]

DIMENSIONS: Final = 384
HEADS: Final = 12
LAYERS: Final = 6
MAX_PIECES: Final = 256
"""Word pieces per input, [CLS] and [SEP] included: the length the model was published for."""

_BATCH_PIECES: Final = 2048
"""Word pieces that go through a layer together: enough for full speed, small enough for the caches."""


def read_safetensors(path: Path) -> dict[str, Floats]:
    """The float32 tensors of a safetensors file (8 bytes of header length, JSON header, raw data).

    UserError if the file is not readable as such. Format: huggingface.co/docs/safetensors.
    """
    try:
        raw = path.read_bytes()
        (length,) = struct.unpack_from("<Q", raw)
        header = json.loads(raw[8 : 8 + length])
        data = memoryview(raw)[8 + length :]
        return {
            name: np.frombuffer(data[slice(*entry["data_offsets"])], np.float32).reshape(
                entry["shape"]
            )
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] == "F32"
        }
    except (OSError, struct.error, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is not a readable safetensors file: {error}") from error


class _Layer:
    """The weights of one transformer layer, laid out for row-major products."""

    __slots__ = (
        "inner", "inner_bias", "norm1", "norm2", "out", "out_bias", "outer", "outer_bias",
        "qkv", "qkv_bias",
    )  # fmt: skip

    def __init__(self, tensors: dict[str, Floats], prefix: str) -> None:
        def weight(name: str) -> Floats:
            return np.ascontiguousarray(tensors[f"{prefix}{name}.weight"].T)

        def bias(name: str) -> Floats:
            return tensors[f"{prefix}{name}.bias"]

        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        self.qkv = np.concatenate([weight(p) for p in parts], axis=1)
        self.qkv_bias = np.concatenate([bias(p) for p in parts])
        # The scale of the attention scores goes into the queries once.
        scale = np.float32((DIMENSIONS // HEADS) ** -0.5)
        self.qkv[:, :DIMENSIONS] *= scale
        self.qkv_bias[:DIMENSIONS] *= scale
        self.out, self.out_bias = weight("attention.output.dense"), bias("attention.output.dense")
        self.norm1 = _norm_weights(tensors, f"{prefix}attention.output.LayerNorm")
        self.inner, self.inner_bias = weight("intermediate.dense"), bias("intermediate.dense")
        self.outer, self.outer_bias = weight("output.dense"), bias("output.dense")
        self.norm2 = _norm_weights(tensors, f"{prefix}output.LayerNorm")


def _norm_weights(tensors: dict[str, Floats], name: str) -> tuple[Floats, Floats]:
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _layer_norm(x: Floats, weights: tuple[Floats, Floats]) -> Floats:
    """Normalise the rows of `x` in place."""
    x -= x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    x *= (1 / np.sqrt(variance + np.float32(1e-12)))[:, None]
    x *= weights[0]
    x += weights[1]
    return x


def _gelu(x: Floats) -> Floats:
    """x * (1 + erf(x / sqrt 2)) / 2 in place, erf by Abramowitz & Stegun 7.1.26 (error < 1.5e-7)."""
    # Few rows at a time, so that the dozen passes below stay in the cache.
    for start in range(0, len(x), 32):
        half = x[start : start + 32]
        z = np.abs(half)
        z *= np.float32(0.7071067811865476)
        t = z * np.float32(0.3275911)
        t += np.float32(1)
        np.reciprocal(t, out=t)
        p = t * np.float32(1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            p += np.float32(coefficient)
            p *= t
        np.multiply(z, z, out=t)
        np.negative(t, out=t)
        np.exp(t, out=t)
        p *= t  # 1 - erf(|x| / sqrt 2)
        np.subtract(np.float32(1), p, out=p)
        # x/2 * (1 + sign(x) * erf) = x/2 + |x/2| * erf
        half *= np.float32(0.5)
        p *= np.abs(half, out=z)
        half += p
    return x


def _attention(qkv: Floats, lengths: Sequence[int]) -> Floats:
    """Self-attention of each sequence in turn, so that no padding is computed."""
    context = np.empty((len(qkv), DIMENSIONS), np.float32)
    start = 0
    for length in lengths:
        rows = slice(start, start + length)
        heads = qkv[rows].reshape(length, 3, HEADS, DIMENSIONS // HEADS)
        query, key, value = heads.transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1)
        scores -= scores.max(axis=2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=2, keepdims=True)
        context[rows] = (scores @ value).transpose(1, 0, 2).reshape(length, DIMENSIONS)
        start += length
    return context


class MiniLM:
    """The loaded model. `encode` is a pure function of its argument: no state, no randomness."""

    def __init__(self, tensors: dict[str, Floats], tokenizer: WordPiece, sha256: str) -> None:
        try:
            self._words = tensors["embeddings.word_embeddings.weight"]
            self._places = (
                tensors["embeddings.position_embeddings.weight"]
                + tensors["embeddings.token_type_embeddings.weight"][0]
            )
            self._norm = _norm_weights(tensors, "embeddings.LayerNorm")
            self._layers = [_Layer(tensors, f"encoder.layer.{i}.") for i in range(LAYERS)]
        except KeyError as error:
            raise UserError(f"these are not the weights of all-MiniLM-L6-v2: no {error}") from error
        self._tokenizer = tokenizer
        self.sha256 = sha256
        """Of the weights: part of the key under which vectors are kept."""

    @classmethod
    def load(cls, folder: Path) -> MiniLM:
        """Read `model.safetensors` and `tokenizer.json`; UserError if either is not usable."""
        path = folder / "model.safetensors"
        tensors = read_safetensors(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return cls(tensors, WordPiece.from_file(folder / "tokenizer.json"), digest)

    def pieces(self, text: str) -> list[int]:
        """Word pieces of `text`, without [CLS] and [SEP], not cut."""
        return self._tokenizer.pieces(text)

    def encode(self, windows: Sequence[Sequence[int]]) -> Floats:
        """Unit vectors, shape (len(windows), 384), of windows of at most 254 word pieces.

        Windows of similar length go through the layers together; the grouping depends on the
        argument alone. ValueError for a window that is too long.
        """
        vectors = np.empty((len(windows), DIMENSIONS), np.float32)
        order = sorted(range(len(windows)), key=lambda i: (len(windows[i]), i))
        batch: list[int] = []
        size = 0
        for index in order:
            length = len(windows[index]) + 2
            if length > MAX_PIECES:
                raise ValueError(f"a window of {length} word pieces; at most {MAX_PIECES} fit")
            if batch and size + length > _BATCH_PIECES:
                vectors[batch] = self._forward([windows[i] for i in batch])
                batch, size = [], 0
            batch.append(index)
            size += length
        if batch:
            vectors[batch] = self._forward([windows[i] for i in batch])
        return vectors

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of `texts`, each cut to its first 254 word pieces, as the publisher does."""
        return self.encode([self.pieces(text)[: MAX_PIECES - 2] for text in texts])

    def _forward(self, windows: Sequence[Sequence[int]]) -> Floats:
        """All windows concatenated: the products see one matrix, attention sees each alone."""
        start, end = self._tokenizer.start, self._tokenizer.end
        lengths = [len(window) + 2 for window in windows]
        ids = np.fromiter(
            (piece for window in windows for piece in (start, *window, end)), np.int64, sum(lengths)
        )
        places = np.concatenate([np.arange(length) for length in lengths])
        x = _layer_norm(self._words[ids] + self._places[places], self._norm)
        for layer in self._layers:
            qkv = x @ layer.qkv
            qkv += layer.qkv_bias
            attended = _attention(qkv, lengths) @ layer.out
            attended += layer.out_bias
            attended += x
            x = _layer_norm(attended, layer.norm1)
            hidden = x @ layer.inner
            hidden += layer.inner_bias
            output = _gelu(hidden) @ layer.outer
            output += layer.outer_bias
            output += x
            x = _layer_norm(output, layer.norm2)
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        means = np.add.reduceat(x, starts, axis=0) / np.array(lengths, np.float32)[:, None]
        unit: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit
