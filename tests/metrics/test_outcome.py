"""Outcome and regime at a budget: partitions, and every row of the table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.metrics.outcome import RULES, UNJUDGED, Kind, check_budget, outcome, standing
from memtui.metrics.regime import OUTCOME_OF, flags, gave_up_early, overshoot, regime
from memtui.model import BudgetMode, EndReason, Outcome, Regime
from tests.metrics.episodes import Episode, episodes


def test_worked_case_of_the_paper() -> None:
    """Three calls, a right answer, budget two: exhausted, not pass (arXiv 2605.07313)."""
    assert outcome(Episode(requested=3), 2) is Outcome.EXHAUSTED
    assert outcome(Episode(requested=1), 2) is Outcome.PASS


def test_exactly_b_calls_is_not_exhausted() -> None:
    assert outcome(Episode(requested=2), 2) is Outcome.PASS
    assert outcome(Episode(requested=2, label="wrong"), 2) is Outcome.WRONG
    assert outcome(Episode(requested=3, label="wrong"), 2) is Outcome.EXHAUSTED
    assert outcome(Episode(requested=0), 0) is Outcome.PASS


@given(episodes(), st.sampled_from(list(BudgetMode)))
@settings(max_examples=300)
def test_regimes_refine_outcomes_and_both_are_partitions(fact: Episode, mode: BudgetMode) -> None:
    for budget in range(21):
        assert OUTCOME_OF[regime(fact, budget, mode)] is outcome(fact, budget, mode)


def test_every_regime_and_every_end_reason_is_in_its_table() -> None:
    assert set(OUTCOME_OF) == set(Regime)
    for mode in BudgetMode:
        assert set(RULES[mode]) == set(EndReason)


@given(episodes(), st.sampled_from(list(BudgetMode)))
def test_whether_an_episode_counts_does_not_depend_on_the_budget(
    fact: Episode, mode: BudgetMode
) -> None:
    outside = {Outcome.EXCLUDED, Outcome.PENDING}
    found = {outcome(fact, budget, mode) for budget in range(21)}
    assert len(found & outside) <= 1
    if found & outside:
        assert len(found) == 1


@pytest.mark.parametrize(
    ("end", "label", "expected", "cause"),
    [
        ("answered", "right", Regime.RIGHT_UNCOVERED, ""),
        ("answered", None, Regime.EXCLUDED, "unjudged"),
        ("answered", "unknown", Regime.EXCLUDED, "judge"),
        ("forced", "wrong", Regime.WRONG_NONE, ""),
        ("step_cap", "right", Regime.RIGHT_UNCOVERED, ""),
        ("step_cap", None, Regime.NO_ANSWER, ""),
        ("step_cap", "unknown", Regime.EXCLUDED, "judge"),
        ("budget_tokens", None, Regime.NO_ANSWER, ""),
        ("cost_cap", None, Regime.NO_ANSWER, ""),
        ("empty", None, Regime.NO_ANSWER, ""),
        ("truncated", None, Regime.NO_ANSWER, ""),
        ("filtered", None, Regime.NO_ANSWER, ""),
        ("memory_error", None, Regime.SYSTEM_FAILED, ""),
        ("memory_error", "unknown", Regime.SYSTEM_FAILED, ""),
        ("timeout", "wrong", Regime.SYSTEM_FAILED, ""),
        ("timeout", "right", Regime.RIGHT_UNCOVERED, ""),
        ("no_progress", None, Regime.SYSTEM_FAILED, ""),
        ("context_overflow", None, Regime.SYSTEM_FAILED, ""),
        ("provider_error", None, Regime.EXCLUDED, "provider"),
        ("cancelled", None, Regime.EXCLUDED, "cancelled"),
        ("interrupted", None, Regime.PENDING, ""),
        ("a reason of a later version", None, Regime.EXCLUDED, "unknown_end"),
    ],
)
def test_table(end: str, label: str | None, expected: Regime, cause: str) -> None:
    fact = Episode(end_reason=end, label=label)
    assert regime(fact, 2) is expected
    assert standing(end, label, 1).cause == cause


def test_a_failure_of_the_provider_is_never_the_agents_and_one_of_the_system_always_counts() -> (
    None
):
    kinds = {reason: rule.kind for reason, rule in RULES[BudgetMode.POST_HOC].items()}
    assert kinds[EndReason.PROVIDER_ERROR] is Kind.EXCLUDED
    for reason in ("memory_error", "timeout", "no_progress", "context_overflow"):
        assert kinds[EndReason(reason)] is Kind.SYSTEM


def test_coverage_after_call_b_and_at_the_end() -> None:
    late = Episode(requested=4, first_hit=2, t_star=3, gold_total=2)
    assert regime(late, 1) is Regime.EXHAUSTED_NONE
    assert regime(late, 2) is Regime.EXHAUSTED_PARTIAL
    assert regime(late, 3) is Regime.EXHAUSTED_COVERED
    assert regime(late, 4) is Regime.RIGHT_COVERED
    assert regime(late._replace(label="wrong"), 4) is Regime.WRONG_COVERED
    assert regime(late._replace(label="wrong", t_star=None), 4) is Regime.WRONG_PARTIAL
    assert regime(late._replace(gold_total=None), 2) is Regime.EXHAUSTED_NA
    assert regime(late._replace(gold_total=None), 4) is Regime.RIGHT_NA
    assert regime(late._replace(gold_total=None, label="wrong"), 4) is Regime.WRONG_NA


def test_a_system_that_broke_over_budget_is_exhausted_first() -> None:
    assert regime(Episode(3, None, "memory_error"), 2) is Regime.EXHAUSTED_NONE
    assert regime(Episode(2, None, "memory_error"), 2) is Regime.SYSTEM_FAILED


def test_unanswerable_items_have_regimes_of_their_own() -> None:
    abstains = Episode(label="right", answerable=0, abstained=1, first_hit=1, t_star=1)
    invents = Episode(label="wrong", answerable=0)
    assert regime(abstains, 2) is Regime.ABSTAIN_RIGHT
    assert regime(invents, 2) is Regime.ANSWERED_UNANSWERABLE
    assert regime(abstains, 0) is Regime.EXHAUSTED_NA
    assert regime(Episode(label=None, end_reason="empty", answerable=0), 2) is Regime.NO_ANSWER


def test_forced_answer_of_a_hard_budget_stays_exhausted() -> None:
    fact = Episode(requested=3, label="right", end_reason="forced", forced=1)
    assert outcome(fact, 2, BudgetMode.HARD) is Outcome.EXHAUSTED
    assert standing("forced", "right", 1, BudgetMode.HARD).censored
    assert not standing("forced", "right", 1, BudgetMode.POST_HOC).censored


def test_flags() -> None:
    wrong = Episode(requested=1, label="wrong", redundant=2, abstained=1, forced=1)
    assert flags(wrong, 2) == ("redundant", "gave_up_early", "abstained", "forced")
    assert not gave_up_early(wrong, 1)
    assert not gave_up_early(wrong, 2, context=True)
    assert not gave_up_early(wrong._replace(gold_total=None), 2)
    assert not gave_up_early(wrong._replace(label=None, end_reason="memory_error"), 2)
    assert gave_up_early(wrong._replace(label=None, end_reason="empty"), 2)
    assert "coverage_na" in flags(wrong._replace(gold_total=None), 2)
    covered = Episode(requested=4, first_hit=1, t_star=2)
    assert overshoot(covered) == 2 and flags(covered, 2) == ("overshoot",)
    assert overshoot(covered._replace(t_star=4)) == 0
    assert overshoot(covered._replace(t_star=None)) is None


def test_budgets_a_run_cannot_speak_about_are_refused() -> None:
    assert check_budget(2, "post_hoc", 2, cap=20) == 2
    assert check_budget(19, "post_hoc", 2, cap=20) == 19
    assert check_budget(1, "hard", 2) == 1
    for budget, mode, cap in [(20, "post_hoc", 20), (3, "hard", None), (-1, "post_hoc", None)]:
        with pytest.raises(UserError) as error:
            check_budget(budget, mode, 2, cap)
        assert error.value.exit_code == 2


@pytest.mark.parametrize("mode", list(BudgetMode))
def test_a_forced_answer_without_a_verdict_waits_for_one(mode: BudgetMode) -> None:
    """A second judge that has seen only some answers must not turn the rest into silence."""
    unjudged = Episode(end_reason="forced", label=None)
    found = standing(unjudged.end_reason, unjudged.label, unjudged.done, mode)
    assert not found.counted and found.cause == UNJUDGED
