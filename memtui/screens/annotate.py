"""The dialog that adds to an episode: bookmark, note, and a flag for a question whose gold is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from memtui.screens.dialogs import CLOSE, Dialog
from memtui.store.records import EpisodeRow
from memtui.store.side_file import BAD_GOLD, BOOKMARK, FLAG, NOTE, Marks
from memtui.views.numbers import UNKNOWN
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import Offer, OfferLines

if TYPE_CHECKING:
    from memtui.screens.navigation import NavigatingApp

WIDEST = 68
LONGEST_QUESTION = 240
NO_NOTE = "none yet"


class Annotate(Dialog):
    """b and f switch, n writes a note, Enter keeps what is shown, Esc leaves everything as it was."""

    AUTO_FOCUS: ClassVar[str] = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "switch('bookmark')", "bookmark", show=False, id="annotate.bookmark"),
        Binding("f", "switch('flag')", "flag bad gold", show=False, id="annotate.flag"),
        Binding("n,tab", "write", "write the note", show=False, id="annotate.note"),
        Binding("enter", "keep", "keep", show=False, id="annotate.keep"),
    ]

    def __init__(self, row: EpisodeRow, marks: Marks, typed: Annotate | None = None) -> None:
        """`typed`: a dialog whose entries could not be kept, to go on from."""
        super().__init__()
        self.row = row
        self._before = {
            BOOKMARK: row.key in marks.bookmarks,
            FLAG: row.item in marks.bad_gold,
        }
        self._now: dict[str, bool] = dict(self._before if typed is None else typed._now)
        self._note_before = marks.notes.get(row.key, "")
        self.note: str = self._note_before if typed is None else typed.note

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="annotate-what")
            yield Input(value=clean_line(self.note), placeholder=NO_NOTE, id="note", compact=True)
            yield OfferLines(id="annotate-keys")

    def on_mount(self) -> None:
        self.set_focus(None)
        self._draw()

    def changed(self, kind: str) -> bool | None:
        """The new state of a bookmark or a flag; None where it is as before."""
        now = self._now[kind]
        return None if now == self._before[kind] else now

    @property
    def note_changed(self) -> bool:
        """Whether another note is to be kept."""
        return self.note != self._note_before

    def _draw(self) -> None:
        look = look_of(self)
        width = self.room(WIDEST)
        lines = [styled("annotate", look.strong), Text(end="")]
        question = wrap(clean_line(self.row.question, width=LONGEST_QUESTION), width)
        lines += [styled(part, look.muted) for part in question[:3]]
        gold = UNKNOWN if self.row.gold is None else self.row.gold
        lines.append(
            Text.assemble(
                ("gold ", look.muted), (clean_line(gold, width=width - 6), look.gold), end=""
            )
        )
        lines.append(Text(end=""))
        offers = []
        for kind, label in (
            (BOOKMARK, "bookmark this episode"),
            (FLAG, "flag its gold as bad (F: out of every rate)"),
        ):
            key, sign = self.sign(f"annotate.{kind}"), "[x]" if self._now[kind] else "[ ]"
            offers.append(Offer(len(lines), f"switch('{kind}')"))
            lines.append(
                Text.assemble(
                    (f"{key} ", look.accent), sign, f" {clean_line(label, width=width - 7)}", end=""
                )
            )
        offers.append(Offer(len(lines), "write"))
        lines.append(
            Text.assemble(
                (f"{self.sign('annotate.note')} ", look.accent), "    note on this episode:", end=""
            )
        )
        what = self.query_one("#annotate-what", OfferLines)
        what.styles.width = width
        what.show(lines, offers)
        self.query_one("#note", Input).styles.width = width
        keys = self.query_one("#annotate-keys", OfferLines)
        keys.styles.width = width
        hint, clicks = self.hints(1, ("annotate.keep", "keep"), (CLOSE, "leave as it was"))
        keys.show([Text(end=""), hint], clicks)

    def action_switch(self, kind: str) -> None:
        """Switch the bookmark or the flag."""
        self._now[kind] = not self._now[kind]
        self._draw()

    def action_write(self) -> None:
        """Give the keys to the note."""
        self.query_one("#note", Input).focus()

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        if message.value != clean_line(self._note_before):
            self.note = message.value
        else:
            self.note = self._note_before

    @on(Input.Submitted)
    def _written(self) -> None:
        self.action_keep()

    def action_keep(self) -> None:
        """Keep it."""
        self.dismiss("keep")


def annotate(
    app: NavigatingApp, row: EpisodeRow, marks: Marks, typed: Annotate | None = None
) -> None:
    """Ask, and keep the answer; what cannot be kept stays in the dialog, and is not lost."""
    dialog = Annotate(row, marks, typed)

    def answered(answer: str | None) -> None:
        if answer and not app.mark(entries_of(dialog)):
            annotate(app, row, marks, dialog)

    app.push_screen(dialog, answered)


def entries_of(dialog: Annotate) -> list[tuple[str, str, str]]:
    """What is to be added to the side file: only what the reader changed."""
    found = []
    bookmark, flag = dialog.changed(BOOKMARK), dialog.changed(FLAG)
    if bookmark is not None:
        found.append((BOOKMARK, dialog.row.key, "yes" if bookmark else ""))
    if flag is not None:
        found.append((FLAG, dialog.row.item, BAD_GOLD if flag else ""))
    if dialog.note_changed:
        found.append((NOTE, dialog.row.key, dialog.note.strip()))
    return found
