"""Two trajectories side by side: order kept, every step once, equal queries together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.similarity import terms
from memtui.model import Hit
from memtui.state import alignment
from memtui.state.alignment import Action, AlignedRow, Sameness, align, compare_hits, score


def call(query: str) -> Action:
    return Action("call", f"search\n{query.casefold()}", terms(query))


ACTIONS = st.lists(
    st.one_of(
        st.sampled_from(
            ["rent for the unit", "monthly rent", "storage unit", "dog's name", "", "the dog"]
        ).map(call),
        st.just(Action("answer", "")),
        st.just(Action("context", "")),
    ),
    max_size=9,
)


def worth(a: list[Action], b: list[Action], rows: list[AlignedRow]) -> float:
    total = 0.0
    for row in rows:
        if row.a is not None and row.b is not None:
            value = score(a[row.a], b[row.b])
            assert value is not None
            total += value
    return total


def best_by_force(a: list[Action], b: list[Action]) -> float:
    if not a or not b:
        return 0.0
    found = max(best_by_force(a[1:], b), best_by_force(a, b[1:]))
    value = score(a[0], b[0])
    return found if value is None else max(found, value + best_by_force(a[1:], b[1:]))


@given(ACTIONS, ACTIONS)
def test_every_step_once_in_order_and_only_with_its_kind(a: list[Action], b: list[Action]) -> None:
    rows = align(a, b)
    assert [row.a for row in rows if row.a is not None] == list(range(len(a)))
    assert [row.b for row in rows if row.b is not None] == list(range(len(b)))
    for row in rows:
        if row.a is None or row.b is None:
            assert row.sameness is (Sameness.ONLY_B if row.a is None else Sameness.ONLY_A)
            assert (row.a is None) != (row.b is None)
        else:
            one, other = a[row.a], b[row.b]
            assert one.kind == other.kind
            assert (row.sameness is Sameness.EQUAL) == (one.key == other.key)


@given(ACTIONS)
def test_a_trajectory_beside_itself_is_equal_throughout(a: list[Action]) -> None:
    assert align(a, a) == [AlignedRow(n, n, Sameness.EQUAL) for n in range(len(a))]


@given(
    st.lists(st.sampled_from(["a b", "a", "b c", "d"]).map(call), max_size=6),
    st.lists(st.sampled_from(["a b", "a", "b c", "d"]).map(call), max_size=6),
)
def test_the_alignment_has_most_worth_whichever_side_comes_first(
    a: list[Action], b: list[Action]
) -> None:
    found = worth(a, b, align(a, b))
    assert found == pytest.approx(best_by_force(a, b))
    assert worth(b, a, align(b, a)) == pytest.approx(found)


def test_an_inserted_call_stands_alone() -> None:
    a = [call("rent"), call("storage unit rent"), Action("answer", "")]
    b = [call("rent"), call("dog"), call("storage unit rent"), Action("answer", "")]
    assert [(row.a, row.b) for row in align(a, b)] == [(0, 0), (None, 1), (1, 2), (2, 3)]


def test_unrelated_queries_at_one_place_stand_side_by_side() -> None:
    rows = align([call("rent"), call("cat")], [call("rent"), call("dog")])
    assert [(row.a, row.b, row.sameness) for row in rows] == [
        (0, 0, Sameness.EQUAL),
        (1, 1, Sameness.DIFFERENT),
    ]


def test_thousands_of_calls_are_paired_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(a: list[Action], b: list[Action]) -> None:
        raise AssertionError("weighed")

    monkeypatch.setattr(alignment, "_weighed", refuse)
    a = [call(f"x {n}") for n in range(3_000)]
    b = [call(f"y {n}") for n in range(2_500)]
    rows = align(a, b)
    assert len(rows) == 3_000
    assert rows[0].b == 0 and rows[-1] == AlignedRow(2_999, None, Sameness.ONLY_A)


def test_hits_say_whether_the_other_call_has_them() -> None:
    rows = compare_hits([Hit("a", first=0, last=1), Hit("b")], [Hit("b"), Hit("a"), Hit("c")])
    assert [(row.in_both_a, row.in_both_b) for row in rows] == [
        (False, True),
        (True, False),
        (False, False),
    ]
