"""A long text, wrapped by cells, of which only the visible lines are drawn."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from rich.text import Text
from textual.events import Resize

from memtui.views.look import Look
from memtui.widgets.lines import LineView, look_of


class Document(Protocol):
    """A text that can be laid out for a width."""

    def layout(self, width: int) -> int:
        """Wrap for `width` cells and return the number of lines; cheap when nothing changed."""

    def render(self, index: int, look: Look) -> Text:
        """Draw one laid-out line."""

    def anchor(self) -> int:
        """The laid-out line to scroll to: the evidence, or the top."""

    def matches(self) -> list[int]:
        """Laid-out lines that hold what the reader searches for."""


class EmptyDocument:
    """Nothing to read."""

    def layout(self, width: int) -> int:
        return 0

    def render(self, index: int, look: Look) -> Text:
        return Text(end="")

    def anchor(self) -> int:
        return 0

    def matches(self) -> list[int]:
        return []


LEAD = 2
"""Lines of context kept above the anchor."""


class TextPane(LineView):
    """Shows a document and scrolls to its anchor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._document: Document = EmptyDocument()
        self._lines = 0
        self._laid_out_for = -1
        self._to_anchor = False

    @property
    def document(self) -> Document:
        """What is shown at the moment."""
        return self._document

    def show(self, document: Document) -> None:
        """Show a document from its anchor."""
        self._document = document
        self._lines = 0  # until it is laid out: the pane may not be on screen yet
        self._to_anchor = True
        self._laid_out_for = -1
        self._lay_out()

    def count(self) -> int:
        return self._lines

    def line(self, index: int, width: int) -> Text:
        return self._document.render(index, look_of(self))

    def line_key(self, index: int) -> Hashable | None:
        return index

    def on_resize(self, event: Resize) -> None:
        if event.size.width - self.scrollbar_size_vertical != self._laid_out_for:
            self._to_anchor = True
        self._lay_out()

    def _lay_out(self) -> None:
        # A long text brings a scrollbar: laid out beside one from the start, it need not be laid out twice.
        width = self.size.width - self.scrollbar_size_vertical
        if width <= 0:
            return  # shown for the first time: the resize that follows lays it out
        self._lines = self._document.layout(width)
        self._laid_out_for = width
        self.content_changed()
        if self._to_anchor:
            self._to_anchor = False
            self.jump(self._document.anchor() - LEAD)

    def jump_to_match(self, by: int) -> bool:
        """Scroll to the next (1) or previous (-1) match, or to the first (0); False without one."""
        lines = self._document.matches()
        here = round(self.scroll_offset.y) + LEAD
        if by > 0:
            lines = [at for at in lines if at > here]
        elif by < 0:
            lines = [at for at in lines if at < here][::-1]
        if not lines:
            return False
        self.jump(lines[0] - LEAD)
        return True
