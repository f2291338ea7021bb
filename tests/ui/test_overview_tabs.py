"""The tabs and the large plot of the overview: switching, what is shown, and that it is what the report says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.cli import main
from memtui.report.build import build_report
from memtui.report.model import Report
from memtui.screens import pager
from memtui.screens.overview import OverviewScreen
from memtui.screens.overview_figures import TabFigures, Wanted
from memtui.screens.overview_reading import READ_EVERY
from memtui.state.deep_link import begin_overview
from memtui.state.session import RunSession, Shared
from memtui.state.tab import Measure, Tab
from memtui.store.reader import open_run
from memtui.views.numbers import percent_interval, points
from memtui.widgets.heat_table import HeatTable
from memtui.widgets.plot_view import PlotView
from memtui.widgets.tab_strip import TabStrip
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.make_run import written
from tests.ui.test_live_run import STORY, add, until

Golden = Callable[[str, str], None]
NEXT, BACK = "right_square_bracket", "left_square_bracket"
SIZES = [(60, 20), (80, 24), (120, 36)]
WALKS: dict[str, tuple[str, ...]] = {
    "tab-stopping": ("j", "l", NEXT),
    "tab-trust": (NEXT,),
    "tab-cost": (NEXT,),
    "tab-cost-below": ("z",),
    "tab-reliability-types": (NEXT, "t"),
    "plot": ("z", "t", "P", "j", "P", "j", "p"),
    "plot-covered": ("tab",),
}
"""Keys from one picture to the next."""


def overview_of(app: MemtuiApp) -> OverviewScreen:
    assert isinstance(app.screen, OverviewScreen)
    return app.screen


async def still(pilot: Pilot[Any]) -> None:
    """Until the notices are gone, which would stand over the picture."""
    pilot.app.clear_notifications()
    await settle(pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_tabs_and_plot(size: tuple[int, int], run_file: Path, golden: Golden) -> None:
    async with opened(run_file, size) as (app, pilot):
        for name, keys in WALKS.items():
            await press(pilot, *keys)
            await still(pilot)
            golden(f"{name}-{size[0]}x{size[1]}", screen_text(app))


@pytest.mark.parametrize("walk", ["tab-stopping", "tab-trust", "plot"])
async def test_without_colour(
    walk: str, run_file: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    keys = {"tab-stopping": (NEXT,), "tab-trust": (NEXT, NEXT), "plot": ("P", "j", "p")}[walk]
    async with opened(run_file) as (app, pilot):
        await press(pilot, *keys)
        await still(pilot)
        golden(f"{walk}-no-colour", reversed_text(app))


async def test_the_plot_in_ascii(run_file: Path, golden: Golden) -> None:
    async with opened(run_file, ascii_only=True) as (app, pilot):
        await press(pilot, "P", "j", "p")
        await still(pilot)
        shown = screen_text(app)
        golden("plot-ascii", shown)
        assert shown.isascii()


async def test_brackets_and_clicks_go_round_the_tabs_and_the_cell_stays(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        screen = overview_of(app)
        await press(pilot, "j", "j", "l")
        seen = []
        for _ in range(4):
            seen.append(screen.tab)
            await press(pilot, NEXT)
        assert seen == list(Tab) and screen.tab is Tab.RELIABILITY
        await press(pilot, BACK)
        assert "Cost  at +50" in screen_text(app)
        await pilot.click(TabStrip, offset=(18, 0))
        await settle(pilot)
        assert "Stopping@2  at +50" in screen_text(app)
        await press(pilot, "h", "k")
        assert "Stopping@2  at +0" in screen_text(app)
        await press(pilot, "l", "j", "enter")
        assert app.session is not None
        cell = app.session.settings.cell
        assert "bm25/until-confident +50" in screen_text(app) and cell is not None
        await press(pilot, "escape")
        assert overview_of(app).tab is Tab.STOPPING


async def test_the_pager_shows_what_memtui_report_prints(
    run_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paged: list[str] = []
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.setattr(pager, "page", lambda text, _: paged.append(text))
    async with opened(run_file) as (app, pilot):
        monkeypatch.setattr(app, "suspend", nullcontext)
        await press(pilot, "minus", "o", BACK, "o")
    for words in ([], ["--tab", "cost"]):
        capsys.readouterr()
        assert main(["report", str(run_file), "--budget", "1", *words]) == 0
        assert paged.pop(0) == capsys.readouterr().out
    assert not paged


async def test_change_follows_the_measure_and_s_star_says_that_it_does_not(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        heads, changes = [], []
        for measure in (Measure.PASS, Measure.COVERED, Measure.EXHAUSTED, Measure.WRONG):
            overview = app.overview
            assert overview is not None and overview_of(app).measure is measure
            head, *rows = screen_text(app).splitlines()[3 : 4 + len(overview.arms)]
            heads.append("s* Pass" in head)
            for row, arm in zip(rows, overview.arms, strict=True):
                shares = [cell.share(measure).value for cell in arm.cells if cell is not None]
                known = [value for value in shares if value is not None]
                change = points(known[-1] - known[0]) if known else "–"
                assert row.split("±")[-1].split()[-3 - ("> +" in row)] == change, row
                changes.append((measure, change))
            await press(pilot, "tab")
        assert heads == [False, True, True, True]
        assert len(set(changes)) > 8


async def test_a_tab_shows_the_figures_of_the_report(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, NEXT, "minus")
        screen = overview_of(app)
        make = screen.page_maker()
        assert make is not None
        shown = make()
        with open_run(run_file) as reader:
            report = build_report(reader, 1, tokens=True, bootstrap=False)
        for cell in report.cells:
            # A memory without calls has nothing to stop: the table leaves it out.
            buckets = [b for b in cell.stopping.buckets if b.n and cell.p90r.value]
            for bucket in buckets:
                assert f"{100 * bucket.right / bucket.n:.1f} ({bucket.n})" in shown
            assert sum(n for _, n in cell.stopping.t_star) == cell.stopping.covered
        lines = screen_text(app).splitlines()
        first = next(n for n, line in enumerate(lines) if line.startswith(" complete after call"))
        arm = overview_of(app).query_one(HeatTable).arm
        assert arm is not None
        for cell in (cell for cell in report.cells if cell.arm == arm.arm.key):
            row = next(line for line in lines[first:] if line.split()[:1] == [f"+{cell.scale:.0f}"])
            counts = dict(cell.stopping.t_star)
            assert (f"({counts[1]})" in row) if counts.get(1) else "–" in row
        row = next(line for line in lines if line.startswith(" dense/until-confident"))
        cell = next(c for c in report.cells if c.arm == "dense/until-confident" and c.scale == 0)
        found = cell.stopping
        assert f"{found.covered}/{found.coverage_n}" in row
        assert f"{found.gave_up_early}/{found.n}" in row
        for bucket in found.buckets:
            words = f"{100 * bucket.right / bucket.n:.0f} ({bucket.n})" if bucket.n else "–"
            assert words in row


async def test_budget_judge_and_filter_bear_on_every_tab(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, NEXT, "minus")
        assert "Stopping@1" in screen_text(app) and "counting" not in screen_text(app)
        before = screen_text(app)
        await press(pilot, "J")
        assert "judge strict" in screen_text(app)
        assert screen_text(app).splitlines()[4:] != before.splitlines()[4:]
        await press(pilot, NEXT)
        assert "strict beside rules" in screen_text(app)
        assert "pass^k is unknown" in screen_text(app)


async def test_the_plot_takes_the_body_and_gives_it_back(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        screen = overview_of(app)
        await press(pilot, "P", "j", "P", "j", "P", "j", "P", "p")
        assert screen.plotted and isinstance(screen.focused, PlotView)
        shown = screen_text(app)
        for name in ("hybrid/until-confident", "dense/until-confident", "bm25/until-confident"):
            assert name in shown
        assert "hybrid/search-once" in shown and "filled: at or above α .70" in shown
        assert "Reliability" not in shown
        await press(pilot, "j")
        assert "bm25/search-once" in screen_text(app)
        assert "hybrid/search-once" not in screen_text(app)
        await press(pilot, "tab")
        assert "Covered@2" in screen_text(app) and "filled" not in screen_text(app)
        await press(pilot, "escape")
        assert not screen.plotted and "Reliability" in screen_text(app)
        await press(pilot, "j")
        assert "full-history/read  at +0" in screen_text(app)


async def test_enter_in_the_plot_opens_the_cell(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "p", "j", "l", "l", "enter")
        assert "dense/until-confident +100" in screen_text(app)


async def test_a_link_carries_tab_measure_and_plot(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, NEXT, NEXT)
        link = overview_of(app).text_to_copy()
        assert link.endswith("--tab trust")
        await press(pilot, BACK, BACK, "tab", "P", "j", "p")
        link = overview_of(app).text_to_copy()
        assert "--measure covered --plot hybrid/until-confident dense/until-confident" in link
    session = RunSession(run_file)
    begin_overview(session, "trust", "covered", ["hybrid/until-confident", "dense/until-confident"])
    app = MemtuiApp(run_file, session=session)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = overview_of(app)
        assert screen.plotted and screen.measure is Measure.COVERED and screen.tab is Tab.TRUST
        shown = screen_text(app)
        assert "hybrid/until-confident" in shown and "dense/until-confident" in shown


async def test_a_tab_follows_a_live_run(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path, (120, 36)) as (app, pilot):
        await press(pilot, "l", NEXT, NEXT)
        screen = overview_of(app)
        await until(pilot, lambda: "who counts" in screen_text(app))

        def counted() -> int:
            row = next(r for r in screen_text(app).splitlines() if r.startswith(" hybrid/until"))
            return int(row.split()[1]) + int(row.split()[2])

        before = counted()
        await add(sink, 20, 1_000)
        await until(pilot, lambda: counted() > before + 5)
        assert screen.tab is Tab.TRUST and app.session is not None
        with open_run(path) as reader:
            report = build_report(reader, bootstrap=False)
        cell = next(c for c in report.cells if c.arm.startswith("hybrid/until") and c.scale == 100)
        await until(pilot, lambda: counted() == cell.counts.n + cell.counts.n_excluded)


async def test_question_types_are_the_groups_of_the_report(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "j", "t")
        lines = screen_text(app).splitlines()
        at = next(n for n, row in enumerate(lines) if "by question type" in row)
        with open_run(run_file) as reader:
            report = build_report(reader, by="question_type", bootstrap=False)
        names = [group.value for group in report.groups]
        assert len(names) > 2
        for group, row in zip(report.groups, lines[at + 1 :], strict=False):
            assert row.startswith(f" {group.value}")
            rates = [
                percent_interval(
                    cell.rates["pass"].value,
                    cell.rates["pass"].interval.low if cell.rates["pass"].interval else None,
                    cell.rates["pass"].interval.high if cell.rates["pass"].interval else None,
                )
                for cell in group.cells
                if cell.arm == "dense/until-confident"
            ]
            assert row.split()[1:6] == rates


async def test_a_tab_nobody_looks_at_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Tab] = []
    make = TabFigures._make

    def counted(self: TabFigures, wanted: Wanted, read: Shared | None) -> Report | None:
        made.append(wanted.tab)
        return make(self, wanted, read)

    monkeypatch.setattr(TabFigures, "_make", counted)
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path, (120, 36)) as (app, pilot):
        await press(pilot, NEXT, NEXT)
        await until(pilot, lambda: Tab.TRUST in made and "who counts" in screen_text(app))
        await press(pilot, "3")
        before, version = len(made), app.data_version
        await add(sink, 10, 1_000)
        await until(pilot, lambda: app.data_version > version)
        await pilot.pause(2 * READ_EVERY)
        assert len(made) == before
        await press(pilot, "2")
        await until(pilot, lambda: len(made) > before)


async def test_tabs_and_plot_follow_the_size_of_the_terminal(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, NEXT)
        assert "gave up early" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        small = screen_text(app)
        assert "gave up early" not in small and "early" in small
        row = next(line for line in small.splitlines() if line.startswith(" bm25/search-once"))
        head = next(line for line in small.splitlines() if line.startswith(" arm"))
        assert len(row) == len(head)
        await press(pilot, "p")
        for size in ((60, 20), (120, 36)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            shown = screen_text(app)
            assert " 100┤" in shown and "+400" in shown
            assert max(map(len, shown.splitlines())) <= size[0]
            axis = next(line for line in shown.splitlines() if line.startswith("    └"))
            assert len(axis) > size[0] - 10
