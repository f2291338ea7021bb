"""Row 1 where room is short: what goes on right now stays, names and settings give way."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from memtui.views.look import LOOKS
from memtui.views.numbers import count
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
    assert "scale>=100   ! 9   α .70" in row and "finished" not in row


@pytest.mark.parametrize("width", [60, 72, 80, 90, 100, 120, 160])
@pytest.mark.parametrize("filtered", FILTERS)
@pytest.mark.parametrize("excluded", [0, 180, 11772])
@pytest.mark.parametrize("file", FILES)
def test_what_gives_way_is_the_same_everywhere(
    file: str, excluded: int, filtered: str, width: int
) -> None:
    title = Title(
        3, "Episodes", file, "✓ finished", "", 2, False, 0.7, "deterministic-v1", filtered, excluded
    )  # fmt: skip
    row = title_row(title, width, LOOK).plain
    assert "B 2" in row and "α .70" in row  # no filter is too long for them
    assert not filtered or "filter " in row
    if "judge " in row and excluded:
        assert f"! {count(excluded)} excluded" in row
    if "finished" in row:
        assert "judge deterministic-v1" in row and ("! " in row or not excluded)


def test_the_readers_name_for_a_run_stands_beside_the_file_where_there_is_room() -> None:
    title = Title(
        2, "Overview", "a.memtui", "✓ finished", "", 2, False, 0.7, "rules", alias="base[bold]line"
    )
    assert " a.memtui  base[bold]line  ✓ finished " in title_row(title, 100, LOOK).plain
    narrow = title_row(title, 60, LOOK).plain
    assert "base" not in narrow and "a.memtui" in narrow and cell_len(narrow) == 60
