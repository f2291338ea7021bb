"""A row of tabs, the chosen one lit; a click chooses one."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.widgets.drawing import strip_of
from memtui.widgets.lines import is_ascii, look_of


class TabStrip(Widget):
    """Names in one row; the widget draws and tells, the screen decides."""

    DEFAULT_CSS = "TabStrip { height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        """The reader clicked on a tab."""

        number: int

    def __init__(self, names: tuple[str, ...], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = names
        self._chosen = 0
        self._aside = Text(end="")

    def show(self, chosen: int, aside: Text) -> None:
        """Light a tab; `aside` stands at the right where there is room."""
        if (chosen, aside) != (self._chosen, self._aside):
            self._chosen, self._aside = chosen, aside
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self), self.size.width
        text = Text(end="", no_wrap=True)
        for number, name in enumerate(self._names):
            text.append(f" {name} ", look.chip if number == self._chosen else look.muted)
            text.append(" " if width >= 60 else "")
        gap = width - text.cell_len - self._aside.cell_len - 1
        if gap > 1:
            text.append(" " * gap)
            text.append_text(self._aside)
        return strip_of(text, width, look.base, ascii_only=is_ascii(self))

    def on_click(self, event: events.Click) -> None:
        at = event.x
        for number, name in enumerate(self._names):
            cells = cell_len(name) + 2
            if at < cells:
                self.post_message(self.Chosen(number))
                return
            at -= cells + (self.size.width >= 60)
