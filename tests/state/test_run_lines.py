"""Lines of the list of runs: rates, flags, costs, order, search, and what is not read twice."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.text import Text

from memtui.errors import UserError
from memtui.report.build import build_report
from memtui.screens.run_columns import run_cells
from memtui.state import run_list
from memtui.state.run_cost import Paid, paid_for
from memtui.state.run_list import RunLine, RunList, has_words, next_match, ordered
from memtui.store.reader import RunReader, open_run
from memtui.store.side_file import ALIAS, BAD_GOLD, FLAG, NOTE, SideFile
from memtui.views.look import NO_COLOUR
from tests.ui.make_run import Story, write
from tests.ui.run_folder import RunFolder, beat, copy, pay


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "source.memtui"
    return asyncio.run(write(path, Story(items=4, scales=(0.0, 100.0))))


@pytest.fixture
def folder(source: Path, tmp_path: Path) -> Iterator[RunFolder]:
    made = RunFolder(source, tmp_path / "runs")
    for path in made.folder.iterdir():
        os.utime(path, (time.time() - 100, time.time() - 100))
    yield made
    made.close()


def read(runs: RunList, **choice: bool) -> dict[str, RunLine]:
    return {line.path.stem: runs.with_rates(line) for line in runs.glance(**choice)}


def test_rates_are_those_of_the_report(folder: RunFolder) -> None:
    line = read(RunList(folder.folder))["ladder"]
    with open_run(folder.finished) as reader:
        totals = build_report(reader, bootstrap=False).totals
    assert line.counts is not None
    mine = (line.counts.n, line.counts.passed, line.counts.exhausted, line.counts.wrong)
    assert mine == (totals.n, totals.passed, totals.exhausted, totals.wrong)
    assert line.counts.n_excluded == totals.n_excluded
    assert [scale for scale, _, _ in line.by_scale] == [0.0, 100.0]
    assert sum(n for _, _, n in line.by_scale) == totals.n


def test_flagged_questions_leave_the_rates_of_every_run_alike(folder: RunFolder) -> None:
    with open_run(folder.finished) as reader:
        key = next(item.key for item in reader.items() if item.answerable)
    SideFile(folder.finished, "run-9").append(FLAG, key, BAD_GOLD)
    runs = RunList(folder.folder)
    before, after = read(runs), read(runs, without_flagged=True)
    kept, out = before["ladder"].counts, after["ladder"].counts
    assert kept is not None and out is not None
    assert before["ladder"].flagged == after["ladder"].flagged == 1
    gone = run_list.flagged_out(after["ladder"])
    assert gone > 0 and out.n == kept.n - (gone - (out.n_excluded - gone - kept.n_excluded))
    assert out.n + out.n_excluded == kept.n + kept.n_excluded
    assert before["newer"].counts == after["newer"].counts
    assert read(runs)["ladder"].counts == kept


def test_nothing_is_read_twice(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.close()
    runs = RunList(folder.folder)
    read(runs)
    opened: list[str] = []
    plain = RunReader.packed_facts

    def counted(self: RunReader, judge: str) -> object:
        opened.append(self.path.stem)
        return plain(self, judge)

    monkeypatch.setattr(RunReader, "packed_facts", counted)
    first = read(runs)
    assert opened == [] and first["ladder"].counts is not None
    SideFile(folder.finished, "run-9").append(NOTE, "", "another note")
    assert read(runs)["ladder"].note == "another note" and opened == []
    pay(folder.finished, 1.0)
    os.utime(folder.finished, (time.time() - 50, time.time() - 50))
    assert read(runs)["ladder"].paid == Paid(2.75) and opened == ["ladder"]


def test_rates_that_cannot_be_read_are_a_problem_of_one_line(folder: RunFolder) -> None:
    with closing(sqlite3.connect(folder.finished)) as connection, connection:
        connection.execute("DELETE FROM item")
    runs = RunList(folder.folder)
    for _ in range(2):
        lines = read(runs)
        assert lines["ladder"].problem and lines["ladder"].counts is None
        assert str(folder.finished) not in lines["ladder"].problem
        assert lines["newer"].counts is not None and not lines["newer"].problem


def test_a_missing_folder_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be listed"):
        RunList(tmp_path / "nowhere").glance()


def test_cost_is_known_partial_or_unknown_and_never_zero_for_want_of_a_price(
    folder: RunFolder,
) -> None:
    lines = read(RunList(folder.folder))
    assert lines["ladder"].paid == Paid(1.75)
    assert lines["live"].paid == Paid(0.04, partial=True)
    assert lines["cut-off"].paid == Paid(None)
    assert lines["newer"].paid == Paid(None)
    assert lines["empty"].paid is None


def test_calls_of_judges_cost_and_a_ledger_without_calls_is_free(
    source: Path, tmp_path: Path
) -> None:
    path = copy(source, tmp_path, "free", 3)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO ledger(owner,phase,paid,cold) VALUES ('state:x','ingest','{}','{}')"
        )
    with open_run(path) as reader:
        assert paid_for(reader) == Paid(0.0)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            """UPDATE verdict SET usage='{"prompt":9,"cost":0.5,"calls":1}' WHERE id=1"""
        )
    with open_run(path) as reader:
        assert paid_for(reader) == Paid(0.5)


def test_speed_and_time_left_are_said_of_runs_that_go_on_only(folder: RunFolder) -> None:
    lines = read(RunList(folder.folder))
    assert (lines["live"].per_minute, lines["live"].eta_seconds) == (30.0, 1080.0)
    assert lines["held"].eta_seconds is None
    assert lines["cut-off"].summary.state == "interrupted"
    assert (lines["cut-off"].per_minute, lines["cut-off"].eta_seconds) == (None, None)
    beat(folder.running, state="stopping", rate="fast", eta_s=[1])
    found = read(RunList(folder.folder))["live"]
    assert found.stopping and (found.per_minute, found.eta_seconds) == (None, None)


@pytest.mark.parametrize("key", run_list.SORTS)
def test_every_order_has_all_lines_and_the_unknown_last(key: str, folder: RunFolder) -> None:
    lines = [*read(RunList(folder.folder)).values()]
    value = run_list._KEYS[key][0]
    for turned in (False, True):
        found = ordered(lines, key, turned=turned)
        assert sorted(str(line.path) for line in found) == sorted(str(line.path) for line in lines)
        known = [value(line) is not None for line in found]
        assert known == sorted(known, reverse=True)
    values = [value(line) for line in ordered(lines, key) if value(line) is not None]
    assert values == sorted(values, reverse=run_list._KEYS[key][1])


def test_newest_first_and_by_alias(folder: RunFolder) -> None:
    lines = [*read(RunList(folder.folder)).values()]
    started = [line.path.stem for line in ordered(lines)]
    assert started[:5] == ["live", "held", "cut-off", "ladder", "newer"]
    by_name = [line.alias or line.path.stem for line in ordered(lines, "name")]
    assert by_name[0] == "baseline" and lines[0].path.stem != "baseline"


def test_search_goes_round_and_looks_into_aliases_and_notes(folder: RunFolder) -> None:
    SideFile(folder.running, "run-12").append(ALIAS, "", "Großer Lauf")
    lines = ordered(read(RunList(folder.folder)).values())
    at = [line.path.stem for line in lines].index("ladder")
    assert has_words(lines[at], "FIGURES") and has_words(lines[at], "baseline")
    assert next_match(lines, "figures", 0, 1) == at
    assert next_match(lines, "figures", at, 1) == at
    assert next_match(lines, "GROSSER", at, -1) == 0
    assert next_match(lines, "nothing has this", 0, 1) is None
    assert next_match([], "x", 0, 1) is None


def test_of_many_scales_the_largest_have_their_bars(folder: RunFolder) -> None:
    line = read(RunList(folder.folder))["ladder"]

    def shown(scales: int) -> str:
        rates = tuple(
            (float(number), 9 if number == scales - 1 else 0, 9) for number in range(scales)
        )
        cells = run_cells(replace(line, by_scale=rates), NO_COLOUR, marked=False, width=120)
        return Text.assemble(cells["scales"]).plain

    assert len(shown(10)) == len(shown(12)) == 10
    assert shown(12).startswith("…") and shown(12)[-1] == shown(10)[-1] == "█"
