"""Notices: above the keys, one at a time, and never about a neighbour where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from tests.ui.driving import opened, press, screen_text, settle

pytestmark = pytest.mark.usefixtures("lasting_notices")


async def shown(pilot: Pilot[Any], app: MemtuiApp, word: str) -> list[str]:
    """The rows of the screen once a word is on it."""
    for _ in range(100):
        await settle(pilot)
        rows = screen_text(app).splitlines()
        if any(word in row for row in rows):
            break
        await pilot.pause(0.02)
    return rows


async def test_a_notice_stands_above_the_keys_in_place_of_the_one_before(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        before = screen_text(app).splitlines()
        await press(pilot, "s")
        rows = await shown(pilot, app, "▌")
        assert [number for number, row in enumerate(rows) if "▌" in row] == [22]
        assert rows[:22] == before[:22] or "arms" in rows[22]
        first = rows[22]
        await press(pilot, "s")
        rows = await shown(pilot, app, "arms")
        assert [number for number, row in enumerate(rows) if "▌" in row] == [22]
        assert len(app._notifications) == 1 and rows[22] != first and len(rows[22]) <= 80


async def test_an_error_stays_beside_a_later_notice(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        app.say("a fault of the file", error=True)
        app.say("first word")
        app.say("second word")
        rows = await shown(pilot, app, "second word")
        said = [row.split("▌")[1].strip() for row in rows if "▌" in row]
        assert said == ["a fault of the file", "second word"]


async def test_nothing_is_said_of_a_neighbour_where_no_episode_is_left(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        await press(pilot, "3", "slash", *"calls>90", "enter")
        rows = await shown(pilot, app, "no episode passes the filter")
        assert not len(app._notifications) and not any("neighbour" in row for row in rows)
        assert any("no episode passes the filter" in row for row in rows[-5:])
