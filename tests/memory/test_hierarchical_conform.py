"""The graph systems keep the contract with a model that answers, with one that does not, and by rule."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runners.memory.conformance import FAILED, check_system
from runners.memory.conformance_bench import Bench
from runners.memory.conformance_material import topical
from runners.memory.contract import Completion
from runners.memory.hierarchical.rule_replies import rule_model
from runners.memory.registry import build
from runners.memory.search_view import MODES
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted_door import ScriptedDoor
from tests.memory.sessions import session

SYSTEMS: list[tuple[str, dict[str, Any]]] = [
    ("hipporag2", {}),
    ("hipporag2", {"mode": "loop", "recognition": "none", "k": 5}),
    ("hipporag2", {"extractor": "rules", "recognition": "model"}),
    ("licomemory", {}),
    ("licomemory", {"rank": "cogni", "summaries": 0, "mode": "single_shot"}),
]


@pytest.mark.parametrize(("name", "options"), SYSTEMS)
async def test_conformance_with_a_model(name: str, options: dict[str, Any]) -> None:
    report = await check_system(lambda: build(name, options), responder=rule_model)
    assert report.ok, str(report)


async def test_a_model_that_says_nothing_breaks_no_rule_but_that_of_finding() -> None:
    report = await check_system(lambda: build("hipporag2"))
    assert report.ok, "passages are still found by their vectors"
    mute = await check_system(lambda: build("licomemory"))
    assert {check.rule for check in mute.checks if check.status == FAILED} == {
        "memory is filled",
        "scripts without spaces",
    }, str(mute)


@pytest.mark.parametrize("name", ["hipporag2", "licomemory"])
async def test_a_content_is_extracted_once_for_all_haystacks(name: str) -> None:
    bench = Bench(lambda: build(name), rule_model)
    sessions = topical()
    artifacts = await bench.prepare(sessions)
    asked = len(bench.door.asked)
    for size in (3, 8):
        await bench.open(sessions[:size], artifacts=artifacts)
    assert len(bench.door.asked) == asked, "opening a haystack asks no language model"


class Failing(ScriptedDoor):
    """The second completion fails at the provider; all others take their time."""

    async def complete(self, *args: Any, **options: Any) -> Completion:
        self.counts["ingest", "complete"] += 1
        if self.counts["ingest", "complete"] == 2:
            raise ModelError(ErrorKind.CONNECTION, "provider is away")
        await asyncio.sleep(0.05)
        self.counts["ingest", "answered"] += 1
        return Completion("")


@pytest.mark.parametrize("name", ["hipporag2", "licomemory"])
async def test_a_provider_that_fails_is_asked_no_further(name: str) -> None:
    door = Failing()
    talk = session(*(f"Something about subject number {i} was said." for i in range(6)))
    with pytest.raises(ModelError, match="away"):
        await build(name).prepare(talk, door)
    await asyncio.sleep(0.1)
    assert door.counts["ingest", "answered"] == 0 and door.counts["ingest", "complete"] == 6


@pytest.mark.parametrize("name", ["hipporag2", "licomemory"])
@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_what_the_tool_says(name: str, mode: str) -> None:
    system = build(name, {"mode": mode})
    (tool,) = system.tools()
    assert system.info.mode == mode
    assert ("once per question" in tool.description) == (mode == "single_shot")
    assert ("Call again" in tool.description) == (mode == "loop")
