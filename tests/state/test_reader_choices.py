"""Budget, alpha, judge, filters and order: what the reader chose, within what the file can say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.outcome import outcome
from memtui.model import EndReason, Label, Outcome
from memtui.state.episode_list import FactIndex
from memtui.state.settings import Quick, Settings, SortKey, settings_of_run
from memtui.store.records import CellRow, EpisodeCost, EpisodeFact

BASE = Settings(budget=2, alpha=0.7, judge="rules")
CELLS = {
    1: CellRow(1, 1, "bm25/once", "scale=0", 0.0),
    2: CellRow(2, 1, "bm25/once", "scale=100", 100.0),
    3: CellRow(3, 2, "dense/once", "scale=0", 0.0),
}


@given(st.lists(st.sampled_from([-1, 1]), max_size=60))
def test_the_budget_of_a_hard_run_cannot_be_moved_above_its_own(moves: list[int]) -> None:
    settings = settings_of_run(3, 0.7, "rules", "hard")
    for by in moves:
        settings = settings.with_budget(by)
        assert 0 <= settings.budget <= 3


def test_a_safety_cap_bounds_the_budget() -> None:
    settings = settings_of_run(2, 0.7, "rules", "post_hoc", call_cap=20)
    assert replace(settings, budget=19).with_budget(1).budget == 19


@given(st.lists(st.sampled_from([-1, 1]), max_size=60))
def test_alpha_moves_in_steps_within_its_range(moves: list[int]) -> None:
    settings = BASE
    for by in moves:
        settings = settings.with_alpha(by)
        assert 0.05 <= settings.alpha <= 1.0
        assert round(settings.alpha * 20, 6) == round(settings.alpha * 20)


def test_judges_go_round_and_a_quick_filter_switches_off_again() -> None:
    assert BASE.with_next_judge(["rules", "strict"]).judge == "strict"
    assert BASE.with_next_judge(["rules", "strict"]).with_next_judge(["rules", "strict"]) == BASE
    assert BASE.with_next_judge([]) == BASE
    assert BASE.toggled(Quick.WRONG).quick is Quick.WRONG
    assert BASE.toggled(Quick.WRONG).toggled(Quick.WRONG) == BASE
    assert replace(BASE, filter="x", cell=3).toggled(Quick.WRONG).without_filters() == BASE


def fact(
    cell: int, item: int, end: str, requested: int, label: str | None, done: int
) -> EpisodeFact:
    return EpisodeFact(
        id=0, rev=1, cell_id=cell, item_id=item, cluster=0, qtype=0, answerable=1, done=done,
        end_reason=end if done else None, requested=requested, executed=requested,
        first_hit=None, t_star=None, gold_total=None, gold_found=None, redundant=0,
        zero_yield=0, forced=0, abstained=0, repeat=0, attempt=1, flagged=0, label=label,
    )  # fmt: skip


def facts() -> st.SearchStrategy[list[EpisodeFact]]:
    one = st.builds(
        fact,
        st.sampled_from([1, 2, 3]),
        st.integers(1, 5),
        st.sampled_from([reason.value for reason in EndReason]),
        st.integers(0, 6),
        st.sampled_from([None, *(label.value for label in Label)]),
        st.sampled_from([0, 1]),
    )
    return st.lists(one, max_size=30).map(
        lambda rows: [row._replace(id=10 + number) for number, row in enumerate(rows)]
    )


@given(facts(), st.integers(0, 6), st.sampled_from(list(Quick)))
def test_a_quick_filter_keeps_exactly_its_outcome_at_b(
    rows: list[EpisodeFact], budget: int, quick: Quick
) -> None:
    settings = replace(BASE, budget=budget, quick=quick)
    found, counts = FactIndex(rows, "post_hoc").select(settings, CELLS, {})
    newest = rows[::-1]
    if quick is not Quick.ALL:
        newest = [row for row in newest if outcome(row, budget) is Outcome(quick.value)]
    assert found == [row.id for row in newest]
    assert counts[quick] == len(found) and counts[Quick.ALL] == len(rows)


@given(facts(), st.sampled_from([1, 2, 3]), st.sets(st.integers(10, 40)))
def test_cell_and_filter_line_narrow_the_list_and_its_counts(
    rows: list[EpisodeFact], cell: int, passing: set[int]
) -> None:
    found, counts = FactIndex(rows, "post_hoc").select(replace(BASE, cell=cell), CELLS, {}, passing)
    assert set(found) == {row.id for row in rows if row.cell_id == cell and row.id in passing}
    assert counts[Quick.ALL] == len(found)


@given(facts(), st.sampled_from(list(SortKey)), st.booleans())
def test_every_order_is_total_and_shows_every_row_once(
    rows: list[EpisodeFact], sort: SortKey, backwards: bool
) -> None:
    costs = {r.id: EpisodeCost(r.id, None, None, None, None, None) for r in rows[::2]}
    settings = replace(BASE, sort=sort, reversed=backwards)
    found, _ = FactIndex(rows, "post_hoc").select(settings, CELLS, costs)
    assert sorted(found) == sorted(row.id for row in rows)
    assert found == FactIndex(rows[::-1], "post_hoc").select(settings, CELLS, costs)[0]


@pytest.mark.parametrize("backwards", [False, True])
def test_unknown_costs_come_last_whichever_way_round(backwards: bool) -> None:
    rows = [fact(1, n, "answered", 1, None, 1)._replace(id=n) for n in (1, 2, 3)]
    costs = {
        1: EpisodeCost(1, None, None, None, 0.5, 10.0),
        2: EpisodeCost(2, None, None, None, None, None),
        3: EpisodeCost(3, None, None, None, 0.1, 90.0),
    }
    for sort in (SortKey.COST, SortKey.TIME):
        settings = replace(BASE, sort=sort, reversed=backwards)
        assert FactIndex(rows, "post_hoc").select(settings, CELLS, costs)[0][-1] == 2
