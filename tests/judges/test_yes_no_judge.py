"""The judge of one token: what the chances mean, and what is not a verdict."""

from __future__ import annotations

import math
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import Label
from runners.judges.contract import Case
from runners.judges.registry import build, from_spec
from runners.judges.yes_no import EXAMPLES, YesNoJudge, chance_of_yes, conversation
from runners.models.chat import ChatReply
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.settings import ModelSettings

CASE = Case("What colour is the cat?", "blue", "It is blue.", "single", True)


def judge(entry: Entry, **options: Any) -> tuple[YesNoJudge, ScriptedClient]:
    client = ScriptedClient([entry])
    door = ModelDoor(client, {"m": ModelSettings(retries=0)})
    return YesNoJudge({"model": "m", **options}, door), client


@pytest.mark.parametrize(
    ("alternatives", "text", "chance"),
    [
        ((("yes", math.log(0.6)), ("no", math.log(0.2))), "yes", 0.75),
        ((("Yes", math.log(0.3)), (" yes", math.log(0.3)), ("NO", math.log(0.2))), "Yes", 0.75),
        ((("maybe", -0.1), ("no", -3.0)), "maybe", 0.0),
        ((("maybe", -0.1),), "maybe", None),
        ((), " Yes", 1.0),
        ((), "no", 0.0),
        ((), None, None),
    ],
)
def test_the_chance_of_yes(
    alternatives: tuple[tuple[str, float], ...], text: str | None, chance: float | None
) -> None:
    found = chance_of_yes(alternatives, text)
    assert found == (None if chance is None else pytest.approx(chance))


async def test_the_threshold_decides() -> None:
    entry = ChatReply("yes", alternatives=(("yes", math.log(0.6)), ("no", math.log(0.4))))
    one, client = judge(entry)
    verdict = await one.judge(CASE)
    assert (verdict.label, verdict.raw) == (Label.RIGHT, "yes · yes 0.600")
    sent = client.requests[0]
    assert (sent.max_tokens, sent.phase, sent.extra["top_logprobs"]) == (1, "judge", 10)
    strict, _ = judge(entry, threshold=0.7)
    assert (await strict.judge(CASE)).label is Label.WRONG
    assert strict.id != one.id


async def test_what_is_no_verdict() -> None:
    for entry, case, label, reason in (
        (ChatReply("perhaps"), CASE, Label.UNKNOWN, "unparsable"),
        (ModelError(ErrorKind.SERVER, "down"), CASE, Label.UNKNOWN, "judge_error"),
        ("yes", Case("q", None, "a", "single", True), Label.UNKNOWN, "no_gold"),
        ("yes", Case("q", "g", "  ", "single", True), Label.WRONG, "no_answer"),
    ):
        one, _ = judge(entry)
        verdict = await one.judge(case)
        assert (verdict.label, verdict.reason) == (label, reason)


def test_the_examples_are_turns_that_were_answered() -> None:
    messages = conversation(CASE)
    assert [m["role"] for m in messages] == [
        "system",
        *["user", "assistant"] * len(EXAMPLES),
        "user",
    ]
    assert [m["content"] for m in messages if m["role"] == "assistant"] == [e[3] for e in EXAMPLES]
    assert "Answer: It is blue.\n" in messages[-1]["content"]


@pytest.mark.parametrize(
    ("answer", "label"), [("That was never mentioned.", Label.RIGHT), ("Milo", Label.WRONG)]
)
async def test_what_cannot_be_answered_is_judged_by_rule(answer: str, label: Label) -> None:
    one, client = judge("yes")
    verdict = await one.judge(Case("What is my cat called?", None, answer, "single", False))
    assert (verdict.label, verdict.reason) == (label, "abstention_rule")
    assert client.requests == []


def test_it_is_built_by_name() -> None:
    door = ModelDoor(ScriptedClient(["yes"]))
    assert build("local-yesno", {"model": "m"}, door).id.startswith("local-yesno/m#")
    assert from_spec("local-yesno:m", door).id.startswith("local-yesno/m#")
    with pytest.raises(UserError, match="needs a model"):
        build("local-yesno", {}, door)
    with pytest.raises(UserError, match="between 0 and 1"):
        build("local-yesno", {"model": "m", "threshold": 1.5}, door)
