"""The hostile run walked through the ladder, the comparison and the side-by-side view."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.driving import opened, press, screen_text
from tests.ui.test_hostile_run import assert_sane, hostile_run

WALK = (
    "5", "j", "l", "m", "M", "L", "H", "r", "slash", "r", "e", "d", "enter", "n", "N", "y", "c",
    "enter", "full_stop", "comma", "greater_than_sign", "less_than_sign", "escape", "j", "c",
    "0", "j", "tab", "j", "comma", "tab", "greater_than_sign", "s", "y", "enter", "j", "l", "tab",
    "j", "tab", "L", "m", "question_mark", "escape", "escape", "u", "2", "6", "minus", "J", "5",
)  # fmt: skip


@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_hostile_texts_stay_literal(size: tuple[int, int], tmp_path: Path) -> None:
    path = await hostile_run(tmp_path / "hostile[b].memtui")
    async with opened(path, size, notices=True) as (app, pilot):
        seen, screens = "", set()
        for key in WALK:
            await press(pilot, key)
            shown = screen_text(app)
            assert_sane(shown, size[0])
            seen += shown
            screens.add(type(app.screen).__name__)
        assert app.is_running and "\x1b" not in seen
        assert {"LadderScreen", "CompareScreen", "PairScreen", "TrajectoryScreen"} <= screens
        assert "[/] [bold]" in seen
