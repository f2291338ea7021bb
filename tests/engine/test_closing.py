"""Memory systems that hold processes or files give them back: after their last episode, and at the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.model import RunState
from runners.engine import executor as executors
from runners.engine.run import run_experiment
from tests.engine.scripted import ListMemory
from tests.engine.tiny import Searcher, rows, tiny_experiment

ONE_AT_A_TIME = {"limits": {"workers": 1}}


@dataclass
class Holding(ListMemory):
    """Counts how often it is closed, and what was closed when it was opened last."""

    closed: int = 0
    closing: BaseException | float | None = None
    other: Holding | None = None
    other_was_closed: int = -1

    async def open(self, *args: Any, **more: Any) -> Any:
        if self.other is not None:
            self.other_was_closed = self.other.closed
        return await super().open(*args, **more)

    async def close(self) -> None:
        self.closed += 1
        if isinstance(self.closing, BaseException):
            raise self.closing
        if self.closing is not None:
            await asyncio.sleep(self.closing)


async def test_a_system_is_closed_after_its_last_episode(tmp_path: Path) -> None:
    first = Holding("first")
    second = Holding("second", other=first)
    arms = {"first/a": (first, Searcher()), "second/a": (second, Searcher())}
    result = await run_experiment(
        tiny_experiment(ONE_AT_A_TIME, arms=arms), tmp_path / "r.memtui", signals=False
    )
    assert result.state is RunState.FINISHED
    assert second.other_was_closed == 1, "while the other arm's last episode was still to run"
    assert (first.closed, second.closed) == (1, 1)


async def test_arms_of_one_system_close_it_once_and_last(tmp_path: Path) -> None:
    shared = Holding("first")
    arms = {"first/a": (shared, Searcher()), "first/b": (shared, Searcher(2))}
    experiment = tiny_experiment(ONE_AT_A_TIME, arms=arms)
    path = tmp_path / "r.memtui"
    await run_experiment(experiment, path, signals=False)
    assert shared.closed == 1 and shared.opened >= 36
    assert rows(path, "SELECT count(*) FROM episode WHERE end_reason != 'answered'") == [(0,)]


async def test_a_run_that_stops_closes_what_it_opened(tmp_path: Path) -> None:
    memory = Holding("first")
    experiment = tiny_experiment({"caps": {"episodes": 2}}, arms={"first/a": (memory, Searcher())})
    result = await run_experiment(experiment, tmp_path / "r.memtui", signals=False)
    assert result.state is RunState.INTERRUPTED and memory.closed == 1


async def test_what_cannot_be_closed_costs_no_result(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(executors, "CLOSE_S", 0.05)
    broken, hung = Holding("broken", closing=OSError("gone")), Holding("hung", closing=30.0)
    arms = {"broken/a": (broken, Searcher()), "hung/a": (hung, Searcher())}
    path = tmp_path / "r.memtui"
    result = await run_experiment(tiny_experiment(arms=arms), path, signals=False)
    assert result.state is RunState.FINISHED and result.done == 36
    said = {text for (text,) in rows(path, "SELECT text FROM event WHERE kind = 'memory'")}
    assert said == {
        "broken could not be closed: OSError: gone",
        "hung could not be closed: TimeoutError: ",
    }
