"""A run file that grows while it is on screen: nothing moves under the reader, everything arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.folding import folded
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.session import RunSession
from memtui.store.events import EventSink, RunStateEvent, StepEvent
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, at, run_one, write, written

STORY = Story(name="live", state="running", items=4, arms=ARMS[:2], scales=(0.0, 100.0))


async def until(pilot: Pilot[Any], condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for what the watching thread brings; fail loudly when it never comes."""
    for _ in range(int(seconds / 0.05)):
        await settle(pilot)
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never happened; the screen shows\n{screen_text(pilot.app)}")  # type: ignore[arg-type]  # the app under test


async def add(sink: EventSink, count: int, start: int, **more: Any) -> None:
    """Run further episodes of items that are declared already, as later repeats."""
    story = replace(STORY, name=f"more {start}")
    for number in range(start, start + count):
        item, sessions = question(number % STORY.items)
        arm = STORY.arms[number % 2]
        await run_one(sink, story, arm, 100.0, item, sessions, 100 + number, repeat=number, **more)
    await sink.commit()


def episodes_of(app: MemtuiApp) -> EpisodesScreen:
    screen = app.screen
    assert isinstance(screen, EpisodesScreen)
    return screen


async def test_new_episodes_arrive_and_the_selection_stays_on_its_row(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        assert "running" in screen_text(app)
        await press(pilot, "3", "j", "j", "j", "j", "j")
        screen = episodes_of(app)
        chosen = screen.rows.selected
        row_before = screen.rows.cursor - round(screen.rows.scroll_offset.y)
        count = len(screen.source.ids()) if screen.source else 0
        await add(sink, 30, 1_000)
        await until(pilot, lambda: screen.source is not None and len(screen.source.ids()) > count)
        assert screen.rows.selected == chosen
        assert screen.rows.cursor - round(screen.rows.scroll_offset.y) == row_before
        await press(pilot, "g")
        top = screen.rows.selected
        await add(sink, 1, 2_000)
        await until(pilot, lambda: screen.rows.selected != top)
        assert screen.rows.cursor == 0


async def test_sorted_and_filtered_lists_keep_the_row_too(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await press(pilot, "3", "s", "s", "s", "j", "j")
        screen = episodes_of(app)
        chosen, version = screen.rows.selected, app.data_version
        await add(sink, 20, 3_000)
        await until(pilot, lambda: app.data_version > version)
        await settle(pilot)
        assert screen.rows.selected == chosen


async def test_an_open_trajectory_grows_and_keeps_its_place(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink:
        await add(sink, 1, 500, finish=False)
        async with opened(path) as (app, pilot):
            await press(pilot, "3", "g", "enter", "h", "h", "h")
            screen = app.screen
            assert isinstance(screen, TrajectoryScreen) and screen.found is not None
            assert not screen.found.detail.row.done
            assert "It is not finished." in screen_text(app)
            steps, last = len(screen.found.stops), screen.found.stops[-1].step
            await sink.emit(
                StepEvent(
                    screen.found.detail.row.uid, last.seq + 1, "memory_call", at(900),
                    counts_as_call=True, call_no=(last.call_no or 0) + 1, query="one more time",
                    k_asked=8, k_returned=0, k_shown=0,
                )
            )  # fmt: skip
            await sink.commit()
            await until(pilot, lambda: screen.found is not None and len(screen.found.stops) > steps)
            assert screen.steps.cursor == 0
            assert f"call 1 of {steps + 1}" in screen_text(app)


async def test_pause_holds_the_picture_and_space_catches_up(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await press(pilot, "3", "space")
        assert "paused" in screen_text(app)
        screen = episodes_of(app)
        assert screen.source is not None
        before = len(screen.source.ids())
        await add(sink, 3, 4_000)
        await asyncio.sleep(0.4)
        await settle(pilot)
        assert len(screen.source.ids()) == before
        await press(pilot, "space")
        await until(pilot, lambda: screen.source is not None and len(screen.source.ids()) > before)


async def test_the_end_of_a_run_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await sink.emit(RunStateEvent("finished", at(3_000)))
        await sink.commit()
        await until(pilot, lambda: "finished" in screen_text(app))


async def test_a_removed_and_a_replaced_file_say_so(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.memtui", replace(STORY, state="finished"))
    other = await write(tmp_path / "b.memtui", Story(name="other", items=2, scales=(0.0,)))
    async with opened(path) as (app, pilot):
        path.unlink()
        await until(pilot, lambda: "file removed" in screen_text(app))
        other.rename(path)
        await until(pilot, lambda: "file removed" not in screen_text(app))
        await until(pilot, lambda: "+100" not in screen_text(app))


async def test_a_file_that_turns_to_rubbish_says_so_and_the_app_lives(tmp_path: Path) -> None:
    path = await write(tmp_path / "a.memtui", replace(STORY, state="finished"))
    async with opened(path) as (app, pilot):
        path.write_bytes(b"no database at all, but long enough to look like one" * 100)
        await until(pilot, lambda: "unreadable" in screen_text(app))
        await press(pilot, "3", "j", "2")
        assert app.is_running


async def test_a_cell_begun_since_the_header_was_read_breaks_nothing(run_file: Path) -> None:
    session = RunSession(run_file)
    known = folded(session, session.settings)[-1]
    session.header = replace(session.header, cells=())
    assert folded(session, session.settings)[-1] == known
    session.close()
