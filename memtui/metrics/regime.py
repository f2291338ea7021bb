"""The regime of an episode at a budget B: its outcome, refined by what was in view (docs/metrics.md).

R > B is tested first, by coverage after call B; everything else by coverage at the end. Coverage is
monotone over calls, so `first_hit`, `t_star` and `gold_total` reproduce it after any call.
"""

from __future__ import annotations

from typing import Protocol

from memtui.metrics.outcome import FactLike, outcome, standing
from memtui.model import BudgetMode, Outcome, Regime

OUTCOME_OF: dict[Regime, Outcome] = {
    Regime.PENDING: Outcome.PENDING,
    Regime.EXCLUDED: Outcome.EXCLUDED,
    Regime.EXHAUSTED_COVERED: Outcome.EXHAUSTED,
    Regime.EXHAUSTED_PARTIAL: Outcome.EXHAUSTED,
    Regime.EXHAUSTED_NONE: Outcome.EXHAUSTED,
    Regime.EXHAUSTED_NA: Outcome.EXHAUSTED,
    Regime.SYSTEM_FAILED: Outcome.WRONG,
    Regime.NO_ANSWER: Outcome.WRONG,
    Regime.RIGHT_COVERED: Outcome.PASS,
    Regime.RIGHT_UNCOVERED: Outcome.PASS,
    Regime.RIGHT_NA: Outcome.PASS,
    Regime.WRONG_COVERED: Outcome.WRONG,
    Regime.WRONG_PARTIAL: Outcome.WRONG,
    Regime.WRONG_NONE: Outcome.WRONG,
    Regime.WRONG_NA: Outcome.WRONG,
    Regime.ABSTAIN_RIGHT: Outcome.PASS,
    Regime.ANSWERED_UNANSWERABLE: Outcome.WRONG,
}
"""The outcome each regime refines: a regime belongs to exactly one."""

COVERED = "covered"
PARTIAL = "partial"
NONE = "none"
NA = "na"


def coverage_after(fact: FactLike, call: int | None) -> str:
    """Coverage after `call` (None: at the end): `covered`, `partial`, `none`, or `na` where unknown.

    Items without an answer have no coverage: their evidence, if any, supports no answer.
    """
    if fact.gold_total is None or not fact.answerable:
        return NA
    if fact.t_star is not None and (call is None or fact.t_star <= call):
        return COVERED
    if fact.first_hit is not None and (call is None or fact.first_hit <= call):
        return PARTIAL
    return NONE


_EXHAUSTED = {
    COVERED: Regime.EXHAUSTED_COVERED,
    PARTIAL: Regime.EXHAUSTED_PARTIAL,
    NONE: Regime.EXHAUSTED_NONE,
    NA: Regime.EXHAUSTED_NA,
}
_RIGHT = {
    COVERED: Regime.RIGHT_COVERED,
    PARTIAL: Regime.RIGHT_UNCOVERED,
    NONE: Regime.RIGHT_UNCOVERED,
    NA: Regime.RIGHT_NA,
}
_WRONG = {
    COVERED: Regime.WRONG_COVERED,
    PARTIAL: Regime.WRONG_PARTIAL,
    NONE: Regime.WRONG_NONE,
    NA: Regime.WRONG_NA,
}


def regime(fact: FactLike, budget: int, mode: str = BudgetMode.POST_HOC) -> Regime:
    """Regime at B = `budget`; exactly one, and it refines `outcome` at the same B."""
    match outcome(fact, budget, mode):
        case Outcome.PENDING:
            return Regime.PENDING
        case Outcome.EXCLUDED:
            return Regime.EXCLUDED
        case Outcome.EXHAUSTED:
            return _EXHAUSTED[coverage_after(fact, budget)]
        case Outcome.PASS:
            if not fact.answerable:
                return Regime.ABSTAIN_RIGHT
            return _RIGHT[coverage_after(fact, None)]
        case Outcome.WRONG:
            found = standing(fact.end_reason, fact.label, fact.done, mode)
            if found.failed:
                return Regime.SYSTEM_FAILED
            if found.mute:
                return Regime.NO_ANSWER
            if not fact.answerable:
                return Regime.ANSWERED_UNANSWERABLE
            return _WRONG[coverage_after(fact, None)]


class FlaggedFact(FactLike, Protocol):
    """What the flags read besides."""

    @property
    def redundant(self) -> int: ...
    @property
    def forced(self) -> int: ...
    @property
    def abstained(self) -> int: ...


FLAGS = ("overshoot", "redundant", "gave_up_early", "abstained", "forced", "coverage_na")


def overshoot(fact: FactLike) -> int | None:
    """Calls requested after the evidence was complete, R - t*; None if it never was, or is unknown."""
    if fact.t_star is None or fact.gold_total is None or not fact.answerable:
        return None
    return fact.requested - fact.t_star


def gave_up_early(
    fact: FactLike, budget: int, mode: str = BudgetMode.POST_HOC, *, context: bool = False
) -> bool:
    """Stopped of its own with calls left (R < B) and evidence missing, and was not right.

    Never true of a context system (`context`), which has no calls to make.
    """
    if context or fact.requested >= budget or outcome(fact, budget, mode) is not Outcome.WRONG:
        return False
    found = standing(fact.end_reason, fact.label, fact.done, mode)
    return not found.failed and coverage_after(fact, None) in (PARTIAL, NONE)


def flags(
    fact: FlaggedFact, budget: int, mode: str = BudgetMode.POST_HOC, *, context: bool = False
) -> tuple[str, ...]:
    """Names of `FLAGS` that hold at B = `budget`."""
    found = []
    if overshoot(fact):
        found.append("overshoot")
    if fact.redundant:
        found.append("redundant")
    if gave_up_early(fact, budget, mode, context=context):
        found.append("gave_up_early")
    if fact.abstained:
        found.append("abstained")
    if fact.forced:
        found.append("forced")
    if coverage_after(fact, None) == NA:
        found.append("coverage_na")
    return tuple(found)
