"""The tabs of the overview, four questions asked of the same arms and scales, and what its table can show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tab(StrEnum):
    """What the overview, and a report of one tab, is about."""

    RELIABILITY = "reliability"
    STOPPING = "stopping"
    TRUST = "trust"
    COST = "cost"


TABS = tuple(Tab)


class Measure(StrEnum):
    """What the heat table shows."""

    PASS = "pass"
    COVERED = "covered"
    EXHAUSTED = "exhausted"
    WRONG = "wrong"
    ABSTAINED = "abstained"

    def named(self, budget: int) -> str:
        """What it is called at B."""
        return "Abstained" if self is Measure.ABSTAINED else f"{self.value.title()}@{budget}"

    def meaning(self, budget: int) -> str:
        """What it is, in a few words."""
        return _MEANINGS[self].format(b=budget)

    def briefly(self, budget: int) -> str:
        """The same in fewer words."""
        return _BRIEFLY[self].format(b=budget)


_MEANINGS = {
    Measure.PASS: "right within {b} calls",
    Measure.COVERED: "evidence complete within {b} calls: the ceiling of Pass@{b}",
    Measure.EXHAUSTED: "more than {b} calls requested",
    Measure.WRONG: "within {b} calls, but not right",
    Measure.ABSTAINED: "unanswerable items, rightly not answered",
}
_BRIEFLY = {
    Measure.PASS: "right within {b}",
    Measure.COVERED: "all the evidence",
    Measure.EXHAUSTED: "calls over {b}",
    Measure.WRONG: "within {b}, not right",
    Measure.ABSTAINED: "rightly no answer",
}


@dataclass(frozen=True, slots=True)
class OverviewPlace:
    """Where a link wants the overview to begin: tab, measure, and the arms of the large plot (their keys,
    the last one under the cursor; None without the plot)."""

    tab: Tab = Tab.RELIABILITY
    measure: Measure = Measure.PASS
    plot: tuple[str, ...] | None = None


def tab_after(tab: Tab, by: int) -> Tab:
    """The tab `by` places on, round and round."""
    return TABS[(TABS.index(tab) + by) % len(TABS)]
