"""Vectors kept on disk by what they were computed from, so that a run never pays for them twice."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_MAGIC = b"memtui-vectors-1"
_DIGEST = 32


@dataclass(frozen=True, slots=True)
class Vectors:
    """Float32 rows, and what their owner wants to remember about them (JSON)."""

    rows: npt.NDArray[np.float32]
    about: dict[str, Any]


class VectorCache:
    """A folder of one file per content. Anything unreadable there counts as absent.

    File: magic, SHA-256 of the rest, length of a JSON header (4 bytes, little endian), the header
    (`shape`, `about`), float32 data. Files are replaced whole, so readers and writers of several
    processes do not disturb each other.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read = 0
        """Contents found here."""
        self.unreadable = 0
        """Files that were there and could not be used: damaged, cut off, foreign."""
        self.unwritten = 0
        """Contents that could not be kept (no space, no right); the run goes on without."""

    def get(self, key: str) -> Vectors | None:
        """The vectors kept under `key` (hex digits), or None."""
        try:
            raw = self._path(key).read_bytes()
        except OSError:
            return None
        found = _decode(raw)
        if found is None:
            self.unreadable += 1
        else:
            self.read += 1
        return found

    def put(self, key: str, vectors: Vectors) -> None:
        """Keep `vectors` under `key`; a disk that refuses is counted, never raised."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_encode(vectors))
                Path(name).replace(path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError:
            self.unwritten += 1

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


def _encode(vectors: Vectors) -> bytes:
    header = json.dumps({"shape": vectors.rows.shape, "about": vectors.about}).encode()
    body = len(header).to_bytes(4, "little") + header + vectors.rows.astype("<f4").tobytes()
    return _MAGIC + hashlib.sha256(body).digest() + body


def _decode(raw: bytes) -> Vectors | None:
    start = len(_MAGIC) + _DIGEST
    body = raw[start:]
    if raw[:start] != _MAGIC + hashlib.sha256(body).digest():
        return None
    length = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + length])
    rows = np.frombuffer(body, "<f4", offset=4 + length).reshape(header["shape"])
    return Vectors(rows.astype(np.float32), header["about"])
