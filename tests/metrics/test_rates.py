"""Counts and rates at a budget: exact identities, exclusions beside n, intervals per group."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.metrics.histogram import Fold, fold, merge
from memtui.metrics.intervals import clustered, wilson
from memtui.metrics.outcome import outcome, standing
from memtui.metrics.p90r import inverted_cdf_rank, quantile_of_counts
from memtui.metrics.rates import Tally, covered_rate, overshoots, p90r, pass_rate, rate, tally
from memtui.metrics.regime import flags, regime
from memtui.model import Outcome
from tests.metrics.episodes import Episode, episodes


def folded(facts: list[Episode], clusters: list[int] | None = None, mode: str = "post_hoc") -> Fold:
    found = fold(facts, ["cell"] * len(facts), clusters or range(len(facts)), mode)
    return found.get("cell", Fold())


def at(facts: list[Episode], budget: int, mode: str = "post_hoc") -> Tally:
    return tally(folded(facts, mode=mode), budget, mode)


@given(st.lists(episodes(), max_size=40))
@settings(max_examples=150)
def test_identities_hold_exactly_on_counts_for_every_budget(facts: list[Episode]) -> None:
    before: Tally | None = None
    for budget in range(14):
        counts = at(facts, budget)
        assert counts.passed + counts.exhausted + counts.wrong == counts.n
        assert counts.n + counts.n_excluded + counts.pending == len(facts)
        assert sum(counts.regimes.values()) == len(facts)
        assert counts.passed <= counts.n - counts.exhausted
        assert counts.system_failed + counts.no_answer <= counts.exhausted + counts.wrong
        assert counts.covered_at_b <= counts.covered_end <= counts.coverage_n <= counts.n
        if before is not None:
            assert before.n == counts.n
            assert before.passed <= counts.passed
            assert before.exhausted >= counts.exhausted
            assert before.wrong <= counts.wrong
            assert before.covered_at_b <= counts.covered_at_b
        over = sum(count for (r, _), count in counts.calls.items() if r > budget)
        assert over == counts.exhausted
        value = p90r(counts).value
        if counts.n:
            assert value is not None
            assert (value <= budget) == (10 * over <= counts.n)
        before = counts
    assert before is not None
    assert before.exhausted == 0 and before.passed == before.right


@given(st.lists(episodes(), max_size=30), st.integers(0, 12))
def test_the_histogram_equals_recounting_each_episode(facts: list[Episode], budget: int) -> None:
    counts = at(facts, budget)
    direct = Counter(outcome(fact, budget) for fact in facts)
    assert counts.passed == direct[Outcome.PASS]
    assert counts.exhausted == direct[Outcome.EXHAUSTED]
    assert counts.wrong == direct[Outcome.WRONG]
    assert counts.n_excluded == direct[Outcome.EXCLUDED]
    assert counts.pending == direct[Outcome.PENDING]
    assert counts.regimes == Counter(regime(fact, budget) for fact in facts)


@given(st.lists(st.tuples(episodes(), st.integers(0, 3)), max_size=30), st.integers(0, 12))
def test_cluster_profiles_count_every_counted_episode_once(
    pairs: list[tuple[Episode, int]], budget: int
) -> None:
    facts = [fact for fact, _ in pairs]
    group = folded(facts, [cluster for _, cluster in pairs])
    counts = tally(group, budget, "post_hoc")
    for name, k in (
        ("pass", counts.passed),
        ("exhausted", counts.exhausted),
        ("wrong", counts.wrong),
    ):
        found = rate(group, counts, name)
        assert (found.k, found.n) == (k, counts.n)
        if group.clustered and found.clustered is not None and found.clustered.interval is not None:
            assert found.method == "clustered"
            assert found.clustered.clusters == sum(group.profiles.values())
    episodes_in_profiles = sum(
        count * times for profile, times in group.profiles.items() for _, count in profile
    )
    assert episodes_in_profiles == counts.n


def test_errors_change_n_and_not_what_is_counted() -> None:
    """Two right, four wrong, two provider failures: 33 % of 6, 25 % of 8 under the other policy."""
    facts = [Episode()] * 2 + [Episode(label="wrong")] * 4
    broken = [Episode(label=None, end_reason="provider_error")] * 2
    clean, mixed = at(facts, 2), at(facts + broken, 2)
    assert (clean.passed, clean.n) == (mixed.passed, mixed.n) == (2, 6)
    assert mixed.excluded == {"provider": 2}
    assert mixed.policies["errors_excluded"] == (2, 6)
    assert mixed.policies["errors_wrong"] == (2, 8)
    assert mixed.excluded_share == pytest.approx(0.25)


def test_a_broken_memory_counts_and_is_told_apart() -> None:
    facts = [Episode()] * 2 + [Episode(label=None, end_reason="memory_error")] * 2
    counts = at(facts, 2)
    assert (counts.passed, counts.wrong, counts.n, counts.system_failed) == (2, 2, 4, 2)
    assert counts.policies["failures_excluded"] == (2, 2)


def test_nothing_finished_is_undefined_rather_than_zero() -> None:
    counts = at([Episode(done=0, end_reason=None, label=None)], 2)
    assert (counts.n, counts.pending) == (0, 1)
    found = rate(folded([]), counts, "pass")
    assert found.value is None and found.interval is None
    assert p90r(counts).value is None and str(p90r(counts)) == "–"
    assert counts.excluded_share is None


def test_unanswerable_items_leave_coverage_alone() -> None:
    covered = Episode(first_hit=1, t_star=1)
    counts = at([covered, covered._replace(answerable=0), covered._replace(gold_total=None)], 2)
    assert (counts.covered_at_b, counts.covered_end, counts.coverage_n) == (1, 1, 1)


def test_context_arms_never_give_up_early() -> None:
    group = folded([Episode(requested=0, label="wrong")])
    assert tally(group, 2, "post_hoc").flags["gave_up_early"] == 1
    assert tally(group, 2, "post_hoc", context=True).flags["gave_up_early"] == 0


def test_merging_adds() -> None:
    one, two = folded([Episode()] * 3), folded([Episode(label="wrong")] * 2)
    counts = tally(merge([one, two]), 2, "post_hoc")
    assert (counts.passed, counts.wrong) == (3, 2)


@given(st.lists(episodes(), max_size=30), st.sampled_from(["post_hoc", "hard"]))
def test_every_count_equals_recounting_each_episode(facts: list[Episode], mode: str) -> None:
    group = folded(facts, mode=mode)
    counted = [f for f in facts if standing(f.end_reason, f.label, f.done, mode).counted]
    for budget in range(14):
        counts = tally(group, budget, mode)
        raised = Counter(name for f in counted for name in flags(f, budget, mode))
        assert counts.flags == raised
        right = [f for f in counted if f.label == "right"]
        assert counts.right == len(right)
        assert counts.exhausted_right == sum(f.requested > budget for f in right)
        known = [f for f in counted if f.gold_total is not None and f.answerable]
        assert counts.coverage_n == len(known)
        assert counts.covered_end == sum(f.t_star is not None for f in known)
        assert counts.covered_at_b == sum(
            f.t_star is not None and f.t_star <= budget for f in known
        )


@given(
    st.lists(st.tuples(episodes(counted_only=True), st.integers(0, 4)), min_size=1, max_size=40),
    st.integers(0, 13),
)
def test_swept_cluster_intervals_equal_direct_ones(
    pairs: list[tuple[Episode, int]], budget: int
) -> None:
    facts = [fact for fact, _ in pairs]
    group = folded(facts, [cluster for _, cluster in pairs])
    for name, what in (
        ("pass", Outcome.PASS),
        ("exhausted", Outcome.EXHAUSTED),
        ("wrong", Outcome.WRONG),
    ):
        sizes = Counter(cluster for _, cluster in pairs)
        hits = Counter(cluster for fact, cluster in pairs if outcome(fact, budget) is what)
        direct = clustered((hits[cluster], size, 1) for cluster, size in sizes.items())
        swept = group.cluster_sweep().interval(name, budget)
        assert direct is not None and swept is not None
        assert swept.interval == direct.interval and swept.se == direct.se
        if direct.icc is None:
            assert swept.icc is None
        else:
            assert swept.icc == pytest.approx(direct.icc, abs=1e-9)


def test_independent_questions_get_wilson_and_shared_histories_the_clustered_interval() -> None:
    facts = [Episode(label="right" if number % 4 else "wrong") for number in range(30)]
    alone = folded(facts)
    assert rate(alone, tally(alone, 2, "post_hoc"), "pass").method == "wilson"
    shared = folded(facts, [number // 3 for number in range(30)])
    found = rate(shared, tally(shared, 2, "post_hoc"), "pass")
    assert found.method == "clustered" and found.clustered is not None
    assert found.clustered.clusters == 10 and found.wilson != found.interval
    thirds = [Episode(label="right" if number % 3 else "wrong") for number in range(30)]
    equal = folded(thirds, [number // 3 for number in range(30)])
    assert rate(equal, tally(equal, 2, "post_hoc"), "pass").method == "wilson-iid"


@pytest.mark.parametrize("label", ["right", "wrong"])
def test_repeats_that_all_agree_make_the_interval_no_narrower(label: str) -> None:
    """Five repeats of each of eight questions say no more than eight questions where all end alike."""
    facts = [Episode(label=label, t_star=1, first_hit=1)] * 40
    facts += [Episode(label=None, end_reason="provider_error")] * 2
    questions = [number // 5 for number in range(40)] + [8, 9]  # two questions without an outcome
    group = fold(facts, [0] * 42, questions, "post_hoc", questions)[0]
    found = pass_rate(group, 2, "post_hoc")
    assert (found.n, found.method, found.stands_in) == (40, "wilson-questions", True)
    assert found.interval == wilson(8 if label == "right" else 0, 8) != found.wilson
    covered = covered_rate(group, tally(group, 2, "post_hoc"))
    assert (covered.n, covered.interval) == (40, wilson(8, 8))


def test_questions_of_one_history_are_not_taken_for_repeats() -> None:
    facts = [Episode()] * 30
    conversations, questions = [n // 10 for n in range(30)], list(range(30))
    once = fold(facts, [0] * 30, conversations, "post_hoc", questions)[0]
    found = pass_rate(once, 2, "post_hoc")
    assert (found.method, found.interval) == ("wilson-iid", wilson(30, 30))
    twice = fold(facts, [0] * 30, conversations, "post_hoc", [n // 2 for n in questions])[0]
    found = pass_rate(twice, 2, "post_hoc")
    assert (found.method, found.interval) == ("wilson-questions", wilson(15, 15))


def test_repeats_that_differ_alike_everywhere_count_once_with_their_mean() -> None:
    facts = [Episode(label="right" if number % 3 else "wrong") for number in range(30)]
    questions = [number // 3 for number in range(30)]
    found = pass_rate(fold(facts, [0] * 30, questions, "post_hoc", questions)[0], 2, "post_hoc")
    assert found.method == "wilson-questions"
    assert found.interval == wilson(20 / 30 * 10, 10) != found.wilson


def test_overshoots_count_covered_episodes_by_verdict() -> None:
    facts = [
        Episode(requested=1, first_hit=1, t_star=1),
        Episode(requested=3, first_hit=1, t_star=1, label="wrong"),
        Episode(requested=3, first_hit=1),
        Episode(requested=3, first_hit=1, t_star=1, label=None),
    ]
    group = folded(facts)
    assert overshoots(group, tally(group, 2, "post_hoc")) == {(0, True): 1, (2, False): 1}


def quantile(values: list[int]) -> int | None:
    return quantile_of_counts(Counter((value, False) for value in values)).value


def test_p90r_is_a_value_that_occurred() -> None:
    assert quantile([1] * 9 + [5]) == 1
    assert quantile([1] * 8 + [5] * 2) == 5
    assert quantile([7]) == 7


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_p90r_is_the_inverted_cdf_quantile(values: list[int]) -> None:
    n = len(values)
    assert quantile(values) == sorted(values)[(9 * n + 9) // 10 - 1]
    assert inverted_cdf_rank(n) == (9 * n + 9) // 10
    interval = quantile_of_counts(Counter((value, False) for value in values)).interval
    assert interval is not None and interval.low in values
    assert interval.high is None or interval.high in values


def test_a_capped_quantile_is_a_lower_bound() -> None:
    capped = [Episode(requested=20, label=None, end_reason="step_cap")] * 3
    counts = at([Episode(requested=1)] * 7 + capped, 2)
    found = p90r(counts)
    assert (found.value, found.censored, str(found)) == (20, True, "≥ 20")
    assert counts.exhausted == 3
    below = p90r(at([Episode(requested=20)] * 9 + capped[:1], 2))
    assert (below.value, below.censored) == (20, False)


def test_a_hard_run_knows_only_that_one_more_call_was_wanted() -> None:
    refused = [Episode(requested=3, end_reason="forced", forced=1)] * 5
    counts = at([Episode(requested=1)] * 5 + refused, 2, "hard")
    assert str(p90r(counts)) == "≥ 3"
    assert (counts.exhausted, counts.exhausted_right) == (5, 5)
