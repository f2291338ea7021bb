"""No room for a reader's own files while a run goes on: a plain line, nothing lost, the terminal sane."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.screens import pager
from memtui.screens.annotate import Annotate
from memtui.store import side_file
from memtui.store.side_file import SideFile
from tests.ui.beating import GOING_ON, going_on
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import Story, write
from tests.ui.test_terminal import Terminal, assert_terminal_given_back


def no_room(path: Path, line: bytes) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.usefixtures("lasting_notices")
async def test_a_note_that_cannot_be_kept_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, append = tmp_path / "live.memtui", side_file._append
    async with going_on(path, GOING_ON), opened(path, (100, 30), notices=True) as (app, pilot):
        assert app.session is not None
        marks = SideFile(path, app.session.header.run.uid)
        monkeypatch.setattr(side_file, "_append", no_room)
        await press(pilot, "3", "i", "b", "n", *"odd", "enter")
        shown = screen_text(app)
        assert "cannot be kept" in shown and "No space left" in " ".join(shown.split())
        assert isinstance(app.screen, Annotate) and app.screen.note == "odd"
        assert "[x] bookmark" in shown and not marks.read().notes
        monkeypatch.setattr(side_file, "_append", append)
        await press(pilot, "enter")
        kept = marks.read()
        assert [*kept.notes.values()] == ["odd"] and len(kept.bookmarks) == 1
        await press(pilot, "1")
        monkeypatch.setattr(side_file, "_append", no_room)
        await press(pilot, "i", *"name", "enter")
        assert "name" in screen_text(app)
        monkeypatch.setattr(side_file, "_append", append)
        await press(pilot, "enter")
        assert marks.read().aliases == {"": "name"}


@pytest.mark.usefixtures("lasting_notices")
async def test_a_text_that_the_pager_finds_no_room_for_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await write(tmp_path / "a.memtui", Story(items=1))

    def full(text: str, command: list[str]) -> None:
        raise OSError(28, "No space left on device", "/tmp/memtui-x.txt")

    monkeypatch.setattr(pager, "page", full)
    monkeypatch.setattr(MemtuiApp, "suspend", lambda self: nullcontext())
    async with opened(path, (120, 30), notices=True) as (app, pilot):
        await press(pilot, "o")
        await settle(pilot)
        assert "the pager cannot be opened" in screen_text(app)


class Cramped(Terminal):
    """memtui where no file can grow."""

    def __init__(self, path: Path) -> None:
        words = shlex.join([sys.executable, "-m", "memtui", str(path)])
        super().__init__(program=["/bin/sh", "-c", f"ulimit -f 0; exec {words}"])


@pytest.mark.slow
async def test_every_file_of_the_app_finds_no_room_while_a_run_is_live(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"

    def drive() -> int:
        terminal = Cramped(path)
        terminal.read_until("Overview")
        for keys, word in (
            (b"3", "Episodes"), (b"i", "annotate"), (b"b\r", "cannot be kept"), (b"\x1b", "gold"),
            (b"x", "export what"), (b"\r", "written"),  # where the line breaks depends on the path
        ):  # fmt: skip
            terminal.press_until(keys, word)
            time.sleep(0.5)  # Esc and a key right after it are another key
        assert b"written to" not in terminal.output
        os.write(terminal.fd, b"q")
        code = terminal.finish()
        assert_terminal_given_back(terminal.output)
        assert b"Traceback" not in terminal.output
        assert b"memtui: the place was not kept" in terminal.output
        assert not [*path.parent.glob(".memtui-*")]
        return code

    async with going_on(path, GOING_ON):
        assert await asyncio.to_thread(drive) == 0
