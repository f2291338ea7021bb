"""A run file full of hostile texts, walked through every screen and dialog."""

from __future__ import annotations

import re
import time
import unicodedata
from pathlib import Path

import pytest

from memtui.model import Turn
from memtui.screens.trajectory import TrajectoryScreen
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import ARMS, Story, write

NASTY = (
    "[/] [bold]list[int][/foo] [link=x]",
    "\x1b[2J\x1b[31mred\x1b[0m\x1b]52;c;aGk=\x07\x1b]0;title\x07",
    "nul\x00 bel\x07 c1\x9b31m",
    "rtl \u202egnp.exe\u202c zero\u200bwidth\ufeff",
    "日本語です 👩\u200d👩\u200d👧 👍🏽 ⚠\ufe0f é e\u0301",
    "line\none\r\ntwo\u2028three\tfour",
    "hidden \U000e0041\U000e0042",
    "$(reboot) `id` %s {0} \\u0041",
    "x" * 500,
)


async def hostile_run(path: Path) -> Path:
    return await write(path, Story(items=2, nasty=NASTY, arms=ARMS[2:], scales=(0.0, 100.0)))


def assert_sane(shown: str, width: int) -> None:
    from rich.cells import cell_len

    for row in shown.split("\n"):
        assert cell_len(row) <= width
        bad = [c for c in row if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")]
        assert not bad, row


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_every_screen_survives_and_shows_it_literally(
    size: tuple[int, int], tmp_path: Path
) -> None:
    path = await hostile_run(tmp_path / "hostile[b].memtui")
    async with opened(path, size, notices=True) as (app, pilot):
        seen = ""
        for key in (
            "j", "l", "tab", "tab", "J", "question_mark", "escape", "t", "z", "z", "P", "j", "p", "k", "p",
            "right_square_bracket", "right_square_bracket", "z", "right_square_bracket", "y",
            "right_square_bracket",
            "3", "j", "e", "w", "0", "s", "s", "y", "slash", "escape", "enter",
            "d", "l", "l", "r", "h", "j", "v", "o", "escape", "i", "b", "n", "x", "enter", "F", "F",
            "l", "l", "l", "l", "l", "l", "h", "h", "tab", "j", "z", "escape", "L", "L", "L", "H",
            "y", "slash", "r", "e", "d", "enter", "n", "N", "escape", "escape", "escape",
        ):  # fmt: skip
            await press(pilot, key)
            shown = screen_text(app)
            assert_sane(shown, size[0])
            seen += shown
        assert app.is_running
        for literal in ("[/] [bold]", "日本語です", "\\u202egnp", "nul\\x00"):
            assert literal in seen, literal
        assert "\x1b" not in seen


async def test_notices_take_brackets_literally(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        app.say("no such file: /tmp/[/bold] [red]x", error=True)
        for _ in range(20):
            await settle(pilot)
            if "[/bold]" in screen_text(app):
                break
        assert "[/bold] [red]x" in screen_text(app)


async def test_a_megabyte_in_one_line_and_thousands_of_calls_do_not_freeze(tmp_path: Path) -> None:
    path = await write(
        tmp_path / "large.memtui",
        Story(
            items=1, arms=ARMS[1:2], scales=(50.0,), calls=1_500, fillers=12,
            extra_turns=(Turn("tool", "blob " + "z" * 1_000_000), Turn("user", "word " * 200_000)),
        ),
    )  # fmt: skip
    async with opened(path, (120, 36)) as (app, pilot):
        await press(pilot, "3", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        assert len(screen.found.stops) >= 1_500
        screen.read_text()
        started = time.process_time()
        for key in ("j", "j", "pagedown", "end", "home", "l", "l", "h", "G", "g"):
            await press(pilot, key)
        assert time.process_time() - started < 4
        assert screen.text.count() < 3_000
        shown = screen_text(app)
        assert re.search(r"call \d+ of 1500", shown), shown
