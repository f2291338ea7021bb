"""Opening a run again goes on where it was left; a run whose place is gone opens at the nearest one."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.screens.compare import CompareScreen
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.ladder import LadderScreen
from memtui.screens.overview import OverviewScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.compare_marks import Mark
from memtui.state.places import Places
from memtui.state.session import RunSession
from memtui.widgets.heat_table import HeatTable
from tests.ui.driving import press, settle

pytestmark = pytest.mark.usefixtures("lasting_notices")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "state" / "places.json")


@asynccontextmanager
async def opened_again(
    path: Path, places: Places, *, resume: bool = True
) -> AsyncIterator[tuple[MemtuiApp, Pilot[Any]]]:
    app = MemtuiApp(path, places=places, resume=resume)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        yield app, pilot
        if app.is_running:
            app.exit(0)


def said(app: MemtuiApp) -> list[str]:
    return [notice.message for notice in app._notifications]


async def test_a_run_opens_where_it_was_left(run_file: Path, places: Places) -> None:
    async with opened_again(run_file, places) as (app, pilot):
        assert not said(app)
        await press(pilot, "3", "e", "s", "S", "j", "j", "enter", "l", "l", "minus", "J")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and app.session is not None
        episode, stop, chosen = screen.episode_id, screen.stop, app.session.settings
        assert stop is not None
    async with opened_again(run_file, places) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and app.session is not None
        assert screen.episode_id == episode and app.session.settings == chosen
        assert screen.stop is not None and screen.stop.step.id == stop.step.id
        assert "back where you left this run" in said(app)[0]
        await press(pilot, "escape")
        assert app.screen.NAME == "Overview"  # type: ignore[attr-defined]  # any of our screens
    async with opened_again(run_file, places, resume=False) as (app, _):
        assert app.session is not None and app.session.settings.quick == "all"
        assert not said(app)


async def test_tab_measure_and_cell_of_the_overview_come_back(
    run_file: Path, places: Places
) -> None:
    async with opened_again(run_file, places) as (app, pilot):
        await press(pilot, "j", "j", "l", "l", "l", "tab", "right_square_bracket")
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        heat = screen.query_one(HeatTable)
        assert heat.arm is not None
        left = (screen.tab, screen.measure, heat.arm.arm.key, heat.column)
    for keys in ((), ("3",), ()):  # seen in between, or not: it is still where it was left
        async with opened_again(run_file, places) as (app, pilot):
            await press(pilot, *keys)
    async with opened_again(run_file, places) as (app, pilot):
        await press(pilot, "2")
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        heat = screen.query_one(HeatTable)
        assert heat.arm is not None
        assert (screen.tab, screen.measure, heat.arm.arm.key, heat.column) == left


async def test_list_ladder_and_compare_come_back(run_file: Path, places: Places) -> None:
    async with opened_again(run_file, places) as (app, pilot):
        await press(pilot, "3", "w", "j", "j", "j")
        assert isinstance(app.screen, EpisodesScreen)
        listed = app.screen.episode_id
    async with opened_again(run_file, places) as (app, pilot):
        assert isinstance(app.screen, EpisodesScreen) and app.screen.episode_id == listed
        await press(pilot, "5", "j", "l")
        assert isinstance(app.screen, LadderScreen)
        cell = app.screen.episode_id
    async with opened_again(run_file, places) as (app, pilot):
        assert isinstance(app.screen, LadderScreen) and app.screen.episode_id == cell
        await press(pilot, "2", "6", "greater_than_sign")
        assert isinstance(app.screen, CompareScreen)
        sides = app.screen.sides
    async with opened_again(run_file, places) as (app, _):
        assert isinstance(app.screen, CompareScreen)
        assert [arm for _, arm in app.screen.sides or ()] == [arm for _, arm in sides or ()]


async def test_two_files_of_one_name_come_back_as_two(
    run_file: Path, places: Places, tmp_path: Path
) -> None:
    other = tmp_path / "other" / run_file.name
    other.parent.mkdir()
    shutil.copy(run_file, other)
    session = RunSession(run_file)
    arm = session.header.arms[0].key
    session.close()
    both = (Mark(run_file, arm), Mark(other, arm))
    async with opened_again(run_file, places) as (app, pilot):
        app.compare(*both)
        await settle(pilot)
    async with opened_again(run_file, places) as (app, _):
        assert isinstance(app.screen, CompareScreen)
        assert [file for file, _ in app.screen.sides or ()] == [run_file, other]


async def test_the_place_belongs_to_the_run_and_not_to_its_path(
    run_file: Path, places: Places, tmp_path: Path
) -> None:
    moved = tmp_path / "other" / "name.memtui"
    moved.parent.mkdir()
    shutil.copy(run_file, moved)
    async with opened_again(run_file, places) as (_, pilot):
        await press(pilot, "3", "e")
    async with opened_again(moved, places) as (app, _):
        assert isinstance(app.screen, EpisodesScreen)


async def test_a_folder_goes_on_where_each_of_its_runs_was_left(
    run_file: Path, places: Places, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(run_file, folder / "a.memtui")
    async with opened_again(folder, places) as (_, pilot):
        await press(pilot, "enter", "3", "v")
    async with opened_again(folder, places) as (app, pilot):
        await press(pilot, "enter")
        assert isinstance(app.screen, EpisodesScreen) and app.session is not None
        assert app.session.settings.quick == "excluded"


async def test_a_corrupt_file_of_places_is_said_and_nothing_else(
    run_file: Path, places: Places
) -> None:
    places.path.parent.mkdir()
    places.path.write_text("{")
    async with opened_again(run_file, places) as (app, _):
        assert [line for line in said(app) if "cannot be read" in line]
        assert app.screen.NAME == "Overview"  # type: ignore[attr-defined]  # any of our screens


async def test_an_episode_that_is_gone_is_replaced_by_the_nearest_and_that_is_said(
    run_file: Path, places: Places
) -> None:
    async with opened_again(run_file, places) as (_, pilot):
        await press(pilot, "3", "enter")
    text = places.path.read_text()
    assert '"episode":"' in text
    before, _, after = text.partition('"episode":"')
    places.path.write_text(f'{before}"episode":"gone{after}')
    async with opened_again(run_file, places) as (app, _):
        assert isinstance(app.screen, TrajectoryScreen) and app.screen.episode_id is not None
        assert [line for line in said(app) if "nearest" in line]


async def test_a_full_disk_is_said_after_the_end(
    run_file: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    async with opened_again(run_file, places) as (app, _):
        monkeypatch.setattr("memtui.state.places.Places._write", full)
        app.exit(0)
    assert len(app.parting) == 1 and "no space left on device" in app.parting[0]
