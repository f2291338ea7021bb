"""One question to a model for structured memory: read, repaired, asked again, given up, counted."""

from __future__ import annotations

import pytest

from memtui.errors import UserError
from runners.memory.contract import Completion, MemoryError_
from runners.memory.extraction import (
    Extracted,
    Tally,
    check_extractor,
    extract,
    prompt,
    readable,
    require_door,
)
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted_door import ScriptedDoor

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
ASKED = prompt("Write facts.", "Tom is a cat.")


async def test_a_reply_that_keeps_the_schema_is_asked_for_once() -> None:
    door = ScriptedDoor([{"facts": ["a"]}])
    found = await extract(door, ASKED, SCHEMA, phase="ingest")
    assert found == Extracted({"facts": ["a"]}, 1, raw=('{"facts": ["a"]}',)) and found.usable
    assert door.asked[0].schema is SCHEMA and door.asked[0].phase == "ingest"


async def test_what_was_wrong_is_said_and_asked_again_once() -> None:
    door = ScriptedDoor(["Tom.", {"facts": ["a", {}]}])
    found = await extract(door, ASKED, SCHEMA, phase="search")
    assert (found.calls, found.value, found.dropped) == (2, {"facts": ["a"]}, 1)
    roles = [message["role"] for message in door.asked[1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert "the reply holds no JSON" in door.asked[1].text
    given_up = await extract(ScriptedDoor(["Tom.", "{}"]), ASKED, SCHEMA, phase="search")
    assert given_up.value is None and given_up.problem == "the reply lacks the field 'facts'"
    assert given_up.raw == ("Tom.", "{}"), "what the model wrote is kept"


class CutOff(ScriptedDoor):
    async def complete(self, *args: object, **options: object) -> Completion:
        await super().complete(ASKED)
        return Completion('{"facts', finish="length")


async def test_a_reply_that_was_cut_off_is_told_to_be_briefer() -> None:
    found = await extract(CutOff(["", ""]), ASKED, SCHEMA, phase="ingest")
    assert found.problem.endswith("(it was cut off: be briefer)")


async def test_a_provider_that_fails_is_not_the_systems_fault() -> None:
    door = ScriptedDoor([ModelError(ErrorKind.TIMEOUT, "no answer")])
    with pytest.raises(ModelError):
        await extract(door, ASKED, SCHEMA, phase="ingest")


def test_tallies_say_nothing_where_all_went_well() -> None:
    good, repaired = Extracted({}, 1), Extracted({}, 1, ("fenced",), dropped=2)
    bad = Extracted(None, 2, problem="why")
    tally = Tally()
    tally.add(good)
    assert tally.remarks() == {} and tally.calls == 1
    for one in (repaired, bad):
        tally.add(one)
    assert tally.remarks() == {
        "extractions": 3, "extractions_unreadable": 1, "extractions_repaired": 1,
        "elements_dropped": 2,
    }  # fmt: skip
    assert tally.problems == ["why"] and tally.calls == 4
    assert readable([[good], [], [bad, good], [bad]]) == 3


def test_who_extracts_and_whom_one_asks() -> None:
    assert check_extractor("rules") == "rules"
    with pytest.raises(UserError, match="one of model, rules, not 'llm'"):
        check_extractor("llm")
    with pytest.raises(MemoryError_, match="openclaw asks models"):
        require_door(None, "openclaw")
