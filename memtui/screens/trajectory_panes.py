"""The panes of the trajectory screen by key: which one has the keys, what the text pane reads, find, zoom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from memtui.report.step_record import Reading
from memtui.screens.ladder_steps import LadderSteps
from memtui.screens.trajectory_parts import LEAST_STEPS
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.ground import Column, Row
from memtui.widgets.lines import LineBlock, RestBlock
from memtui.widgets.pane import Pane, Rule
from memtui.widgets.text_pane import EmptyDocument, TextPane
from memtui.widgets.virtual_list import EmptySource, VirtualList

STEPS_FROM = 120
"""Columns from which the steps stand beside the hits."""


class TrajectoryPanes(LadderSteps):
    """Steps | hits | text; on a narrow screen one of them at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "pane(1)", "next pane", id="trajectory.pane", priority=True),
        Binding("shift+tab", "pane(-1)", "previous pane", id="trajectory.pane-back", priority=True),
        Binding("d", "read('decision')", "the model's decision", id="trajectory.decision"),
        Binding("r", "read('request')", "raw request and its record", id="trajectory.request"),
        Binding("v", "read('judge')", "the judge's reply", id="trajectory.judge"),
        Binding("slash", "find", "find in the hits or the text", id="trajectory.find"),
        Binding("n", "match(1)", "next match", id="trajectory.match"),
        Binding("N", "match(-1)", "previous match", id="trajectory.match-back"),
        Binding("z", "zoom", "zoom the pane", id="trajectory.zoom"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._find = ""
        self._finds_hits = False
        self._steps_width = LEAST_STEPS
        self._reading = Reading.TEXT

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="trajectory-head")
        yield FilterLine(placeholder="find in hits and text", id="find-line")
        with Row(id="panes"):
            yield Pane("steps", VirtualList(id="steps"), id="steps-pane")
            yield Rule(id="steps-rule")
            with Column(id="step-side"):
                yield RestBlock(id="call")
                with Row(id="step-panes"):
                    yield Pane("hits", VirtualList(id="hits"), id="hits-pane")
                    yield Rule(id="text-rule")
                    yield Pane("text", TextPane(id="text"), id="text-pane")

    def fit_steps(self, wanted: int | None = None) -> None:
        """Make the steps pane as wide as its rows need, or keep that: hits and text share the rest."""
        self._steps_width = self._steps_width if wanted is None else wanted
        pane = self.query_one("#steps-pane", Pane)
        width = "1fr" if self.has_class("zoom-steps") else str(self._steps_width)
        if str(pane.styles.width) != width:
            pane.styles.width = width

    @property
    def side_width(self) -> int:
        """Cells beside the steps: those of what one call was, of its hits and of their text together."""
        columns = self.size.width or self.app.size.width
        if columns < STEPS_FROM or self.has_class("zoomed"):
            return columns
        return columns - 1 - self._steps_width

    @property
    def steps(self) -> VirtualList:
        """The steps pane."""
        return self.query_one("#steps", VirtualList)

    @property
    def hits(self) -> VirtualList:
        """The hits pane."""
        return self.query_one("#hits", VirtualList)

    @property
    def text(self) -> TextPane:
        """The text pane."""
        return self.query_one("#text", TextPane)

    def empty_panes(self) -> None:
        """Nothing is open: leave nothing of what was."""
        self.steps.show(EmptySource())
        self.hits.show(EmptySource())
        self.text.show(EmptyDocument())
        self.query_one("#call", LineBlock).show([])
        for pane in self.query(Pane):
            pane.show_facts(Text(end=""))

    def draw_text(self) -> None:
        """Show in the text pane what is to be read."""

    def read_text(self) -> None:
        """Give the keys to the text; on a narrow screen it takes the place of the hits."""
        self.set_class(True, "reading")
        self.text.focus()
        self._follow_zoom()

    def action_pane(self, by: int) -> None:
        """Give the keys to the next pane that is on screen, or can be."""
        panes: list[Widget] = [self.text] if self.has_class("no-hits") else [self.hits, self.text]
        if self.steps.region.width or self.has_class("zoomed"):
            panes.insert(0, self.steps)
        focused = self.focused
        at = panes.index(focused) if focused in panes else 0
        target = panes[(at + by) % len(panes)]
        self.set_class(target is self.text, "reading")
        target.focus()
        self._follow_zoom()

    def action_zoom(self) -> None:
        """The focused pane takes all the room, or gives it back."""
        self.toggle_class("zoomed")
        self._follow_zoom()

    def _follow_zoom(self) -> None:
        zoomed = self.has_class("zoomed")
        for pane in self.query(Pane):
            pane.set_class(zoomed and pane.content is self.focused, "zoom")
        self.set_class(zoomed and self.steps is self.focused, "zoom-steps")
        self.set_class(zoomed and self.text is self.focused, "zoom-text")
        self.fit_steps()

    def action_read(self, what: str) -> None:
        """Read the decision, the request or the judge in the text pane; the same key again: the hit."""
        wanted = Reading(what)
        if self._reading is wanted:
            self._read_hits()
            return
        self._reading = wanted
        self.read_text()
        self.draw_text()

    def focus_hits(self) -> None:
        """Give the keys to the hits, or to the text where it has their room."""
        (self.text if self.has_class("no-hits") else self.hits).focus()

    def _read_hits(self) -> None:
        """The text pane belongs to the hits again."""
        self._reading = Reading.TEXT
        self.set_class(False, "reading")
        self.focus_hits()
        self._follow_zoom()
        self.draw_text()

    def action_find(self) -> None:
        """Open the line to search the hits, where they have the keys, else the text."""
        self._finds_hits = self.focused is self.hits
        self.query_one(FilterLine).open(self._find)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._find = message.value
        self.query_one(FilterLine).close()
        if self._finds_hits:
            self.hits.focus()
            self.draw_hits()
            if self._find:
                self._match_hit(0)
            return
        self.read_text()
        self.draw_text()
        if self._find:
            self.action_match(0)

    def action_match(self, by: int) -> None:
        """The next or previous hit, or place in the text, of what was searched for."""
        if not self._find:
            self.bench.say("nothing was searched for yet (/)")
        elif self.focused is self.hits:
            self._match_hit(by)
        elif not self.text.jump_to_match(by):
            self.bench.say("no match" if not by else "no further match that way")

    def _match_hit(self, by: int) -> None:
        """Put the cursor on the next hit that holds it, and show where it stands in the text."""
        here, ranks = self.hits.selected or 0, self.ranks_found()
        if by > 0:
            ranks = [rank for rank in ranks if rank > here]
        elif by < 0:
            ranks = [rank for rank in ranks if rank < here][::-1]
        else:  # the one under the cursor, else one below it, else the first of all
            ranks = [rank for rank in ranks if rank >= here] or ranks
        if not ranks:
            self.bench.say("no hit of this call has it" if not by else "no further hit that way")
            return
        self.hits.cursor = ranks[0] - 1
        self.draw_text()
        self.text.jump_to_match(0)

    def draw_hits(self) -> None:
        """Draw the hits anew: another thing is searched for."""

    def ranks_found(self) -> list[int]:
        """Ranks of the hits that hold what is searched for."""
        return []

    def leave(self) -> bool:
        """Esc: out of the search line, from the text back to the hits, out of the zoom; False when there is nothing to leave."""
        line = self.query_one(FilterLine)
        if line.is_open:
            line.close()
            self.focus_hits()
            return True
        if self.has_class("zoomed"):
            self.action_zoom()
            return True
        if self._reading is not Reading.TEXT:
            self._read_hits()
            return True
        if self.has_class("reading"):
            self.set_class(False, "reading")
            self.focus_hits()
            return True
        return False
