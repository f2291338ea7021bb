"""Signs of the ladder: where a question flips along the scales, and where its evidence ranked."""

from __future__ import annotations

from rich.style import Style

from memtui.views.look import Look
from memtui.views.marks import CUT

LOST = "↓"
REGAINED = "↑"
OUTSIDE = "~"
NEVER = "none"

LEGEND = (
    (LOST, "passed at the next smaller scale, not here"),
    (REGAINED, "did not pass at the next smaller scale, does here"),
    (OUTSIDE, "outside the filter"),
    ("#3 #1@2", "rank of the evidence in call 1; in call 2, the first that returned it"),
    (f"{LOST}#8", "further down than at the smaller scale, or gone; ↑ further up"),
    ("(37) (>200)", "never returned; its session's rank in the system's own ranking"),
)


def flip(change: str, look: Look) -> tuple[str, Style]:
    """Sign and style of a change along the scales (`lost`, `regained` or none)."""
    if change == "lost":
        return LOST, look.bad
    if change == "regained":
        return REGAINED, look.good
    return " ", look.base


def rank_change(before: int | None, rank: int | None, look: Look) -> tuple[str, Style]:
    """Sign and style of a rank beside the one at the next smaller scale that had one (`before`); None: none."""
    if before is None or before == rank:
        return " ", look.base
    if rank is None or rank > before:
        return LOST, look.budget
    return REGAINED, look.good


def rank_text(
    call: int | None,
    rank: int | None,
    *,
    shown: bool = True,
    session_rank: int | None = None,
    ranked: int | None = None,
) -> str:
    """``#3`` in call 1, ``#3@2`` in call 2, ``✂`` where it was cut, ``none`` where it never came.

    Where it never came and the system's own ranking is known: ``(37)``, or ``(>200)`` beyond its end.
    """
    if call is None or rank is None:
        if session_rank is not None:
            return f"({session_rank})"
        return NEVER if ranked is None else f"(>{ranked})"
    return f"#{rank}{'' if call == 1 else f'@{call}'}{'' if shown else CUT}"
