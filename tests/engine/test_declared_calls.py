"""A run tells where a memory system asks for more than it declares: the plan was made from that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from runners.engine.declared_calls import DeclaredCalls
from runners.engine.run import run_experiment
from runners.memory.contract import Calls, SystemInfo
from runners.models.scripted import ScriptedClient
from tests.engine.test_door_in_a_run import AskingMemory, experiment, obedient
from tests.engine.tiny import rows

HONEST: Calls = {
    "prepare": {"complete": (1, 1)},
    "open": {"complete": (0, 1)},
    "call": {"complete": (1, 1)},
}


class Declaring(AskingMemory):
    """Asks once per session, once per history and once per search."""

    calls: Calls = HONEST

    @property
    def info(self) -> SystemInfo:
        return replace(super().info, calls=self.calls)


async def warnings(tmp_path: Path, calls: Calls) -> list[str]:
    made = experiment(ScriptedClient([obedient]))
    memory = Declaring()
    memory.calls = calls
    arms = {key: replace(arm, memory=memory) for key, arm in made.arms.items()}
    path = tmp_path / "r.memtui"
    result = await run_experiment(replace(made, arms=arms), path, signals=False)
    assert result.ends == {"answered": 18}
    return [text for (text,) in rows(path, "SELECT text FROM event WHERE kind = 'memory'")]


async def test_what_was_declared_is_no_news(tmp_path: Path) -> None:
    assert await warnings(tmp_path, HONEST) == []
    assert DeclaredCalls(AskingMemory()).searching(1, {("search", "complete"): 9}) == ""


async def test_more_than_declared_is_told_once(tmp_path: Path) -> None:
    (said,) = await warnings(tmp_path, HONEST | {"call": {"embed": (0, 1)}})
    assert said == (
        "list asked for 1 completions while searching, and declares at most 0:"
        " the plan's numbers of calls are too low"
    )


async def test_preparing_and_opening_are_held_to_it_too(tmp_path: Path) -> None:
    for phase, doing in (("prepare", "preparing a session"), ("open", "opening a history")):
        folder = tmp_path / phase
        folder.mkdir()
        calls: dict[str, Any] = {**HONEST, phase: {"complete": (0, 0)}}
        (said,) = await warnings(folder, calls)
        assert f"1 completions while {doing}, and declares at most 0" in said
