"""The dialog that gives a run another name and a note; both go into the side file beside the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from memtui.screens.dialogs import CLOSE, Dialog
from memtui.state.run_list import RunLine
from memtui.store.side_file import ALIAS, NOTE
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import OfferLines

WIDEST = 68


class AnnotateRun(Dialog):
    """Two lines to type in; Tab goes from one to the other, Enter keeps both, Esc leaves all as it was."""

    AUTO_FOCUS: ClassVar[str] = "#alias"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab,down,up,shift+tab",
            "other",
            "the other line",
            show=False,
            priority=True,
            id="names.other",
        ),
        Binding("enter", "keep", "keep", show=False, id="names.keep"),
    ]

    def __init__(self, line: RunLine, typed: Mapping[str, str] | None = None) -> None:
        """`typed`: what could not be kept, to go on from."""
        super().__init__()
        self.line = line
        self._shown = {ALIAS: clean_line(line.alias), NOTE: clean_line(line.note)}
        self._begun = typed or self._shown

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="annotate-what")
            yield self._line("alias", self._begun[ALIAS], "another name")
            yield OfferLines(id="annotate-note")
            yield self._line("note", self._begun[NOTE], "what it was for, what to know of it")
            yield OfferLines(id="annotate-keys")

    def _line(self, id: str, value: str, placeholder: str) -> Input:
        # Not selected on focus: the first letter typed must not take the place of a whole note.
        return Input(value, placeholder=placeholder, id=id, compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        look = look_of(self)
        width = self.room(WIDEST)
        name = clean_line(self.line.path.name, width=width)
        for id, lines in (
            (
                "#annotate-what",
                [styled(name, look.strong), Text(end=""), styled("alias", look.muted)],
            ),
            ("#annotate-note", [Text(end=""), styled("note", look.muted)]),
        ):
            block = self.query_one(id, OfferLines)
            block.styles.width = width
            block.show(lines)
        keys = self.query_one("#annotate-keys", OfferLines)
        keys.styles.width = width
        hint, clicks = self.hints(
            1, ("names.keep", "keep"), ("names.other", "the other"), (CLOSE, "leave as it was")
        )
        keys.show([Text(end=""), hint], clicks)
        for line in self.query(Input):
            line.styles.width = width

    def action_other(self) -> None:
        """Give the keys to the other line."""
        alias, note = self.query_one("#alias", Input), self.query_one("#note", Input)
        (note if alias.has_focus else alias).focus()

    @on(Input.Submitted)
    def action_keep(self) -> None:
        """Keep both."""
        self.dismiss("keep")

    def typed(self) -> dict[str, str]:
        """What stands in the two lines."""
        lines = ((ALIAS, "#alias"), (NOTE, "#note"))
        return {kind: self.query_one(id, Input).value for kind, id in lines}

    def entries(self) -> list[tuple[str, str, str]]:
        """What is to be added to the side file, (kind, target, value) each: only what the reader changed."""
        found = []
        for kind, value in self.typed().items():
            if value != self._shown[kind]:
                found.append((kind, "", value.strip()))
        return found
