"""Screen 2: where reliability was lost. Arms x scales, the cell under the cursor, the run going on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.widget import Widget

from memtui.errors import UserError
from memtui.screens.dock import dock_lines, dock_stamp, facts_beside_dock, trouble_lines
from memtui.screens.episode_row import strip_of_row
from memtui.screens.overview_below import Below
from memtui.screens.overview_parts import (
    arm_by_scale,
    cell_facts,
    measures_line,
    small_multiples,
)
from memtui.screens.overview_plot import PlottedOverview
from memtui.screens.overview_tabs import NAMES
from memtui.screens.overview_types import ArmByType
from memtui.state.compare_marks import Mark
from memtui.state.live import Dock, build_dock, latest_endings
from memtui.state.overview import Overview, measure_after
from memtui.state.session import RunSession
from memtui.state.settings import Quick
from memtui.state.tab import TABS, Measure, Tab
from memtui.store.records import EpisodeRow
from memtui.views.hints import Hint
from memtui.views.styled import styled
from memtui.widgets.heat_table import HeatTable, RowDrawer
from memtui.widgets.lines import LineBlock, RestBlock
from memtui.widgets.plot_view import PlotView
from memtui.widgets.tab_strip import TabStrip

ROOMY = 30
"""Rows from which a blank line parts the table from what stands below it."""


class OverviewScreen(PlottedOverview):
    """Heat table with intervals, the facts of one cell, and the dock while the run goes on; other tabs ask
    other questions of the same arms and scales."""

    NUMBER = 2
    NAME = "Overview"
    RATES = True
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "episodes"),
        Hint("-=", "budget"),
        Hint("Tab", "measure"),
        Hint("p", "plot"),
        Hint("[]", "tabs"),
        Hint("aA", "alpha"),
        Hint("J", "judge"),
        Hint("s", "order"),
        Hint("c", "mark for compare"),
        Hint("1-6", "screens"),
        Hint("R", "replay"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "measure(1)", "next measure", id="overview.measure", priority=True),
        Binding(
            "shift+tab",
            "measure(-1)",
            "previous measure",
            id="overview.measure-back",
            priority=True,
        ),
        Binding("t", "types", "question types first, or scales", id="overview.types"),
        Binding("s", "order", "order of the arms", id="overview.order"),
        Binding("R", "replay", "replay the run", id="overview.replay"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._feed: list[EpisodeRow] = []
        self._types_first = False
        self._types = ArmByType(self, self.draw_around)
        self._below, self._left_out = Below(), ""

    def body(self) -> Iterable[Widget]:
        yield TabStrip(tuple(NAMES.values()), id="tabs")
        yield LineBlock([Text(end="")] * 2, id="heat-head")
        yield HeatTable(id="heat")
        yield LineBlock(id="cell-facts")
        yield RestBlock(id="lower")
        yield PlotView(id="plot")

    @property
    def pace(self) -> float:
        return 0.4

    def on_mount(self) -> None:
        heat = self.query_one(HeatTable)
        heat.page_below = self._page_below
        heat.focus()
        super().on_mount()

    # --- drawing --------------------------------------------------------------------------------

    def depends_on(self) -> object:
        session = self.bench.session
        going_on = None if session is None else dock_stamp(session.header)
        return (
            super().depends_on(), id(self.bench.overview), self.bench.troubles, going_on,
            self._types_first,
        )  # fmt: skip

    def forget(self) -> None:
        super().forget()
        self._types.forget()

    def draw(self) -> None:
        overview = self.bench.overview
        session = self.bench.session
        if overview is None or session is None:
            self.query_one("#heat-head", LineBlock).show(
                [styled(" counting …", self.look.muted), Text(end="")]
            )
            return
        self.begin_where_wanted()
        self.figures.read()
        self.query_one(HeatTable).show(overview, self._measure, self._row_drawer(overview))
        self.give_room()
        self.draw_around()
        if session.header.live:
            self._read_feed(session)

    def _row_drawer(self, overview: Overview) -> RowDrawer | None:
        """How a tab draws an arm; None leaves the heat cells."""
        return None if self.tab is Tab.RELIABILITY else partial(self.figures.face().row, overview)

    @work(exclusive=True, group="feed")
    async def _read_feed(self, session: RunSession) -> None:
        """The latest endings, for the dock."""
        try:
            self._feed = await session.ask(latest_endings, session.reader)
        except UserError:
            return  # the app says what is wrong with the file; the dock keeps what it had
        self.draw_around()

    def draw_around(self) -> None:
        overview = self.bench.overview
        if overview is None or not self.size.width:
            return
        width, look = self.size.width, self.look
        heat = self.query_one(HeatTable)
        alarms = len(self.bench.troubles.alarms)
        aside = styled("[ ] tabs", look.muted)
        if alarms:
            words = f"! {alarms} alarm{'s' if alarms > 1 else ''}: see Trust"
            aside = styled(words, look.bad)
        self.query_one(TabStrip).show(TABS.index(self.tab), aside)
        if self.plotted or self.tab is not Tab.RELIABILITY:
            self._types.rest()
        if self.plotted:
            self.draw_plot(overview)
            return
        head, facts = (
            self.query_one("#heat-head", LineBlock),
            self.query_one("#cell-facts", LineBlock),
        )
        if self.tab is not Tab.RELIABILITY:
            face, lower = self.figures.face(), self.query_one("#lower", LineBlock)
            head.show(face.heading(overview, heat.column, heat.line_width, self.figures.counting()))
            beside = face.beside(overview, heat.arm, heat.column, heat.line_width)
            facts.show(
                [Text(end="")] * bool(beside and self.size.height >= ROOMY) + [beside]
            )  # with z it is below
            lines = [beside] * self.zoomed + face.below(overview, heat.arm, heat.column, width - 1)
            self._show_below(lines, lower.size.height or 8)
            return
        first, second = heat.heading(width, look)
        titles = (first, heat.title(look, brief=True))
        head.show([measures_line(titles, self._measure, overview, width, look), second])
        lines = cell_facts(heat.arm, heat.cell, width - 1, look, heat.without_column(width, look))
        keep = 4 if width >= 80 else 5
        session = self.bench.session
        if session is not None and session.header.live:
            keep = facts_beside_dock(keep, self.size.height, len(overview.arms))
        lines = lines[:keep] + [Text(end="")] * (keep - len(lines))
        facts.show([Text(end=""), *lines])
        self._draw_lower(overview, width)

    def _draw_lower(self, overview: Overview, width: int) -> None:
        session = self.bench.session
        if session is None:
            return
        look = self.look
        height = self.query_one("#lower", LineBlock).size.height or 8
        lines: list[Text] = [Text(end="")]
        if session.header.live:
            dock = self.dock(session)

            def strip(row: EpisodeRow) -> Text:
                return strip_of_row(row, session, look, width=12)

            lines += dock_lines(dock, strip, width - 1, min(height - 1, 14), look)
        else:
            lines += trouble_lines(self.dock(session), width - 1, height - 1, look)
        arm = self.query_one(HeatTable).arm
        by_scale = arm_by_scale(arm, overview, width, look)
        types = self._types.lines(arm, overview, self.measure, width)
        blocks = [types, by_scale] if self._types_first and types else [by_scale, types]
        if self.zoomed and not session.header.live:
            known = [*blocks, lines[1:]]
            lines = []
            for block in (block for block in known if block):
                lines += [Text(end="")] * bool(lines) + block
            charts = small_multiples(overview, width, height - len(lines) - 1, look)
            self._show_below([*lines, *([Text(end=""), *charts] if charts else [])], height)
            return
        left_out = ""
        for block in blocks:
            gap = 1 if len(lines) > 1 and len(lines) + len(block) < height else 0
            fits = len(lines) + gap + len(block) <= height
            if block and fits:
                lines += [Text(end="")] * gap + block
            if not fits and left_out != "bars":
                left_out = "bars" if block is by_scale else "types"
        charts = small_multiples(overview, width, height - len(lines) - 1, look)
        if charts:
            lines += [Text(end=""), *charts]
        self._show_below(lines[:height], height, left_out=left_out)

    def _show_below(self, lines: list[Text], height: int, *, left_out: str = "") -> None:
        """Lines below the table; `left_out`: what has no room, which `z` makes."""
        arm = self.query_one(HeatTable).arm
        note = ", o opens the tab" if self.zoomed else ", z makes room, o opens the tab"
        about = (self.tab, None if arm is None else arm.arm.id)
        shown = self._below.fitted(lines, height, self.look, of=about, note=note)
        self.query_one("#lower", LineBlock).show(shown)
        if left_out != self._left_out:
            self._left_out = left_out
            self.show_hints()

    def _page_below(self, by: int) -> bool:
        """Page what is below the table; False where it all fits."""
        moved = self._below.page(by)
        if moved:
            self.draw_around()
        return moved or self.zoomed

    def hints(self) -> Sequence[Hint]:
        """What `z` does where it does something."""
        hints = [*super().hints()]
        if self.plotted or not (self._left_out or self.zoomed):
            return hints
        at = next((n for n, hint in enumerate(hints) if hint.key == "p"), len(hints))
        return [*hints[:at], Hint("z", "table" if self.zoomed else self._left_out), *hints[at:]]

    def dock(self, session: RunSession) -> Dock:
        """What is going on right now."""
        header = session.header
        return build_dock(
            header.state, header.age, header.progress, header.heartbeat, header.events, self._feed,
            self.bench.troubles,
        )  # fmt: skip

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self.redraw)

    # --- keys -----------------------------------------------------------------------------------

    @on(HeatTable.Moved)
    @on(RestBlock.Resized)
    def _around_changed(self) -> None:
        self.draw_around()

    @on(HeatTable.Chosen)
    def _open_cell(self, message: HeatTable.Chosen) -> None:
        session = self.bench.session
        if session is None:
            return
        quick = {
            Measure.EXHAUSTED: Quick.EXHAUSTED,
            Measure.WRONG: Quick.WRONG,
        }.get(self._measure, Quick.ALL)
        self.bench.change(
            replace(session.settings, cell=message.cell.cell_id, quick=quick, filter="")
        )
        self.bench.go("episodes")

    def compare_mark(self) -> Mark | None:
        """The arm under the cursor."""
        session, arm = self.bench.session, self.query_one(HeatTable).arm
        return None if session is None or arm is None else Mark(session.path, arm.arm.key)

    def action_measure(self, by: int) -> None:
        """Show another measure in the table."""
        self._measure = measure_after(self._measure, by, self.bench.overview)
        self.freshen()

    def action_types(self) -> None:
        """Put the question types first below the table, or the scales; where they have no room, make it."""
        self.open_tab(Tab.RELIABILITY)
        self._types_first = not self._types_first
        if self._left_out and not self.zoomed:
            self.action_zoom()
        self.bench.say("question types first" if self._types_first else "scales first")
        self.freshen()

    def action_replay(self) -> None:
        """Show the run as it was while it was recorded."""
        self.bench.replay()

    def action_order(self) -> None:
        """Order the arms another way."""
        session = self.bench.session
        if session is not None:
            settings = session.settings.with_next_arm_order()
            self.bench.change(settings)
            self.bench.say(f"arms {settings.arm_order.value}")
