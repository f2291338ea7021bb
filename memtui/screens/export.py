"""The dialog that keeps what is on screen in a file: as text, as a picture, or its data as CSV or JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from memtui.errors import UserError
from memtui.screens import clipboard, picture
from memtui.screens.base import MemtuiScreen
from memtui.screens.dialogs import CLOSE, Dialog
from memtui.state.new_file import folder_for, free_name, typed_path, write_new
from memtui.store.new_name import taken
from memtui.store.secrets import SecretFilter
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import Offer, OfferLines

if TYPE_CHECKING:
    from memtui.screens.navigation import NavigatingApp

WIDEST = 72
MOST_TROUBLE = 4
"""Lines for what is wrong with a name."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form that what is on screen can be kept in."""

    name: str
    """Which names it, in lower case, after `export.`: the id of its key."""
    what: str
    suffix: str
    made: Callable[[], str]
    """Makes the text; UserError where the file cannot be read for it."""


class ExportDialog(Dialog):
    """A letter chooses the form, Enter writes it under the name that is shown, Tab changes the name.

    The answer is the name of the form, a blank and the path.
    """

    AUTO_FOCUS: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "write", "write the file", show=False, id="export.write"),
        Binding("tab", "rename", "change the name", show=False, id="export.name"),
        Binding("down", "other(1)", "next form", show=False, id="export.next"),
        Binding("up", "other(-1)", "previous form", show=False, id="export.previous"),
        Binding("t", "form('text')", "text", show=False, id="export.text"),
        Binding("s", "form('SVG')", "SVG", show=False, id="export.svg"),
        Binding("c", "form('CSV')", "CSV", show=False, id="export.csv"),
        Binding("j", "form('JSON')", "JSON", show=False, id="export.json"),
        Binding("w", "form('whole')", "the text that o opens", show=False, id="export.whole"),
    ]

    def __init__(self, forms: Sequence[Form], folder: Path, stem: str) -> None:
        super().__init__()
        self._forms = tuple(forms)
        self._at = 0
        self._folder, self._stem = folder, stem
        self._trouble = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="export-forms")
            yield Input(id="export-name", compact=True, select_on_focus=False)
            yield OfferLines(id="export-keys")

    def on_mount(self) -> None:
        self.set_focus(None)
        self._choose(0)

    @property
    def name_line(self) -> Input:
        """Where the file is named."""
        return self.query_one("#export-name", Input)

    def _choose(self, at: int) -> None:
        self._at = at % len(self._forms)
        self._trouble = ""
        with self.name_line.prevent(Input.Changed):
            self.name_line.value = str(
                free_name(self._folder, self._stem, self._forms[self._at].suffix)
            )
        self._draw()

    def _draw(self) -> None:
        look = look_of(self)
        width = self.room(WIDEST)
        lines = [styled("export what is on screen", look.strong), Text(end="")]
        offers = []
        for at, form in enumerate(self._forms):
            chosen = at == self._at
            line = Text(end="", no_wrap=True)
            offers.append(Offer(len(lines), f"form('{form.name}')"))
            line.append(
                f" {self.sign(f'export.{form.name.lower()}')} ",
                look.chip if chosen else look.accent,
            )
            line.append(f" {form.name:<5}  ", look.strong if chosen else "")
            line.append(form.what, look.muted)
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        lines += [Text(end=""), styled("to the file", look.muted)]
        forms = self.query_one("#export-forms", OfferLines)
        said, clicks = self.hints(
            1, ("export.write", "write"), ("export.name", "change the name"), (CLOSE, "close")
        )
        below = [said]
        if self._trouble:
            trouble, clicks = wrap(clean_line(self._trouble), width)[:MOST_TROUBLE], []
            below = [styled(part, look.budget) for part in trouble]
        keys = self.query_one("#export-keys", OfferLines)
        for block in (forms, keys):
            block.styles.width = width
        self.name_line.styles.width = width
        forms.show(lines, offers)
        keys.show([Text(end=""), *below], clicks)

    def action_form(self, name: str) -> None:
        """Choose a form, where the screen has it."""
        for at, form in enumerate(self._forms):
            if form.name == name:
                self._choose(at)

    def action_other(self, by: int) -> None:
        """The next or previous form."""
        self._choose(self._at + by)

    def action_rename(self) -> None:
        """Give the keys to the name, or take them back."""
        if self.name_line.has_focus:
            self.set_focus(None)
        else:
            self.name_line.focus()

    @on(Input.Submitted)
    def _named(self) -> None:
        self.action_write()

    def action_write(self) -> None:
        """Write the file, unless there is one under this name already."""
        try:
            path = typed_path(self.name_line.value.strip())
        except UserError as error:
            self._trouble = str(error)
            self._draw()
            return
        if not path.name:
            self._trouble = "the file needs a name"
        elif taken(path):
            self._trouble = f"{path.name} exists: choose another name ({self.sign('export.name')})"
        elif not path.parent.is_dir():
            self._trouble = f"there is no folder {path.parent}"
        else:
            self.dismiss(f"{self._forms[self._at].name} {path}")
            return
        self._draw()


def offer(app: NavigatingApp) -> None:
    """Ask in which form to keep what is on screen now, and keep it."""
    shot = picture.taken(app)
    forms = [
        Form("text", "the screen as it is drawn", "txt", partial(picture.as_text, shot)),
        Form(
            "SVG", "the screen with its colours", "svg",
            partial(picture.as_svg, shot, look_of(app.screen)),
        ),
    ]  # fmt: skip
    screen = app.screen
    if isinstance(screen, MemtuiScreen):
        data = screen.data_to_export()
        if data is not None:
            forms += [
                Form("CSV", f"one row per {data.row}", "csv", data.csv),
                Form("JSON", "as the command line prints it", "json", data.json),
            ]
        whole = screen.page_maker()
        if whole is not None:
            forms.append(Form("whole", "the text that o opens", "txt", whole))
    dialog = ExportDialog(forms, *_place(app))

    def keep(answer: str | None) -> None:
        name, _, path = (answer or "").partition(" ")
        for form in forms:
            if form.name == name:
                app.run_worker(_write(app, form, Path(path)), group="export")

    app.push_screen(dialog, keep)


async def _write(app: NavigatingApp, form: Form, path: Path) -> None:
    """Write the file and say where; what cannot be written is one line."""

    def send(text: str) -> None:
        app.call_from_thread(app.copy_to_clipboard, text)

    def write() -> str:
        write_new(path, SecretFilter().scrub(form.made()))
        return clipboard.copy(str(path.absolute()), send)

    try:
        route = await asyncio.to_thread(write)
    except UserError as error:
        app.say(str(error), error=True)
        return
    app.say(f"{form.name} written to {path}; its path was {route}")


def _place(app: NavigatingApp) -> tuple[Path, str]:
    """(folder, name without suffix) proposed for a file about what is on screen."""
    session = app.session
    screen = next(
        (one for one in reversed(app.screen_stack) if isinstance(one, MemtuiScreen)), None
    )
    name = "memtui" if screen is None else screen.NAME.lower()
    if session is None or name == "runs":
        return folder_for(app.folder or Path()), name
    return folder_for(session.path.parent), f"{session.path.stem}-{name}"
