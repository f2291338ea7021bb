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
)


def flip(change: str, look: Look) -> tuple[str, Style]:
    """Sign and style of a change along the scales (`lost`, `regained` or none)."""
    if change == "lost":
        return LOST, look.bad
    if change == "regained":
        return REGAINED, look.good
    return " ", look.base


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
