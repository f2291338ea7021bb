"""The large plot: the whole body for one picture; cursor keys go on to the table behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.views.plot import Plot, plot_lines
from memtui.widgets.drawing import strip_of
from memtui.widgets.lines import is_ascii, look_of


class PlotView(Widget, can_focus=True):
    """Draws a plot into all the room it has."""

    DEFAULT_CSS = "PlotView { height: 1fr; width: 1fr; display: none; }"
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor(1, 0)", "next arm", show=False, id="plot.down"),
        Binding("up,k", "cursor(-1, 0)", "previous arm", show=False, id="plot.up"),
        Binding("right,l", "cursor(0, 1)", "larger scale", show=False, id="plot.right"),
        Binding("left,h", "cursor(0, -1)", "smaller scale", show=False, id="plot.left"),
        Binding("enter", "choose", "episodes", show=False, id="plot.open"),
    ]

    @dataclass
    class Moved(Message):
        """The reader moved: so many arms down, so many scales up."""

        arms: int
        rungs: int

    class Chosen(Message):
        """The reader opened the cell under the cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._plot: Plot | None = None
        self._lines: list[Text] = []
        self._drawn: object = None

    def show(self, plot: Plot) -> None:
        """Show a plot; nothing is repainted when it is the same."""
        if plot != self._plot:
            self._plot = plot
            self.refresh()

    def render_line(self, y: int) -> Strip:
        look, ascii_only = look_of(self), is_ascii(self)
        key = (self._plot, self.size, look.name, ascii_only)
        if key != self._drawn:
            self._drawn = key
            self._lines = (
                []
                if self._plot is None
                else plot_lines(
                    self._plot, self.size.width, self.size.height, look, ascii_only=ascii_only
                )
            )
        text = self._lines[y] if y < len(self._lines) else Text(end="")
        return strip_of(text, self.size.width, look.base, ascii_only=ascii_only)

    def action_cursor(self, arms: int, rungs: int) -> None:
        """Another arm or scale."""
        self.post_message(self.Moved(arms, rungs))

    def action_choose(self) -> None:
        """The episodes of the cell."""
        self.post_message(self.Chosen())
