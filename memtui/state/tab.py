"""The tabs of the overview: four questions asked of the same arms and scales."""

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


@dataclass(frozen=True, slots=True)
class OverviewPlace:
    """Where a link wants the overview to begin: tab, measure, and the arms of the large plot (their keys,
    the last one under the cursor; None without the plot)."""

    tab: Tab = Tab.RELIABILITY
    measure: str = "pass"
    plot: tuple[str, ...] | None = None


def tab_after(tab: Tab, by: int) -> Tab:
    """The tab `by` places on, round and round."""
    return TABS[(TABS.index(tab) + by) % len(TABS)]
