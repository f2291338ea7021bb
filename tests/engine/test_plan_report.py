"""`--plan`: numbers before anything runs, the same each time, with what is unknown said to be unknown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runners.engine.estimate import HistorySize, estimate, hours
from runners.engine.memory_calls import Bounds
from runners.engine.plan import PlanReport, make_plan
from runners.engine.plan_text import plan_text
from runners.models.settings import ModelSettings, Price
from tests.engine.scripted import ListMemory
from tests.engine.tiny import CONFIG, Searcher, tiny_experiment

MODEL = ModelSettings(price=Price(1.0, 2.0), context=8_000, concurrency=2)


def planned(settings: ModelSettings | None = MODEL, **config: object) -> PlanReport:
    arms = {
        "list/free": (ListMemory(), Searcher()),
        "list/asks": (ListMemory(), Searcher(model="m")),
    }
    models = {} if settings is None else {"m": settings}
    return make_plan(tiny_experiment(dict(config), arms=arms), models)


def test_a_plan_runs_nothing_and_counts_everything() -> None:
    memory, agent = ListMemory(), Searcher()
    report = make_plan(tiny_experiment(memory=memory, agent=agent), {})
    assert report.episodes == 18
    assert [(row.scale, row.episodes) for row in report.rows] == [(0, 6), (5, 6), (20, 6)]
    assert memory.prepared == [] and memory.opened == 0 and agent.seen == []
    assert report.cost == 0.0 and "no arm asks a language model" in plan_text(report)


def test_notes_on_the_data_are_part_of_the_plan() -> None:
    experiment = tiny_experiment()
    notes = {"notes": ["not the official file: another sha256"]}
    experiment = replace(experiment, data={**experiment.data, **notes})
    assert "    not the official file: another sha256\n" in plan_text(make_plan(experiment, {}))


def test_byte_for_byte_the_same() -> None:
    first, second = planned(), planned()
    assert plan_text(first) == plan_text(second)
    assert json.dumps(first.as_dict()) == json.dumps(second.as_dict())


def test_tokens_and_cost_of_a_searching_agent() -> None:
    config = tiny_experiment({"k": 2, "budget": {"calls": 2}}).config
    row = estimate(
        "a",
        5.0,
        10,
        HistorySize(600.0, 6.0),
        context_system=False,
        model="m",
        settings=MODEL,
        config=config,
    )
    step = 2 * 100 + 120
    assert row.prompt == 350 + 2 * step
    assert row.prompt_tokens == 10 * (3 * 350 + step * 3)
    assert row.completion_tokens == 10 * 3 * 120
    assert row.cost == pytest.approx((row.prompt_tokens + 2 * row.completion_tokens) / 1e6)
    assert row.fits and row.fits_at_cap


def test_a_context_system_is_measured_against_the_window() -> None:
    config = tiny_experiment({"context_tokens": 100_000}).config
    row = estimate(
        "a",
        5.0,
        1,
        HistorySize(50_000, 20),
        context_system=True,
        model="m",
        settings=MODEL,
        config=config,
    )
    assert (row.prompt, row.prompt_tokens, row.fits) == (50_350, 50_350, False)


def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    report = planned(None)
    assert report.cost is None
    assert "cost      unknown: no price for m" in plan_text(report)
    document = report.as_dict()
    assert document["cost_usd"] is None
    assert {cell["fits"] for cell in document["cells"]} == {None}


def test_hours_go_by_the_slowest_and_by_its_limit() -> None:
    assert hours({"": 3_600.0, "m": 7_200.0}, {"m": 2}, 8) == 1.0
    assert hours({"": 1.0, "m": 7_200.0}, {}, 8) == 0.25


def test_missing_rungs_are_listed() -> None:
    report = planned(ladder={"scales": [0, 39, 4_000], "allow_missing_rungs": True})
    (missing,) = report.missing
    assert (missing.scale, missing.histories, missing.of) == (4_000, 6, 6)
    assert "missing rungs" in plan_text(report)
    assert report.episodes == 24


def test_small_histories_are_warned_about() -> None:
    report = planned()
    assert sum("one call can return everything" in line for line in report.warnings) == 2


def test_what_is_not_in_the_hash_is_not_in_the_plan_of_record() -> None:
    assert CONFIG["limits"] == {"workers": 4}
    one = tiny_experiment({"limits": {"workers": 9}}).hash
    assert one == tiny_experiment().hash


def test_a_model_judge_is_counted() -> None:
    judges = [{"name": "model", "model": "m"}]
    report = planned(judges=judges)
    (judge,) = report.judges
    assert (judge.calls, judge.prompt_tokens) == (36, 36 * 400)
    prompts = sum(row.prompt_tokens for row in report.rows) + 36 * 400
    assert report.prompt_tokens == Bounds(prompts, prompts), "no memory system asks anything"
    assert planned(None, judges=judges).cost is None


def test_a_plan_tells_what_its_histories_share() -> None:
    report = make_plan(tiny_experiment({"ladder": {"scales": [0, 40]}}), {})
    assert any("most questions share them" in line for line in report.warnings)
    assert any("most questions share them" in line for line in plan_text(report).splitlines())
