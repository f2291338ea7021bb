"""The dialog of saved views: filters kept under a name in the side file of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.widgets import Input

from memtui.screens.dialogs import Dialog
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit
from memtui.widgets.lines import LineBlock, look_of

WIDEST = 72
DIGITS = "123456789"

USE, SAVE, DROP = "use", "save", "drop"


class SavedViews(Dialog):
    """A digit takes a view; s saves the filter of the list under a name; x and a digit drops one.

    The answer is `use NAME`, `save NAME` or `drop NAME`.
    """

    AUTO_FOCUS: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", show=False),
        Binding("x", "drop", show=False),
    ]

    def __init__(self, views: Mapping[str, str], current: str) -> None:
        super().__init__()
        self._views = list(views.items())[: len(DIGITS)]
        self._current = current
        self._dropping = False

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield LineBlock(id="views", on_bar=True)
            name = Input(placeholder="name", id="view-name", compact=True)
            name.display = False
            yield name

    def on_mount(self) -> None:
        self.set_focus(None)
        self._draw()

    def _draw(self) -> None:
        look = look_of(self)
        width = max(30, min(WIDEST, self.app.size.width - 8))
        lines = [styled("saved views", look.strong), Text(end="")]
        for digit, (name, text) in zip(DIGITS, self._views, strict=False):
            line = Text.assemble((f"{digit} ", look.accent), (fit(name, 16), ""), end="")
            line.append("  ")
            line.append(clean_line(text, width=width - 21), look.muted)
            lines.append(line)
        if not self._views:
            lines.append(styled("none yet", look.muted))
        lines.append(Text(end=""))
        if self._dropping:
            lines.append(styled("which one is to go? its digit, or Esc", look.budget))
        else:
            save = "s save the filter of the list" if self._current else "no filter to save"
            drop = "   x drop one" if self._views else ""
            lines.append(styled(f"{save}{drop}   Esc close", look.muted))
        block = self.query_one("#views", LineBlock)
        block.styles.width = width
        block.show(lines)
        self.query_one("#view-name", Input).styles.width = width

    def on_key(self, event: Key) -> None:
        """A digit takes a view, or drops it."""
        if self.query_one("#view-name", Input).has_focus or event.character is None:
            return
        at = DIGITS.find(event.character)
        if 0 <= at < len(self._views):
            event.stop()
            self.dismiss(f"{DROP if self._dropping else USE} {self._views[at][0]}")

    def action_drop(self) -> None:
        """The next digit drops a view."""
        self._dropping = bool(self._views)
        self._draw()

    def action_save(self) -> None:
        """Ask for a name."""
        if self._current:
            line = self.query_one("#view-name", Input)
            line.display = True
            line.focus()

    @on(Input.Submitted)
    def _named(self, message: Input.Submitted) -> None:
        name = " ".join(message.value.split())
        self.dismiss(f"{SAVE} {name}" if name else "")
