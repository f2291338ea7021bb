"""What other processes write is noticed: marks in the side file, and the other file of a comparison."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.model import Label
from memtui.screens.compare import CompareScreen
from memtui.screens.pair import PairScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.compare_marks import Mark
from memtui.store.events import VerdictEvent
from memtui.store.side_file import BAD_GOLD, BOOKMARK, FLAG, NOTE, SideFile
from tests.ui.driving import opened, press, screen_text
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, at, run_one, write, written
from tests.ui.test_live_run import until

STORY = Story(name="here", items=3, arms=ARMS[:2], scales=(0.0, 100.0))
THERE = replace(STORY, name="there", state="running")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_a_note_and_a_flag_of_another_process_arrive(run_file: Path, tmp_path: Path) -> None:
    path = Path(await asyncio.to_thread(shutil.copy, run_file, tmp_path / "run.memtui"))
    async with opened(path, (100, 30)) as (app, pilot):
        await press(pilot, "3", "F", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        row, item = screen.found.detail.row, screen.found.detail.item
        other = SideFile(path, "run-invented")
        other.append(NOTE, row.key, "seen by somebody else")
        other.append(BOOKMARK, row.key, "1")
        other.append(FLAG, item.key, BAD_GOLD)
        await until(pilot, lambda: "seen by somebody else" in screen_text(app))
        await press(pilot, "F", "2")
        await until(pilot, lambda: "30 flagged" in screen_text(app).splitlines()[0])
        other.append(FLAG, item.key, "")
        await until(pilot, lambda: "flagged" not in screen_text(app).splitlines()[0])


async def test_the_other_file_of_a_comparison_is_followed_and_the_place_kept(
    tmp_path: Path,
) -> None:
    here = await write(tmp_path / "here.memtui", STORY)
    there = tmp_path / "there.memtui"
    async with (
        written(there, replace(THERE, items=2)) as sink,
        opened(here, (100, 30)) as (app, pilot),
    ):
        app.compare(Mark(here, "hybrid/until-confident"), Mark(there, "hybrid/until-confident"))
        screen = app.screen_named("compare")
        assert isinstance(screen, CompareScreen)
        await until(pilot, lambda: screen.found is not None)
        await press(pilot, "0", "j", "j")
        found, chosen = screen.found, screen.pair
        assert found is not None and chosen is not None
        pairs = len(found.episodes)
        item, sessions = question(1)
        await run_one(sink, THERE, THERE.arms[0], 0.0, item, sessions, 900, repeat=1)
        await sink.commit()
        await until(pilot, lambda: screen.found is not found)
        assert screen.found is not None and len(screen.found.episodes) >= pairs
        assert screen.pair is not None and screen.pair.a.fact.id == chosen.a.fact.id


async def test_a_pair_that_is_on_screen_follows_the_other_file(tmp_path: Path) -> None:
    here = await write(tmp_path / "here.memtui", STORY)
    there = tmp_path / "there.memtui"
    async with (
        written(there, THERE) as sink,
        opened(here, (120, 36)) as (app, pilot),
    ):
        app.compare(Mark(here, "hybrid/until-confident"), Mark(there, "hybrid/until-confident"))
        compare = app.screen_named("compare")
        assert isinstance(compare, CompareScreen)
        await until(pilot, lambda: compare.found is not None)
        await press(pilot, "0", "enter", "j")
        pair = app.screen
        assert isinstance(pair, PairScreen) and pair.view is not None
        right, row, before = pair.view.both[1].detail.row, pair.steps.cursor, compare.found
        judge = pair.view.judge
        label = Label.WRONG if right.labels[judge] == Label.RIGHT else Label.RIGHT
        await sink.emit(VerdictEvent(right.uid, judge, label, at(2_000)))
        await sink.commit()
        await until(
            pilot,
            lambda: pair.view is not None and pair.view.both[1].detail.row.labels[judge] == label,
        )
        assert pair.steps.cursor == row
        assert app.screen is pair
        assert compare.found is before  # compared anew only when somebody looks
        await press(pilot, "escape")
        await until(pilot, lambda: compare.found is not before)


async def test_a_flag_in_the_other_file_and_its_removal_are_noticed(tmp_path: Path) -> None:
    here = await write(tmp_path / "here.memtui", STORY)
    there = await write(tmp_path / "there.memtui", replace(THERE, state="finished"))
    async with opened(here, (100, 30), notices=True) as (app, pilot):
        app.compare(Mark(here, "hybrid/until-confident"), Mark(there, "hybrid/until-confident"))
        screen = app.screen_named("compare")
        assert isinstance(screen, CompareScreen)
        await until(pilot, lambda: screen.found is not None)
        before = screen.found
        SideFile(there, "run-there").append(FLAG, question(0)[0].key, BAD_GOLD)
        await until(pilot, lambda: screen.found is not before)
        there.unlink()
        await until(pilot, lambda: "was removed" in screen_text(app))
