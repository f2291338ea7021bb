"""Vectors kept beside the replies of a run, so that it can be repeated without the embedder's weights.

A vector is a function of its text and the weights, so it is kept exactly (float32) under the sha256 of both.
It takes 2 kB a text; whether a run keeps vectors is therefore a setting of its own.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Sequence

from memtui.model import Usage
from runners.models.memory_door import Embedder
from runners.models.recordings import CacheMode, Recordings
from runners.models.weights import KNOWN

_ABOUT = KNOWN["minilm"].files[0].sha256
_FREE = Usage(prompt=0, cached=0, completion=0, reasoning=0, cost=0.0, calls=1, attempts=1)


class RecordedEmbedder:
    """Recorded vectors where there are some, else those of another embedder.

    `keep`: new ones are recorded, where the recordings' mode records at all.
    """

    def __init__(self, embedder: Embedder, recordings: Recordings, *, keep: bool) -> None:
        self._embedder = embedder
        self._recordings = recordings
        self._keep = keep and recordings.mode is CacheMode.RECORD

    async def embed(self, texts: Sequence[str]) -> tuple[Sequence[Sequence[float]], Usage]:
        """One vector per text. In a replay, texts without one need the weights after all."""
        keys = [vector_key(text) for text in texts]
        found = {key: self._recordings.vector(key) for key in keys}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        usage = _FREE
        made: dict[str, Sequence[float]] = {}
        if missing:
            vectors, usage = await self._embedder.embed(list(missing.values()))
            made = dict(zip(missing, vectors, strict=True))
            if self._keep:
                for key, vector in made.items():
                    self._recordings.keep_vector(key, written(vector))
        return [made[key] if (raw := found[key]) is None else read(raw) for key in keys], usage


def vector_key(text: str) -> str:
    """sha256 hex of the weights' hash and the text."""
    return hashlib.sha256(f"{_ABOUT}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def written(vector: Sequence[float]) -> str:
    """Little-endian float32 as base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def read(raw: str) -> list[float]:
    """The numbers again."""
    body = base64.b64decode(raw)
    return list(struct.unpack(f"<{len(body) // 4}f", body))
