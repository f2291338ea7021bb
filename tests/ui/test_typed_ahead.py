"""Keys that come in one piece: each goes to what the one before it called for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.app import MemtuiApp
from memtui.screens import typed_keys
from memtui.screens.trajectory import TrajectoryScreen
from memtui.screens.typed_keys import TypedKeys
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.virtual_list import VirtualList
from tests.ui.driving import CHARACTERS, opened, press, settle

SIZE = (120, 36)
NAMES = {character: key for key, character in CHARACTERS.items()} | {
    ":": "colon",
    ">": "greater_than_sign",
}


def burst(app: MemtuiApp, *keys: str) -> None:
    """Hand the app keys as a terminal does that sends them in one piece."""
    for key in keys:
        name = NAMES.get(key, key)
        app.post_message(events.Key(name, key if len(key) == 1 else None))


async def until(pilot: Pilot[Any], what: Callable[[], bool]) -> None:
    for _ in range(400):
        if what():
            return
        await asyncio.sleep(0.01)
    await settle(pilot)
    assert what()


async def test_a_filter_typed_with_its_line(run_file: Path) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        session = app.session
        assert session is not None
        burst(app, "3", *"/out:wrong", "enter", "end", "home", *"/scale>0", "enter")
        await until(pilot, lambda: session.settings.filter == "scale>0")


async def test_a_pasted_text_goes_to_the_line_the_key_before_it_opens(run_file: Path) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        session = app.session
        assert session is not None
        await press(pilot, "3")
        burst(app, "/")
        app.post_message(events.Paste("cov:partial"))
        burst(app, "enter")
        await until(pilot, lambda: session.settings.filter == "cov:partial")


async def test_a_dialog_and_what_is_typed_into_it(run_file: Path) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3", "enter")
        assert isinstance(app.screen, TrajectoryScreen)
        burst(app, "i", "n", *"why q")
        await until(pilot, lambda: [line.value for line in app.screen.query(Input)] == ["why q"])
        assert app.screen.is_modal


async def test_keys_go_on_where_one_was_lost_with_its_widget(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow = TypedKeys._follow

    def losing(self: TypedKeys, event: events.Event, at: Any, then: Any) -> None:
        if not (isinstance(event, events.Key) and event.key == "a"):
            follow(self, event, at, then)

    monkeypatch.setattr(typed_keys, "LONGEST", 0.05)
    monkeypatch.setattr(TypedKeys, "_follow", losing)
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3", "slash")
        burst(app, *"abc")
        await until(pilot, lambda: app.screen.query_one(FilterLine).value == "abc")


async def test_the_step_stays_where_the_cursor_came_to_rest(run_file: Path) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        assert app.session is not None
        facts = app.session.facts(app.session.settings.judge)
        app.open_episode(max(facts.values(), key=lambda fact: fact.executed).id)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        last = len(screen.found.stops) - 1
        assert last >= 2
        steps = screen.query_one("#steps", VirtualList)
        # Two places that the cursor has left, in the queue at once: going to each would make the other again.
        for stop in (1, last):
            screen.post_message(VirtualList.Moved(steps, stop))
            screen.call_later(len, "")  # or the second would take the first one's place
        steps.cursor = 0
        await settle(pilot)
        assert (steps.cursor, screen.stop) == (0, screen.found.stops[0])
