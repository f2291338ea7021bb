"""The grid of the ladder: a line per arm, a column per scale, a call strip in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message

from memtui.state.episode_standing import ending_with
from memtui.state.ladder import Ladder, LadderCell, LadderLine
from memtui.views.ladder import OUTSIDE, flip
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, scale
from memtui.views.strip import call_strip
from memtui.views.text_door import clean_line, fit
from memtui.widgets.lines import LineView, look_of

NARROWEST = 6
WIDEST = 16
"""Cells of a strip."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns are, for a width: every cell is a gap, a flip mark and a strip."""

    name: int
    strip: int
    first: int
    """Index of the first column shown."""
    shown: int

    @property
    def cell(self) -> int:
        """Cells of one column."""
        return self.strip + 2

    @property
    def indices(self) -> range:
        """Indices of the columns shown."""
        return range(self.first, self.first + self.shown)


class LadderGrid(LineView):
    """Lines and columns with a cursor; the cursor stays on its episode when the grid is drawn anew."""

    DEFAULT_CSS = "LadderGrid { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "across(-1)", "smaller scale", show=False, id="ladder.left"),
        Binding("right,l", "across(1)", "larger scale", show=False, id="ladder.right"),
        Binding("comma", "across(-1)", "smaller scale", show=False, id="ladder.down-scales"),
        Binding("full_stop", "across(1)", "larger scale", show=False, id="ladder.up-scales"),
        Binding("less_than_sign", "move(-1)", "previous arm", show=False, id="ladder.arm-back"),
        Binding("greater_than_sign", "move(1)", "next arm", show=False, id="ladder.arm"),
        Binding("enter", "choose", "trajectory", show=False, id="ladder.open"),
    ]

    @dataclass
    class Moved(Message):
        """Another cell is under the cursor."""

        cell: LadderCell | None

    @dataclass
    class Chosen(Message):
        """The reader opened an episode."""

        episode: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ladder: Ladder | None = None
        self._budget = 0
        self._judge = ""
        self._row = 0
        self._column = 0
        self._left = 0

    # --- what is shown --------------------------------------------------------------------------

    def show(self, ladder: Ladder, budget: int, judge: str) -> None:
        """Show a ladder; the cursor stays on its arm and scale."""
        old, line = self._ladder, self.line_here
        at = None if old is None or not old.scales else old.scales[self._column]
        self._ladder, self._budget, self._judge = ladder, budget, judge
        if line is not None:
            for number, other in enumerate(ladder.lines):
                if (other.name, other.variant) == (line.name, line.variant):
                    self._row = number
                    break
        if old is not None and at in ladder.scales:
            self._column = ladder.scales.index(at)
        self._clamp()
        height = max(1, len(ladder.lines))
        if old is None or len(old.lines) != height:
            self.styles.height = height
        self.content_changed()
        self.post_message(self.Moved(self.cell))

    def put(self, place: tuple[int, int]) -> None:
        """Move the cursor to (line, column)."""
        old = self._row, self._left
        self._row, self._column = place
        self._clamp()
        self._reveal()
        if self._left != old[1]:
            self.refresh()
        else:
            self.refresh_index(old[0])
            self.refresh_index(self._row)
        self.post_message(self.Moved(self.cell))

    @property
    def place(self) -> tuple[int, int]:
        """(line, column) of the cursor."""
        return self._row, self._column

    @property
    def cell(self) -> LadderCell | None:
        """The cell under the cursor."""
        return None if self._ladder is None else self._ladder.cell(self._row, self._column)

    @property
    def line_here(self) -> LadderLine | None:
        """The line under the cursor."""
        if self._ladder is None or not self._ladder.lines:
            return None
        return self._ladder.lines[min(self._row, len(self._ladder.lines) - 1)]

    def columns(self, width: int) -> Columns:
        """The columns for `width` cells; the one under the cursor is always among them."""
        ladder = self._ladder
        if ladder is None:
            return Columns(12, NARROWEST, 0, 0)
        longest = max((cell_len(clean_line(ladder.name_of(x))) for x in ladder.lines), default=4)
        many = max(1, len(ladder.scales))
        room = width - 2
        name = max(10, min(longest, 30, room - many * (NARROWEST + 2)))
        if room - name < many * (NARROWEST + 2):
            name = max(10, min(name, 16))
        strip = min(WIDEST, max(NARROWEST, (room - name) // many - 2))
        shown = max(1, min(many, (room - name) // (strip + 2)))
        self._left = max(self._column - shown + 1, min(self._left, self._column, many - shown))
        return Columns(name, strip, self._left, shown)

    def heading(self, width: int, look: Look) -> Text:
        """The scales above their columns."""
        shape = self.columns(width)
        text = Text(" ", end="", no_wrap=True)
        text.append("arm", look.muted)
        aside = "sessions added" if shape.name >= 18 else ""
        text.append(fit(aside, shape.name - 3, "right"), look.muted)
        if self._ladder is None:
            return text
        for column in shape.indices:
            here = column == self._column
            label = fit(scale(self._ladder.scales[column]), shape.strip)
            text.append("  ")
            text.append(label, look.accent if here else look.muted)
        more = len(self._ladder.scales) - shape.first - shape.shown
        if more and text.cell_len < width:
            text.append("…", look.muted)
        return text

    # --- lines ----------------------------------------------------------------------------------

    def count(self) -> int:
        return 0 if self._ladder is None else len(self._ladder.lines)

    def line(self, index: int, width: int) -> Text:
        ladder = self._ladder
        assert ladder is not None
        look = look_of(self)
        shape = self.columns(width)
        line = ladder.lines[index]
        here = index == self._row
        text = Text(" ", end="", no_wrap=True)
        text.append(fit(ladder.name_of(line), shape.name), look.strong if here else "")
        chosen_before = False
        for column in shape.indices:
            chosen = here and column == self._column
            text.append("[" if chosen else "]" if chosen_before else " ", look.accent)
            start = len(text)
            self._draw_cell(text, line.cells[column], shape.strip, look)
            if chosen:
                text.stylize(look.cursor, start)
            chosen_before = chosen
        text.append("]" if chosen_before else " ", look.accent)
        return text

    def _draw_cell(self, text: Text, cell: LadderCell | None, width: int, look: Look) -> None:
        """Flip mark and strip in `width` + 1 cells."""
        if cell is None:
            text.append(f" {UNKNOWN}".ljust(width + 1), look.faint)
            return
        ending = ending_with(cell.outcome, cell.row, self._judge)
        strip = call_strip(cell.row.strip, self._budget, ending, look, width=width)
        strip.truncate(width, pad=True)
        if cell.inside:
            text.append(*flip(cell.change, look))
            text.append_text(strip)
        else:
            text.append(OUTSIDE + strip.plain, look.faint)

    # --- cursor ---------------------------------------------------------------------------------

    def _clamp(self) -> None:
        ladder = self._ladder
        lines = 0 if ladder is None else len(ladder.lines)
        columns = 0 if ladder is None else len(ladder.scales)
        self._row = max(0, min(self._row, lines - 1))
        self._column = max(0, min(self._column, columns - 1))

    def _reveal(self) -> None:
        height, top = self.size.height, round(self.scroll_offset.y)
        if self.size.width:
            self.columns(self.line_width)
        if height and self._row < top:
            self.jump(self._row)
        elif height and self._row >= top + height:
            self.jump(self._row - height + 1)

    def action_move(self, by: int) -> None:
        self.put((self._row + by, self._column))

    def action_page(self, by: int) -> None:
        self.put((self._row + by * max(1, self.size.height - 1), self._column))

    def action_edge(self, bottom: bool) -> None:
        self.put((self.count() if bottom else 0, self._column))

    def action_across(self, by: int) -> None:
        self.put((self._row, self._column + by))

    def action_choose(self) -> None:
        if self.cell is not None:
            self.post_message(self.Chosen(self.cell.row.id))

    def on_resize(self) -> None:
        self._reveal()

    def on_focus(self) -> None:
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def on_click(self, event: events.Click) -> None:
        shape = self.columns(self.line_width)
        column = shape.first + (event.x - shape.name - 1) // shape.cell
        row = round(self.scroll_offset.y) + event.y
        if (row, column) == (self._row, self._column) and event.chain >= 2:
            self.action_choose()
        elif row < self.count():
            self.put((row, column if column in shape.indices else self._column))
