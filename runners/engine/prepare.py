"""Preparation of sessions for one memory system: once per distinct content, whoever asks first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from time import perf_counter

from memtui.model import Usage
from memtui.store.events import EventSink, LedgerEvent
from runners.memory.contract import Artifact, Door, MemorySystem, SessionText
from runners.trajectory import elapsed_ms

LOCAL = Usage(prompt=0, completion=0, cost=0.0)
"""Usage of a preparation without model calls: time is all it costs."""


class Preparation:
    """Artifacts of a memory system by session sha.

    A session that two episodes want at the same time is prepared once; one whose preparation failed is
    tried again by the next episode that needs it, so a provider that recovers leaves no gap.
    """

    def __init__(
        self,
        name: str,
        system: MemorySystem,
        sink: EventSink,
        door: Door | None = None,
        concurrency: int = 4,
    ) -> None:
        self.name = name
        self.prepared = 0
        """Preparations made: never more than there are distinct sessions, failures aside."""
        self._system = system
        self._sink = sink
        self._door = door
        self._slots = asyncio.Semaphore(concurrency)
        self._done: dict[str, Artifact] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}

    async def artifacts(
        self, shas: Iterable[str], texts: Mapping[str, SessionText]
    ) -> dict[str, Artifact]:
        """The artifacts of exactly these sessions: a system is never handed another's content."""
        wanted = dict.fromkeys(shas)
        done = self._done
        missing = [sha for sha in wanted if sha not in done]
        if missing:
            tasks = [self._task(sha, texts) for sha in missing]
            # Shielded: an episode that is cancelled must not take the others' preparation with it.
            await asyncio.shield(asyncio.gather(*tasks))
        return {sha: done[sha] for sha in wanted}

    def _task(self, sha: str, texts: Mapping[str, SessionText]) -> asyncio.Task[None]:
        task = self._busy.get(sha)
        if task is None:
            task = self._busy[sha] = asyncio.create_task(self._prepare(sha, texts[sha]))
            # A failure nobody waits for any more is reported by the next episode that needs it.
            task.add_done_callback(lambda t: t.cancelled() or t.exception())
        return task

    async def _prepare(self, sha: str, session: SessionText) -> None:
        try:
            async with self._slots:
                start = perf_counter()
                artifact = await self._system.prepare(session, self._door)
                wall_ms = elapsed_ms(start)
                # Purely local work never suspends; the heartbeat and other episodes get their turn.
                await asyncio.sleep(0)
            self._done[sha] = artifact
            self.prepared += 1
            owner = f"artifact:{self.name}:{sha[:12]}"
            await self._sink.emit(LedgerEvent(owner, "ingest", LOCAL, LOCAL, wall_ms))
        finally:
            self._busy.pop(sha, None)

    async def close(self) -> None:
        """Stop what is still being prepared."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
