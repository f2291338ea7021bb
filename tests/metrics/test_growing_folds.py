"""Folds that grow episode by episode are the folds that are counted at once."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.growing_folds import GrowingFolds
from memtui.metrics.histogram import fold


class Fact(NamedTuple):
    """What a fold reads of an episode, with its group and cluster."""

    cell: int
    cluster: int
    done: int
    end_reason: str | None
    requested: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    answerable: int
    label: str | None
    forced: int = 0
    abstained: int = 0
    redundant: int = 0
    item: int = 0

    @property
    def question(self) -> tuple[int, int]:
        """A question belongs to one cluster."""
        return self.cluster, self.item


FACTS = st.builds(
    Fact,
    cell=st.integers(0, 2),
    cluster=st.integers(0, 3),
    done=st.integers(0, 1),
    end_reason=st.sampled_from(["answered", "provider_error", "memory_error", "step_cap"]),
    requested=st.integers(0, 3),
    first_hit=st.none() | st.integers(0, 2),
    t_star=st.none() | st.integers(0, 3),
    gold_total=st.none() | st.just(2),
    answerable=st.integers(0, 1),
    label=st.sampled_from([None, "right", "wrong", "unknown"]),
    redundant=st.integers(0, 2),
    item=st.integers(0, 2),
)


@given(st.lists(st.tuples(FACTS, st.booleans()), max_size=30), st.integers(0, 30))
def test_put_and_take_in_any_order_is_a_fold_of_what_is_left(
    facts: list[tuple[Fact, bool]], look_at: int
) -> None:
    growing = GrowingFolds("post_hoc")
    for number, (fact, _) in enumerate(facts):
        growing.put(fact, fact.cell, fact.cluster, fact.question)
        if number == look_at:
            growing.folds()  # what was asked for before must not stick
    for fact, taken in facts:
        if taken:
            growing.take(fact, fact.cell, fact.cluster, fact.question)
    left = [fact for fact, taken in facts if not taken]
    cells, clusters = [f.cell for f in left], [f.cluster for f in left]
    expected = fold(left, cells, clusters, "post_hoc", [f.question for f in left])
    assert growing.folds() == expected


def test_a_group_that_did_not_change_keeps_its_fold() -> None:
    one = Fact(1, 1, 1, "answered", 1, 1, 1, 2, 1, "right")
    growing = GrowingFolds("post_hoc")
    growing.put(one, 1, 1, 1)
    growing.put(one._replace(cluster=2), 2, 2, 2)
    before = growing.folds()
    growing.put(one._replace(cluster=3), 2, 3, 3)
    after = growing.folds()
    assert after[1] is before[1] and after[2] is not before[2]
