"""What the episodes of a foreign harness share while its run is recorded: the writer, the counts, the beat."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui.errors import UserError
from memtui.model import EndReason, EpisodeId, Evidence, RunState
from memtui.store.events import Event, HeartbeatEvent, RunStateEvent
from memtui.store.writer import RunWriter


def moment(at: datetime | None = None) -> str:
    """A time as the file stores it: UTC with its offset; UserError for a naive one."""
    if at is None:
        return datetime.now(UTC).isoformat(timespec="milliseconds")
    if at.tzinfo is None:
        raise UserError(f"{at.isoformat()} has no time zone: use datetime.now(timezone.utc)")
    return at.astimezone(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class Spec:
    """What is fixed when an episode starts."""

    id: EpisodeId
    uid: str
    haystack: str | None
    scale: float
    started: str
    evidence: tuple[Evidence, ...]
    provenance: str


class RecordedRun:
    """A run file that is being recorded, as its episodes know it."""

    def __init__(
        self,
        path: Path,
        judge: str,
        errors: Mapping[type[BaseException], EndReason],
        planned: int | None,
        *,
        durable: bool,
    ) -> None:
        """`planned` None: episodes are counted as they start."""
        self.path = path
        self.judge = judge
        self.errors = errors
        self._planned = planned
        self._writer = RunWriter(path, durable=durable)
        self._tokens: dict[str, int] = {}
        self._keys: set[str] = set()
        self._running: set[str] = set()
        self._beat = 0.0

    def put(self, event: Event) -> None:
        """Queue one event of the run file; StoreError when it cannot be stored."""
        self._writer.put(event)

    def commit(self) -> None:
        """Return once everything so far is in the file."""
        self._writer.commit_sync()

    async def commit_async(self) -> None:
        """`commit` for a running loop."""
        await self._writer.commit()

    def knows(self) -> set[str]:
        """Ids of the sessions stored so far."""
        return set(self._tokens)

    def began(self, spec: Spec) -> None:
        """Count an episode that starts."""
        if spec.id.key not in self._keys:
            self._keys.add(spec.id.key)
            if self._planned is None:
                state = RunStateEvent(RunState.RUNNING.value, moment(), planned=len(self._keys))
                self.put(state)
        self._running.add(spec.uid)
        self.alive()

    def ended(self, spec: Spec) -> None:
        """Count an episode that ended."""
        self._running.discard(spec.uid)
        self.alive()

    def alive(self) -> None:
        """Send a heartbeat, at most one a second."""
        now = time.monotonic()
        if now - self._beat >= 1.0:
            self._beat = now
            snapshot = {"in_flight": len(self._running)}
            self.put(HeartbeatEvent(moment(), os.getpid(), socket.gethostname(), snapshot))
