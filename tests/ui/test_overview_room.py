"""Room on the overview: what has no column or no line at 80x24 is said elsewhere, and every line is reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.text import Text

from memtui.report.build import report_at
from memtui.report.model import Report
from memtui.screens import overview_figures
from memtui.screens.overview_below import Below
from memtui.state.overview import measures_of
from memtui.state.tab import Measure
from memtui.views.look import DARK
from memtui.views.numbers import points
from memtui.widgets.heat_table import HeatTable
from tests.ui.driving import opened, press, screen_text
from tests.ui.make_run import Story, write
from tests.ui.test_overview_tabs import NEXT, overview_of


def test_pages_reach_every_line_below_the_table() -> None:
    lines = [Text(str(number), end="") for number in range(11)]
    below, seen = Below(), set[str]()
    assert [line.plain for line in below.fitted(lines, 11, DARK)] == [str(n) for n in range(11)]
    assert not below.page(1)
    lefts = []
    while True:
        *shown, last = [line.plain for line in below.fitted(lines, 5, DARK, note=", z")]
        seen.update(shown)
        lefts.append(last)
        if not below.page(1):
            break
    assert seen == {str(number) for number in range(11)}
    assert lefts[0] == " … 7 more lines: PgDn, z" and "PgUp" in lefts[-1]
    assert next(one.plain for one in below.fitted(lines, 5, DARK, of="else")) == "0"


async def test_z_makes_room_once_and_pages_reach_the_rest(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        assert "z types" in screen_text(app).splitlines()[-1]
        await press(pilot, "t")
        shown = screen_text(app)
        assert overview_of(app).zoomed and "by question type" in shown and "z types" not in shown
        await press(pilot, "z", NEXT, NEXT)
        assert "z makes room" in screen_text(app)
        await press(pilot, "z")
        seen = screen_text(app)
        assert "PgDn, o opens" in seen and "makes room" not in seen
        for _ in range(4):
            await press(pilot, "pagedown")
            seen += screen_text(app)
        make = overview_of(app).page_maker()
        assert make is not None
        notes = make().split("Notes\n")[1].split("\n- ")
        for words in (note.split()[-1] for note in notes if note.strip()):
            assert words in seen, words


def as_large(report: Report) -> Report:
    """The same run with 512 times as many questions: figures as wide as those of large data sets."""
    for cell in report.cells:
        found = cell.stopping
        cell.stopping = replace(
            found,
            n=512 * found.n,
            coverage_n=512 * found.coverage_n,
            covered=512 * found.covered,
            redundant=512 * found.redundant,
            gave_up_early=512 * found.gave_up_early,
            buckets=tuple(replace(b, n=512 * b.n, right=512 * b.right) for b in found.buckets),
        )
    return report


@pytest.mark.parametrize("keys", [(), ("z",)], ids=["table", "zoomed"])
async def test_how_agents_stopped_has_its_columns_with_long_names_and_large_numbers(
    keys: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = [
        (f"{memory}-with-reranking", agent, 0.6, 0.3)
        for memory in ("bm25", "dense", "hybrid")
        for agent in ("search-once", "until-confident", "verify-with-the-question")
    ]
    path = await write(tmp_path / "wide.memtui", Story(items=12, arms=arms, scales=(0.0, 100.0)))
    honest = report_at
    monkeypatch.setattr(
        overview_figures, "report_at", lambda *given, **more: as_large(honest(*given, **more))
    )
    async with opened(path) as (app, pilot):
        await press(pilot, NEXT, "l", *keys)
        lines = screen_text(app).splitlines()
        head = next(line for line in lines if line.startswith(" arm"))
        assert " ".join(head.split()[1:]) == "0 more 1 more 2 more 3+ more redun. early"
        report = overview_of(app).figures.report
        assert report is not None
        cells = [cell for cell in report.cells if cell.scale == 100.0]
        first = lines.index(head) + 1
        for cell, row in zip(cells, lines[first : first + (3 if keys else 9)], strict=False):
            found = cell.stopping
            *_, redundant, early = row.split()
            assert redundant == f"{found.redundant}/{found.n}", row
            assert early == f"{found.gave_up_early}/{found.n}", row
            for bucket in found.buckets:
                assert not bucket.n or f"({bucket.n})" in row, row
        assert any(bucket.n >= 1000 for cell in cells for bucket in cell.stopping.buckets)
        beside = next(line for line in lines if line.startswith(f" {arms[0][0]}/{arms[0][1]}  "))
        found = cells[0].stopping
        assert f"covered {found.covered}/{found.coverage_n}" in beside
        assert "tokens after" in beside


async def test_what_has_no_column_stands_with_the_facts(run_file: Path) -> None:
    async with opened(run_file, (70, 24)) as (app, pilot):
        for measure in (Measure.PASS, Measure.COVERED):
            arm = overview_of(app).query_one(HeatTable).arm
            assert arm is not None
            rows = screen_text(app).splitlines()
            facts = next(row for row in rows if row.startswith(f" {arm.arm.key}  at "))
            assert "Δ pp" not in rows[3] and f"Δ {points(arm.change(measure))} pp" in facts
            assert "P90R" not in rows[3] and f"P90R at all scales {arm.p90r}" in facts
            await press(pilot, "j", "tab")


async def test_the_measures_to_choose_from_stand_beside_every_title(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        named = [measure.value for measure in measures_of(app.overview)]
        for _ in named:
            assert screen_text(app).splitlines()[2].split()[-len(named) :] == named
            await press(pilot, "tab")
