"""Which items are asked: stratified, seeded, independent of the order of the file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from runners.protocols.selection import quotas, select
from tests.protocols.made_up import item

SIZES = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), st.integers(1, 40), min_size=1)


@given(SIZES, st.integers(1, 120))
def test_quotas_add_up_and_leave_no_type_out(sizes: dict[str, int], limit: int) -> None:
    quota = quotas(sizes, limit)
    total = sum(sizes.values())
    assert sum(quota.values()) == min(limit, total)
    assert all(0 <= quota[name] <= sizes[name] for name in sizes)
    if limit >= len(sizes):
        assert all(quota[name] >= 1 for name in sizes)
    for one in sizes:
        for other in sizes:
            if sizes[one] >= sizes[other] and limit >= len(sizes):
                assert quota[one] >= quota[other] - 1


@settings(max_examples=50, deadline=None)
@given(SIZES, st.integers(1, 60), st.integers(0, 3))
def test_a_limit_is_a_choice_of_the_whole(sizes: dict[str, int], limit: int, seed: int) -> None:
    items = [item(f"{t}{n}", [], qtype=t) for t, size in sizes.items() for n in range(size)]
    chosen = select(items, limit=limit, seed=seed)
    assert chosen == select(items[::-1], limit=limit, seed=seed)
    assert len({one.key for one in chosen}) == len(chosen) == min(limit, len(items))
    assert Counter(one.qtype for one in chosen) == {
        name: count for name, count in quotas(sizes, limit).items() if count
    }


def test_every_type_is_seen_early() -> None:
    items = [item(f"{t}{n}", [], qtype=t) for t in "abcd" for n in range(10)]
    assert {one.qtype for one in select(items)[:4]} == set("abcd")


def test_another_seed_makes_another_choice() -> None:
    items = [item(f"q{n}", []) for n in range(40)]
    choices = {tuple(one.key for one in select(items, limit=10, seed=seed)) for seed in range(4)}
    assert len(choices) == 4


def test_filters() -> None:
    items = [
        item("a", [], qtype="x", flags=["span_answerable"]),
        item("b", [], qtype="x", answerable=False),
        item("c", [], qtype="y"),
    ]

    def keys(**filters: Any) -> list[str]:
        return sorted(one.key for one in select(items, **filters))

    assert keys() == ["a", "b", "c"]
    assert keys(subset="answerable") == ["a", "c"]
    assert keys(subset="unanswerable") == ["b"]
    assert keys(types=["x"]) == ["a", "b"]
    assert keys(keys=["c", "a"]) == ["a", "c"]
    assert keys(flag="span_answerable") == ["a"]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"subset": "hard"}, "subset 'hard'"),
        ({"types": ["z"]}, "question type 'z'.*x"),
        ({"keys": ["z"]}, "item 'z'"),
        ({"limit": 0}, "limit 0"),
    ],
)
def test_what_is_not_there_is_told(filters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        select([item("a", [], qtype="x")], **filters)
