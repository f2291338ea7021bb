"""How much a query repeats an earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.similarity import DIFFERENT, EXACT, QueryHistory, Similarity, terms


@pytest.mark.parametrize(
    ("earlier", "query", "kind", "value"),
    [
        ("Paris trip", "paris  TRIP", "exact", 1.0),
        ("paris trip", "trip, paris?", "reordered", 1.0),
        ("paris trip", "paris trip hotel", "narrowed", 2 / 3),
        ("paris trip hotel", "paris", "broadened", 1 / 3),
        ("paris trip", "paris hotel", "overlap", 1 / 3),
        ("paris trip", "cat food", "different", 0.0),
        ("", "", "exact", 1.0),
        ("?!", "...", "different", 0.0),
        ("日本語です", "日本語", "broadened", 0.5),
        ("猫", "猫", "exact", 1.0),
    ],
)
def test_kinds(earlier: str, query: str, kind: str, value: float) -> None:
    history = QueryHistory()
    assert history.add(earlier) == Similarity(None, "", None)
    found = history.add(query)
    assert (found.kind, found.nearest) == (kind, 1)
    assert found.value == pytest.approx(value)


def test_the_nearest_earlier_query_wins_and_ties_go_to_the_latest() -> None:
    history = QueryHistory()
    for query in ("red car", "blue boat", "boat blue", "green tree"):
        history.add(query)
    assert history.add("blue boat") == Similarity(1.0, "exact", 2)
    assert history.add("Boat, blue") == Similarity(1.0, "reordered", 5)


@given(st.lists(st.text(), max_size=6))
def test_any_text_is_accepted_and_a_repeat_is_exact(queries: list[str]) -> None:
    history = QueryHistory()
    for query in queries:
        value = history.add(query).value
        assert value is None or 0.0 <= value <= 1.0
    if queries:
        assert history.add(queries[-1]).kind == "exact"


def by_comparing_all(earlier: list[str], query: str) -> tuple[float, str | None, int]:
    """(value, kind where it is exact or different, number) by looking at every earlier query."""
    plain = " ".join(query.casefold().split())
    best: tuple[float, bool, int] = (-1.0, False, 0)
    for number, other in enumerate(earlier, 1):
        exact = " ".join(other.casefold().split()) == plain
        union = terms(query) | terms(other)
        value = 1.0 if exact else len(terms(query) & terms(other)) / len(union) if union else 0.0
        best = max(best, (value, exact, number))
    value, exact, number = best
    return value, EXACT if exact else DIFFERENT if value == 0 else None, number


@given(st.lists(st.text(alphabet="abc A?", max_size=8), min_size=2, max_size=12))
def test_the_index_finds_what_comparing_all_finds(queries: list[str]) -> None:
    history = QueryHistory()
    for number, query in enumerate(queries):
        found = history.add(query)
        if number:
            value, kind, nearest = by_comparing_all(queries[:number], query)
            assert (found.value, found.nearest) == (value, nearest)
            assert kind in (None, found.kind)


def test_thousands_of_repeated_searches_compare_a_handful_of_sets() -> None:
    history = QueryHistory()
    for number in range(5_000):
        history.add(f"where is the key {number % 5}")
    assert len(history._sets) == 5
