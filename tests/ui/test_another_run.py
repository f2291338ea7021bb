"""Another run stands where one was open: replaced under its name, or opened after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.screens.trajectory import TrajectoryScreen
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import ARMS, Story, write

FIRST = Story(name="first", items=4)
SECOND = Story(name="second", items=1, arms=ARMS[3:], scales=(0.0,))


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    for _ in range(100):
        await settle(pilot)
        if holds():
            return
        await asyncio.sleep(0.03)
    raise AssertionError("it never came")


@pytest.mark.parametrize("in_place", [False, True])
async def test_a_replaced_run_is_begun_anew_with_its_own_notes_and_no_old_filter(
    tmp_path: Path, in_place: bool
) -> None:
    path = await write(tmp_path / "a.memtui", FIRST)
    other = await write(tmp_path / "b.memtui", SECOND)
    async with opened(path) as (app, pilot):
        await press(pilot, "l", "l", "enter", "enter", "i")
        assert app.session is not None and app.session.settings.cell is not None
        if in_place:  # as `cp` does it: the file stays the same one to the system
            path.write_bytes(other.read_bytes())
        else:
            other.replace(path)
        await until(
            pilot, lambda: app.session is not None and "second" in app.session.header.run.uid
        )
        await settle(pilot)
        session = app.session
        assert "2 Overview" in screen_text(app), "a dialog about the run before is closed"
        assert session.settings.cell is None
        assert session.side_file.beside.name.startswith("run-second")
        await press(pilot, "3")
        assert "3 episodes" in screen_text(app)
        await press(pilot, "4")
        assert "no episode is open" in screen_text(app)


async def test_the_same_run_copied_again_keeps_the_place_and_is_read_anew(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.memtui", FIRST)
    again = await write(tmp_path / "b.memtui", FIRST)
    async with opened(path) as (app, pilot):
        await press(pilot, "3", "j", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen)
        before, episode = screen.found, screen.episode_id
        again.replace(path)
        await until(pilot, lambda: screen.found is not before)
        assert "4 Trajectory" in screen_text(app)
        assert screen.episode_id == episode


async def test_nothing_of_the_run_before_is_left_on_the_trajectory(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.memtui", FIRST)
    other = await write(tmp_path / "b.memtui", SECOND)
    async with opened(path, (120, 36)) as (app, pilot):
        await press(pilot, "3", "enter", "d")
        app.open_file(other)
        await settle(pilot)
        await press(pilot, "4")
        shown = screen_text(app)
        assert "no episode is open" in shown
        assert "answer" not in shown and "1 of" not in shown, shown


async def test_the_same_words_are_said_once_while_they_are_on_screen(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        for _ in range(5):
            app.say("the file is cut short", error=True)
            await settle(pilot)
        assert screen_text(app).count("the file is cut short") == 1
