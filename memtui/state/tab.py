"""The tabs of the overview: four questions asked of the same arms and scales."""

from __future__ import annotations

from enum import StrEnum


class Tab(StrEnum):
    """What the overview, and a report of one tab, is about."""

    RELIABILITY = "reliability"
    STOPPING = "stopping"
    TRUST = "trust"
    COST = "cost"


TABS = tuple(Tab)


def tab_after(tab: Tab, by: int) -> Tab:
    """The tab `by` places on, round and round."""
    return TABS[(TABS.index(tab) + by) % len(TABS)]
