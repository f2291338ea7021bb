"""The outcome of an episode at a budget B, from the integers a run file stores (docs/metrics.md).

Definitions: Shao et al., "When Stored Evidence Stops Being Usable", arXiv 2605.07313. With R requested
memory calls and C = 1 for a right answer: pass = C and R <= B; exhausted = R > B whatever C is;
wrong = R <= B and not C. Pass + exhausted + wrong = n, exactly, for every B.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import NamedTuple, Protocol

from memtui.errors import UserError
from memtui.model import FLAGGED, BudgetMode, EndReason, Label, Outcome


class FactLike(Protocol):
    """What outcome and regime read of an episode; the reader's `EpisodeFact` has it."""

    @property
    def done(self) -> int: ...
    @property
    def end_reason(self) -> str | None: ...
    @property
    def requested(self) -> int: ...
    @property
    def first_hit(self) -> int | None: ...
    @property
    def t_star(self) -> int | None: ...
    @property
    def gold_total(self) -> int | None: ...
    @property
    def answerable(self) -> int: ...
    @property
    def label(self) -> str | None: ...


class Kind(Enum):
    """How an end reason enters the rates."""

    JUDGED = "judged"
    """There is an answer: it needs a verdict; without one the episode is excluded."""
    MAYBE = "maybe"
    """The agent was stopped: a kept answer is judged, none means it did not pass (`no_answer`)."""
    SYSTEM = "system"
    """The system under test broke: it did not pass (`system_failed`). Never excluded."""
    EXCLUDED = "excluded"
    """Not the agent's failure: outside n, counted beside it."""
    PENDING = "pending"
    """Not finished yet."""


class Rule(NamedTuple):
    """One line of the table: `kind`, the cause printed when excluded, and whether R is censored.

    Censored means that the run stopped the agent, so the calls it would have requested are at least
    R, not exactly R.
    """

    kind: Kind
    cause: str = ""
    censored: bool = False


_BOTH: dict[EndReason, Rule] = {
    EndReason.ANSWERED: Rule(Kind.JUDGED),
    EndReason.FORCED: Rule(Kind.JUDGED),
    EndReason.STEP_CAP: Rule(Kind.MAYBE, censored=True),
    EndReason.BUDGET_REFUSED: Rule(Kind.MAYBE, censored=True),
    EndReason.BUDGET_TOKENS: Rule(Kind.MAYBE),
    # The cap of one episode: its own spending ended it. The cap of a whole run ends in `cancelled`.
    EndReason.COST_CAP: Rule(Kind.MAYBE),
    EndReason.TIMEOUT: Rule(Kind.SYSTEM),
    EndReason.NO_PROGRESS: Rule(Kind.SYSTEM),
    EndReason.MEMORY_ERROR: Rule(Kind.SYSTEM),
    EndReason.CONTEXT_OVERFLOW: Rule(Kind.SYSTEM),
    EndReason.TRUNCATED: Rule(Kind.MAYBE),
    EndReason.FILTERED: Rule(Kind.MAYBE),
    EndReason.EMPTY: Rule(Kind.MAYBE),
    EndReason.CANCELLED: Rule(Kind.EXCLUDED, "cancelled"),
    EndReason.PROVIDER_ERROR: Rule(Kind.EXCLUDED, "provider"),
    EndReason.INTERRUPTED: Rule(Kind.PENDING),
}

RULES: dict[BudgetMode, dict[EndReason, Rule]] = {
    BudgetMode.POST_HOC: _BOTH,
    # Hard: an answer is forced because request B+1 was refused, so R stops at B+1 by construction.
    BudgetMode.HARD: _BOTH | {EndReason.FORCED: Rule(Kind.JUDGED, censored=True)},
}
"""The one table: end reason x mode -> counted, excluded (with its cause) or pending."""

UNJUDGED = "unjudged"
"""Excluded because no judge has looked at the answer yet."""
JUDGE = "judge"
"""Excluded because the judge could not decide (failure, unparsable, rubric): unknown, not wrong."""
UNKNOWN_END = "unknown_end"
"""Excluded because the file names an end reason this version does not know."""


class Standing(NamedTuple):
    """What an episode is before any budget: its outcome class, whatever B will be.

    `counted` episodes are in n; `right` is C; `failed` says that the system under test broke, `mute`
    that the agent gave no answer; `cause` names why an excluded one is outside n.
    """

    counted: bool
    pending: bool = False
    right: bool = False
    failed: bool = False
    mute: bool = False
    cause: str = ""
    censored: bool = False


@lru_cache(maxsize=4096)
def standing(
    end_reason: str | None, label: str | None, done: int, mode: str = BudgetMode.POST_HOC
) -> Standing:
    """Look an ended episode up in the table; a right verdict always beats a failure of the system."""
    if not done or end_reason is None:
        return Standing(counted=False, pending=True)
    if end_reason == FLAGGED:
        return Standing(counted=False, cause=FLAGGED)
    try:
        rule = RULES[BudgetMode(mode)][EndReason(end_reason)]
    except ValueError:
        return Standing(counted=False, cause=UNKNOWN_END)
    if rule.kind is Kind.PENDING:
        return Standing(counted=False, pending=True)
    if rule.kind is Kind.EXCLUDED:
        return Standing(counted=False, cause=rule.cause)
    if label == Label.RIGHT:
        return Standing(counted=True, right=True, censored=rule.censored)
    if label == Label.WRONG:
        failed = rule.kind is Kind.SYSTEM
        return Standing(counted=True, failed=failed, censored=rule.censored)
    if rule.kind is Kind.SYSTEM:
        return Standing(counted=True, failed=True)
    if label is not None:
        return Standing(counted=False, cause=JUDGE)
    if rule.kind is Kind.JUDGED:
        return Standing(counted=False, cause=UNJUDGED)
    return Standing(counted=True, mute=True, censored=rule.censored)


def outcome(fact: FactLike, budget: int, mode: str = BudgetMode.POST_HOC) -> Outcome:
    """Outcome at B = `budget` (memory calls): pass, exhausted or wrong; or excluded, or pending."""
    found = standing(fact.end_reason, fact.label, fact.done, mode)
    if found.pending:
        return Outcome.PENDING
    if not found.counted:
        return Outcome.EXCLUDED
    if fact.requested > budget:
        return Outcome.EXHAUSTED
    return Outcome.PASS if found.right else Outcome.WRONG


def check_budget(budget: int, mode: str, own_budget: int, cap: int | None = None) -> int:
    """Return `budget` if rates may be reported at it; UserError where the run cannot say.

    A hard run was stopped at its own budget; a safety cap of `cap` calls ended runaways, whose R is
    only known to be at least `cap`.
    """
    if budget < 0:
        raise UserError(f"--budget is a number of memory calls, 0 or more; got {budget}")
    if mode == BudgetMode.HARD and budget > own_budget:
        raise UserError(
            f"this run enforced a hard budget of {own_budget} calls: what its agents would have done "
            f"with {budget} is not known; choose at most --budget {own_budget}"
        )
    if cap is not None and budget >= cap:
        raise UserError(
            f"this run stopped every episode at {cap} calls (its safety cap), so rates at "
            f"--budget {budget} are not known; choose {cap - 1} or less"
        )
    return budget
