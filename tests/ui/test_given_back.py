"""What a screen took for its figures is let go when it has them, and when nobody looks at it any more."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual import events

from memtui.screens.compare import CompareScreen
from memtui.screens.overview import OverviewScreen
from memtui.screens.overview_figures import TabFigures
from memtui.store.reader import RunReader
from memtui.widgets.virtual_list import VirtualList
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import written
from tests.ui.test_compare_screen import MARK_TWO
from tests.ui.test_live_run import STORY, until

NEXT = "right_square_bracket"


def held(path: Path) -> list[str]:
    """What this process has open of a run file."""
    links = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(one.readlink()))
        except FileNotFoundError:
            continue  # of the look itself
    return [link for link in links if link.startswith(str(path))]


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc/self/fd")


async def test_a_screen_out_of_view_keeps_no_drawn_line_and_one_behind_a_dialog_does(
    run_file: Path,
) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3")
        screen = pilot.app.screen
        rows = screen.query_one("#episodes", VirtualList)
        assert rows._strips
        shown = screen_text(app)
        await press(pilot, "question_mark")
        assert pilot.app.screen is not screen and rows._strips
        await press(pilot, "escape", "2")
        assert not rows._strips
        await press(pilot, "3")
        assert rows._strips and screen_text(app) == shown


async def test_a_comparison_keeps_the_facts_of_its_two_arms_alone(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = app.screen
        assert isinstance(screen, CompareScreen) and screen.found is not None
        assert app.session is not None
        source = screen.found.a.source
        assert source is screen.found.b.source
        arms = {source.cells[fact.cell_id].arm for fact in source.facts}
        assert arms == {screen.found.a.arm, screen.found.b.arm}
        assert 0 < len(source.facts) < len(app.session.facts(source.judge)) / 2


async def test_tabs_count_from_the_facts_that_were_read_and_let_go_of_their_own(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    plain = RunReader.packed_facts

    def counted(self: RunReader, judge: str, *args: Any) -> Any:
        read.append(judge)
        return plain(self, judge, *args)

    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "s", "2")
        monkeypatch.setattr(RunReader, "packed_facts", counted)
        await press(pilot, NEXT, NEXT, NEXT)
        assert app.session is not None and app.session.settings.judge not in read
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        assert screen.figures.report is not None and screen.figures._figures is not None
        await press(pilot, "3")
        assert screen.figures._figures is None


async def test_a_tab_that_is_left_while_it_is_read_is_let_go_of_too(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()
    make = TabFigures._make

    def slow(self: TabFigures, *args: Any) -> Any:
        begun.set()
        go_on.wait(20)
        return make(self, *args)

    monkeypatch.setattr(TabFigures, "_make", slow)
    async with opened(run_file, (120, 36)) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        reading = screen.figures
        app.post_message(events.Key(NEXT, "]"))
        await asyncio.to_thread(begun.wait, 20)
        app.post_message(events.Key("3", "3"))
        for _ in range(200):  # `settle` would wait for the reading
            if app.screen is not screen:
                break
            await asyncio.sleep(0.05)
        assert reading._figures is not None
        go_on.set()
        await settle(pilot)
        assert reading._figures is None


@linux
async def test_a_finished_file_is_held_by_nobody_once_it_is_left(
    run_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "left.memtui"
    shutil.copy(run_file, path)
    async with opened(path, (120, 36)) as (app, pilot):
        await press(pilot, "3", "enter", "5", "6", "2", NEXT, NEXT, NEXT)
        assert held(path)
        await press(pilot, "1")
        await until(pilot, lambda: not held(path))
        await press(pilot, "3", "end", "2")
        assert held(path) and "Overview" in screen_text(app)
    assert not held(path)


async def test_a_live_file_is_let_go_of_when_the_app_ends(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    # The writer is this process too, in which SQLite keeps a closed file open while that one has a lock.
    async with written(path, STORY):
        async with opened(path) as (app, pilot):
            await press(pilot, "3", "1")
            assert app.session is not None
            readers = app.session.readers
            assert any(reader._connection is not None for reader in readers), "the run goes on"
        for _ in range(200):  # a thread ends when its last question is answered
            if all(reader._connection is None for reader in readers):
                break
            await asyncio.sleep(0.05)
        assert all(reader._connection is None for reader in readers)
