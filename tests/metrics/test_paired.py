"""Paired comparison, stopping, repeats and the alarm for an abnormal mix."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.alarm import Alarm, is_abnormal
from memtui.metrics.distributions import t_two_sided
from memtui.metrics.histogram import fold, fold_profiles
from memtui.metrics.paired import (
    CLUSTERED,
    MCNEMAR,
    Results,
    holm,
    paired_difference,
    pairing,
)
from memtui.metrics.rates import overshoots, tally
from memtui.metrics.repeats import pass_hat, repeat_rates
from memtui.metrics.stopping import stopping, tokens_after
from tests.metrics.episodes import Episode


def single(values: list[bool]) -> dict[object, list[bool | None]]:
    return {number: [value] for number, value in enumerate(values)}


PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60)


@given(PAIRS)
def test_unclustered_difference_equals_the_paired_t_formula(
    pairs: list[tuple[bool, bool]],
) -> None:
    a, b = single([x for x, _ in pairs]), single([y for _, y in pairs])
    found = paired_difference(a, b, {key: key for key in a})
    differences = [int(y) - int(x) for x, y in pairs]
    assert found.n == len(pairs)
    assert found.difference == pytest.approx(statistics.fmean(differences))
    assert found.se == pytest.approx(
        statistics.stdev(differences) / math.sqrt(len(pairs)), abs=1e-9
    )
    cells = (found.both, found.only_a, found.only_b, found.neither)
    assert sum(cell for cell in cells if cell is not None) == found.n
    assert found.only_b == sum(y and not x for x, y in pairs)
    assert found.p_value is not None and 0.0 < found.p_value <= 1.0


@given(PAIRS)
def test_swapping_sides_changes_the_sign_only(pairs: list[tuple[bool, bool]]) -> None:
    a, b = single([x for x, _ in pairs]), single([y for _, y in pairs])
    clusters = {key: hash(key) % 5 for key in a}
    there, back = paired_difference(a, b, clusters), paired_difference(b, a, clusters)
    assert there.difference == pytest.approx(-(back.difference or 0.0))
    assert there.p_value == back.p_value and there.only_a == back.only_b


def test_pairing_saves_error_where_arms_agree() -> None:
    a = single([True] * 60 + [False] * 40)
    b = single([True] * 65 + [False] * 35)
    found = paired_difference(a, b, {key: key for key in a})
    assert found.se is not None and found.unpaired_se is not None
    assert found.se < found.unpaired_se / 2
    assert (found.both, found.only_a, found.only_b, found.neither) == (60, 0, 5, 35)


def test_a_published_comparison_is_reproduced() -> None:
    """Two prompts on 1,540 LoCoMo questions: .9266 and .8208 right, 186 and 23 discordant."""
    both, neither = 1241, 90
    a = single([True] * both + [True] * 186 + [False] * 23 + [False] * neither)
    b = single([True] * both + [False] * 186 + [True] * 23 + [False] * neither)
    found = paired_difference(a, b, {key: key for key in a})
    assert found.n == 1540
    assert found.mean_a == pytest.approx(0.9266, abs=5e-5)
    assert found.mean_b == pytest.approx(0.8208, abs=5e-5)
    assert found.se == pytest.approx(0.0090, abs=5e-5)
    assert found.unpaired_se == pytest.approx(0.0118, abs=5e-5)
    assert (found.only_a, found.only_b) == (186, 23)
    assert found.p_value == pytest.approx(7e-33, rel=0.02)


def test_pairs_that_share_a_history_are_tested_by_their_clusters() -> None:
    """Ten histories of which one holds all that differs: McNemar takes 40 questions for independent."""
    a = single([True] * 40)
    b = single([number >= 20 for number in range(40)])
    found = paired_difference(a, b, {key: int(str(key)) // 4 for key in a})
    assert (found.test, found.clusters, found.only_a) == (CLUSTERED, 10, 20)
    assert found.se is not None and found.difference is not None and found.p_value is not None
    assert found.p_value == pytest.approx(t_two_sided(9, found.difference / found.se))
    own = paired_difference(a, b, {key: key for key in a})
    assert own.test == MCNEMAR and own.p_value is not None and own.p_value < found.p_value / 100
    same = paired_difference(a, {key: [False] for key in a}, {key: int(str(key)) // 4 for key in a})
    assert (same.interval, same.p_value, same.test) == (None, None, None), (
        "no spread is no certainty"
    )


def test_repeats_are_averaged_within_a_question_and_have_no_mcnemar() -> None:
    a: Results = {"q1": [True, False], "q2": [False, False]}
    b: Results = {"q1": [True, True], "q2": [False, None]}
    found = paired_difference(a, b, {"q1": 1, "q2": 2})
    assert found.difference == pytest.approx(0.25)
    assert found.test == CLUSTERED and found.both is None


def test_item_sets_that_differ_are_counted() -> None:
    a: Results = {"q1": [True], "q2": [None], "q3": [True], "q4": [True]}
    b: Results = {"q1": [True], "q2": [True], "q5": [False]}
    found = pairing(a, b)
    assert (found.common, found.only_a, found.only_b, found.dropped) == (2, 2, 1, 1)
    assert not found.equal
    assert paired_difference(a, b, {"q1": 1, "q2": 2}).n == 1


def test_arms_that_never_differ_get_no_interval_of_zero_width() -> None:
    a = single([True, False, True])
    found = paired_difference(a, a, {key: key for key in a})
    assert (found.difference, found.se, found.interval, found.p_value) == (0.0, 0.0, None, 1.0)


def test_nothing_in_common_is_undefined() -> None:
    found = paired_difference({"q1": [True]}, {"q2": [True]}, {"q1": 1, "q2": 2})
    assert (found.n, found.difference, found.interval, found.p_value) == (0, None, None, None)


def test_holm_on_a_textbook_family() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([None, 0.04, None]) == [None, 0.04, None]
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_stopping_splits_covered_episodes_by_overshoot() -> None:
    facts = [
        Episode(requested=1, first_hit=1, t_star=1),
        Episode(requested=2, first_hit=1, t_star=1, label="wrong"),
        Episode(requested=9, first_hit=1, t_star=2, redundant=4),
        Episode(requested=5, first_hit=1, t_star=2, label="wrong"),
        Episode(requested=1, label="wrong"),
        Episode(requested=2, gold_total=None),
        Episode(requested=2, first_hit=1, t_star=1, end_reason="provider_error", label=None),
    ]
    group = fold(facts, ["cell"] * len(facts), range(len(facts)), "post_hoc")["cell"]
    counts = tally(group, 2, "post_hoc")
    found = stopping(counts, overshoots(group, counts), group.sweep("post_hoc").completed())
    assert [(b.overshoot, b.n, b.right) for b in found.buckets] == [
        ("0", 1, 1),
        ("1", 1, 0),
        ("2", 0, 0),
        ("3+", 2, 1),
    ]
    assert found.buckets[2].p_right is None and found.buckets[3].p_right == 0.5
    assert (found.n, found.coverage_n, found.covered, found.right_covered) == (6, 5, 4, 2)
    assert found.mean_overshoot == pytest.approx((0 + 1 + 7 + 3) / 4)
    assert (found.redundant, found.gave_up_early) == (1, 1)
    assert found.t_star == ((1, 2), (2, 2))
    assert found.completed(4) == [2, 2, 0, 0] and found.completed(1) == [4]


def test_tokens_after_the_evidence_was_complete() -> None:
    steps = [
        (None, 100, True),
        (1, None, False),
        (None, 200, True),
        (2, None, False),
        (None, None, True),
        (3, None, False),
        (None, 50, True),
    ]
    assert tokens_after(steps, 1) == (250, 1)
    assert tokens_after(steps, 3) == (50, 0)
    assert tokens_after(steps, None) is None
    assert tokens_after([(0, None, False), (None, 70, True)], 0) == (70, 0)


def test_pass_hat_k() -> None:
    found = pass_hat([(3, 3, 1), (2, 3, 1), (0, 3, 1), (0, 0, 1)])
    assert found.questions == 3
    assert found.mean == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert [n for _, n in found.pass_hat.values()] == [3, 3, 3]
    assert [value for value, _ in found.pass_hat.values()] == pytest.approx([5 / 9, 4 / 9, 1 / 3])
    assert pass_hat([]).mean is None
    uneven = pass_hat([(1, 1, 1), (2, 2, 1)])
    assert uneven.pass_hat[2] == (1.0, 1)
    assert pass_hat([(2, 3, 2)]) == pass_hat([(2, 3, 1), (2, 3, 1)])


def test_repeats_pass_at_a_budget() -> None:
    facts = [Episode(1), Episode(3), Episode(1, "wrong"), Episode(1, None)]
    profiles = fold_profiles(facts, ["cell"] * 4, ["q"] * 4, "post_hoc")["cell"]
    assert repeat_rates(profiles, 2).pass_hat[1] == (1 / 3, 1)
    assert repeat_rates(profiles, 3).pass_hat[2] == (1 / 3, 1)


def test_an_abnormal_mix_raises_an_alarm_and_few_episodes_do_not() -> None:
    assert is_abnormal(19, 20) and is_abnormal(18, 20)
    assert not is_abnormal(10, 20) and not is_abnormal(17, 20)
    assert not is_abnormal(19, 19)
    assert is_abnormal(10, 20, threshold=0.5) and is_abnormal(19, 19, minimum=19)
    alarm = Alarm("all arms", "abstain", 19, 20)
    assert str(alarm) == "all arms: 19 of 20 episodes abstain"
