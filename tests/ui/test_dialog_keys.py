"""Dialogs: their keys follow the configuration, and whatever they offer can be clicked."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.screens.annotate import Annotate
from memtui.screens.export import ExportDialog
from memtui.screens.keymap import keymap_of
from memtui.screens.keys import DIALOGS, dialog_keys
from memtui.screens.saved_views import SavedViews
from memtui.store.side_file import SideFile
from tests.ui.driving import opened, press, screen_text
from tests.ui.test_configuration_of_the_app import configured, opened_with
from tests.ui.test_keys_and_dialogs import Child
from tests.ui.test_mouse import click_on


@pytest.fixture
def own_run(run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path(shutil.copy(run_file, tmp_path / "invented.memtui"))


def test_every_key_of_a_dialog_has_an_id_and_says_what_it_does() -> None:
    assert not [key for key in dialog_keys() if not key.what]
    for _, where in DIALOGS:
        module, _, name = where.rpartition(".")
        for one in getattr(importlib.import_module(module), name).BINDINGS:
            assert one.id is not None, (name, one)


async def test_a_configuration_changes_the_keys_of_dialogs(own_run: Path, tmp_path: Path) -> None:
    text = (
        '[keys]\n"annotate.bookmark" = "B"\n"annotate.keep" = "ctrl+s"\n"dialog.close" = "Q"\n'
        '"export.csv" = "4"\n"quit.leave" = "g"\n'
    )
    async with opened_with(own_run, configured(tmp_path, text)) as (app, pilot):
        await press(pilot, "3", "i", "b")
        shown = screen_text(app)
        assert "B [ ] bookmark" in shown and "^s keep   Q leave as it was" in shown
        await press(pilot, "B")
        assert "[x] bookmark" in screen_text(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, Annotate)
        await press(pilot, "ctrl+s")
        assert not isinstance(app.screen, Annotate)
        assert SideFile(own_run, "run-invented").read().bookmarks
        await press(pilot, "x", "c")
        dialog = app.screen
        assert isinstance(dialog, ExportDialog) and dialog.name_line.value.endswith(".txt")
        await press(pilot, "4")
        assert dialog.name_line.value.endswith(".csv") and " 4  CSV" in screen_text(app)
        await press(pilot, "escape")
        assert app.screen is dialog
        await press(pilot, "Q")
        assert app.screen is not dialog
        app._child = Child()
        await press(pilot, "q", "l")
        assert "g  leave it running and quit" in screen_text(app)
        await press(pilot, "Q")


def test_a_key_that_a_dialog_has_already_is_refused(tmp_path: Path) -> None:
    taken = configured(tmp_path, '[keys]\n"annotate.flag" = "b"\n"views.save" = "b"\n')
    keymap, (problem,) = keymap_of(taken, MemtuiApp)
    assert keymap == {"views.save": "b"}
    assert "b is annotate.bookmark already, on bookmark, note, flag: annotate.flag" in problem
    taken = configured(tmp_path, '[keys]\n"dialog.close" = "y"\n')
    assert "y is stop.yes already, on stop a run" in keymap_of(taken, MemtuiApp)[1][0]


async def test_marks_and_views_are_clicked(own_run: Path) -> None:
    async with opened(own_run, (100, 30)) as (app, pilot):
        await press(pilot, "3", "i")
        await click_on(app, pilot, "bookmark this episode")
        await click_on(app, pilot, "flag its gold")
        await click_on(app, pilot, "note on this episode")
        await press(pilot, *"odd")
        await click_on(app, pilot, "Enter keep")
        assert not isinstance(app.screen, Annotate)
        marks = SideFile(own_run, "run-invented").read()
        assert marks.bookmarks and marks.bad_gold and [*marks.notes.values()] == ["odd"]
        await press(pilot, "slash", *"out:pass", "enter", "V")
        await click_on(app, pilot, "s save the filter")
        await press(pilot, *"good")
        await click_on(app, pilot, "Enter save it")
        session = app.session
        assert session is not None and session.marks.views == {"good": "out:pass"}
        await press(pilot, "0", "V")
        assert isinstance(app.screen, SavedViews)
        await click_on(app, pilot, "1 good")
        assert session.settings.filter == "out:pass"
        await press(pilot, "V")
        await click_on(app, pilot, "x drop one")
        await click_on(app, pilot, "1 good")
        assert not session.marks.views
        await press(pilot, "V", "enter")
        assert isinstance(app.screen, SavedViews)
        await click_on(app, pilot, "Esc close")
        assert not isinstance(app.screen, SavedViews)


async def test_the_help_and_the_names_of_a_run_are_clicked(own_run: Path) -> None:
    async with opened(own_run, (100, 30)) as (app, pilot):
        await press(pilot, "question_mark")
        await click_on(app, pilot, "/ find")
        await press(pilot, *"budget", "enter")
        await click_on(app, pilot, "Esc close")
        assert "2 Overview" in screen_text(app) and "keys and signs" not in screen_text(app)
        await press(pilot, "1", "i", *"first")
        await click_on(app, pilot, "Tab the other")
        await press(pilot, *"then")
        await click_on(app, pilot, "Enter keep")
        marks = SideFile(own_run, "run-invented").read()
        assert marks.aliases[""] == "first" and marks.notes[""] == "then"


async def test_saved_views_have_a_cursor(own_run: Path) -> None:
    async with opened(own_run) as (app, pilot):
        for name, text in (("first", "out:pass"), ("other", "out:wrong"), ("third", "scale>=100")):
            await press(pilot, "3", "0", "slash", *text, "enter", "V", "s", *name, "enter")
        session = app.session
        assert session is not None and len(session.marks.views) == 3
        await press(pilot, "0", "V", "j", "j", "j", "k", "enter")
        assert session.settings.filter == "out:wrong"
        await press(pilot, "V", "down", "down", "up", "x")
        assert "which one is to go?" in screen_text(app)
        await press(pilot, "enter")
        assert [*session.marks.views] == ["first", "third"]
