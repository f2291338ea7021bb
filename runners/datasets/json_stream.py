"""Reads a huge JSON list one entry at a time: LongMemEval M is a single list of 2.7 GB.

The file is decoded in pieces; the buffer holds the entry at hand and no more, so memory is bounded by
the largest entry (about 6 MB for M), not by the file.
"""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets.files import unreadable

PIECE = 1 << 20
LARGEST_ENTRY = 256 << 20
"""Characters one entry may have before the file is refused rather than read into memory."""

_SPACE = " \t\r\n"
_AFTER = frozenset(" \t\r\n,]")


class JsonList:
    """The entries of a top-level JSON list, read once; the digest is known after the last one.

    Raises UserError (exit code 3) for a file that is not one JSON list, naming the byte region where
    reading stopped.
    """

    def __init__(self, path: Path, piece: int = PIECE) -> None:
        self.path = path
        self._piece = piece
        self._hash = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._bytes = 0
        self._ended = False

    @property
    def sha256(self) -> str:
        """sha256 hex of what has been read: of the whole file once the entries are exhausted."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[Any]:
        try:
            with self.path.open("rb") as stream:
                yield from self._entries(stream)
        except OSError as problem:
            raise unreadable(self.path, problem) from None

    def _entries(self, stream: Any) -> Iterator[Any]:
        """The entries, then a check that nothing but white space follows."""
        scan = json.JSONDecoder().raw_decode
        buffer = self._more(stream, "").lstrip(_SPACE)
        while not buffer and not self._ended:
            buffer = self._more(stream, buffer).lstrip(_SPACE)
        if not buffer.startswith("["):
            raise self._broken("a JSON list is expected")
        buffer, first = buffer[1:], True
        while True:
            buffer = self._skip(stream, buffer)
            if buffer.startswith("]"):
                break
            if not first:
                if not buffer.startswith(","):
                    raise self._broken("a comma or the end of the list is expected")
                buffer = self._skip(stream, buffer[1:])
            first = False
            while True:
                try:
                    value, end = scan(buffer)
                    # a number may go on in the next piece: `-2.7` of `-2.7e16`
                    whole = not isinstance(value, int | float) or buffer[end : end + 1] in _AFTER
                    if (end < len(buffer) and whole) or self._ended:
                        break
                except json.JSONDecodeError as problem:
                    if self._ended or not _cut_off(problem, buffer):
                        raise self._broken(problem.msg) from None
                except RecursionError:
                    raise self._broken("nested too deeply to be a data set") from None
                if len(buffer) > LARGEST_ENTRY:
                    raise self._broken("one entry is larger than 256 MB")
                buffer = self._more(stream, buffer)
            yield value
            buffer = buffer[end:]
        rest = buffer[1:]
        while not self._ended or rest:
            if rest.strip(_SPACE):
                raise self._broken("something follows the list")
            rest = "" if self._ended else self._more(stream, "")

    def _skip(self, stream: Any, buffer: str) -> str:
        """The buffer from its first character that is no white space."""
        buffer = buffer.lstrip(_SPACE)
        while not buffer:
            if self._ended:
                raise self._broken("the list is cut off")
            buffer = self._more(stream, buffer).lstrip(_SPACE)
        return buffer

    def _more(self, stream: Any, buffer: str) -> str:
        """The buffer with at least as much again: reading stays linear in the size of an entry."""
        raw = stream.read(max(self._piece, len(buffer)))
        self._hash.update(raw)
        self._bytes += len(raw)
        self._ended = not raw
        try:
            return buffer + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError:
            raise self._broken("not UTF-8") from None

    def _broken(self, what: str) -> UserError:
        """The error for a file that is no JSON list."""
        return UserError(f"{self.path}: {what} (before byte {self._bytes:,})", exit_code=3)


def _cut_off(problem: json.JSONDecodeError, buffer: str) -> bool:
    """Whether the decoder failed because the entry is not wholly in the buffer yet."""
    return problem.msg.startswith("Unterminated string") or problem.pos >= len(buffer) - 16
