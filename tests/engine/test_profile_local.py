"""The profile for a small model: its defaults, what a configuration may override, and its note."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import Hit, Turn
from runners.agents.prompts import action_schema
from runners.engine.build import build
from runners.engine.config import check_config, parse_config
from runners.engine.profiles import LOCAL_MODEL
from runners.memory.contract import CallResult, ToolSpec
from runners.models.prices import FREE, price_of
from runners.models.settings import ModelSettings
from runners.observation import HaystackText, show
from tests.engine.tiny import CONFIG

ARMS = [{"memory": "bm25", "agent": "model"}, {"memory": "bm25", "agent": "search-once"}]


def config(**more: Any) -> Any:
    return check_config({**CONFIG, "limits": {}, "arms": ARMS, "profile": "local", **more})


def test_the_defaults_of_a_small_model() -> None:
    made = config()
    assert (made.k, made.block_tokens, made.limits.workers) == (5, 128, 1)
    assert made.models[LOCAL_MODEL]["context"] == 16_384
    assert made.model_access.memory == LOCAL_MODEL
    agent = made.arms[0].agent
    assert agent.options["model"] == LOCAL_MODEL
    assert agent.options["mode"] == "json"
    assert made.arms[1].agent.options == {}


def test_what_is_given_stays() -> None:
    arms = [{"memory": "bm25", "agent": {"name": "model", "max_tokens": 50}}]
    models = {"local/smollm2-135m": {"threads": 1}}
    made = config(k=3, arms=arms, models=models, limits={"workers": 2})
    assert (made.k, made.limits.workers, made.limits.open_s) == (3, 2, 3600.0)
    assert made.arms[0].agent.options["max_tokens"] == 50
    assert made.arms[0].agent.options["model"] == "local/smollm2-135m"
    assert made.models == {
        "local/smollm2-135m": {"context": 16_384, "timeout": 1800.0, "threads": 1}
    }


def test_a_profile_that_does_not_exist() -> None:
    with pytest.raises(UserError, match="no profile 'lokal'"):
        config(profile="lokal")


def test_the_demo_says_that_it_is_not_comparable() -> None:
    text = files("runners.engine").joinpath("demo-local.toml").read_text("utf-8")
    built = build(parse_config(text))
    for arm in built.experiment.arms.values():
        assert "not comparable with runs at k = 12" in arm.event().note
    assert built.experiment.models is not None
    assert built.experiment.models.settings(LOCAL_MODEL).concurrency == 1
    assert price_of(LOCAL_MODEL, ModelSettings()) == FREE


def test_threads_are_for_local_models(tmp_path: Path) -> None:
    given = {**CONFIG, "data": {"name": "synthetic"}, "models": {"openai/x": {"threads": 1}}}
    arms = [{"memory": "bm25", "agent": "search-once"}]
    with pytest.raises(UserError, match="threads is for local models"):
        build(check_config({**given, "arms": arms}))


def test_separate_actions_have_no_field_of_another() -> None:
    tool = ToolSpec(
        "search",
        "",
        {
            "type": "object",
            "properties": {"query": {"type": "string"}, "k": {"type": "integer"}},
            "required": ["query"],
        },
    )
    schema = action_schema((tool,), answer_only=False, separate=True)["json_schema"]["schema"]
    fields = [list(choice["properties"]) for choice in schema["anyOf"]]
    assert fields == [["action", "answer"], ["action", "query"]]
    first = action_schema((tool,), answer_only=False, separate=True, may_answer=False)
    assert list(first["json_schema"]["schema"]["properties"]) == ["action", "query"]
    last = action_schema((tool,), answer_only=True, separate=True)["json_schema"]["schema"]
    assert list(last["properties"]) == ["action", "answer"]
    flat = action_schema((tool,), answer_only=False)["json_schema"]["schema"]
    assert list(flat["properties"]) == ["action", "query", "k", "answer"]


TURNS = tuple(Turn("user", f"{'word ' * 30}number {n}") for n in range(4))
TEXT = HaystackText({"a": TURNS, "b": TURNS[:1]}, {"a": None, "b": None})


def test_each_block_is_cut_and_coverage_stays_exact() -> None:
    found = CallResult((Hit("a"), Hit("b")))
    shown = show(found, TEXT, 5, None, 100)
    assert shown.cut == "block"
    spans = [(hit.ref, hit.first, hit.last, hit.shown) for hit in shown.hits]
    assert spans[0][0] == "a" and spans[0][3]
    assert spans[1] == ("a", spans[0][2] + 1, 3, False)  # type: ignore[operator]
    assert spans[2] == ("b", None, None, True)
    assert "number 3" not in shown.text
    assert shown.shown == 2
    assert show(found, TEXT, 5, None).cut == ""


def test_a_limit_on_both_keeps_the_order_of_hits() -> None:
    found = CallResult((Hit("a"), Hit("b"), Hit("b")))
    shown = show(found, TEXT, 5, 120, 100)
    assert [hit.ref for hit in shown.hits] == ["a", "a", "b", "b"]
    assert [hit.shown for hit in shown.hits][:2] == [True, False]
