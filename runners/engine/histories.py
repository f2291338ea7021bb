"""Histories of a plan while it runs: each is built once, declared to the run file once, and kept a while."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from memtui.store.events import EventSink
from runners.engine.planned import Plan, Planned
from runners.memory.contract import Haystack, SessionText
from runners.observation import HaystackText

KEPT = 48
"""Histories held ready; arms go in step, so one is asked for by all of them within a short time."""


@dataclass(frozen=True, slots=True)
class History:
    """One history ready to be opened."""

    haystack: Haystack
    texts: Mapping[str, SessionText]
    text: HaystackText


class Histories:
    """Builds on demand, keeps the latest `kept`, and tells the run file about each session once."""

    def __init__(self, plan: Plan, sink: EventSink, kept: int = KEPT) -> None:
        self._plan = plan
        self._sink = sink
        self._kept = kept
        self._ready: OrderedDict[str, asyncio.Task[History]] = OrderedDict()
        self._declared: set[str] = set()
        self._sessions: set[str] = set()
        self.built = 0

    async def get(self, spec: Planned) -> History:
        """The history of an episode; asked for twice at once it is built once."""
        key = spec.haystack
        task = self._ready.get(key)
        if task is None:
            task = self._ready[key] = asyncio.create_task(self._build(spec))
            while len(self._ready) > self._kept:
                self._ready.popitem(last=False)
        else:
            self._ready.move_to_end(key)
            if task.done():
                return task.result()
        # Shielded: an episode that is cancelled while it waits must not take the history with it.
        return await asyncio.shield(task)

    async def _build(self, spec: Planned) -> History:
        built = self._plan.haystack(spec.item, spec.scale, spec.ladder_seed)
        self.built += 1
        if spec.haystack not in self._declared:
            for session in self._plan.session_events(built):
                if session.token not in self._sessions:
                    self._sessions.add(session.token)
                    await self._sink.emit(session)
            self._declared.add(spec.haystack)
            await self._sink.emit(built.event)
        texts = {p.sha: built.texts[p.sha] for p in built.haystack.positions}
        return History(built.haystack, texts, HaystackText.of(built.haystack, texts))

    @property
    def sessions(self) -> int:
        """Distinct sessions declared so far."""
        return len(self._sessions)
