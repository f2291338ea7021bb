"""A pane: one line that names it, lit while it has the keys, over its content. No box."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.views.sentences import shorten
from memtui.views.styled import styled
from memtui.widgets.drawing import strip_of
from memtui.widgets.ground import Column
from memtui.widgets.lines import is_ascii, look_of


class PaneTitle(Widget):
    """Name of a pane and a few facts about what is in it."""

    DEFAULT_CSS = "PaneTitle { height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label
        self._facts = Text(end="")
        self._lit = False

    def show(self, facts: Text) -> None:
        """Replace the facts beside the name."""
        self._facts = facts
        self.refresh()

    def light(self, lit: bool) -> None:
        """Show whether the pane has the keys."""
        if lit != self._lit:
            self._lit = lit
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        look = look_of(self)
        width = self.size.width
        text = Text(end="", no_wrap=True)
        if self._lit:
            text.append("▌", look.accent)
            text.append(self._label, look.accent + look.strong)
        else:
            text.append(" ")
            text.append(self._label, look.muted)
        if self._facts.cell_len:
            text.append("  ")
            text.append_text(self._facts)
        return strip_of(shorten(text, width), width, look.base, ascii_only=is_ascii(self))


class Pane(Column):
    """A titled pane around one widget that takes the keys."""

    DEFAULT_CSS = "Pane { width: 1fr; height: 1fr; }"

    def __init__(
        self, label: str, content: Widget, *, above: Widget | None = None, id: str
    ) -> None:
        super().__init__(id=id)
        self._heading = PaneTitle(label)
        self._above = above
        self.content = content

    def compose(self) -> ComposeResult:
        yield self._heading
        if self._above is not None:
            yield self._above
        yield self.content

    def show_facts(self, facts: Text) -> None:
        """Facts beside the name, e.g. how many rows there are."""
        self._heading.show(facts)

    def on_descendant_focus(self) -> None:
        self._heading.light(True)

    def on_descendant_blur(self) -> None:
        self._heading.light(False)


class Rule(Widget):
    """A faint vertical line between two panes."""

    DEFAULT_CSS = "Rule { width: 1; height: 1fr; }"
    ALLOW_SELECT = False

    def render_line(self, y: int) -> Strip:
        look = look_of(self)
        return strip_of(styled("│", look.faint), 1, look.base, ascii_only=is_ascii(self))
