"""Screen 5: the question at hand, its flips, its neighbours, and what moved above its evidence."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.ladder import LadderScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.deep_link import episode_of
from memtui.state.ladder import Change
from memtui.state.start import Start
from memtui.store.writer import RunWriter
from memtui.views.ladder import LEGEND
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, declare, run_one, write, written
from tests.ui.test_live_run import STORY, add, until

Golden = Callable[[str, str], None]
SIZES = [(60, 20), (80, 24), (120, 36)]


def ladder_of(app: MemtuiApp) -> LadderScreen:
    screen = app.screen
    assert isinstance(screen, LadderScreen) and screen.ladder is not None
    return screen


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_ladder_as_text(size: tuple[int, int], run_file: Path, golden: Golden) -> None:
    async with opened(run_file, size) as (app, pilot):
        await press(pilot, "5", "m")
        golden(f"ladder-{size[0]}x{size[1]}", screen_text(app))


async def test_the_ladder_without_colour_and_in_ascii(
    run_file: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(run_file, ascii_only=True) as (app, pilot):
        await press(pilot, "5", "m")
        golden("ladder-ascii", screen_text(app))
        assert screen_text(app).isascii()
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5", "m")
        golden("ladder-no-colour", reversed_text(app))


async def test_it_stays_with_the_question_of_the_list_and_of_the_trajectory(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", *["j"] * 9)
        assert isinstance(app.screen, EpisodesScreen)
        chosen = app.screen.rows.selected
        await press(pilot, "5")
        assert ladder_of(app).episode_id == chosen
        await press(pilot, "l", "enter")
        trajectory = app.screen
        assert isinstance(trajectory, TrajectoryScreen)
        there = trajectory.episode_id
        assert there != chosen
        await press(pilot, "escape")
        assert ladder_of(app).episode_id == there
        await press(pilot, "escape")
        assert isinstance(app.screen, EpisodesScreen) and app.screen.rows.selected == chosen


async def test_trajectory_goes_along_scales_and_arms(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5", "g", "h", "h", "h", "h", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        start = screen.found.detail.row
        await press(pilot, "full_stop")
        row = screen.found.detail.row
        assert (row.item, row.arm, row.scale) == (start.item, start.arm, 50.0)
        await press(pilot, "greater_than_sign")
        other = screen.found.detail.row
        assert (other.item, other.scale) == (start.item, 50.0) and other.arm != start.arm
        await press(pilot, "less_than_sign", "comma", "comma", "comma")
        assert screen.found.detail.row.id == start.id
        await press(pilot, "5")
        assert ladder_of(app).episode_id == start.id


async def test_next_flip_goes_on_to_the_next_question(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5")
        seen = set()
        for _ in range(60):
            await press(pilot, "m")
            screen = ladder_of(app)
            cell = screen.grid.cell
            assert cell is not None and cell.change is not Change.NONE
            seen.add(screen.ladder.item.key if screen.ladder else "")
            if len(seen) > 1:
                break
        assert len(seen) > 1
        await press(pilot, "M")
        assert ladder_of(app).grid.cell is not None
        assert (screen.ladder.item.key if screen.ladder else "") in seen


async def test_questions_by_key_and_by_words(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5")
        screen = ladder_of(app)
        first = screen.ladder.item.key if screen.ladder else ""
        await press(pilot, "L")
        assert screen.ladder is not None and screen.ladder.item.key != first
        await press(pilot, "H", "H")
        assert screen.ladder.item.key == first
        await press(pilot, "slash", *"q007", "enter")
        assert screen.ladder.item.key == "q007" and app.focused is screen.grid
        await press(pilot, "slash", *"thesis", "enter", "n", "N", "slash", "escape")
        assert "thesis" in screen.ladder.item.question


async def test_budget_judge_and_filter_bear_on_it(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5")
        screen = ladder_of(app)
        assert screen.ladder is not None and app.session is not None
        before = screen.ladder.passing
        await press(pilot, *["equals_sign"] * 5)
        assert screen.ladder.passing != before
        app.call_later(app.change, replace(app.session.settings, filter="arm:bm25", budget=2))
        await until(pilot, lambda: app.session is not None and "arm:bm25" in screen_text(app))
        await settle(pilot)
        assert {line.arm.split("/")[0] for line in screen.ladder.lines} == {"bm25"}
        assert "filter arm:bm25" in screen_text(app).split("\n")[0]
        app.call_later(app.change, replace(app.session.settings, filter="out:pass scale:0"))
        await until(pilot, lambda: "scale:0" in screen_text(app))
        await settle(pilot)
        assert "~" in screen_text(app)


async def test_copy_gives_a_command_that_opens_the_same_cell(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "5", "m", "equals_sign", "y")
        words = shlex.split(app.clipboard)
        assert words[:4] == ["memtui", str(run_file), "--screen", "ladder"]
        assert words[-2:] == ["--budget", "3"] and app.session is not None
        assert episode_of(app.session, words[5]) == ladder_of(app).episode_id
        here = ladder_of(app).episode_id
    app = MemtuiApp(run_file, start=Start("ladder", here))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: getattr(app.screen, "episode_id", None) == here)
        assert ladder_of(app).episode_id == here


async def test_a_link_to_a_step_opens_there_and_is_what_copy_gives(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "e", "enter", "l", "y")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.stop is not None
        here, seq = screen.episode_id, screen.stop.step.seq
        words = shlex.split(app.clipboard.split("open     ")[1])
        step = int(words[words.index("--step") + 1])
    app = MemtuiApp(run_file, start=Start(episode=here, step=step))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: getattr(app.screen, "stop", None) is not None)
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.stop is not None
        assert (screen.episode_id, screen.stop.step.seq) == (here, seq)


async def test_repeats_are_lines_and_r_chooses_one(tmp_path: Path) -> None:
    path = tmp_path / "repeats.memtui"
    story = Story(name="repeats", items=1, arms=ARMS[:2], scales=(0.0, 100.0))
    async with written(path, story) as sink:
        item, sessions = question(0)
        for number, scale in enumerate(story.scales):
            await run_one(sink, story, ARMS[0], scale, item, sessions, 100 + number, repeat=1)
        await sink.commit()
    async with opened(path) as (app, pilot):
        await press(pilot, "5")
        screen = ladder_of(app)
        assert screen.ladder is not None and len(screen.ladder.lines) == 3
        assert " r1" in screen_text(app)
        await press(pilot, "r", "r")
        assert [line.variant.repeat for line in screen.ladder.lines] == [1]
        await press(pilot, "r")
        assert len(screen.ladder.lines) == 3
        # Where a run asks a question several times over, its list tells the episodes apart, at any width.
        await press(pilot, "3", "slash", *"arm:hybrid", "enter")
        rows = screen_text(app).splitlines()[4:10]
        assert " rep. " in rows[0]
        assert sorted(row.split("+")[1].split()[1] for row in rows[1:5]) == ["r0", "r0", "r1", "r1"]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
async def test_a_run_without_repeats_has_no_column_for_them(
    run_file: Path, size: tuple[int, int]
) -> None:
    async with opened(run_file, size) as (app, pilot):
        for key in ("3", "6"):
            await press(pilot, key)
            assert "rep." not in screen_text(app) and " r0 " not in screen_text(app)


async def test_a_growing_run_arrives_and_the_cursor_stays(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await press(pilot, "5", "j", "l")
        screen = ladder_of(app)
        here = screen.episode_id
        assert screen.ladder is not None
        before = len(screen.ladder.lines)
        await add(sink, 8, 1_000)
        await until(pilot, lambda: screen.ladder is not None and len(screen.ladder.lines) > before)
        assert screen.episode_id == here


async def test_a_file_without_episodes_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.memtui"
    async with RunWriter(path) as sink:
        await declare(sink, Story(items=1, state="running"))
        await sink.commit()
    async with opened(path) as (app, pilot):
        await press(pilot, "5", "m", "enter", "y", "j", "l", "H", "o")
        assert "no question has been asked yet" in screen_text(app)
        await press(pilot, "6", "enter", "y", "0", "s")
        assert app.is_running


async def test_a_scale_that_does_not_fit_scrolls_into_view(tmp_path: Path) -> None:
    story = Story(
        name="wide", items=1, arms=ARMS[:1], scales=tuple(float(10 * n) for n in range(12))
    )
    async with opened(await write(tmp_path / "wide.memtui", story), (60, 20)) as (app, pilot):
        await press(pilot, "5", *["l"] * 11)
        assert "+110" in screen_text(app)
        await press(pilot, *["h"] * 11)
        assert "+0 " in screen_text(app)


async def test_the_filter_says_how_many_arms_it_leaves_out(run_file: Path) -> None:
    for size in ((80, 24), (120, 36)):
        async with opened(run_file, size) as (app, pilot):
            await press(pilot, "5")
            assert "leaves out" not in screen_text(app) and "arms that pass" in screen_text(app)
            await press(pilot, "3", "slash", *"arm:dense", "enter", "enter", "5")
            screen = ladder_of(app)
            assert screen.ladder is not None and screen.ladder.left_out
            left_out = len(screen.ladder.left_out)
            assert f"the filter leaves out {left_out} arms" in screen_text(app)
            assert "arms shown that pass" in screen_text(app)


async def test_flips_of_all_questions_stand_under_the_scales(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "5")
        screen = ladder_of(app)
        line = screen.grid.line_here
        assert line is not None
        flips = screen.flips_of(line)
        assert flips
        row = next(x for x in screen_text(app).split("\n") if "questions that flip" in x)
        assert [f"↓{one.lost} ↑{one.regained} of {one.n}" for one in flips.values()] == [
            part.strip() for part in row.split("flip")[1].split("  ") if part.strip()
        ]


async def test_a_rank_that_fell_has_a_sign_and_the_help_says_which(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "5", "m")
        rows = [line for line in screen_text(app).split("\n") if line.startswith(" ★")]
        assert any("↓#" in row or "↓none" in row or "↓(" in row for row in rows), rows
    assert any("↓#8" in sign for sign, _ in LEGEND)
