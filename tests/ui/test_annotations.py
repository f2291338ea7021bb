"""Bookmarks, notes and flags from the keyboard, and flagged questions out of every rate."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.screens.annotate import Annotate
from memtui.store.side_file import SideFile
from tests.ui.driving import opened, press, screen_text
from tests.ui.test_hostile_run import NASTY, assert_sane, hostile_run


@pytest.fixture
def own_run(run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run whose side file may be written."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path(shutil.copy(run_file, tmp_path / "invented.memtui"))


async def test_a_flag_takes_a_question_out_of_every_rate_and_back(own_run: Path) -> None:
    async with opened(own_run, (100, 30)) as (app, pilot):
        before = screen_text(app)
        await press(pilot, "3", "i")
        assert isinstance(app.screen, Annotate)
        await press(pilot, "b", "f", "n", *"odd gold", "enter")
        assert not isinstance(app.screen, Annotate)
        marks = SideFile(own_run, "run-invented").read()
        assert len(marks.bad_gold) == len(marks.bookmarks) == 1
        assert [*marks.notes.values()] == ["odd gold"]
        await press(pilot, "F", "2")
        row = screen_text(app).split("\n")[0]
        assert "30 flagged" in row, row  # one question on 6 arms at 5 scales
        assert screen_text(app) != before
        await press(pilot, "3", "enter")
        shown = screen_text(app)
        assert "gold flagged as bad, out of every rate   bookmark   odd gold" in shown
        assert "Excluded: a reader flagged the gold of its question as wrong." in shown
        await press(pilot, "F", "2")
        assert screen_text(app) == before


async def test_the_dialogs_are_whole_at_60_columns(own_run: Path) -> None:
    async with opened(own_run, (60, 20)) as (app, pilot):
        await press(pilot, "3", "enter", "i")
        assert "(F: out of every rate)" in screen_text(app)
        await press(pilot, "escape", "x")
        assert "as the command line prints it" in screen_text(app)
        await press(pilot, "tab")
        app.screen.query_one(Input).value = "a/folder/that/is/nowhere/on/this/machine/screen.txt"
        await press(pilot, "enter")
        said = screen_text(app)
        assert "there is no folder" in said and "on/this/machine" in said  # in two lines


async def test_esc_keeps_nothing(own_run: Path) -> None:
    async with opened(own_run) as (app, pilot):
        await press(pilot, "3", "enter", "i", "f", "b")
        assert screen_text(app).count("note") == 1  # its heading; the empty line says what is there
        assert "none yet" in screen_text(app)
        await press(pilot, "escape")
        assert not SideFile(own_run, "run-invented").beside.exists()
        await press(pilot, "F")
        assert app.session is not None and not app.session.settings.without_flagged


async def test_filter_words_find_what_was_added(own_run: Path) -> None:
    async with opened(own_run) as (app, pilot):
        await press(pilot, "3", "j", "i", "f", "n", "x", "enter")
        for words, found in (("has:note", " 1 episode "), ("flag:bad_gold", " 30 episodes")):
            await press(pilot, "slash", *words, "enter")
            assert found in screen_text(app), words
            await press(pilot, "0")


async def test_hostile_notes_are_shown_literally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = await hostile_run(tmp_path / "hostile.memtui")
    async with opened(path, notices=True) as (app, pilot):
        await press(pilot, "3")
        session = app.session
        assert session is not None
        keys = session.pages.query("SELECT key FROM episode")
        for number, (key,) in enumerate(keys):
            session.side_file.append("note", key, NASTY[number % len(NASTY)])
        session.mark([])
        for key in ("i", "n", "escape", "enter", "L", "i", "b", "f", "enter", "F", "L", "L", "L"):
            await press(pilot, key)
            assert_sane(screen_text(app), 80)
        assert app.is_running
