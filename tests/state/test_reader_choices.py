"""Budget, alpha, judge, filters and order: what the reader chose, within what the file can say."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.outcome import outcome
from memtui.model import EndReason, Label, Outcome
from memtui.state.episode_list import FactIndex
from memtui.state.file_order import FILE_ORDER
from memtui.state.settings import Quick, Settings, SortKey, settings_of_run
from memtui.store.episode_order import ColumnOrders
from memtui.store.packed_facts import PackedFacts
from memtui.store.reader import open_run
from memtui.store.records import CellRow, EpisodeFact, EpisodeRow
from tests.report.generated_run import anything

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
        first_hit=None, t_star=None, gold_total=None, gold_found=None, redundant=requested % 3,
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


def index(rows: list[EpisodeFact]) -> FactIndex:
    packed = PackedFacts()
    packed.about = {row.item_id: (row.cluster, row.qtype, row.answerable, 0) for row in rows}
    packed.put(rows)
    return FactIndex(packed, "post_hoc")


@given(facts(), st.integers(0, 6), st.sampled_from(list(Quick)))
def test_a_quick_filter_keeps_exactly_its_outcome_at_b(
    rows: list[EpisodeFact], budget: int, quick: Quick
) -> None:
    settings = replace(BASE, budget=budget, quick=quick)
    found, counts = index(rows).select(settings, CELLS)
    newest = rows[::-1]
    if quick is not Quick.ALL:
        newest = [row for row in newest if outcome(row, budget) is Outcome(quick.value)]
    assert list(found) == [row.id for row in newest]
    assert counts[quick] == len(found) and counts[Quick.ALL] == len(rows)


@given(facts(), st.sampled_from([1, 2, 3]), st.sets(st.integers(10, 40)))
def test_cell_and_filter_line_narrow_the_list_and_its_counts(
    rows: list[EpisodeFact], cell: int, passing: set[int]
) -> None:
    found, counts = index(rows).select(replace(BASE, cell=cell), CELLS, passing)
    assert set(found) == {row.id for row in rows if row.cell_id == cell and row.id in passing}
    assert counts[Quick.ALL] == len(found)


def smallest_first(rows: list[EpisodeFact], sort: SortKey) -> dict[int, Any]:
    """What a list is sorted by, computed one row at a time; None is unknown."""
    read: dict[SortKey, Callable[[EpisodeFact], Any]] = {
        SortKey.NEWEST: lambda f: -f.id,
        SortKey.SCALE: lambda f: CELLS[f.cell_id].scale,
        SortKey.ARM: lambda f: (CELLS[f.cell_id].arm, CELLS[f.cell_id].scale),
        SortKey.TYPE: lambda f: (f.qtype, f.item_id),
        SortKey.QUESTION: lambda f: f.item_id,
        SortKey.OUTCOME: lambda f: [
            Outcome.WRONG, Outcome.EXHAUSTED, Outcome.EXCLUDED, Outcome.PASS, Outcome.PENDING,
        ].index(outcome(f, BASE.budget)),
        SortKey.CALLS: lambda f: -f.requested,
        SortKey.REDUNDANT: lambda f: -f.redundant,
        SortKey.T_STAR: lambda f: f.t_star,
        SortKey.OVERSHOOT: lambda f: (
            f.t_star - f.requested if f.t_star is not None and f.answerable else None
        ),
        SortKey.COVERAGE: lambda f: f.gold_found / 2 if f.gold_found is not None else None,
    }  # fmt: skip
    return {row.id: read[sort](row) for row in rows}


BY_FACTS = [sort for sort in SortKey if sort not in FILE_ORDER]


@given(facts(), st.sampled_from(BY_FACTS), st.booleans(), st.sampled_from(list(Quick)))
def test_every_order_shows_every_row_once_by_value_with_the_unknown_last(
    rows: list[EpisodeFact], sort: SortKey, backwards: bool, quick: Quick
) -> None:
    settings = replace(BASE, sort=sort, reversed=backwards, quick=quick)
    found = list(index(rows).select(settings, CELLS)[0])
    kept = [r for r in rows if quick is Quick.ALL or outcome(r, 2) is Outcome(quick.value)]
    assert sorted(found) == sorted(row.id for row in kept)
    assert found == list(index(rows[::-1]).select(settings, CELLS)[0])
    value = smallest_first(rows, sort)
    known = [value[one] for one in found if value[one] is not None]
    assert [value[one] for one in found[: len(known)]] == known, "the unknown come last"
    assert known == sorted(known, reverse=backwards)


@pytest.mark.parametrize("sort", list(FILE_ORDER))
@pytest.mark.parametrize("backwards", [False, True])
def test_what_the_file_orders_by_comes_largest_first_and_the_unknown_last(
    tmp_path: Path, sort: SortKey, backwards: bool
) -> None:
    settings = replace(BASE, sort=sort, reversed=backwards)
    with open_run(anything(tmp_path / "any.memtui")) as reader:
        ordered = ColumnOrders().ids(reader, FILE_ORDER[sort], largest_first=not backwards)
        rows = reader.episode_rows(ordered)
        packed = reader.packed_facts("deterministic-1")
    read: dict[SortKey, Callable[[EpisodeRow], float | None]] = {
        SortKey.COST: lambda row: row.cost,
        SortKey.TIME: lambda row: row.wall_ms,
        SortKey.TOKENS: lambda row: (
            None
            if row.prompt_tokens is None or row.completion_tokens is None
            else row.prompt_tokens + row.completion_tokens
        ),
    }
    values = [read[sort](rows[one]) for one in ordered]
    known = [value for value in values if value is not None]
    assert known and values[: len(known)] == known
    assert known == sorted(known, reverse=not backwards)
    some = set(ordered[::3])
    found, _ = FactIndex(packed, "post_hoc").select(settings, {}, some, ordered)
    assert list(found) == [one for one in ordered if one in some]


def test_what_is_no_finite_number_is_unknown_to_an_order_and_equal_ones_stand_by_id(
    tmp_path: Path,
) -> None:
    path = anything(tmp_path / "any.memtui")
    with sqlite3.connect(path) as file:
        ids = [
            one
            for (one,) in file.execute(
                "SELECT id FROM episode WHERE counts=1 OR done=0 ORDER BY id"
            )
        ]
        file.execute("UPDATE episode SET cost=1.5")
        odd = dict(zip(ids[:5], ("much", b"\x00", 9e999, None, 2), strict=True))
        file.executemany("UPDATE episode SET cost=? WHERE id=?", [(v, k) for k, v in odd.items()])
    unknown, rest = ids[:4], ids[5:]
    with open_run(path) as reader:
        down = ColumnOrders().ids(reader, "e.cost", largest_first=True)
        up = ColumnOrders().ids(reader, "e.cost", largest_first=False)
    assert [*down] == [ids[4], *rest, *unknown]
    assert [*up] == [*rest, ids[4], *unknown]
