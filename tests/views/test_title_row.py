"""Row 1 where room is short: what goes on right now stays, names and settings give way."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from memtui.views.look import LOOKS
from memtui.views.title import Title, title_row

LOOK = next(iter(LOOKS.values()))
SCREENS = ((2, "Overview"), (3, "Episodes"), (4, "Trajectory"), (5, "Ladder"), (6, "Compare"))
FILES = ("a.memtui", "a-very-long-name-of-a-run-file.memtui", "日本語の名前.memtui")
FILTERS = ("", "out:exhausted", "bm25/until-confident +100 · exhausted · scale>=100")


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("filtered", FILTERS)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("number", "screen"), SCREENS)
def test_a_running_run_says_so_on_every_screen(
    number: int, screen: str, file: str, filtered: str, width: int
) -> None:
    title = Title(
        number, screen, file, "▸ running 12,345/55,314", "▸ running", 2, False, 0.7,
        "rules-strict", filtered, 1234, None, True,
    )  # fmt: skip
    row = title_row(title, width, LOOK).plain
    assert cell_len(row) == width
    assert "running" in row and "B 2" in row and screen in row
    assert file[:2] in row


def test_a_finished_run_gives_its_room_to_the_settings() -> None:
    title = Title(
        3,
        "Episodes",
        "a.memtui",
        "✓ finished",
        "",
        2,
        False,
        0.7,
        "rules",
        "out:exhausted scale>=100",
        9,
    )
    row = title_row(title, 80, LOOK).plain
    assert "! 9 excluded" in row and "finished" not in row


def test_the_readers_name_for_a_run_stands_beside_the_file_where_there_is_room() -> None:
    title = Title(
        2, "Overview", "a.memtui", "✓ finished", "", 2, False, 0.7, "rules", alias="base[bold]line"
    )
    assert " a.memtui  base[bold]line  ✓ finished " in title_row(title, 100, LOOK).plain
    narrow = title_row(title, 60, LOOK).plain
    assert "base" not in narrow and "a.memtui" in narrow and cell_len(narrow) == 60
