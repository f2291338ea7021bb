"""What a key costs, counted: questions put to the file, rows read, lines drawn. Never wall time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from memtui.metrics.rates import tally
from memtui.screens import overview_types, rated_file
from memtui.screens.episode_source import BATCH, EpisodeSource
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.overview import OverviewScreen
from memtui.state.file_order import FILE_ORDER
from memtui.state.overview import Overview
from memtui.state.session import FOLDED_JUDGES, RunSession
from memtui.state.settings import SORT_ORDER, Settings, SortKey
from memtui.store.episode_order import _Column
from memtui.store.episode_queries import Source
from memtui.store.reader import RunReader
from memtui.widgets.heat_table import HeatTable
from memtui.widgets.lines import LineBlock
from tests.ui.driving import opened, press, settle
from tests.ui.test_live_run import until

SIZE = (120, 36)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts `queries`, rows `read` for lists, `drawn` rows, and readings of all `facts`."""
    counted: Counter[str] = Counter()
    query, rows = RunReader.query, RunReader.episode_rows
    facts, row = RunReader.packed_facts, EpisodeSource.row

    def counting_query(self: RunReader, *args: Any) -> Any:
        counted["queries"] += 1
        return query(self, *args)

    def counting_rows(self: RunReader, ids: Any) -> Any:
        counted["read"] += len(ids)
        return rows(self, ids)

    def counting_facts(self: RunReader, judge: str, cells: Any = None) -> Any:
        counted["facts" if cells is None else "facts of cells"] += 1
        return facts(self, judge, cells)

    def counting_row(self: EpisodeSource, index: int, width: int) -> Any:
        counted["drawn"] += 1
        return row(self, index, width)

    monkeypatch.setattr(overview_types, "AHEAD_AFTER", 60.0)  # nobody pauses that long here
    monkeypatch.setattr(RunReader, "query", counting_query)
    monkeypatch.setattr(RunReader, "episode_rows", counting_rows)
    monkeypatch.setattr(RunReader, "packed_facts", counting_facts)
    monkeypatch.setattr(EpisodeSource, "row", counting_row)
    yield counted


async def test_down_reads_nothing_and_draws_two_rows(run_file: Path, work: Counter[str]) -> None:
    async with opened(run_file, SIZE) as (_, pilot):
        await press(pilot, "3")
        work.clear()
        await press(pilot, *["down"] * 8)
        assert work["queries"] == 0
        assert work["drawn"] <= 16, "the row that is left and the row that is entered"


async def test_page_down_reads_a_batch_and_draws_a_page(run_file: Path, work: Counter[str]) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        height = screen.rows.size.height
        work.clear()
        await press(pilot, *["pagedown"] * 4)
        assert work["read"] <= 4 * 2 * BATCH
        assert work["drawn"] <= 4 * (height + 2)
        work.clear()
        await press(pilot, "end", "home")
        assert work["read"] <= 3 * BATCH and work["drawn"] <= 2 * (height + 2)


async def test_the_facts_of_a_row_are_drawn_with_its_cursor(run_file: Path) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen) and screen.source is not None
        block = screen.query_one("#episode-facts", LineBlock)
        for _ in range(4):
            screen.rows.cursor += 1  # nothing is awaited: one frame shows both
            row = screen.source.at(screen.rows.cursor)
            assert row is not None
            assert any(f"item {row.item}" in line.plain for line in block.lines)


async def test_order_and_one_key_filters_read_no_facts_again(
    run_file: Path, work: Counter[str]
) -> None:
    async with opened(run_file, SIZE) as (_, pilot):
        await press(pilot, "3")
        assert work["facts"] <= FOLDED_JUDGES
        work.clear()
        await press(pilot, "e", "w", "v", "0", *["s"] * 10, "S")
        assert work["facts"] == 0


async def test_orders_that_only_the_file_has_are_read_before_their_key_is_pressed(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    read_on = _Column.read_on

    def counting(self: _Column, source: Source) -> bool:
        read[self.column] += 1
        return read_on(self, source)

    monkeypatch.setattr(_Column, "read_on", counting)
    async with opened(run_file, SIZE) as (app, pilot):
        screen = app.screen_named("episodes")
        assert isinstance(screen, EpisodesScreen) and app.session is not None
        await press(pilot, "3")
        await press(pilot, *["s"] * SORT_ORDER.index(SortKey.CALLS))
        orders = app.session.file_orders._orders
        await until(pilot, lambda: len(orders._kept) == len(FILE_ORDER))
        assert read.keys() == set(FILE_ORDER.values())
        read.clear()
        while app.session.settings.sort is not SortKey.NEWEST:
            await press(pilot, "s")
            if app.session.settings.sort is SortKey.COST:
                await until(pilot, lambda: screen.listed() is orders._kept["e.cost", True].ids)
        assert not read


async def test_budget_alpha_and_judge_read_no_facts_of_all_episodes(
    run_file: Path, work: Counter[str]
) -> None:
    async with opened(run_file, SIZE) as (app, pilot):
        assert app.session is not None and len(app.session.header.judges) == FOLDED_JUDGES
        work.clear()
        await press(pilot, "equals_sign", "minus", "a", "A")
        assert work["queries"] == 0
        await press(pilot, "J", "J", "J")
        assert work["facts"] == 0
        assert work["facts of cells"] <= 3, "the question types of the arm in view"


async def test_rates_of_the_next_judge_wait_for_no_reading_and_are_drawn_once(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: Counter[int] = Counter()
    line = HeatTable.line

    def counting_line(self: HeatTable, index: int, width: int) -> Any:
        drawn[index] += 1
        return line(self, index, width)

    monkeypatch.setattr(HeatTable, "line", counting_line)
    async with opened(run_file, SIZE) as (app, pilot):
        before = app.overview
        assert before is not None and app.session is not None
        app.action_judge()
        assert app.overview is not before, "nothing was awaited"
        rates = app.overview
        drawn.clear()
        await settle(pilot)
        assert app.overview is rates
        assert drawn and set(drawn.values()) == {1}, "question types and alarms follow around it"


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[tuple[str | None, int]]]:
    """Counts how often each line of a block, and each row of the table, is painted."""
    counted: Counter[tuple[str | None, int]] = Counter()
    line, render = HeatTable.line, LineBlock.render_line

    def counting_line(self: HeatTable, index: int, width: int) -> Any:
        counted[self.id, index] += 1
        return line(self, index, width)

    def counting_render(self: LineBlock, y: int) -> Any:
        counted[self.id, y] += 1
        return render(self, y)

    monkeypatch.setattr(HeatTable, "line", counting_line)
    monkeypatch.setattr(LineBlock, "render_line", counting_render)
    yield counted


async def test_another_budget_counts_what_is_looked_at_and_paints_it_once(
    run_file: Path, painted: Counter[tuple[str | None, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()
    draw_around = OverviewScreen.draw_around

    def counting_tally(*args: Any) -> Any:
        counted["cells"] += 1
        return tally(*args)

    def counting_around(self: OverviewScreen) -> None:
        counted["around"] += 1
        draw_around(self)

    monkeypatch.setattr("memtui.state.overview.tally", counting_tally)
    monkeypatch.setattr(OverviewScreen, "draw_around", counting_around)
    async with opened(run_file, SIZE) as (app, pilot):
        for key in ("equals_sign", "minus"):
            painted.clear()
            counted.clear()
            await press(pilot, key)
            assert app.overview is not None
            rungs = len(app.overview.rungs)
            assert counted["cells"] <= rungs, "only the arm under the cursor is taken apart"
            assert counted["around"] == 1
            assert set(painted.values()) == {1}, "one frame, and nothing in it twice"


async def test_another_alpha_paints_only_the_arms_it_says_something_else_of(
    run_file: Path, painted: Counter[tuple[str | None, int]]
) -> None:
    def said(overview: Overview) -> list[tuple[object, ...]]:
        return [
            (
                arm.s_star,
                *(cell and (cell.pass_at_b or 0.0) >= overview.alpha for cell in arm.cells),
            )
            for arm in overview.arms
        ]

    async with opened(run_file, SIZE) as (app, pilot):
        spared = 0
        for key in ("a", "a", "A", "A", "A"):
            before = app.overview
            painted.clear()
            await press(pilot, key)
            assert before is not None and app.overview is not None
            pairs = enumerate(zip(said(before), said(app.overview), strict=True))
            changed = {index for index, (old, new) in pairs if old != new}
            assert {index for name, index in painted if name == "heat"} == changed
            spared += len(app.overview.arms) - len(changed)
            assert all(
                one is other
                for old, new in zip(before.arms, app.overview.arms, strict=True)
                for one, other in zip(old.cells, new.cells, strict=True)
            ), "no cell is counted again"
        assert spared


async def test_question_types_of_the_next_judge_are_drawn_with_its_rates(
    run_file: Path, work: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview_types, "AHEAD_AFTER", 0.01)
    async with opened(run_file, (160, 48)) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        block = screen.query_one("#lower", LineBlock)
        for _ in range(500):
            if len(screen._types._counted) == FOLDED_JUDGES:
                break
            await pilot.pause(0.02)
        assert len(screen._types._counted) == FOLDED_JUDGES
        await settle(pilot)
        work.clear()
        for _ in range(3):
            app.action_judge()
            shown = [line.plain for line in block.lines]
            assert any("by question type" in line for line in shown), "nothing was awaited"
            await settle(pilot)
        assert work["facts of cells"] == 0


async def test_garbage_is_looked_for_when_no_key_is_pressed(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[None] = []
    monkeypatch.setattr(rated_file, "settle", partial(looked.append, None))
    async with opened(run_file, SIZE) as (app, pilot):
        assert app._settling is not None and not looked, "all is read"
        waiting = app._settling
        await press(pilot, "equals_sign")
        assert app._settling is not waiting, "put off by a key"
        monkeypatch.setattr(rated_file, "GIVE_BACK_AFTER", 0.01)
        await press(pilot, "minus")
        for _ in range(500):
            if looked:
                break
            await pilot.pause(0.02)
        assert len(looked) == 1 and app._settling is None


async def test_a_filter_line_is_asked_once_for_the_list_and_the_rates(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    ids = RunReader.episode_ids

    def counting_ids(self: RunReader, where_sql: str = "", *args: Any, **named: Any) -> Any:
        asked["filter" if where_sql else "order"] += 1
        return ids(self, where_sql, *args, **named)

    monkeypatch.setattr(RunReader, "episode_ids", counting_ids)
    async with opened(run_file, SIZE) as (app, pilot):
        await press(pilot, "3")
        assert app.session is not None
        app.change(replace(app.session.settings, filter="length>0"))
        await settle(pilot)
        await press(pilot, "2")
        assert app.overview is not None
        assert asked == {"filter": 1}


async def test_a_folding_that_is_under_way_is_not_begun_again(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = 0
    folds, go_on = RunSession.folds, Event()

    def slow_folds(self: RunSession, settings: Settings) -> Any:
        nonlocal begun
        begun += 1
        go_on.wait(10)
        return folds(self, settings)

    async with opened(run_file, SIZE) as (app, pilot):
        monkeypatch.setattr(RunSession, "folds", slow_folds)
        app._folded_at = app._fold_cost = 0.0
        for _ in range(5):  # as news of a file come that grows
            app._fold_soon(at_once=False)
            await pilot.pause()
        go_on.set()
        await settle(pilot)
        assert begun == 1
        assert app._fold_timer is not None, "what came meanwhile is folded later"
