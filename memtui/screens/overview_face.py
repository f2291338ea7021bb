"""How the tabs beside Reliability look: a row per arm at the scale of the cursor, and what stands below."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from memtui.report.model import Report
from memtui.screens import overview_cost, overview_stopping, overview_trust
from memtui.state.overview import ArmView, Overview, Rung
from memtui.state.tab import Tab
from memtui.views.arm_rows import (
    CellTable,
    cell_table,
    figures_line,
    head_line,
    left_out,
    name_width,
)
from memtui.views.look import Look
from memtui.views.names import cut_apart
from memtui.views.numbers import rung_label
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

MODULES = {
    Tab.STOPPING: overview_stopping,
    Tab.TRUST: overview_trust,
    Tab.COST: overview_cost,
}


class Face:
    """One tab with its figures; None of a report means that they are being counted."""

    def __init__(
        self, tab: Tab, report: Report | None, width: int, look: Look, *, waiting: bool
    ) -> None:
        """`waiting` for a part of the figures that takes longer."""
        self.tab, self.report, self._look = tab, report, look
        if report is None:
            self._table = cell_table((), {})
        elif tab is Tab.STOPPING:
            self._table = overview_stopping.table(report, width, look, waiting=waiting)
        elif tab is Tab.TRUST:
            self._table = overview_trust.table(report, width, look)
        else:
            self._table = overview_cost.table(report, width, look)
        self._cut: tuple[object, dict[str, str]] | None = None
        self._cells = {} if report is None else {cell.cell_id: cell for cell in report.cells}

    @property
    def table(self) -> CellTable:
        """The figures of every cell."""
        return self._table

    def heading(self, overview: Overview, column: int, width: int, pending: str) -> list[Text]:
        """What the rows show and at which scale, and the titles of the columns; `pending`: what is being
        counted, where the figures are not yet those of the reader's choices."""
        look, module = self._look, MODULES[self.tab]
        first = Text(" ", end="", no_wrap=True)
        budget = overview.budget if self.report is None else self.report.budget
        first.append(
            f"{module.TITLE}@{budget}" if self.tab is Tab.STOPPING else module.TITLE, look.strong
        )
        if column < len(overview.rungs):
            first.append(f"  at {_label(overview.rungs[column])}", look.accent)
        if pending or self.report is None:
            first.append(f"   counting {pending}…".replace(" …", " …"), look.budget)
        elif first.cell_len + len(module.WHAT) + 3 < width:
            first.append(f"   {module.WHAT}", look.muted)
        name = self._name(overview, width)
        return [first, head_line(self._table, "arm", name, width, look)]

    def row(self, overview: Overview, arm: ArmView, column: int, width: int, here: bool) -> Text:
        """One arm at the scale under the cursor."""
        look = self._look
        view = arm.cells[column] if column < len(arm.cells) else None
        name = self._name(overview, width)
        label = styled(self._names(overview, name)[arm.arm.key], look.strong if here else "")
        return figures_line(self._table, label, None if view is None else view.cell_id, name, width)

    def beside(self, overview: Overview, arm: ArmView | None, column: int, width: int) -> Text:
        """What the row of an arm has no room for, in a line of its own; on Stopping always with its name, of
        which all that stands below speaks."""
        if arm is None:
            return Text(end="")
        view = arm.cells[column] if column < len(arm.cells) else None
        label = clean_line(arm.arm.key, width=48)
        cell, name = None if view is None else view.cell_id, self._name(overview, width)
        line, more = left_out(self._table, label, cell, name, width, self._look)
        return line if more or self.tab is Tab.STOPPING else Text(end="")

    def below(self, overview: Overview, arm: ArmView | None, column: int, width: int) -> list[Text]:
        """The arm over all scales, and what belongs to the tab."""
        if self.report is None or arm is None:
            return []
        look = self._look
        lines = self._by_scale(overview, arm, column, width)
        if self.tab is Tab.STOPPING:
            more = overview_stopping.below(arm, overview, self._cells, width, look)
        elif self.tab is Tab.TRUST:
            more = overview_trust.below(self.report, width, look)
        else:
            more = overview_cost.below(arm, self.report, width, look)
        if self.tab is not Tab.STOPPING:
            lines, more = more, lines  # what holds for the whole arm or run weighs more here
        return [*lines, Text(end=""), *more]

    def _by_scale(self, overview: Overview, arm: ArmView, column: int, width: int) -> list[Text]:
        look = self._look
        name = self._name(overview, width)
        head = "by scale" if self.tab is Tab.STOPPING else self._names(overview, name)[arm.arm.key]
        lines = [head_line(self._table, head, name, width, look)]
        for number, (rung, view) in enumerate(zip(overview.rungs, arm.cells, strict=True)):
            style = look.strong if number == column else look.muted
            mark = "▸" if number == column else " "
            label = styled(f"{mark}{_label(rung):>7}", style)
            cell = None if view is None else view.cell_id
            lines.append(figures_line(self._table, label, cell, name, width))
        return lines

    def _names(self, overview: Overview, name: int) -> dict[str, str]:
        """The arms as they stand in `name` cells."""
        keys = tuple(arm.arm.key for arm in overview.arms)
        if self._cut is None or self._cut[0] != (keys, name):
            cut = [clean_line(key, width=name) for key in keys]
            if len(set(cut)) < len(set(keys)):  # cut at the end some are the same
                cut = cut_apart(keys, name)
            self._cut = ((keys, name), dict(zip(keys, cut, strict=True)))
        return self._cut[1]

    def _name(self, overview: Overview, width: int) -> int:
        longest = max((cell_len(clean_line(arm.arm.key)) for arm in overview.arms), default=4)
        return name_width(self._table, longest, width)


def _label(rung: Rung) -> str:
    return rung_label(rung.conditions, rung.scale)
