"""Sums that say how much of them is unknown, and judges held against each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.cost import Amount, PhaseCost, Spent, in_order, total
from memtui.metrics.judging import Agreement, agreement, judge_pair
from memtui.model import Label

LABELS = st.dictionaries(st.integers(0, 30), st.sampled_from([*Label]), max_size=30)


def test_unknown_partial_and_zero_are_three_things() -> None:
    assert Amount().value is None and not Amount().partial
    assert Amount(0.0, 3, 3).value is None and not Amount(0.0, 3, 3).partial
    assert Amount(5.0, 3, 1).value == 5.0 and Amount(5.0, 3, 1).partial
    assert Amount(0.0, 3, 0).value == 0.0 and not Amount(0.0, 3, 0).partial
    assert Amount(6.0, 3, 0).per(3) == 2.0
    assert Amount(6.0, 3, 0).per(0) is None and Amount(0.0, 2, 2).per(2) is None


@given(st.lists(st.sampled_from(["judge", "ingest", "search", "answer", "episode"]), max_size=9))
def test_phases_stand_in_their_order_and_lose_nothing(names: list[str]) -> None:
    phases = [
        PhaseCost(name, Spent(1, Amount(10.0, 1, 0), Amount(0.0, 1, 1)), wall=Amount(2.0, 1))
        for name in names
    ]
    found = in_order(phases)
    order = ["ingest", "search", "answer", "judge", "episode"]
    assert [one.phase for one in found] == [name for name in order if name in names]
    whole = total(found)
    assert whole.paid.calls == len(names) and whole.paid.tokens.known == 10.0 * len(names)
    assert whole.paid.dollars.unknown == len(names) and whole.wall.known == 2.0 * len(names)
    assert all(one.paid.calls == 1 for one in phases)


@given(LABELS, LABELS)
def test_every_episode_is_counted_once(mine: dict[int, str], theirs: dict[int, str]) -> None:
    pair = judge_pair("a", "b", (mine, theirs), range(31))
    looked = set(mine) | set(theirs)
    assert pair.both + pair.undecided + pair.alone == len(looked)
    assert pair.right_right + pair.differ <= pair.both
    turned = judge_pair("b", "a", (theirs, mine), range(31))
    assert (turned.right_wrong, turned.wrong_right) == (pair.wrong_right, pair.right_wrong)
    assert turned.kappa == pair.kappa
    assert agreement([mine, theirs], range(31)) == Agreement(pair.both, pair.differ)


def test_kappa_on_a_worked_example() -> None:
    # Cohen (1960): 88 of 200 agreed on right, 60 on wrong, 10 and 42 apart.
    marks = [("right", "right")] * 88 + [("wrong", "wrong")] * 60
    marks += [("right", "wrong")] * 10 + [("wrong", "right")] * 42
    mine = {at: pair[0] for at, pair in enumerate(marks)}
    theirs = {at: pair[1] for at, pair in enumerate(marks)}
    pair = judge_pair("a", "b", (mine, theirs), mine)
    agreed, chance = 148 / 200, (98 * 130 + 102 * 70) / 200**2
    assert pair.kappa is not None
    assert abs(pair.kappa - (agreed - chance) / (1 - chance)) < 1e-12
    alike = {1: "right", 2: "right"}
    assert judge_pair("a", "b", (alike, alike), alike).kappa is None


def test_three_judges_agree_only_where_all_do() -> None:
    labels = [{1: "right", 2: "right", 3: "unknown"}, {1: "right", 2: "right"}, {2: "wrong"}]
    assert agreement(labels, [1, 2, 3]) == Agreement(2, 1)
