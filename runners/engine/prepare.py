"""Preparation of sessions for one memory system: once per distinct content, whoever asks first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter

from memtui.model import EndReason, Usage
from memtui.store.events import EventSink, LedgerEvent
from runners.failures import end_reason_of
from runners.memory.contract import Artifact, MemorySystem, SessionText
from runners.models.memory_door import INGEST, MemoryDoor
from runners.trajectory import elapsed_ms

Doors = Callable[[str], MemoryDoor]
"""Makes the door of an owner."""
LOCAL = Usage(prompt=0, completion=0, cost=0.0)
"""Usage of a preparation without model calls: time is all it costs."""
TRIES = 2
"""Failures of the system on one session before it is not asked again in this sitting."""


class Preparation:
    """Artifacts of a memory system by session sha.

    A session that two episodes want at the same time is prepared once. One whose preparation failed
    at a provider is tried again by the next episode that needs it, so a provider that recovers leaves
    no gap; one that the system itself failed on is given up after `TRIES`.
    """

    def __init__(
        self,
        name: str,
        system: MemorySystem,
        sink: EventSink,
        doors: Doors | None = None,
        *,
        spent: Callable[[Usage], None] = lambda usage: None,
        concurrency: int = 4,
        seconds: float | None = None,
        after: Callable[[SessionText, MemoryDoor], Awaitable[None]] | None = None,
    ) -> None:
        """`after` is awaited when a session was prepared, with the door it was given."""
        self.name = name
        self.prepared = 0
        """Preparations that succeeded: never more than there are distinct sessions."""
        self._system = system
        self._sink = sink
        self._doors = doors
        self._spent = spent
        self._seconds = seconds or None
        self._after = after
        self._slots = asyncio.Semaphore(concurrency)
        self._done: dict[str, Artifact] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, list[Exception]] = {}

    async def ensure(self, texts: Mapping[str, SessionText]) -> None:
        """Prepare those of the sessions that are not prepared yet; raises the first failure.

        An episode that is cancelled while it waits does not take the others' preparation with it.
        """
        missing = [sha for sha in texts if sha not in self._done]
        if not missing:
            return
        tasks = [self._task(sha, texts[sha]) for sha in missing]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()

    def artifacts(self, texts: Mapping[str, SessionText]) -> dict[str, Artifact]:
        """The artifacts of exactly these sessions: a system is never handed another's content."""
        done = self._done
        return {sha: done[sha] for sha in texts}

    def _task(self, sha: str, session: SessionText) -> asyncio.Task[None]:
        task = self._busy.get(sha)
        if task is None:
            task = self._busy[sha] = asyncio.create_task(self._prepare(sha, session))
            # A failure nobody waits for any more is found again by the next episode that needs it.
            task.add_done_callback(lambda t: t.cancelled() or t.exception())
        return task

    async def _prepare(self, sha: str, session: SessionText) -> None:
        try:
            earlier = self._failed.get(sha, [])
            if len(earlier) >= TRIES:
                raise earlier[-1]
            async with self._slots:
                artifact = await self._ask(sha, session)
                # Purely local work never suspends; the heartbeat and other episodes get their turn.
                await asyncio.sleep(0)
            self._done[sha] = artifact
            self.prepared += 1
        except Exception as error:
            if end_reason_of(error) is not EndReason.PROVIDER_ERROR:
                self._failed.setdefault(sha, []).append(error)
            raise
        finally:
            self._busy.pop(sha, None)

    async def _ask(self, sha: str, session: SessionText) -> Artifact:
        """Have the session prepared, and book what that used: of a failure too, it was paid for."""
        owner = f"artifact:{self.name}:{sha[:12]}"
        door = self._doors(owner) if self._doors is not None else None
        start = perf_counter()
        prepared = False
        try:
            async with asyncio.timeout(self._seconds):
                artifact = await self._system.prepare(session, door)
            prepared = True
            if self._after is not None and door is not None:
                await self._after(session, door)
            return artifact
        finally:
            wall_ms = elapsed_ms(start)
            tally = door.meter.take(INGEST) if door is not None else None
            if tally is not None:
                paid, cold = tally.paid.total(), tally.cold.total()
                self._spent(paid)
                await self._sink.emit(LedgerEvent(owner, INGEST, paid, cold, wall_ms))
            elif prepared:
                await self._sink.emit(LedgerEvent(owner, INGEST, LOCAL, LOCAL, wall_ms))

    async def close(self) -> None:
        """Stop what is still being prepared."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
