"""Every screen as text at two sizes and without colour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from memtui.screens.episode_filters import TYPING_PAUSE
from tests.ui.driving import (
    CHARACTERS,
    opened,
    press,
    reversed_text,
    screen_text,
    settle,
    styled_rows,
)

Golden = Callable[[str, str], None]
SIZES = [(80, 24), (120, 36)]
WALKS: dict[str, tuple[str, ...]] = {
    "overview": ("j", "l"),
    "episodes": ("3",),
    "episodes-exhausted": ("3", "e", "j"),
    "episodes-filter": ("3", "slash", "o", "u", "t", "colon", "w"),
    "trajectory": ("3", "e", "enter"),
    "trajectory-answer": ("3", "w", "enter", "l", "l", "l", "l"),
    "trajectory-decision": ("3", "e", "enter", "l", "d"),
    "trajectory-request": ("3", "e", "enter", "l", "r"),
    "trajectory-judge": ("3", "e", "enter", "v"),
    "trajectory-context": ("3", "g", "enter"),
    "help": ("question_mark",),
    "overview-covered": ("tab",),
    "episodes-facets": ("3", "f", "j", "enter"),
    "annotate": ("3", "i", "b", "f"),
    "saved-views": ("3", "V"),
}
"""Keys to each screen; between two of them all filters are taken off."""


async def press_and_type(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys up to the line to type in; what follows comes at once, and is waited for."""
    start = keys.index("slash") + 1
    await press(pilot, *keys[:start])
    for key in keys[start:]:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else CHARACTERS[key]))
    await pilot.pause(2 * TYPING_PAUSE)
    await settle(pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_screens(size: tuple[int, int], run_file: Path, golden: Golden) -> None:
    async with opened(run_file, size) as (app, pilot):
        for name, keys in WALKS.items():
            if "slash" in keys:
                await press_and_type(pilot, *keys)
            else:
                await press(pilot, *keys)
            golden(f"{name}-{size[0]}x{size[1]}", screen_text(app))
            await press(pilot, "escape", "escape", "2", "3", "0", "2")


@pytest.mark.parametrize("walk", ["overview", "episodes", "trajectory"])
async def test_without_colour(
    walk: str, run_file: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await press(pilot, *WALKS[walk])
        golden(f"{walk}-no-colour", reversed_text(app))


async def test_ascii(run_file: Path, golden: Golden) -> None:
    async with opened(run_file, ascii_only=True) as (app, pilot):
        await press(pilot, "3", "e", "enter")
        shown = screen_text(app)
        golden("trajectory-ascii", shown)
        assert shown.isascii()


@pytest.mark.parametrize("theme", ["light", "blue-orange"])
async def test_themes_change_colours_and_nothing_else(theme: str, run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        dark = screen_text(app)
        before = app.screen._compositor.render_strips()[4]
        app.theme = {"light": "memtui-light", "blue-orange": "memtui-blue-orange"}[theme]
        await press(pilot)
        await pilot.pause()
        assert screen_text(app) == dark
        assert app.screen._compositor.render_strips()[4] != before


@pytest.mark.parametrize("theme", ["dark", "light", "blue-orange"])
async def test_colours(theme: str, run_file: Path, golden: Golden) -> None:
    async with opened(run_file, theme=theme) as (app, pilot):
        await press(pilot, "j", "l")
        shown = styled_rows(app, range(2, 6))
        await press(pilot, "3", "e", "enter")
        golden(f"colours-{theme}", shown + "\n\n" + styled_rows(app, range(2, 14)))
