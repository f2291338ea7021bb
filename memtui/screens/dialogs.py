"""Dialogs: what they have in common, and a question with a few keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click, Key
from textual.screen import ModalScreen

from memtui.views.styled import styled
from memtui.views.wrapping import wrap
from memtui.widgets.lines import LineBlock, look_of


class Dialog(ModalScreen[str]):
    """Base of the dialogs: Esc gives an empty answer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "close", show=False)]


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to a question: the key that gives it and what it means."""

    key: str
    label: str


class Question(Dialog):
    """Asks with a few keys; the answer is the key, or nothing for Esc."""

    def __init__(self, title: str, body: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._heading, self._body, self._choices = title, body, tuple(choices)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield LineBlock(id="question", on_bar=True)

    def on_mount(self) -> None:
        look = look_of(self)
        width = max(30, min(60, self.app.size.width - 8))
        lines = [styled(self._heading, look.strong), Text(end="")]
        lines += [Text(part, end="") for part in wrap(self._body, width)]
        lines.append(Text(end=""))
        for choice in self._choices:
            lines.append(
                Text.assemble((f"{choice.key:>5}", look.accent), f"  {choice.label}", end="")
            )
        block = self.query_one("#question", LineBlock)
        block.styles.width = width
        block.show(lines)

    def on_click(self, event: Click) -> None:
        """A click on an answer gives it."""
        block = self.query_one("#question", LineBlock)
        at = event.screen_y - block.region.y - (len(block.lines) - len(self._choices))
        if block.region.contains(event.screen_x, event.screen_y) and 0 <= at < len(self._choices):
            self.dismiss(self._choices[at].key)

    def on_key(self, event: Key) -> None:
        pressed = event.character or event.key
        for choice in self._choices:
            if pressed == choice.key:
                event.stop()
                self.dismiss(choice.key)
