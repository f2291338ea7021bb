"""One question to a model for structured memory: read, repaired, asked again, given up, counted."""

from __future__ import annotations

from typing import Any

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
from runners.models.scripted_door import Messages, ScriptedDoor

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


class Limited(ScriptedDoor):
    """Writes one long list and stops at the limit of each reply; one character is one token."""

    def __init__(self, text: str, after_cut: float = 1.0) -> None:
        super().__init__(lambda messages, schema: text)
        self.text = text
        self.after_cut = after_cut
        self.limits: list[int] = []

    async def complete(
        self, messages: Messages, *, max_tokens: int | None = None, **options: Any
    ) -> Completion:
        assert max_tokens is not None
        await super().complete(messages)
        self.limits.append(max_tokens)
        text = self.text[:max_tokens]
        return Completion(text, finish="stop" if text == self.text else "length")


LIST = '{"facts": ["Tom is a cat.", "Ann is a dog."]}'


async def test_a_cut_reply_is_used_as_far_as_it_goes() -> None:
    for after_cut in (0.0, 1.0, 2.0):
        door = Limited(LIST, after_cut)
        found = await extract(door, ASKED, SCHEMA, phase="ingest", max_tokens=30)
        assert (found.value, found.repairs) == ({"facts": ["Tom is a cat."]}, ("truncated",))
        assert door.limits == [30], "and not asked for again"


async def test_what_the_limit_cut_unread_is_given_more_room_or_left() -> None:
    same, roomy, once = (Limited(LIST, after_cut) for after_cut in (1.0, 2.5, 0.0))
    found = [
        await extract(d, ASKED, SCHEMA, phase="ingest", max_tokens=16) for d in (same, roomy, once)
    ]
    assert same.limits == [16, 16] and not found[0].usable
    assert "be briefer" in same.asked[1].text
    assert roomy.limits == [16, 40] and found[1].value == {"facts": ["Tom is a cat."]}
    assert roomy.asked[0].messages == roomy.asked[1].messages, "the same, with more room"
    assert once.limits == [16] and not found[2].usable and found[2].calls == 1


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
