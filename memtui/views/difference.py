"""A paired difference drawn on a fixed axis: the point, its interval, and zero."""

from __future__ import annotations

from rich.text import Text

from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN

REACH = 0.5
"""Half of the axis; a difference beyond 50 points is an arrow at its end."""
SAME, OTHER_RESULT, OTHER_QUERY, ONLY_A, ONLY_B = "=", "≈", "≠", "◂", "▸"
SIDE_BY_SIDE = (
    (SAME, "the same query, and the same came back"),
    (OTHER_RESULT, "the same query, but another result, or another answer"),
    (OTHER_QUERY, "another query"),
    (ONLY_A, "only A has it"),
    (ONLY_B, "only B has it"),
)
"""Signs between two trajectories that stand side by side."""
WHO = {"both": "both", "only_a": "◂ A", "only_b": "B ▸", "neither": "neither", "open": "open"}
"""Which side passed, in at most seven cells."""


def signed(value: float | None) -> str:
    """A difference in points with one decimal: ``-15.8``; ``–`` where there is none."""
    return UNKNOWN if value is None else f"{100 * value:+.1f}"


def forest(
    difference: float | None, low: float | None, high: float | None, width: int, look: Look
) -> Text:
    """``──●──│``: the point with its interval on an axis from -50 to +50 points, `width` cells (odd).

    A point beyond the axis is ``◂`` or ``▸`` at its end: two that differ must not look alike there.
    """
    middle = width // 2
    cells = [(" ", look.faint)] * width
    cells[middle] = ("│", look.faint)

    def at(value: float) -> int:
        return max(0, min(width - 1, middle + round(value / REACH * middle)))

    if low is not None and high is not None:
        for place in range(at(low), at(high) + 1):
            cells[place] = ("─", look.muted)
    if difference is not None:
        sure = low is not None and high is not None and (low > 0 or high < 0)
        beyond = ONLY_A if difference < -REACH else ONLY_B if difference > REACH else "●"
        cells[at(difference)] = (beyond, look.strong if sure else look.muted)
    return Text.assemble(*cells, end="", no_wrap=True)


def forest_axis(width: int) -> str:
    """The ends of the axis over a forest of `width` cells."""
    half = width // 2
    return "-50".ljust(half) + "0" + "+50".rjust(width - half - 1)


def p_value(value: float | None) -> str:
    """A p-value in at most five cells; ``–`` where there is none."""
    if value is None:
        return UNKNOWN
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
