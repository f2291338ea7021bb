"""Where the evidence of a ladder stood and what moved above it, in the words of the screen and of its twin."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.state.displacement import Displacement, UnitRank
from memtui.views.ladder import rank_text
from memtui.views.numbers import plural


def first_rank(found: UnitRank | None) -> str:
    """Where a unit of evidence first came back, see `rank_text`; None: it never did."""
    if found is None:
        return rank_text(None, None)
    return rank_text(
        found.call,
        found.rank,
        shown=found.shown,
        session_rank=found.session_rank,
        ranked=found.ranked,
    )


def calls_compared(found: Displacement) -> str:
    """``at call 1``, or ``at calls 1 and 2``."""
    if found.call_below == found.call_here:
        return f"at call {found.call_here}"
    return f"at calls {found.call_below} and {found.call_here}"


def evidence_moves(found: Displacement, ranks: Mapping[str, UnitRank]) -> list[tuple[str, bool]]:
    """``#1 → #4`` of each unit of evidence, and whether it lost rank; `ranks` are those at the larger scale.

    One that was not returned there is named by its place in the system's own ranking, where that is known.
    """
    moves = []
    for unit, before, after in found.evidence:
        lost = before is not None and (after is None or after > before)
        known = ranks.get(unit)
        here = _place(after)
        if after is None and known is not None and known.rank is None:
            here = first_rank(known)
        moves.append((f"{_place(before)} → {here}", lost))
    return moves


def moved_count(found: Displacement) -> str:
    """``3 irrelevant sessions moved above it``."""
    if not found.moved:
        return "nothing moved above it"
    return f"{plural(len(found.moved), 'irrelevant session')} moved above it"


def _place(rank: int | None) -> str:
    return "none" if rank is None else f"#{rank}"
