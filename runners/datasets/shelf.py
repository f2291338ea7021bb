"""Sessions of a data set by id, in memory or, for a huge file, on disk.

LongMemEval M holds a quarter of a million session slots. Their texts go compressed into a temporary
file that vanishes with the process; only an index stays in memory, and a few sessions last read.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO

from memtui.model import Turn
from runners.datasets.contract import SourceSession

SPILL_FROM = 64 << 20
"""Bytes of a data-set file from which its sessions are kept on disk."""
RECENT = 256
"""Sessions kept in memory beside the index."""

SOMEBODY = "?"
"""In `evidence_for` of a session that is known to be evidence, but not for which question."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A session without its turns, and where these are."""

    session: SourceSession
    offset: int
    size: int


class SessionShelf(Mapping[str, SourceSession]):
    """A mapping of session id to session that is filled once and then only read."""

    def __init__(self, *, on_disk: bool) -> None:
        self._memory: dict[str, SourceSession] = {}
        self._index: dict[str, _Entry] = {}
        self._evidence: dict[str, set[str]] = {}
        self._recent: OrderedDict[str, SourceSession] = OrderedDict()
        # closed with the shelf, and already unlinked: nothing is left behind
        self._file: IO[bytes] | None = tempfile.TemporaryFile() if on_disk else None  # noqa: SIM115
        self._end = 0

    @property
    def on_disk(self) -> bool:
        """Whether texts are kept on disk."""
        return self._file is not None

    def put(self, session: SourceSession) -> None:
        """Adds a session; an id that is there already stays as it is."""
        if session.id in self:
            return
        if self._file is None:
            self._memory[session.id] = session
            return
        turns = [[turn.role, turn.text, turn.caption] for turn in session.turns]
        packed = zlib.compress(json.dumps(turns, separators=(",", ":")).encode(), 1)
        self._file.write(packed)
        self._index[session.id] = _Entry(replace(session, turns=()), self._end, len(packed))
        self._end += len(packed)

    def mark(self, session_id: str, item: str) -> None:
        """Notes that a session is evidence for an item."""
        self._evidence.setdefault(session_id, set()).add(item)

    def sha(self, session_id: str) -> str | None:
        """Content hash of a session, without reading its text; None if there is no such session."""
        if session_id in self._memory:
            return self._memory[session_id].sha
        entry = self._index.get(session_id)
        return entry.session.sha if entry else None

    def __getitem__(self, session_id: str) -> SourceSession:
        if self._file is None:
            return self._marked(self._memory[session_id])
        session = self._recent.get(session_id)
        if session is None:
            session = self._read(self._index[session_id])
            self._recent[session_id] = session
            if len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        return self._marked(session)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index if self._file is not None else self._memory)

    def __len__(self) -> int:
        return len(self._index) + len(self._memory)

    def __contains__(self, session_id: object) -> bool:
        return session_id in self._index or session_id in self._memory

    def _read(self, entry: _Entry) -> SourceSession:
        """A session from disk."""
        assert self._file is not None
        self._file.flush()
        packed = os.pread(self._file.fileno(), entry.size, entry.offset)
        turns = tuple(Turn(*parts) for parts in json.loads(zlib.decompress(packed)))
        return replace(entry.session, turns=turns)

    def _marked(self, session: SourceSession) -> SourceSession:
        """The session with the items it is evidence for."""
        items = self._evidence.get(session.id)
        if not items or items == session.evidence_for:
            return session
        return replace(session, evidence_for=(session.evidence_for - {SOMEBODY}) | items)
