"""The list of runs: every state, every width, order, search, aliases, notes, flags, hostile names."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.cells import cell_len

from memtui.app import MemtuiApp
from memtui.screens.annotate_run import AnnotateRun
from memtui.screens.compare import CompareScreen
from memtui.screens.run_columns import age_label, progress_label, short
from memtui.screens.runs import RunsScreen
from memtui.store.reader import RunReader, open_run
from memtui.store.side_file import BAD_GOLD, FLAG, SideFile
from memtui.views.text_door import cut_path
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.run_folder import HOSTILE_NAMES, RunFolder, copy, rewrite

Golden = Callable[[str, str], None]


@pytest.fixture
def folder(run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFolder]:
    monkeypatch.chdir(tmp_path)
    made = RunFolder(run_file, Path("runs"))
    yield made
    made.close()


def runs_screen(app: MemtuiApp) -> RunsScreen:
    assert isinstance(app.screen, RunsScreen)
    return app.screen


def names(app: MemtuiApp) -> list[str]:
    return [line.path.stem for line in runs_screen(app).all_lines()]


def selected(app: MemtuiApp) -> str:
    line = runs_screen(app).selected_line()
    return "" if line is None else line.path.stem


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (200, 60)])
async def test_runs(size: tuple[int, int], folder: RunFolder, golden: Golden) -> None:
    async with opened(folder.folder, size) as (app, pilot):
        await press(pilot, "j", "j", "j")
        assert selected(app) == "ladder"
        # How large a file is depends on how its writer was interrupted.
        golden(f"runs-{size[0]}x{size[1]}", re.sub(r"\d+ kB", "### kB", screen_text(app)))


async def test_without_colour(
    folder: RunFolder, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j", "c")
        golden("runs-no-colour", reversed_text(app))


async def test_ascii(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36), ascii_only=True) as (app, pilot):
        await press(pilot, "j", "j", "j", "c")
        assert screen_text(app).isascii()


async def test_name_state_progress_and_pass_are_there_at_every_width(folder: RunFolder) -> None:
    async with opened(folder.folder, (60, 24)) as (app, pilot):
        for width in (60, 80, 100, 120, 200):
            await pilot.resize_terminal(width, 24)
            await settle(pilot)
            shown = screen_text(app)
            heading = next(row for row in shown.split("\n") if row.startswith(" run "))
            assert {"run", "state", "episodes", "pass"} <= set(heading.split())
            assert ("wrong" in heading) == (width >= 80)
            assert ("ETA" in heading) == (width >= 100)
            assert ("arms" in heading and "data" in heading) == (width >= 200)
            assert "◌ interrupted" in shown and "▸ running 99d" in shown
            assert "‖ paused 99d" in shown
        await pilot.resize_terminal(40, 12)
        await settle(pilot)
        shown = screen_text(app)
        assert "◌ interrupted" in shown and "✓ newer" in shown
        assert re.search(r"^ live +▸ running 99d +55$", shown, re.MULTILINE), shown
        await press(pilot, "j")
        assert "runs/held.memtui" in screen_text(app)


async def test_the_line_below_says_what_is_wrong_with_a_file(folder: RunFolder) -> None:
    async with opened(folder.folder) as (app, pilot):
        await press(pilot, "G")
        assert "is not a run file" in screen_text(app)
        await press(pilot, "k", "k")
        assert "is cut short, 20 000 of" in screen_text(app)
        await press(pilot, "k")
        assert "written by a newer memtui" in screen_text(app)


async def test_order_turns_round_and_the_cursor_stays_on_its_run(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j")
        assert names(app)[:3] == ["live", "held", "cut-off"] and selected(app) == "ladder"
        await press(pilot, "s")
        assert names(app)[0] == "ladder"  # by its alias, baseline
        assert selected(app) == "ladder" and "sorted by name ▼" in screen_text(app)
        await press(pilot, "S")
        assert names(app)[-1] == "ladder" and "sorted by name ▲" in screen_text(app)
        assert selected(app) == "ladder"


async def test_find_goes_from_match_to_match(folder: RunFolder) -> None:
    async with opened(folder.folder) as (app, pilot):
        await press(pilot, "n")
        assert selected(app) == "live"
        await press(pilot, "slash", *"e-b", "escape", "slash", *"damaged", "enter")
        assert selected(app) == "damaged"
        await press(pilot, "slash", *["backspace"] * 9, *"finished", "enter")
        first = selected(app)
        await press(pilot, "n")
        second = selected(app)
        assert {first, second} == {"ladder", "newer"}
        await press(pilot, "N")
        assert selected(app) == first


async def test_a_refresh_reads_what_changed_and_moves_nothing(
    folder: RunFolder, run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.close()
    for path in folder.folder.glob("*.memtui"):
        os.utime(path, (time.time() - 100, time.time() - 100))
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j")
        asked: list[str] = []
        plain = RunReader.query

        def counted(self: RunReader, sql: str, params: tuple[object, ...] = ()) -> list[object]:
            asked.append(self.path.stem)
            return plain(self, sql, params)

        monkeypatch.setattr(RunReader, "query", counted)
        await press(pilot, "R")
        assert asked == [] and selected(app) == "ladder"
        copy(run_file, folder.folder, "brand-new", 30)
        await press(pilot, "R")
        assert set(asked) == {"brand-new"}
        assert names(app)[0] == "brand-new" and selected(app) == "ladder"


async def test_rates_come_without_waiting_for_a_slow_file(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is drawn before any episode is read."""
    drawn: list[int] = []
    plain = RunsScreen._show

    def show(self: RunsScreen, lines: list[object], left: int) -> None:
        plain(self, lines, left)  # type: ignore[arg-type]  # handed on as it came
        drawn.append(sum(line.counts is not None for line in self.all_lines()))

    monkeypatch.setattr(RunsScreen, "_show", show)
    async with opened(folder.folder) as (_, _pilot):
        assert next(n for n in drawn) == 0 and drawn[-1] == 5


async def test_alias_and_note_go_beside_the_run_and_never_into_it(folder: RunFolder) -> None:
    before = folder.interrupted.read_bytes()
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "i")
        assert isinstance(app.screen, AnnotateRun)
        await press(pilot, *"q7", "tab", *"stop", "enter")
        shown = screen_text(app)
        assert "q7  cut-off" in shown and "note stop" in shown
        await press(pilot, "i", *["backspace"] * 2, "enter")
        assert "q7" not in screen_text(app) and "note stop" in screen_text(app)
        await press(pilot, "i", *"zz", "escape")
        assert "zz" not in screen_text(app)
    assert folder.interrupted.read_bytes() == before
    side = SideFile(folder.interrupted, "run-10").read()
    assert side.aliases == {} and side.notes == {"": "stop"}


async def test_the_note_of_an_open_run_is_not_lost_on_its_screens(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j", "enter", "1", "i", "tab", *"!!", "enter")
        assert app.session is not None
        assert app.session.marks.notes[""] == "the run of the figures!!"


async def test_a_file_without_a_run_cannot_be_named(folder: RunFolder) -> None:
    async with opened(folder.folder, notices=True) as (app, pilot):
        await press(pilot, "G", "i")
        assert "holds no run to name" in screen_text(app)


async def test_flagged_questions_leave_the_rates_here_and_on_the_open_run(
    folder: RunFolder,
) -> None:
    with open_run(folder.finished) as reader:
        key = next(item.key for item in reader.items() if item.answerable)
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "F")
        assert "no question is flagged yet" in screen_text(app)
        app.clear_notifications()
        SideFile(folder.finished, "run-9").append(FLAG, key, BAD_GOLD)
        await press(pilot, "R", "j", "j", "j")
        assert "1 flagged question in the rates (F)" in screen_text(app)
        await press(pilot, "enter", "1", "F")
        app.clear_notifications()
        await settle(pilot)
        shown = screen_text(app)
        assert "1 flagged question out of every rate" in shown
        line = runs_screen(app).selected_line()
        assert line is not None and line.counts is not None and app.overview is not None
        assert app.session is not None and app.session.settings.without_flagged
        assert line.counts.n == app.overview.n
        await press(pilot, "2", "F", "1")
        assert "1 flagged question in the rates (F)" in screen_text(app)


async def test_two_marks_compare_and_the_first_is_seen(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j", "c")
        assert re.search(r"A ▪ baseline", screen_text(app))
        await press(pilot, "j", "c")
        assert isinstance(app.screen, CompareScreen)


async def test_the_path_is_shown_and_copied_whole(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await press(pilot, "p")
        assert copied == [str(folder.running.absolute())]
        assert "live.memtui" in screen_text(app) and "copied" in screen_text(app)


async def test_stopping_what_does_not_run_says_so(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "j", "j", "t")
        assert "nobody on this machine is writing cut-off.memtui" in screen_text(app)
        await press(pilot, "k", "k", "t")
        assert "this very program" in screen_text(app)
        await press(pilot, "u")
        assert "live.memtui is running" in screen_text(app)


async def test_hostile_names_draw_inside_their_cells(folder: RunFolder, run_file: Path) -> None:
    folder.add_hostile(run_file)
    async with opened(folder.folder, (60, 20), notices=True) as (app, pilot):
        for number in range(len(HOSTILE_NAMES) + 2):
            await pilot.resize_terminal(*((60, 20), (120, 36))[number % 2])
            await settle(pilot)
            draws_inside(screen_text(app), app.size.width)
            if number % 3 == 1:
                await press(pilot, "i")
                draws_inside(screen_text(app), app.size.width)
                await press(pilot, "escape")
            await press(pilot, "j")
            draws_inside(screen_text(app), app.size.width)
        for key in ("p", "c", "s", "slash", "x", "enter", "r", "escape", "t", "u", "escape"):
            await press(pilot, key)
            draws_inside(screen_text(app), app.size.width)


def draws_inside(shown: str, width: int) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff]", shown)
    assert max(map(cell_len, shown.split("\n"))) <= width


async def test_a_folder_that_is_gone_is_said(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        folder.close()
        shutil.rmtree(folder.folder)
        await press(pilot, "R")
        assert "cannot be listed" in screen_text(app) and app.is_running
        folder.folder.mkdir()
        await press(pilot, "R")
        assert "no run file in runs" in screen_text(app)


async def test_a_run_that_ends_is_seen_without_a_key(folder: RunFolder) -> None:
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        assert selected(app) == "live" and "▸ running" in screen_text(app)
        rewrite(folder.running, state="finished")
        folder.close()
        runs_screen(app).look_again()
        await settle(pilot)
        assert "▸ running" not in screen_text(app) and "1 running" not in screen_text(app)


async def test_a_broken_row_of_one_file_hides_no_other(folder: RunFolder) -> None:
    with closing(sqlite3.connect(folder.finished)) as connection, connection:
        connection.execute("DELETE FROM item")
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "j")
        shown = screen_text(app)
        assert "✓ finished !" in shown and "is lost: run `memtui check`" in shown
        assert sum(line.counts is not None for line in runs_screen(app).all_lines()) == 4


def test_small_labels() -> None:
    assert [age_label(s) for s in (None, 0.4, 59.9, 60, 3599, 3600, 86_399, 86_400, 1e9)] == [
        "", "0s", "59s", "1m", "59m", "1h", "23h", "1d", "99d",
    ]  # fmt: skip
    assert [short(n, 4) for n in (0, 9999, 12_345)] == ["0", "9999", "12k"]
    assert progress_label(3900, 3900) == "3900/3900"
    assert progress_label(55_314, 55_314) == "55314"
    assert progress_label(1_000, 55_314) == "1.8 %"
    assert cut_path("/a/b/c.memtui", 40) == "/a/b/c.memtui"
    assert cut_path("/very/long/folder/c.memtui", 12) == "…er/c.memtui"
    assert cell_len(cut_path("/界界界界界界界界界/c.memtui", 14)) <= 14
