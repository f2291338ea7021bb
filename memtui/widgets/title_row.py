"""Row 1 and the last row: where the reader is, and which keys work here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.views.hints import ALWAYS, Hint, hints_line, key_at
from memtui.views.title import Title, title_row
from memtui.widgets.drawing import strip_of
from memtui.widgets.lines import is_ascii, look_of


class TitleRow(Widget):
    """Names the screen, the file, B, alpha, judge, filter and exclusions."""

    DEFAULT_CSS = "TitleRow { dock: top; height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="title-row")
        self._title = Title(0, "", "")

    @property
    def title(self) -> Title:
        """What is shown at the moment."""
        return self._title

    def show(self, title: Title) -> None:
        """Show another title; nothing is repainted when it is the same."""
        if title != self._title:
            self._title = title
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        look = look_of(self)
        width = self.size.width
        return strip_of(
            title_row(self._title, width, look), width, look.bar, ascii_only=is_ascii(self)
        )


class HintRow(Widget):
    """The keys of the screen; hints that do not fit are left out whole, help and quit never."""

    @dataclass
    class Pressed(Message):
        """A hint was clicked: its key, as it is written."""

        key: str

    DEFAULT_CSS = "HintRow { dock: bottom; height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    def __init__(self, hints: Sequence[Hint] = ()) -> None:
        super().__init__(id="hint-row")
        self._hints = tuple(hints)
        self._always: Sequence[Hint] = ALWAYS

    def show(self, hints: Sequence[Hint], always: Sequence[Hint] = ALWAYS) -> None:
        """Show other hints; `always` are the last ones, which no width leaves out."""
        if (tuple(hints), tuple(always)) != (self._hints, self._always):
            self._hints, self._always = tuple(hints), tuple(always)
            self.refresh()

    def on_click(self, event: Click) -> None:
        key = key_at(self._hints, self.size.width, event.x, self._always)
        if key:
            self.post_message(self.Pressed(key))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        look = look_of(self)
        width = self.size.width
        line = hints_line(self._hints, width, look, self._always)
        return strip_of(line, width, look.bar, ascii_only=is_ascii(self))
