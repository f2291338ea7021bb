"""What a table of a report is, and how its cells are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.metrics.intervals import Interval
from memtui.metrics.rates import Rate
from memtui.metrics.scales import scale_conditions, scale_label
from memtui.report.model import Cell, CellCost
from memtui.views.numbers import UNKNOWN
from memtui.views.text_door import clean_line

LEFT = "<"
RIGHT = ">"


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; `align` has one `<` or `>` per column, `caption` says how to read it."""

    title: str
    header: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


def percent(value: float | None) -> str:
    """A rate in per cent with one decimal; `–` where it is undefined."""
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def interval_text(interval: Interval | None) -> str:
    """`[73.4, 88.3]`, or `–`."""
    if interval is None:
        return UNKNOWN
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def scale_text(scale: float | None) -> str:
    """A rung, or `–` for a run without scales."""
    return UNKNOWN if scale is None else scale_label(scale)


def cell_text(cell: Cell | CellCost) -> str:
    """What a cell of an arm is apart from its other cells: its scale, or all its conditions where there are
    more than that."""
    if cell.scale is not None and cell.conditions in ("", scale_conditions(cell.scale)):
        return scale_label(cell.scale)
    return clean_line(cell.conditions, width=40) if cell.conditions else UNKNOWN


def share(k: int, n: int) -> str:
    return percent(k / n) if n else UNKNOWN


def arm_names(cells: Sequence[Cell]) -> list[str]:
    """The arm's name at its first row, blank below."""
    names = []
    last = ""
    for cell in cells:
        names.append("" if cell.arm == last else cell.arm)
        last = cell.arm
    return names


def shown_interval(rate: Rate) -> str:
    """The interval to show; `*` where all histories agree and Wilson stands in for it."""
    star = "*" if rate.stands_in else ""
    return interval_text(rate.interval) + star


def stands_in(cells: Sequence[Cell]) -> str:
    """What `*` means, for the caption of a table with one of `shown_interval`; empty where there is none."""
    rates = [rate for cell in cells if (rate := cell.rates["pass"]).stands_in]
    if not rates:
        return ""
    over = " over questions" if any(rate.method == "wilson-questions" for rate in rates) else ""
    return f"; * all histories agree, Wilson{over} instead"
