"""How much a query repeats an earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.similarity import QueryHistory, Similarity


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
