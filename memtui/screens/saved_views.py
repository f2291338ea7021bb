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

from memtui.screens.dialogs import CLOSE, Dialog
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import Offer, OfferLines

WIDEST = 72
DIGITS = "123456789"

USE, SAVE, DROP = "use", "save", "drop"


class SavedViews(Dialog):
    """A digit, or Enter on the view under the cursor, takes it; s saves the filter of the list under a name; x
    and one of both drops one.

    The answer is `use NAME`, `save NAME` or `drop NAME`.
    """

    AUTO_FOCUS: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "save the filter of the list", show=False, id="views.save"),
        Binding("x", "drop", "drop one", show=False, id="views.drop"),
        Binding("j,down", "move(1)", "next view", show=False, id="views.down"),
        Binding("k,up", "move(-1)", "previous view", show=False, id="views.up"),
        Binding("enter", "keep", "take it, or save it under the name", show=False, id="views.keep"),
    ]

    def __init__(self, views: Mapping[str, str], current: str) -> None:
        super().__init__()
        self._views = list(views.items())[: len(DIGITS)]
        self._current = current
        self._dropping = False
        self._at = 0
        """The view under the cursor."""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="views")
            name = Input(placeholder="name", id="view-name", compact=True)
            name.display = False
            yield name

    @property
    def name_line(self) -> Input:
        """Where the filter is given a name; shown while that is done."""
        return self.query_one("#view-name", Input)

    def on_mount(self) -> None:
        self.set_focus(None)
        self._draw()

    def _draw(self) -> None:
        look = look_of(self)
        width = self.room(WIDEST)
        lines = [styled("saved views", look.strong), Text(end="")]
        offers: list[Offer] = []
        for digit, (name, text) in zip(DIGITS, self._views, strict=False):
            offers.append(Offer(len(lines), f"take({len(offers)})"))
            line = Text.assemble((f"{digit} ", look.accent), (fit(name, 16), ""), end="")
            line.append("  ")
            line.append(clean_line(text, width=width - 21), look.muted)
            if len(offers) - 1 == self._at and not self.name_line.display:
                line.append(" " * max(0, width - line.cell_len))
                line.stylize(look.cursor)
            lines.append(line)
        if not self._views:
            lines.append(styled("none yet", look.muted))
        if not self._current:
            lines.append(styled("the list has no filter to save", look.muted))
        lines.append(Text(end=""))
        if self.name_line.display:
            said, clicks = self.hints(len(lines), ("views.keep", "save it as"), (CLOSE, "close"))
            lines.append(said)
            offers += clicks
        elif self._dropping:
            enter = self.sign("views.keep")
            lines.append(styled(f"which one is to go? its digit, {enter}, or Esc", look.budget))
        else:
            take = [("views.keep", "take it")] if self._views else []
            save = [("views.save", "save the filter")] if self._current else []
            drop = [("views.drop", "drop one")] if self._views else []
            said, clicks = self.hints(len(lines), *take, *save, *drop, (CLOSE, "close"))
            lines.append(said)
            offers += clicks
        block = self.query_one("#views", OfferLines)
        block.styles.width = width
        block.show(lines, offers)
        self.name_line.styles.width = width

    def on_key(self, event: Key) -> None:
        """A digit takes a view, or drops it."""
        if self.name_line.has_focus or event.character is None:
            return
        at = DIGITS.find(event.character)
        if 0 <= at < len(self._views):
            event.stop()
            self.action_take(at)

    def action_move(self, by: int) -> None:
        """The cursor to the next or previous view."""
        if self._views and not self.name_line.display:
            self._at = max(0, min(self._at + by, len(self._views) - 1))
            self._draw()

    def action_take(self, at: int) -> None:
        """Take the view at a place, or drop it."""
        self.dismiss(f"{DROP if self._dropping else USE} {self._views[at][0]}")

    def action_drop(self) -> None:
        """The next digit drops a view."""
        self._dropping = bool(self._views)
        self._draw()

    def action_save(self) -> None:
        """Ask for a name."""
        if self._current:
            self.name_line.display = True
            self.name_line.focus()
            self._draw()

    @on(Input.Submitted)
    def action_keep(self) -> None:
        """Save the filter under the name that was typed, else take the view under the cursor."""
        if not self.name_line.display:
            if self._views:
                self.action_take(self._at)
            return
        name = " ".join(self.name_line.value.split())
        self.dismiss(f"{SAVE} {name}" if name else "")
