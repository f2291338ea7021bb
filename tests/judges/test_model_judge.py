"""The model judge: the right prompt for each kind of question, and no verdict where there is none."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import Label
from runners.judges.contract import Case
from runners.judges.model import ModelJudge
from runners.judges.prompts import PROMPTS, fill, variant_of
from runners.judges.registry import build, from_spec, names
from runners.models.chat import ChatReply
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.settings import ModelSettings, Price

CASE = Case("Where?", "Rome", "in Rome", "multi-session", True)


def judge(*script: Entry, **options: Any) -> tuple[ModelJudge, ScriptedClient]:
    client = ScriptedClient(script)
    door = ModelDoor(client, default=ModelSettings(retries=0, price=Price(1.0, 1.0)))
    return ModelJudge({"model": "m", **options}, door), client


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("yes", Label.RIGHT),
        ("no", Label.WRONG),
        ("It depends", Label.UNKNOWN),
        (" ", Label.UNKNOWN),
    ],
)
async def test_labels(reply: str, label: Label) -> None:
    j, client = judge(ChatReply(reply, prompt=100, completion=1))
    found = await j.judge(CASE)
    assert (found.label, found.raw) == (label, reply)
    assert found.usage is not None and found.usage.prompt == 100 and found.usage.cost == 101e-6
    (request,) = client.requests
    assert (request.phase, request.temperature) == ("judge", 0.0)
    assert "Rome" in request.messages[0]["content"]
    if label is Label.UNKNOWN:
        assert found.reason.startswith("unparsable")


async def test_both_readings_are_shown_where_they_differ() -> None:
    j, _ = judge("no, yesterday it was Oslo")
    found = await j.judge(CASE)
    assert found.label is Label.WRONG and "upstream rule: yes" in found.reason
    compat, _ = judge("no, yesterday it was Oslo", official_compat=True)
    found = await compat.judge(CASE)
    assert found.label is Label.RIGHT and "strict: no" in found.reason
    assert compat.id != j.id and compat.id.endswith("+official")
    j, _ = judge("no")
    assert "rule" not in (await j.judge(CASE)).reason


@pytest.mark.parametrize(
    ("qtype", "answerable", "variant"),
    [
        ("single-session-user", True, "plain"),
        ("temporal-reasoning", True, "temporal"),
        ("knowledge-update", True, "knowledge-update"),
        ("single-session-preference", True, "preference"),
        ("temporal-reasoning", False, "abstention"),
        ("multi-hop", True, "correct-wrong"),
        ("adversarial", False, "abstention"),
    ],
)
def test_variants(qtype: str, answerable: bool, variant: str) -> None:
    case = Case("Q", "G", "A", qtype, answerable)
    assert variant_of(case) == variant
    assert variant_of(case, "locomo") == ("correct-wrong" if answerable else "abstention")


def test_prompts_hold_everything_once_and_change_nothing() -> None:
    for prompt in PROMPTS.values():
        text = fill(prompt, Case("{gold}?", "a {answer} b", "{question}", "t", True))
        assert "{gold}?" in text and "a {answer} b" in text and "{question}" in text
        assert "{task}" not in text and "{ask}" not in text
    dated = fill(PROMPTS["plain"], Case("Q?", "G", "A", "t", True, "2023-05-01"))
    assert "Q? (asked on 2023-05-01)" in dated


async def test_nothing_is_asked_where_nothing_can_be_judged() -> None:
    j, client = judge("yes")
    assert (await j.judge(Case("Q", "G", "  ", "t", True))).label is Label.WRONG
    assert (await j.judge(Case("Q", None, "A", "t", True))).reason == "no_gold"
    assert client.requests == []
    assert (await j.judge(Case("Q", None, "A", "t", False))).label is Label.RIGHT


async def test_a_failing_provider_leaves_the_verdict_unknown() -> None:
    j, _ = judge(ModelError(ErrorKind.RATE_LIMITED, "busy"))
    found = await j.judge(CASE)
    assert (found.label, found.reason) == (Label.UNKNOWN, "judge_error")
    assert found.usage is not None and found.usage.prompt is None
    j, _ = judge(ModelError(ErrorKind.AUTH, "no"))
    with pytest.raises(ModelAccessError):
        await j.judge(CASE)


def test_the_id_names_what_could_change_a_verdict() -> None:
    ids = {
        judge("x")[0].id,
        judge("x", style="locomo")[0].id,
        judge("x", official_compat=True)[0].id,
        judge("x", temperature=1.0)[0].id,
        judge("x", max_tokens=10)[0].id,
        judge("x", model="n")[0].id,
    }
    assert len(ids) == 6
    assert judge("x")[0].id == judge("y")[0].id and judge("x")[0].id.startswith("model/m#")


def test_specs() -> None:
    door = ModelDoor(ScriptedClient(["yes"]))
    assert from_spec("deterministic").id == "deterministic-v1"
    assert from_spec({"name": "deterministic"}).id == "deterministic-v1"
    short = from_spec("model:openai/gpt-4o,style=locomo,official_compat=true", lambda: door)
    table = {"name": "model", "model": "openai/gpt-4o", "style": "locomo", "official_compat": True}
    assert short.id == from_spec(table, door).id
    assert {"deterministic", "model"} <= set(names())
    for spec, message in (
        ("determinstic", "did you mean deterministic"),
        ("model", "needs a model"),
        ("model:m,styl=x", "did you mean style"),
        ("model:m,style=x", "style must be one of"),
        ("model:m,oops", "write key=value"),
        ("deterministic:x", "write key=value"),
        ({"model": "m"}, "needs a name"),
    ):
        with pytest.raises(UserError, match=message):
            from_spec(spec, door)
    with pytest.raises(UserError, match="unknown option 'strict'"):
        build("deterministic", {"strict": True})
