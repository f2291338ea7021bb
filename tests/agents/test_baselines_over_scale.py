"""What the demo tells, from honest mechanics: policies over scale on the synthetic set."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from benchmarks.tune_extractive import BUDGET, Bench, Run, counted, value
from runners.agents import thresholds
from runners.agents.extractive import read, search_once, until_confident, verify
from runners.memory.registry import build

Runs = dict[str, list[Run]]


@pytest.fixture(scope="module")
def runs() -> Runs:
    bench = Bench("test")
    agents = {
        "search-once": search_once(),
        "until-confident": until_confident(),
        "verify": verify(),
    }
    found = asyncio.run(bench.run(build("bm25"), agents, (0, 400)))
    window = asyncio.run(bench.run(build("rolling-window"), {"window": read()}, (0, 400)))
    history = asyncio.run(bench.run(build("full-history"), {"history": read()}, (0, 400)))
    return {**found, **window, **history}


def share(runs: Sequence[Run], scale: int, which: Callable[[Run], bool]) -> float:
    cell = [run for run in runs if run.scale == scale and counted(run)]
    return sum(map(which, cell)) / len(cell)


def passed(run: Run) -> bool:
    return run.right and run.calls <= BUDGET


def exhausted(run: Run) -> bool:
    return run.calls > BUDGET


def wrong(run: Run) -> bool:
    return run.calls <= BUDGET and not run.right


def test_every_policy_passes_less_at_scale(runs: Runs) -> None:
    for name, cell in runs.items():
        assert share(cell, 0, passed) >= 0.75, name
        assert share(cell, 400, passed) <= share(cell, 0, passed) - 0.1, name


def test_one_search_fails_by_wrong_answers(runs: Runs) -> None:
    once = runs["search-once"]
    assert share(once, 400, exhausted) == 0
    assert share(once, 400, wrong) >= share(once, 0, wrong) + 0.2


def test_searching_on_fails_by_exhaustion(runs: Runs) -> None:
    confident = runs["until-confident"]
    assert share(confident, 400, exhausted) >= share(confident, 0, exhausted) + 0.2
    assert share(confident, 400, wrong) < share(runs["search-once"], 400, wrong) - 0.15
    # It is right more often than one search, only too late for the budget.
    assert share(confident, 400, lambda run: run.right) > share(
        runs["search-once"], 400, lambda run: run.right
    )


def test_all_outcomes_occur_at_every_scale_of_one_policy(runs: Runs) -> None:
    for outcome in (passed, exhausted, wrong):
        assert share(runs["until-confident"], 400, outcome) > 0.05


def test_evidence_is_lost_by_search_and_by_the_window_but_not_by_the_history(runs: Runs) -> None:
    def covered(run: Run) -> bool:
        return run.covered

    assert share(runs["search-once"], 400, covered) < 0.9
    assert share(runs["window"], 400, covered) < 0.2
    assert share(runs["history"], 400, covered) > 0.9


def test_wrong_answers_with_the_evidence_in_view_occur(runs: Runs) -> None:
    assert share(runs["history"], 400, lambda run: run.covered and not run.right) > 0.1


def test_hard_questions_are_out_of_reach_and_said_so(runs: Runs) -> None:
    """Sums, spans of days and pairs of names need more than one span."""
    hard = [r for r in runs["search-once"] if r.item.meta["kind"] in ("total", "between", "names")]
    assert hard and not any(run.right for run in hard)


@pytest.mark.slow
def test_the_constants_are_what_the_script_finds() -> None:
    bench = Bench("tune")
    grid = {str(t): until_confident(threshold=t) for t in (0.3, thresholds.CONFIDENT, 0.8)}
    found = asyncio.run(bench.run(build("bm25"), dict(grid)))
    best = max(found, key=lambda name: value(found[name]))
    assert best == str(thresholds.CONFIDENT)
