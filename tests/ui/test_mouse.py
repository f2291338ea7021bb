"""Everything can be done with a mouse, too: wheel, rows, cells, tabs, hints, answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.screens.dialogs import Question
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.export import ExportDialog
from memtui.screens.help import HelpScreen
from memtui.screens.ladder import LadderScreen
from memtui.screens.overview import OverviewScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.views.hints import Hint, key_at
from memtui.widgets.heat_table import HeatTable
from memtui.widgets.lines import LineView
from memtui.widgets.title_row import HintRow
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.test_keys_and_dialogs import Child


async def click_on(app: MemtuiApp, pilot: Pilot[Any], words: str, *, times: int = 1) -> None:
    """Click where the screen shows these words first."""
    for row, line in enumerate(screen_text(app).split("\n")):
        if words in line:
            await pilot.click(offset=(line.index(words), row), times=times)
            await pilot.pause()
            await settle(pilot)
            return
    raise AssertionError(f"{words!r} is not on screen:\n{screen_text(app)}")


async def test_rows_cells_tabs_and_hints_are_clicked(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        heat = screen.query_one(HeatTable)
        await click_on(app, pilot, "dense/until-confident")
        assert heat.arm is not None and heat.arm.arm.key == "dense/until-confident"
        before = screen.tab
        await click_on(app, pilot, "Stopping")
        assert screen.tab is not before
        await click_on(app, pilot, "Reliability")
        await click_on(app, pilot, "= budget")
        assert app.session is not None and app.session.settings.budget == 3
        await click_on(app, pilot, "-= budget")
        assert app.session.settings.budget == 2
        await click_on(app, pilot, "Enter episodes")
        listed = app.screen
        assert isinstance(listed, EpisodesScreen)
        await press(pilot, "0")
        rows = listed.rows
        await pilot.click(rows, offset=(10, 4))
        await settle(pilot)
        assert rows.cursor == 4
        await pilot.click(rows, offset=(10, 4), times=2)
        await settle(pilot)
        assert isinstance(app.screen, TrajectoryScreen)
        await click_on(app, pilot, "? help")
        assert isinstance(app.screen, HelpScreen)


async def test_the_wheel_scrolls_lists_and_texts(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3")
        for keys in ((), ("question_mark",)):
            await press(pilot, *keys)
            view = app.focused
            assert isinstance(view, LineView) and view.scroll_offset.y == 0
            x, y = view.region.x + 2, view.region.y + 2
            for _ in range(3):
                await pilot._post_mouse_events(_wheel(), offset=(x, y), button=0)
            await settle(pilot)
            assert view.scroll_offset.y > 0
            await press(pilot, "escape")


def _wheel() -> list[Any]:
    from textual.events import MouseScrollDown

    return [MouseScrollDown]


async def test_answers_of_dialogs_are_clicked(run_file: Path, tmp_path: Path) -> None:
    child = Child()
    async with opened(run_file, child=child) as (app, pilot):
        await press(pilot, "q")
        assert isinstance(app.screen, Question)
        await click_on(app, pilot, "cancel")
        assert app.is_running and not isinstance(app.screen, Question)
        await press(pilot, "x")
        dialog = app.screen
        assert isinstance(dialog, ExportDialog)
        await click_on(app, pilot, "one row per cell")
        assert dialog.name_line.value.endswith(".csv")
        dialog.name_line.value = str(tmp_path / "clicked.csv")
        await click_on(app, pilot, "Enter write")
        await settle(pilot)
    assert (tmp_path / "clicked.csv").exists()


async def test_the_ladder_is_clicked(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "5")
        screen = app.screen
        assert isinstance(screen, LadderScreen)
        await pilot.click(screen.grid, offset=(2, 3))
        await settle(pilot)
        assert screen.grid.place[0] == 3


@pytest.mark.parametrize(
    ("x", "key"),
    [(0, ""), (1, "Enter"), (8, "Enter"), (16, ""), (17, "-"), (18, "="), (21, "-"), (28, "")],
)
def test_a_column_of_the_hints_is_a_key(x: int, key: str) -> None:
    hints = (Hint("Enter", "episodes"), Hint("-=", "budget"), Hint("1-6", "screens"))
    assert key_at(hints, 80, x) == key


async def test_something_is_found_in_the_help(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        assert app.screen.query_one(HintRow) is not None
        await press(pilot, "question_mark", "slash", *"coverage", "enter")
        view = app.focused
        assert isinstance(view, LineView)
        first = view.scroll_offset.y
        assert first > 0 and isinstance(app.screen, HelpScreen)
        await press(pilot, "n")
        second = view.scroll_offset.y
        assert second > first
        await press(pilot, "N")
        assert view.scroll_offset.y == first
        await press(pilot, "slash", "escape")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "escape")
        assert not isinstance(app.screen, HelpScreen)
