"""A few screens as pictures, colours and all, as `x` keeps them; ids of the drawing program left out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Tree
from pathlib import Path

import pytest

from memtui.screens import picture
from tests.ui.conftest import GOLDENS
from tests.ui.driving import opened, press

WALKS = {
    "overview": ("j", "l"),
    "trajectory": ("3", "e", "enter"),
    "compare": ("6",),
}
IDS = re.compile(r"terminal-\d+")


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_screens_as_pictures(
    theme: str, run_file: Path, request: pytest.FixtureRequest
) -> None:
    async with opened(run_file, (80, 24), theme=theme) as (app, pilot):
        for name, keys in WALKS.items():
            await press(pilot, *keys)
            drawn = picture.as_svg(picture.taken(app), app.look)
            assert drawn == picture.as_svg(picture.taken(app), app.look)
            assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "").replace(
                "https://www.textualize.io", ""
            )
            drawn = IDS.sub("terminal", drawn)
            Tree.fromstring(drawn)
            path = GOLDENS / f"{name}-{theme}.svg"
            if request.config.getoption("--update-goldens"):
                path.write_text(drawn, encoding="utf-8")
            assert drawn == path.read_text(encoding="utf-8"), f"{path.name} looks different"
            await press(pilot, "escape", "escape", "2")


async def test_both_themes_draw_the_same_text_in_other_colours(run_file: Path) -> None:
    shown = []
    for theme in ("dark", "light"):
        async with opened(run_file, (80, 24), theme=theme) as (app, _):
            shot = picture.taken(app)
            shown.append((picture.as_text(shot), picture.as_svg(shot, app.look)))
    assert shown[0][0] == shown[1][0] and shown[0][1] != shown[1][1]
