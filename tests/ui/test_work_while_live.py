"""What a run that goes on costs its reader, counted: rows drawn, strips made, scrollbars painted. Never wall time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender

from memtui.screens import open_file
from memtui.screens.episode_source import EpisodeSource
from memtui.screens.episodes import EpisodesScreen
from memtui.views.look import DARK, NO_COLOUR, Look
from memtui.widgets.drawing import strip_of
from memtui.widgets.lines import thumb
from memtui.widgets.virtual_list import VirtualList
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import ARMS, Story, written
from tests.ui.test_live_run import add, episodes_of, until

STORY = Story(name="live", state="running", items=4, arms=ARMS[:2], scales=(0.0, 100.0))


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts rows `drawn` and `updates` of the list."""
    counted: Counter[str] = Counter()
    row, update = EpisodeSource.row, VirtualList.update

    def counting_row(self: EpisodeSource, index: int, width: int) -> Any:
        counted["drawn"] += 1
        return row(self, index, width)

    def counting_update(self: VirtualList, *args: Any, **named: Any) -> Any:
        counted["updates"] += 1
        return update(self, *args, **named)

    monkeypatch.setattr(EpisodeSource, "row", counting_row)
    monkeypatch.setattr(VirtualList, "update", counting_update)
    return counted


async def test_new_rows_are_drawn_once_and_those_that_are_passed_over_never(
    tmp_path: Path, work: Counter[str]
) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path, (120, 24)) as (app, pilot):
        await press(pilot, "3", "g")
        screen = episodes_of(app)
        await add(sink, 20, 1_000)  # the window is full from here on
        await until(pilot, lambda: len(screen.source.ids() if screen.source else ()) >= 36)
        height, known = screen.rows.size.height, len(screen.source.ids() if screen.source else ())
        work.clear()
        await add(sink, 3, 2_000)
        await until(pilot, lambda: len(screen.source.ids() if screen.source else ()) == known + 3)
        # Each start, end and verdict draws its row; the row that was under the cursor is drawn without.
        assert 0 < work["drawn"] <= (3 + 2) * work["updates"]
        work.clear()
        await add(sink, 40, 3_000)
        await until(pilot, lambda: len(screen.source.ids() if screen.source else ()) == known + 43)
        assert work["drawn"] <= (height + 1) * work["updates"]


async def test_rows_that_stay_are_the_same_strips_in_the_next_frame(
    tmp_path: Path, work: Counter[str]
) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path, (120, 24)) as (app, pilot):
        await press(pilot, "3", "g")
        screen = episodes_of(app)
        lines = screen.rows
        count = len(screen.source.ids() if screen.source else ())
        await add(sink, 1, 500)  # the first repeat of the run brings a column that tells it apart
        count += 1
        await until(pilot, lambda: len(screen.source.ids() if screen.source else ()) == count)
        await settle(pilot)
        whole = Region(0, 0, lines.size.width, lines.size.height)
        before = lines.render_lines(whole)
        await add(sink, 2, 1_000)
        await until(pilot, lambda: len(screen.source.ids() if screen.source else ()) == count + 2)
        after = lines.render_lines(whole)
        # Nothing around them is worked out again: filters, cuts and bytes are kept with the strip.
        assert all(one is other for one, other in zip(before[1:-2], after[3:], strict=True))


class Numbers:
    """Rows that are numbers, newest first."""

    def __init__(self, count: int) -> None:
        self._ids = range(count, 0, -1)

    def ids(self) -> Sequence[int]:
        return self._ids

    def row(self, index: int, width: int) -> Text:
        return Text(str(self._ids[index]), end="")

    def row_key(self, index: int) -> Hashable | None:
        return self._ids[index]


class ListApp(App[None]):
    """Nothing but a list."""

    look: Look = DARK
    ascii_only = False

    def compose(self) -> ComposeResult:
        yield VirtualList()


async def test_a_scrollbar_that_looks_the_same_is_not_painted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    painted = 0
    render = ScrollBar.render

    def counting_render(self: ScrollBar) -> Any:
        nonlocal painted
        painted += 1
        return render(self)

    monkeypatch.setattr(ScrollBar, "render", counting_render)
    app = ListApp()
    async with app.run_test(size=(80, 24)) as pilot:
        lines = app.query_one(VirtualList)
        lines.show(Numbers(100_000))
        while not painted or lines.vertical_scrollbar.window_virtual_size != 100_000:
            await settle(pilot)
        for _ in range(3):  # a new scrollbar is laid out before it is at rest
            await settle(pilot)
        painted = 0
        for more in range(13, 130, 13):
            lines.update(Numbers(100_000 + more), follow_top=True)
            await settle(pilot)
        assert painted == 0
        assert lines.vertical_scrollbar.window_virtual_size == lines.count() == 100_117
        lines.update(Numbers(30), follow_top=True)
        await settle(pilot)
        assert painted, "a thumb of another length"


@given(
    st.integers(2, 80), st.integers(1, 3_000), st.integers(1, 3_000), st.floats(0, 1), st.booleans()
)
def test_scrollbars_of_the_same_thumb_look_the_same(
    height: int, rows: int, more: int, down: float, near: bool
) -> None:
    first = height + rows
    second = first + (more % 3 if near else more)
    at = int(down * rows)

    def drawn(total: int) -> object:
        return ScrollBarRender.render_bar(height, total, height, at, 1).segments

    if thumb(height, first, at) == thumb(height, second, at):
        assert drawn(first) == drawn(second)


STYLES = [DARK.good, DARK.gold, DARK.cursor, NO_COLOUR.muted, DARK.query_word, Style.null()]
PIECES = st.lists(
    st.tuples(st.text("ab ◔世", max_size=6), st.one_of(st.none(), st.sampled_from(STYLES))),
    max_size=8,
)


@given(PIECES, st.integers(0, 40), st.sampled_from([DARK, NO_COLOUR]), st.booleans())
def test_a_line_put_together_piece_by_piece_is_drawn_as_any_text_is(
    pieces: list[tuple[str, Style | None]], width: int, look: Look, chosen: bool
) -> None:
    text = Text(end="", no_wrap=True)
    for words, style in pieces:
        text.append(words, style)
    resolved = Text(text.plain, end="", no_wrap=True, spans=list(text.spans))
    resolved.stylize("none")  # a named style lies over all: the way of texts that are not so plain
    over = look.cursor if chosen else None
    one, other = (strip_of(each, width, look.base, over=over) for each in (text, resolved))
    assert one.cell_length == other.cell_length == width
    assert [*one] == [*other]


def _lists(screen: EpisodesScreen, wanted: int) -> bool:
    return screen.source is not None and len(screen.source.ids()) >= wanted


async def test_of_the_episodes_that_changed_only_some_are_told_apart_and_none_is_shown_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_file, "VERSIONS", 5)
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await press(pilot, "3", "g")
        screen = episodes_of(app)
        ids = list(screen.source.ids()) if screen.source else []
        before = {one: app.version_of(one) for one in ids}
        for start in range(0, 24, 4):
            await add(sink, 4, 7_000 + start)
            wanted = len(ids) + start + 4
            await until(pilot, partial(_lists, screen, wanted))
        assert len(app._versions) <= 5
        assert all(app.version_of(one) >= before[one] for one in ids)
        await settle(pilot)
        grown = screen_text(app)
    async with opened(path) as (app, pilot):
        await press(pilot, "3", "g")
        lines = [line for line in screen_text(app).splitlines() if "live" not in line]
        shown = [line for line in grown.splitlines() if "live" not in line]
        assert lines[3:12] == shown[3:12]
