"""The overview's counts are the episodes' own, at every budget; its columns are the conditions that ran."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from memtui.metrics.outcome import outcome
from memtui.metrics.scales import OWN
from memtui.model import Outcome
from memtui.state.overview import Overview, Rung, build_overview
from memtui.state.settings import ArmOrder
from memtui.state.tab import Measure
from memtui.store.reader import RunReader, open_run
from memtui.store.records import ArmRow, CellRow, EpisodeFact
from tests.state.folded_facts import fold_cells
from tests.ui.make_run import SCALES, Story, write


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    path: Path = tmp_path_factory.mktemp("overview") / "run.memtui"
    asyncio.run(write(path, Story(items=12)))
    return open_run(path)


def overview(
    reader: RunReader, budget: int, alpha: float = 0.7, order: ArmOrder = ArmOrder.DECLARED
) -> Overview:
    facts = reader.episode_facts("rules")
    return build_overview(
        reader.arms(), reader.cells(), SCALES, fold_cells(facts, "post_hoc"),
        budget=budget, alpha=alpha, mode="post_hoc", order=order,
    )  # fmt: skip


@pytest.mark.parametrize("budget", range(7))
def test_every_cell_counts_its_own_episodes(reader: RunReader, budget: int) -> None:
    shown = overview(reader, budget)
    expected: Counter[tuple[int, Outcome]] = Counter()
    for fact in reader.episode_facts("rules"):
        if fact.answerable:
            expected[fact.cell_id, outcome(fact, budget)] += 1
    for arm in shown.arms:
        for cell in arm.cells:
            assert cell is not None
            counts = cell.counts
            assert counts.passed == expected[cell.cell_id, Outcome.PASS]
            assert counts.exhausted == expected[cell.cell_id, Outcome.EXHAUSTED]
            assert counts.wrong == expected[cell.cell_id, Outcome.WRONG]
            assert counts.n_excluded == expected[cell.cell_id, Outcome.EXCLUDED]
            assert counts.passed + counts.exhausted + counts.wrong == counts.n
            covered = cell.share(Measure.COVERED)
            assert covered.k <= covered.n <= counts.n
    assert shown.has_unanswerable
    assert len(reader.episode_facts("rules")) == sum(
        cell.counts.n + cell.counts.n_excluded + cell.excluded_apart
        + cell.share(Measure.ABSTAINED).n
        for arm in shown.arms for cell in arm.cells if cell is not None
    )  # fmt: skip


def test_orders_show_the_same_arms(reader: RunReader) -> None:
    names = {
        order: [a.arm.key for a in overview(reader, 2, order=order).arms] for order in ArmOrder
    }
    assert names[ArmOrder.NAME] == sorted(names[ArmOrder.DECLARED])
    assert sorted(names[ArmOrder.BEST]) == names[ArmOrder.NAME]


def test_s_star_moves_with_alpha_and_never_above_the_ladder(reader: RunReader) -> None:
    strict, lax = overview(reader, 2, alpha=0.95), overview(reader, 2, alpha=0.05)
    assert {arm.s_star.kind for arm in lax.arms} <= {"above", "withheld"}
    for arm in strict.arms:
        assert arm.s_star.value is None or arm.s_star.value <= max(SCALES)


def test_columns_are_conditions_and_only_pure_scales_are_a_ladder() -> None:
    arm = ArmRow(1, "a/b", "b", "a", {}, "verbatim", "full", "")
    cells = [
        CellRow(1, 1, "a/b", "scale=0", 0.0),
        CellRow(2, 1, "a/b", "scale=own", OWN),
        CellRow(3, 1, "a/b", "scale=0|chunk=5", 0.0),
        CellRow(4, 1, "a/b", "", None),
    ]
    facts = [
        EpisodeFact(
            id=n, rev=1, cell_id=n, item_id=1, cluster=n, qtype=0, answerable=1, done=1,
            end_reason="answered", requested=1, executed=1, first_hit=None, t_star=None,
            gold_total=None, gold_found=None, redundant=0, zero_yield=0, forced=0, abstained=0,
            repeat=0, attempt=1, flagged=0, label="right" if n == 1 else "wrong",
        )
        for n in (1, 2, 3, 4)
    ]  # fmt: skip
    shown = build_overview(
        [arm], cells, (0.0, 100.0), fold_cells(facts, "post_hoc"),
        budget=2, alpha=0.7, mode="post_hoc",
    )  # fmt: skip
    assert [rung.conditions for rung in shown.rungs] == [
        "scale=own", "scale=0", "scale=0|chunk=5", "scale=100", "",
    ]  # fmt: skip
    assert [rung.on_ladder for rung in shown.rungs] == [False, True, False, True, False]
    view = shown.arms[0]
    assert [None if cell is None else cell.counts.passed for cell in view.cells] == [
        0,
        1,
        0,
        None,
        0,
    ]
    assert (
        view.change(Measure.PASS) is None
        and view.s_star.kind == "above"
        and view.s_star.value == 0.0
    )
    assert not Rung("", None).on_ladder
