"""What the reader has chosen: budget, alpha, judge, filter, order. Facts never depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memtui.model import BudgetMode, Outcome

ALPHA_STEP = 0.05
LARGEST_BUDGET = 99


class Quick(StrEnum):
    """The one-key filters of the episode list."""

    ALL = "all"
    EXHAUSTED = "exhausted"
    WRONG = "wrong"
    EXCLUDED = "excluded"

    @property
    def outcome(self) -> Outcome | None:
        """The outcome it keeps; None keeps all."""
        return None if self is Quick.ALL else Outcome(self.value)


class ArmOrder(StrEnum):
    """How the arms of the overview are ordered."""

    DECLARED = "as declared"
    BEST = "best first"
    NAME = "by name"


class SortKey(StrEnum):
    """Columns an episode list can be ordered by. `newest` is the order of arrival, last first."""

    NEWEST = "newest"
    SCALE = "scale"
    ARM = "arm"
    TYPE = "type"
    OUTCOME = "outcome"
    COVERAGE = "evidence"
    CALLS = "calls"
    T_STAR = "t*"
    OVERSHOOT = "overshoot"
    REDUNDANT = "redundant"
    QUESTION = "question"
    TOKENS = "tokens"
    COST = "cost"
    TIME = "time"


SORT_ORDER = tuple(SortKey)


def own_judge(judge: str, judges: Sequence[str]) -> str:
    """Whose verdicts are shown until the reader chooses: the run's judge, else the first that gave some."""
    return judge if judge in judges or not judges else judges[0]


@dataclass(frozen=True, slots=True)
class Settings:
    """The reader's choices for one run file."""

    budget: int
    alpha: float
    judge: str
    largest_budget: int = LARGEST_BUDGET
    """In a hard run B cannot be moved above the run's own."""
    quick: Quick = Quick.ALL
    filter: str = ""
    cell: int | None = None
    """Restrict the episode list to one cell (drill-down from the overview)."""
    sort: SortKey = SortKey.NEWEST
    reversed: bool = False
    arm_order: ArmOrder = ArmOrder.DECLARED
    without_flagged: bool = False
    """Questions whose gold a reader flagged are out of every rate."""

    @property
    def conditional(self) -> bool:
        """Whether the filter chooses episodes by what they did, so that rates are conditional on it."""
        if not self.filter:
            return False
        # On the way to the first frame nobody needs it.
        from memtui.query.language import conditional_on

        return bool(conditional_on(self.filter))

    @property
    def flagged(self) -> str:
        """The same as the word that the command line has for it."""
        return "exclude" if self.without_flagged else "include"

    @property
    def folded_by(self) -> tuple[object, ...]:
        """What decides which episodes count and how they were judged: B only where a filter is read at it."""
        budget = self.budget if self.filter else None
        return self.judge, self.filter, budget, self.without_flagged

    def with_budget(self, by: int) -> Settings:
        """Move B, within 0 and the largest budget the run can speak about."""
        return replace(self, budget=max(0, min(self.largest_budget, self.budget + by)))

    def with_alpha(self, steps: int) -> Settings:
        """Move alpha in steps of .05, within .05 and 1."""
        moved = round((self.alpha + steps * ALPHA_STEP) / ALPHA_STEP) * ALPHA_STEP
        return replace(self, alpha=round(min(1.0, max(ALPHA_STEP, moved)), 2))

    def with_next_judge(self, judges: Sequence[str]) -> Settings:
        """The next judge of the file, round and round; unchanged where there is no other."""
        if not judges:
            return self
        at = judges.index(self.judge) if self.judge in judges else -1
        return replace(self, judge=judges[(at + 1) % len(judges)])

    def with_next_sort(self) -> Settings:
        """Order by the next column."""
        at = SORT_ORDER.index(self.sort)
        return replace(self, sort=SORT_ORDER[(at + 1) % len(SORT_ORDER)])

    def turned(self) -> Settings:
        """The order turned round."""
        return replace(self, reversed=not self.reversed)

    def with_next_arm_order(self) -> Settings:
        """Order the arms of the overview another way."""
        orders = tuple(ArmOrder)
        return replace(self, arm_order=orders[(orders.index(self.arm_order) + 1) % len(orders)])

    def toggled(self, quick: Quick) -> Settings:
        """Switch a quick filter on, or off when it is on already."""
        return replace(self, quick=Quick.ALL if self.quick is quick else quick)

    def without_filters(self) -> Settings:
        """All episodes again."""
        return replace(self, quick=Quick.ALL, filter="", cell=None)

    @property
    def filtered(self) -> bool:
        """Whether any filter is on."""
        return self.quick is not Quick.ALL or bool(self.filter) or self.cell is not None


def settings_of_run(
    budget: int, alpha: float, judge: str, mode: str, call_cap: int | None = None
) -> Settings:
    """The settings a run file opens with: its own budget, alpha and judge."""
    largest = LARGEST_BUDGET if call_cap is None else max(0, call_cap - 1)
    if mode == BudgetMode.HARD:
        largest = budget
    return Settings(budget=budget, alpha=alpha, judge=judge, largest_budget=max(largest, budget))
