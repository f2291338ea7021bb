"""An embedder of the real one's shape without its weights: hashed words, deterministic, instant."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from runners.memory.flat.words import words
from runners.models.minilm import DIMENSIONS, MAX_PIECES, Floats


class FakeMiniLM:
    """Counts what it reads; a window's vector is the sum of its pieces' random directions."""

    def __init__(self) -> None:
        self.windows: list[int] = []
        self._directions: dict[int, Floats] = {}

    def pieces(self, text: str) -> list[int]:
        return [
            int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:3], "big")
            for word in words(text)
        ]

    def encode(self, windows: Sequence[Sequence[int]]) -> Floats:
        assert all(0 < len(window) <= MAX_PIECES - 2 for window in windows)
        self.windows.extend(map(len, windows))
        rows = np.array([sum(map(self._direction, window)) for window in windows], np.float32)
        if not len(rows):
            return np.empty((0, DIMENSIONS), np.float32)
        unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _direction(self, piece: int) -> Floats:
        if piece not in self._directions:
            rng = np.random.default_rng(piece)
            self._directions[piece] = rng.standard_normal(DIMENSIONS, np.float32)
        return self._directions[piece]
