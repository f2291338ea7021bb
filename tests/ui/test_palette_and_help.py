"""Whatever a key does can be found by name: in the help, and in the palette of the screen it works on."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.text import Text
from textual.command import CommandList, CommandPalette

from memtui.app import MemtuiApp
from memtui.screens import pager
from memtui.screens.base import MemtuiScreen
from memtui.screens.help import HelpRow, help_rows, laid_out
from memtui.screens.help_keys import ROWS, key_rows
from memtui.screens.keys import ON_SCREENS, all_keys, first_of, with_keymap
from memtui.screens.palette import EverythingByName
from memtui.state.fuzzy import found_at
from memtui.views.look import DARK
from tests.ui.driving import opened, press, reversed_text, screen_text, settle, styled_rows
from tests.ui.make_run import Story, write

WALKS = {
    "runs": ("1",), "overview": ("2",), "episodes": ("3",), "trajectory": ("3", "enter"),
    "ladder": ("3", "5"), "compare": ("6",), "pair": ("6", "enter"),
}  # fmt: skip


def test_every_binding_of_ours_has_an_id_and_says_what_it_does() -> None:
    keys = all_keys(MemtuiApp)
    assert {key.scope for key in keys} >= {*ON_SCREENS, "lists", "everywhere"}
    assert not [key for key in keys if not key.what]


def test_every_key_is_in_the_help_under_what_it_belongs_to() -> None:
    keys = all_keys(MemtuiApp)
    told = {sign for _, rows in key_rows(keys) for line, _ in rows for sign in line.split()}
    assert not [key.id for key in keys if first_of(key.keys) not in told]
    known = {key.id for key in keys}
    assert not [name for _, rows in ROWS for ids, _ in rows for name in ids if name not in known]
    for key in keys:
        # Taken away from the table, it gets a row of its own under its screen.
        alone = {line for _, rows in key_rows([key]) for line, _ in rows}
        assert first_of(key.keys) in " ".join(alone)


def test_the_help_shows_the_keys_of_the_configuration() -> None:
    changed = with_keymap(all_keys(MemtuiApp), {"app.copy": "ctrl+y", "episodes.exhausted": "E"})
    found, _ = laid_out(help_rows(DARK, changed, "episodes"), 70, DARK)
    lines = [line.plain for line in found]
    assert lines[1] == "episodes"
    assert [line for line in lines if line.split()[:4] == ["E", "w", "v", "exhausted,"]]
    assert [line for line in lines if line.split()[:2] == ["^y", "copy"]]


@pytest.mark.parametrize("key", ["colon", "question_mark"])
async def test_on_a_narrow_terminal_no_cut_words_are_left_at_the_sides(
    key: str, run_file: Path
) -> None:
    async with opened(run_file) as (app, pilot):
        behind = screen_text(app).splitlines()
        await press(pilot, key)
        shown = screen_text(app).splitlines()
        changed = [new for old, new in zip(behind, shown, strict=True) if old != new]
        assert len(changed) > 12
        signs = {row[0] + row[1:2].strip() for row in changed if row} - {" "}
        assert not signs, signs  # a row is the terminal's whole width or as it was
        assert all(len(row) < 80 or row[-1] in "▁▂▃▄▅▆▇█" for row in changed)


@pytest.mark.parametrize("width", [40, 66, 80])
def test_the_words_of_the_help_stand_in_one_column_and_are_not_cut(width: int) -> None:
    rows = help_rows(DARK, all_keys(MemtuiApp), "ladder")
    lines, starts = laid_out(rows, width, DARK)
    assert max(line.cell_len for line in lines) <= width
    begins = {line.plain.index(row.words.split()[0], 15) for row, line in told(rows, lines, starts)}
    assert begins == {15}
    shown = " ".join(" ".join(line.plain.split()) for line in lines)
    assert not [row.words for row in rows if row.words not in shown]


def told(
    rows: Sequence[HelpRow], lines: Sequence[Text], starts: Sequence[int]
) -> list[tuple[HelpRow, Text]]:
    """The rows of keys and signs, each with the line it begins at."""
    both = zip(rows, starts, strict=True)
    return [(row, lines[at]) for row, at in both if row.sign is not None]


async def test_the_help_is_not_reversed_where_there_is_no_colour(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "question_mark")
        (row,) = [
            row for row in reversed_text(app).splitlines() if "saved views of the list" in row
        ]
        before = row.partition("saved views")[0]
        assert before.count("⟦") == before.count("⟧")


async def test_the_palette_of_every_screen_has_what_its_keys_do(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        keys = all_keys(MemtuiApp)
        for scope, walk in WALKS.items():
            await press(pilot, "2", *walk)
            assert isinstance(app.screen, MemtuiScreen)
            palette = EverythingByName(app.screen)
            await palette.startup()
            offered = {one.note: one.name for one in palette.commands()}
            own = {one for key in keys if key.scope == scope for one in key.keys}
            wanted = {
                key.id
                for key in keys
                if key.scope == scope
                or (key.scope == "everywhere" and not own.issuperset(key.keys))
            }
            of_widgets = {name for name in wanted if name.startswith(("heat.", "ladder."))}
            assert wanted - of_widgets <= set(offered), scope
            assert all(offered[name].strip() for name in wanted & set(offered))
            assert {"theme light", "arm bm25/search-once", "open invented.memtui"} <= {
                one.name for one in palette.commands()
            }


async def test_a_command_is_found_by_letters_and_done(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "colon")
        assert isinstance(app.screen, CommandPalette)
        await press(pilot, *"bud", "space", *"dow")
        await chosen(app, pilot)
        assert app.session is not None and app.session.settings.budget == 1
        await press(pilot, "colon", *"arm", "space", *"bm25/sea")
        await chosen(app, pilot)
        assert app.session.settings.filter == "arm:bm25/search-once"
        assert "3 Episodes" in screen_text(app)


async def test_a_tab_of_the_overview_is_found_by_its_name(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "2", "colon", *"trust")
        await chosen(app, pilot)
        assert "what the rates rest on" in screen_text(app)
        await press(pilot, "3", "colon", *"stopping")
        await chosen(app, pilot)
        assert "2 Overview" in screen_text(app) and "calls after" in screen_text(app)


async def test_report_and_replay_are_found_on_every_screen(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged = []
    monkeypatch.setattr(pager, "pager_command", lambda environ: ["less"])
    monkeypatch.setattr(pager, "page", lambda text, command: paged.append(text))
    monkeypatch.setattr(MemtuiApp, "suspend", lambda self: contextlib.nullcontext())
    async with opened(run_file) as (app, pilot):
        for scope, walk in WALKS.items():
            await press(pilot, "2", *walk)
            assert isinstance(app.screen, MemtuiScreen)
            offered = [one.name for one in EverythingByName(app.screen).commands()]
            for name in ("report of the run", "replay the run", "failures"):
                assert offered.count(name) == 1, (scope, name)
        await press(pilot, "3", "enter", "colon", *"report")
        await chosen(app, pilot)
        assert len(paged) == 1 and "pass@2" in paged[0].lower()
        await press(pilot, "colon", *"failures")
        await chosen(app, pilot)
        assert "3 Episodes" in screen_text(app) and " pass " not in screen_text(app)
        await press(pilot, "colon", *"replay")
        await chosen(app, pilot)
        assert "Replay" in screen_text(app).splitlines()[0]


async def chosen(app: MemtuiApp, pilot: object) -> None:
    """Take the first of the list once it is there."""
    from textual.pilot import Pilot

    assert isinstance(pilot, Pilot)
    screen = app.screen
    assert isinstance(screen, CommandPalette)
    for _ in range(100):
        if screen.query_one("CommandList").option_count:  # type: ignore[attr-defined]  # private class
            break
        await asyncio.sleep(0.02)
    await press(pilot, "down", "enter")
    await pilot.pause(0.1)
    await settle(pilot)


async def test_the_palette_is_ascii_where_it_has_to_be(run_file: Path) -> None:
    async with opened(run_file, ascii_only=True) as (app, pilot):
        await press(pilot, "colon", *"down")
        await pilot.pause(0.2)
        shown = screen_text(app)
        assert "Down j" in shown and shown.isascii()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_each_entry_is_one_line_that_ends_in_its_keys(
    run_file: Path, size: tuple[int, int]
) -> None:
    async with opened(run_file, size) as (app, pilot):
        await press(pilot, "3", "enter", "colon", *"budget")
        listed = app.screen.query_one(CommandList)
        for _ in range(100):
            if 0 < listed.option_count < 9:
                break
            await pilot.pause(0.02)
        await settle(pilot)
        assert listed.virtual_size.height == listed.option_count > 1
        rows = [row.split() for row in screen_text(app).splitlines()]
        (line,) = [row for row in rows if "app.budget-down" in row]
        at = line.index("app.budget-down")
        assert line[at - 2 : at + 3] == ["budget", "down", "app.budget-down", "-", "_"]


HOSTILE = "[red]a[/red] \x1b[31m[@click=app.quit]x[/] \u202e" + "a" * 5_000


async def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    arms = [(HOSTILE, "[bold]agent[/]", 0.9, 0.3)]
    path = await write(tmp_path / "[red]run[/red].memtui", Story(items=2, arms=arms))
    async with opened(path) as (app, pilot):
        assert app.session is not None
        await press(pilot, "colon", *"arm", "space", *"aaaaaaaaaaaaaab")
        await pilot.pause(0.2)
        await press(pilot, *["backspace"])
        await pilot.pause(0.2)
        shown = screen_text(app)
        assert "arm [red]a[/red]" in shown and "\x1b" not in shown
        assert app.is_running


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("bud", "budget down", "the rebuddy"),
        ("down", "budget down", "countdowns"),
        ("bd", "budget down", "above board, dated"),
    ],
)
def test_starts_of_words_come_first(query: str, better: str, worse: str) -> None:
    assert found_at(query, better)[0] >= found_at(query, worse)[0] > 0


def test_what_is_not_there_is_not_found_and_a_long_name_costs_little() -> None:
    assert found_at("xyz", "budget down") == (0.0, [])
    assert found_at("aaaaaaaaaaaaaab", "a" * 100_000) == (0.0, [])
    assert found_at("o b", "about")[1] == [1, 2]


async def test_the_row_chosen_in_the_palette_shows_without_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    path = await write(tmp_path / "run.memtui", Story())
    async with opened(path) as (app, pilot):
        await press(pilot, "colon")
        results = app.screen.query_one(CommandList)
        while results.highlighted is None:
            await press(pilot, "down")
        chosen = results.get_option_at_index(results.highlighted)
        words = str(chosen.prompt).split("\n")[0].strip()
        lit = re.findall("⟦(.*?)⟧", reversed_text(app))
        # As the cursor of a list, from edge to edge; the other reversed ones are a cursor to type at and
        # the bars of the screen below.
        assert [row for row in lit if words in row and len(row) > 60]
        assert len([row for row in lit if len(row) > 60]) == 3


async def test_without_colour_a_cursor_and_what_is_only_proposed_are_told_from_typed_text(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await press(pilot, "colon")
        await settle(pilot)
        line = next(row for row in styled_rows(app, range(2, 5)).split("\n") if "hat to do" in row)
        cursor, proposed = line.split("hat to do")[0].rsplit("{", 2)[1:]
        assert " reverse" in cursor
        assert "dim" in proposed
