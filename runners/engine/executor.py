"""Where episodes run: in this process, behind a seam for executors that send them elsewhere."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from memtui.model import EpisodeId, Item, Usage
from memtui.store.errors import StoreError
from memtui.store.events import EventSink, LedgerEvent, LogEvent
from runners.engine.declared_calls import DeclaredCalls
from runners.engine.experiment import Arm, Experiment
from runners.engine.histories import Histories, History
from runners.engine.planned import Planned
from runners.engine.prepare import Preparation
from runners.episode import Opened, run_episode
from runners.episode_end import Finished
from runners.episode_settings import Attempt
from runners.memory.contract import Closing, SessionText
from runners.models.memory_door import INGEST, SEARCH, MemoryDoor
from runners.trajectory import Activity, elapsed_ms, utc_now

CLOSE_S = 30.0
"""Seconds a memory system gets to give back what it holds."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt to run, as plain data: it can be sent to another process."""

    spec: Planned
    id: EpisodeId
    uid: str


class Executor(Protocol):
    """Runs jobs; the driver decides which and how many at once.

    Events go to the run's one sink, from wherever the episode runs. `run` raises only what must end
    the whole run, and `CancelledError`.
    """

    async def run(self, job: Job, activity: Activity) -> Finished: ...

    def left(self, arms: Collection[str]) -> None:
        """No episode of any other arm will be run: what only they used may be given back."""

    async def close(self) -> None: ...


class LocalExecutor:
    """Runs episodes in this process and this event loop."""

    def __init__(
        self,
        experiment: Experiment,
        sink: EventSink,
        spent: Callable[[Usage], None] = lambda usage: None,
    ) -> None:
        """`spent` hears what was paid outside of episodes: for preparing and opening."""
        self.experiment = experiment
        self._sink = sink
        self._spent = spent
        self._settings = experiment.settings
        self._items: dict[str, Item] = {item.key: item for item in experiment.plan.items()}
        self.histories = Histories(experiment.plan, sink)
        self._declared = {
            arm.memory_key: DeclaredCalls(arm.memory) for arm in experiment.arms.values()
        }
        self.preparations = {
            arm.memory_key: Preparation(
                arm.memory_key,
                arm.memory,
                sink,
                experiment.memory_door,
                spent=spent,
                concurrency=experiment.config.limits.prepare_concurrency,
                seconds=experiment.config.limits.prepare_s,
                after=self._after_preparing(arm.memory_key),
            )
            for arm in experiment.arms.values()
        }
        self._warned: set[tuple[str, str]] = set()
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def run(self, job: Job, activity: Activity) -> Finished:
        """Run one attempt; see `Executor`."""
        arm = self.experiment.arms[job.spec.arm]
        item = self._items[job.spec.item]
        activity.begin("building history")
        history = await self.histories.get(job.spec)

        async def prepared() -> None:
            await self.preparations[arm.memory_key].ensure(history.texts)

        owner = state_owner(arm, history)
        door = self.experiment.memory_door(owner, job.id.repeat)

        async def opened() -> Opened:
            return await self.open(arm, item, history, door, f"episode:{job.uid}")

        finished = await run_episode(
            Attempt(
                job.id,
                job.uid,
                job.spec.haystack,
                job.spec.scale,
                episode_seed(self.experiment.config.seed, job.id),
            ),
            item,
            arm.agent,
            arm.memory.info,
            arm.memory.tools(),
            opened,
            self.experiment.judges,
            self._sink,
            self._settings,
            activity,
            prepared,
            lambda: door.meter.take(SEARCH),
        )
        searched = {key: n for key, n in door.counts.items() if key[0] == SEARCH}
        await self._told(
            arm.memory_key,
            self._declared[arm.memory_key].searching(finished.facts.executed, searched),
        )
        # What a system learnt while it was searched.
        await self._book_state(owner, door, 0.0)
        for note in finished.notes:
            await self._warn(arm.key, note)
        return finished

    async def open(
        self,
        arm: Arm,
        item: Item,
        history: History,
        door: MemoryDoor | None = None,
        then: str = "",
    ) -> Opened:
        """Open a history, whose sessions are prepared, for one episode.

        What that asks of models is booked on the state; afterwards the door belongs to `then`.
        """
        artifacts = self.preparations[arm.memory_key].artifacts(history.texts)
        owner = state_owner(arm, history)
        door = door or self.experiment.memory_door(owner)
        start = perf_counter()
        try:
            view = await arm.memory.open(
                history.haystack, artifacts, history.texts, item.question_date, door
            )
        finally:
            await self._book_state(owner, door, elapsed_ms(start))
        sessions = (history.texts[position.sha] for position in history.haystack.positions)
        await self._told(
            arm.memory_key, self._declared[arm.memory_key].opening(sessions, door.counts)
        )
        door.owner, door.phase = then or owner, SEARCH
        stored = getattr(view, "stored", None)
        total = len(history.haystack.positions)
        if isinstance(stored, int) and stored < total:
            await self._warn(
                arm.memory_key,
                f"holds {stored} of {total} sessions of the history it was opened on",
            )
        return view, history.text

    def _after_preparing(
        self, memory_key: str
    ) -> Callable[[SessionText, MemoryDoor], Awaitable[None]]:
        async def after(session: SessionText, door: MemoryDoor) -> None:
            await self._told(memory_key, self._declared[memory_key].preparing(session, door.counts))

        return after

    async def _told(self, memory_key: str, problem: str) -> None:
        if problem:
            await self._warn(memory_key, problem)

    async def _book_state(self, owner: str, door: MemoryDoor, wall_ms: float) -> None:
        tally = door.meter.take(INGEST)
        if tally is not None:
            paid, cold = tally.paid.total(), tally.cold.total()
            self._spent(paid)
            wall_ms = wall_ms or tally.wall_ms
            await self._sink.emit(LedgerEvent(owner, INGEST, paid, cold, wall_ms))

    async def _warn(self, who: str, text: str) -> None:
        """Tell the reader of the run once per arm and kind of trouble."""
        kind = text.split(" ", 1)[0]
        if (who, kind) in self._warned:
            return
        self._warned.add((who, kind))
        await self._sink.emit(
            LogEvent(utc_now(), "warning", "memory", f"{who} {text}", {"arm": who})
        )

    def left(self, arms: Collection[str]) -> None:
        """Close the memory systems of which no arm is left, beside whatever else runs."""
        used = {self.experiment.arms[arm].memory_key for arm in arms}
        for arm in self.experiment.arms.values():
            key, system = arm.memory_key, arm.memory
            if isinstance(system, Closing) and key not in used and key not in self._closing:
                self._closing[key] = asyncio.create_task(self._close(key, system))

    async def _close(self, key: str, system: Closing) -> None:
        """A system that does not let itself be closed has still given its results."""
        try:
            async with asyncio.timeout(CLOSE_S):
                await system.close()
        except Exception as error:
            text = f"could not be closed: {type(error).__name__}: {error}"
            with suppress(StoreError):
                await self._warn(key, text)

    async def close(self) -> None:
        """Stop preparations that nobody waits for, and close every memory system."""
        for preparation in self.preparations.values():
            await preparation.close()
        self.left(())
        await asyncio.gather(*self._closing.values(), return_exceptions=True)


def state_owner(arm: Arm, history: History) -> str:
    """Who pays for what a system does with one history as a whole."""
    return f"state:{arm.memory_key}:{history.haystack.key}"


def attempt_uid(run_uid: str, id: EpisodeId) -> str:
    """Name of an attempt, unique in its run file and the same whenever it is computed."""
    text = f"{run_uid}\n{id.key}\n{id.attempt}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def episode_seed(seed: int, id: EpisodeId) -> int:
    """Seed of an episode: of the run's, the item, its conditions and the repeat; the same in every arm."""
    text = f"{seed}\n{id.item}\n{id.conditions}\n{id.repeat}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1
