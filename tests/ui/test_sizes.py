"""What matters stays on screen at every size, and a resize while it runs breaks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.screens.trajectory import TrajectoryScreen
from tests.ui.driving import opened, press, screen_text, settle

SIZES = [(60, 20), (80, 24), (100, 30), (120, 36), (200, 60)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_result_gold_and_the_way_out_are_always_visible(
    size: tuple[int, int], run_file: Path
) -> None:
    async with opened(run_file, size) as (app, pilot):
        for keys in ((), ("3", "e"), ("enter",)):
            await press(pilot, *keys)
            shown = screen_text(app)
            assert "? help" in shown and "q quit" in shown
            assert "B 2" in shown.split("\n")[0]
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen)
        for word in ("gold", "answer", "exhausted", "why", "hits"):
            assert word in shown
        await press(pilot, "tab")
        if screen.focused is not screen.text:
            await press(pilot, "tab")
        assert "turn 1" in screen_text(app)


async def test_a_resize_keeps_the_place_and_a_tiny_terminal_gets_a_notice(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "j", "j", "j")
        for size in ((60, 20), (38, 10), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            shown = screen_text(app)
            if size == (38, 10):
                assert "too small" in shown and "q quits" in shown
            else:
                assert "3 Episodes" in shown and "too small" not in shown
        assert app.is_running
