"""What reaches the terminal as a whole: frames, and the ground under everything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from memtui.app import MemtuiApp
from memtui.screens import one_frame, trajectory
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.trajectory import read_trajectory
from memtui.widgets.ground import Column, Ground
from tests.ui.driving import opened, press, settle

SIZE = (120, 36)


async def until(what: Callable[[], bool]) -> None:
    """Wait without waiting for what is being read."""
    for _ in range(2000):
        if what():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


async def test_an_episode_is_painted_once_with_all_of_it(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[tuple[int | None, bool]] = []
    display = MemtuiApp._display

    def displaying(self: MemtuiApp, screen: Any, picture: Any) -> None:
        if picture is not None and isinstance(self.screen, TrajectoryScreen):
            found = self.screen.found
            shown = None if found is None else found.detail.row.id
            frames.append((shown, isinstance(picture, LayoutUpdate)))
        display(self, screen, picture)

    def reading(*args: Any) -> Any:
        sleep(0.05)  # three frames
        return read_trajectory(*args)

    # The reading is waited for, however long a busy machine takes.
    monkeypatch.setattr(trajectory, "read_trajectory", reading)
    monkeypatch.setattr(one_frame, "AT_ONCE", 60.0)
    monkeypatch.setattr(MemtuiApp, "_display", displaying)
    async with opened(run_file, SIZE) as (_, pilot):
        await press(pilot, "3", "enter", "3", "down")
        frames.clear()
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, TrajectoryScreen)
        assert len([whole for _, whole in frames if whole]) == 1
        assert {shown for shown, _ in frames} == {screen.episode_id}, "no frame without the episode"


async def test_the_first_episode_is_not_painted_empty_either(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[bool] = []
    display = MemtuiApp._display

    def displaying(self: MemtuiApp, screen: Any, picture: Any) -> None:
        if picture is not None and isinstance(screen, TrajectoryScreen) and not self._batch_count:
            shown.append(screen.found is not None)
        display(self, screen, picture)

    monkeypatch.setattr(one_frame, "AT_ONCE", 60.0)
    monkeypatch.setattr(MemtuiApp, "_display", displaying)
    async with opened(run_file, SIZE) as (_, pilot):
        await press(pilot, "3", "enter")
    assert shown and all(shown)


async def test_an_episode_that_is_long_in_coming_holds_up_no_frame(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    come, read = Event(), read_trajectory

    def reading(*args: Any) -> Any:
        come.wait(60)
        return read(*args)

    monkeypatch.setattr(one_frame, "AT_ONCE", 0.001)
    monkeypatch.setattr(trajectory, "read_trajectory", reading)
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3")
        app.simulate_key("enter")
        await until(lambda: isinstance(app.screen, TrajectoryScreen))
        frame = Event()
        app.screen.call_after_refresh(frame.set)
        await until(frame.is_set)
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is None
        come.set()
        await settle(pilot)
        assert screen.found is not None


@pytest.mark.parametrize("colours", [True, False])
async def test_the_ground_looks_as_textual_draws_it_and_is_one_line(
    run_file: Path, monkeypatch: pytest.MonkeyPatch, colours: bool
) -> None:
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file, SIZE) as (app, _):
        body = app.screen.query_one("#body", Column)
        crop = Region(0, 0, body.size.width, body.size.height)
        lines = body.render_lines(crop)
        as_textual = super(Ground, body).render_lines(crop)
        assert len({id(line) for line in lines}) == 1

        def seen(line: Strip) -> list[tuple[str, Any]]:
            return [(part.text, part.style and part.style.bgcolor) for part in line]

        assert [seen(line) for line in lines] == [seen(line) for line in as_textual]
