"""Dialogs: what they have in common, and a question with a few keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from memtui.screens.base import bench_of
from memtui.screens.keys import Key, first_of, keys_of, with_keymap
from memtui.views.styled import styled
from memtui.views.wrapping import wrap
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import Offer, OfferLines

CLOSE = "dialog.close"


class Dialog(ModalScreen[str]):
    """Base of the dialogs: Esc gives an empty answer. What their keys do has an id, as on screens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss('')", "close", show=False, id=CLOSE)
    ]

    def own_keys(self) -> dict[str, Key]:
        """The keys of the dialog by id, as the reader's configuration binds them."""
        changed = bench_of(self).keys_changed
        return {key.id: key for key in with_keymap(keys_of(self, ""), changed)}

    def room(self, widest: int) -> int:
        """Cells of a line in the dialog: as the stylesheet has it, less the margin around them."""
        return max(30, min(widest, self.app.size.width * 9 // 10 - 4))

    def sign(self, name: str) -> str:
        """The key of an id, as it is shown."""
        return first_of(self.own_keys()[name].keys)

    def hints(self, line: int, *said: tuple[str, str]) -> tuple[Text, list[Offer]]:
        """Keys and what they do, in one line that can be clicked; `said`: (id, words) each."""
        look, keys = look_of(self), self.own_keys()
        actions = {one.id: one.action for _, one in self._bindings}
        text, offers = Text(end="", no_wrap=True), []
        for name, words in said:
            start = text.cell_len
            text.append(f"{first_of(keys[name].keys)} {words}", look.muted)
            offers.append(Offer(line, actions[name], start, text.cell_len))
            text.append("   ", look.muted)
        text.right_crop(3)
        return text, offers


class Question(Dialog):
    """Asks with a few keys, those that a subclass binds to `answer`; nothing for Esc."""

    def __init__(self, title: str, body: str, labels: Mapping[str, str] | None = None) -> None:
        """`labels`: other words for an answer than its binding has, by id."""
        super().__init__()
        self._heading, self._body, self._labels = title, body, labels or {}

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="question")

    def on_mount(self) -> None:
        look, keys = look_of(self), self.own_keys()
        width = self.room(60)
        lines = [styled(self._heading, look.strong), Text(end="")]
        lines += [Text(part, end="") for part in wrap(self._body, width)]
        lines.append(Text(end=""))
        offers = []
        for _, one in self._bindings:
            if one.id is None or one.id == CLOSE:
                continue
            offers.append(Offer(len(lines), one.action))
            label = self._labels.get(one.id, one.description)
            sign = first_of(keys[one.id].keys)
            lines.append(Text.assemble((f"{sign:>5}", look.accent), f"  {label}", end=""))
        block = self.query_one("#question", OfferLines)
        block.styles.width = width
        block.show(lines, offers)

    def action_answer(self, answer: str) -> None:
        """Give the answer."""
        self.dismiss(answer)


class QuitQuestion(Question):
    """What becomes of the run that was started with the window."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "answer('leave')", "leave it running and quit", show=False, id="quit.leave"),
        Binding(
            "s", "answer('stop')", "stop it and quit (it can be continued)", show=False,
            id="quit.stop",
        ),
        Binding("c", "answer('')", "cancel", show=False, id="quit.cancel"),
    ]  # fmt: skip


class StopQuestion(Question):
    """Whether a run is stopped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('yes')", "stop it", show=False, id="stop.yes"),
        Binding("n", "answer('')", "leave it running", show=False, id="stop.no"),
    ]
