"""The file goes bad while it is on screen: the app says so, whatever is pressed, and stays."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.screens import rated_file
from memtui.screens.notices import Notices
from memtui.store.connect import BRIEF
from memtui.store.connection import ReadConnection
from memtui.store.errors import StoreError
from memtui.store.reader import RunReader
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import Story, write

KEYS = (
    *("j", "k", "G", "g", "slash", "escape", "e", "w", "v", "0", "s", "S", "minus", "equals_sign"),
    *("a", "A", "J", "enter", "l", "h", "m", "M", "L", "H", "escape", "i", "escape", "y", "c"),
    *("x", "escape", "t", "n", "N", "question_mark", "escape", "tab", "z", "z"),
)


@pytest.mark.parametrize("screen", ["2", "3", "4", "5", "6"])
async def test_no_key_ends_the_app_on_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screen: str
) -> None:
    path = tmp_path / "a.memtui"
    await write(path, Story(items=4))

    def damaged(self: RunReader, sql: str, params: Sequence[object] = ()) -> list[object]:
        raise StoreError(f"{self.path} is damaged (database disk image is malformed)")

    async with opened(path, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "3", "j", screen)
        monkeypatch.setattr(RunReader, "query", damaged)
        for key in KEYS:
            await press(pilot, key)
            assert app.is_running, f"{key} ended the app"
        await press(pilot, "escape", "3")
        assert "unreadable" in screen_text(app)


async def test_a_lock_keeps_no_key_waiting_and_is_over_when_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    await write(path, Story(items=30))
    tries: list[float] = []
    ask = RunReader.query

    def counted(self: RunReader, sql: str, params: Sequence[object] = ()) -> list[object]:
        if threading.current_thread() is threading.main_thread():
            tries.append(self._patience)
        return ask(self, sql, params)

    async with opened(path, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "3")
        session = app.session
        assert session is not None
        session.reader.patience = 0.1
        for reader in session.readers:
            reader.release()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            monkeypatch.setattr(RunReader, "query", counted)
            await press(pilot, "G", "pageup", "g", "e")
            assert 0 < len(tries) < 20 and max(tries) <= 0.1
            app.change(replace(session.settings, filter="out:wrong"))
            await settle(pilot)
            assert "! locked" in screen_text(app)
        for _ in range(100):
            await asyncio.sleep(0.1)
            await settle(pilot)
            if "! locked" not in screen_text(app):
                break
        shown = screen_text(app)
        assert "! locked" not in shown


async def test_a_lasting_lock_is_waited_for_once_and_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    await write(path, Story(items=4))
    waits: list[tuple[bool, float]] = []
    said: list[str] = []
    ask = ReadConnection._ask

    def waited(self: ReadConnection, sql: str, params: Sequence[object]) -> list[object]:
        waits.append((threading.current_thread() is threading.main_thread(), self.patience))
        return ask(self, sql, params)

    def heard(self: Notices, app: object, message: str, *, error: bool) -> None:
        said.append(message)

    monkeypatch.setattr(rated_file, "TRY_AGAIN", 0.05)
    async with opened(path, (120, 36)) as (app, pilot):
        session = app.session
        assert session is not None
        session.reader.patience = patience = 0.3
        for reader in session.readers:
            reader.release()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            monkeypatch.setattr(ReadConnection, "_ask", waited)
            monkeypatch.setattr(Notices, "say", heard)
            app.change(replace(session.settings, filter="out:wrong"))
            await settle(pilot)
            await press(pilot, "right_square_bracket", "left_square_bracket")
            for _ in range(4):
                await asyncio.sleep(0.1)
                await settle(pilot)
            app.open_file(path)  # the reader asks for the file itself
            assert "! locked" in screen_text(app)
        monkeypatch.undo()
    asked = len(waits)
    assert asked > 4  # again and again
    assert [long for _, long in waits].count(patience) == 1
    assert max(wait for main, wait in waits if main) <= BRIEF
    assert len([one for one in said if "locked" in one]) == len({*said}) == 1
