"""Replaying a finished run: it fills up in recorded order, says that it is a replay, and leaves no trace."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.cli import main
from memtui.report import on_screen
from memtui.screens.replay import ReplayScreen
from memtui.state.start import Start
from tests.ui.beating import GOING_ON, going_on
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.test_hostile_run import assert_sane, hostile_run
from tests.ui.test_live_run import until

BACK, ON = "left_curly_bracket", "right_curly_bracket"


async def held(app: MemtuiApp, pilot: Pilot[Any], twentieths: int) -> ReplayScreen:
    """The replay, standing still at so many twentieths of the run."""
    await press(pilot, "R")
    screen = app.screen
    assert isinstance(screen, ReplayScreen)
    if screen.playing:
        await press(pilot, "space")
    await until(pilot, lambda: screen.picture is not None)
    screen.action_jump(-20)
    await settle(pilot)
    screen.action_jump(twentieths)
    await settle(pilot)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_run_as_it_was(
    size: tuple[int, int], run_file: Path, golden: Callable[[str, str], None]
) -> None:
    async with opened(run_file, size) as (app, pilot):
        await held(app, pilot, 7)
        golden(f"replay-{size[0]}x{size[1]}", screen_text(app))


async def test_the_run_as_it_was_without_colour(
    run_file: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await held(app, pilot, 7)
        golden("replay-no-colour", reversed_text(app))


async def test_esc_is_back_in_the_finished_view_and_the_file_is_untouched(run_file: Path) -> None:
    before = await asyncio.to_thread(run_file.read_bytes)
    async with opened(run_file) as (app, pilot):
        await press(pilot, "j", "l", "tab")
        finished = screen_text(app)
        await held(app, pilot, 4)
        assert screen_text(app) != finished
        await press(pilot, "escape")
        assert screen_text(app) == finished
    assert await asyncio.to_thread(run_file.read_bytes) == before


async def test_it_fills_up_to_the_rates_of_the_finished_run(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        wanted = app.overview
        screen = await held(app, pilot, 2)
        some = screen.picture
        assert some is not None and wanted is not None and 0 < some.dock.done < some.dock.planned
        assert 0 < some.overview.n < wanted.n
        at = some.moment
        await press(pilot, ON)
        assert screen.picture is not None and screen.picture.moment > at
        screen.action_jump(20)
        await settle(pilot)
        whole = screen.picture
        assert whole is not None and whole.over and whole.overview == wanted
        assert "the end" in screen_text(app)
        await press(pilot, BACK)
        assert screen.picture is not None and not screen.picture.over
        assert screen.picture.dock.done < whole.dock.done


async def test_row_1_never_passes_it_off_as_live(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        screen = await held(app, pilot, 10)
        first = screen_text(app).splitlines()[0]
        assert f"‖ replay {screen.speed}x" in first
        assert "running" not in first and "finished" not in first
        await press(pilot, "full_stop")
        assert f"replay {screen.speed}x" in screen_text(app).splitlines()[0]
        slow = screen.speed
        await press(pilot, "comma", "comma")
        assert screen.speed < slow


async def test_time_goes_on_until_the_end_and_stands_still_elsewhere(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        screen = await held(app, pilot, 2)
        assert screen.picture is not None
        at = screen.picture.moment
        await press(pilot, *["full_stop"] * 9, "space")
        await until(pilot, lambda: screen.picture is not None and screen.picture.over)
        assert not screen.playing and at < screen.picture.moment
        await press(pilot, "space")  # once more from the start
        await press(pilot, "3")
        assert not screen.playing and "replay" not in screen_text(app)


async def test_budget_and_judge_are_those_of_the_reader(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        screen = await held(app, pilot, 20)
        await press(pilot, "equals_sign", "J")
        await settle(pilot)
        await press(pilot, "escape", "2")
        assert screen.picture is None  # let go of
        wanted = app.overview
        assert wanted is not None
        await held(app, pilot, 20)
        await press(pilot, ON)
        assert screen.picture is not None and screen.picture.overview == wanted


async def test_a_run_that_goes_on_is_not_replayed(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path, GOING_ON), opened(path, notices=True) as (app, pilot):
        await press(pilot, "R")
        assert not isinstance(app.screen, ReplayScreen)
        assert "this run goes" in screen_text(app)


async def test_a_command_line_can_begin_it(run_file: Path) -> None:
    app = MemtuiApp(run_file, start=Start(replay=600.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen) and screen.speed == 600
        await until(pilot, lambda: screen.picture is not None and screen.picture.over)


async def test_the_moment_can_be_printed(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        screen = await held(app, pilot, 7)
        assert screen.picture is not None
        assert screen.text_to_copy().startswith("memtui report ")
        assert screen.text_to_copy().endswith("--until 2:09")
        done = screen.picture.dock.done
        page = screen.page_maker()
        assert page is not None
        said = await asyncio.to_thread(page)
        assert f"as it was at 2:09 of 6:09 · {done} of 360 episodes" in said


async def test_the_moment_is_exported_as_the_report_prints_it(
    run_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    run = tmp_path / run_file.name
    run.write_bytes(await asyncio.to_thread(run_file.read_bytes))
    drawing, made_in = threading.get_ident(), []
    made = on_screen._report_until

    def noted(*asked: Any) -> Any:
        made_in.append(threading.get_ident())
        return made(*asked)

    monkeypatch.setattr(on_screen, "_report_until", noted)
    async with opened(run) as (app, pilot):
        await press(pilot, "minus")
        await held(app, pilot, 7)
        for key in "cjw":
            await press(pilot, "x", key, "enter")
            await settle(pilot)
    files = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}  # noqa: ASYNC240 - a few small files
    assert len(made_in) == 3 and drawing not in made_in
    choices = ["report", str(run), "--budget", "1", "--until", "2:09"]
    kept = json.loads(files[".json"])
    for form, suffix in (("--csv", ".csv"), ("--json", ".json")):
        assert main([*choices, form]) == 0
        printed = capfd.readouterr().out
        if form == "--csv":
            rows, twins = (
                [*csv.DictReader(io.StringIO(text, newline=""))]
                for text in (files[suffix].decode(), printed)
            )
            assert {int(float(row.pop("until"))) for row in (*rows, *twins)} == {129}
            assert rows == twins
        else:
            twin = json.loads(printed)
            moments = [one["run"].pop("until") for one in (kept, twin)]
            assert [*map(int, moments)] == [129, 129] and kept == twin
    assert main(choices) == 0
    assert files[".txt"].decode().splitlines() == capfd.readouterr().out.splitlines()


async def test_where_it_stands_is_said_at_every_size_whatever_the_run_holds(tmp_path: Path) -> None:
    path = await hostile_run(tmp_path / "hostile.memtui")
    async with opened(path, (60, 20)) as (app, pilot):
        await held(app, pilot, 8)
        for size in ((60, 20), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            shown = screen_text(app)
            assert_sane(shown, size[0])
            assert "replay" in shown.splitlines()[0] and "had ended" in shown and " of " in shown
        assert "Esc end the replay" in screen_text(app)
