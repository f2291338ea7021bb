"""Facets with live counts, chips, saved views, completion, and an order by every column."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from memtui.screens import episode_filters
from memtui.screens.episode_row import columns
from memtui.screens.episodes import EpisodesScreen
from memtui.state.settings import SORT_ORDER, Quick
from memtui.state.told_apart import Apart
from memtui.store.side_file import SideFile
from memtui.views.columns import place
from tests.ui.driving import opened, press, screen_text, settle, styled_rows
from tests.ui.test_hostile_run import assert_sane, hostile_run

SIZES = [(80, 24), (120, 36)]


def listed(shown: str) -> int:
    found = re.search(r"^ ([\d ]+) episodes?", shown, re.MULTILINE)
    assert found is not None, shown
    return int(found[1].replace(" ", ""))


@pytest.mark.parametrize("size", SIZES)
async def test_a_facet_filters_by_what_it_counted(size: tuple[int, int], run_file: Path) -> None:
    async with opened(run_file, size) as (app, pilot):
        await press(pilot, "3", "f")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        shown = screen_text(app)
        found = re.search(r"  exhausted +(\d+)", shown)
        assert found is not None, shown
        while " exhausted" not in _under(screen):
            await press(pilot, "j")
        await press(pilot, "enter")
        shown = screen_text(app)
        assert listed(shown) == int(found[1])
        assert " out:exhausted " in shown and "▸ exhausted" in shown
        while "▸" not in _under(screen):
            await press(pilot, "k")
        await press(pilot, "enter")
        assert listed(screen_text(app)) == 360
        await press(pilot, "escape")
        assert not screen.has_class("faceted") and screen.focused is screen.rows


def _under(screen: EpisodesScreen) -> str:
    return screen.facets.line(screen.facets.cursor, 34).plain


async def test_a_view_is_saved_taken_and_dropped(
    run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = Path(shutil.copy(run_file, tmp_path / "invented.memtui"))
    async with opened(path) as (app, pilot):
        await press(pilot, "3", "slash", *"out:wrong", "enter")
        many = listed(screen_text(app))
        await press(pilot, "V", "s", *"bad [b]", "enter", "0")
        assert listed(screen_text(app)) == 360
        assert SideFile(path, "run-invented").read().views == {"bad [b]": "out:wrong"}
        await press(pilot, "V")
        assert "1 bad [b]" in screen_text(app)
        await press(pilot, "1")
        assert listed(screen_text(app)) == many
        await press(pilot, "V", "x", "1")
        assert SideFile(path, "run-invented").read().views == {}


async def test_the_line_says_what_may_come_and_tab_takes_it(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "slash", *"out:w")
        await press(pilot, "tab", "enter")
        assert "out:wrong" in screen_text(app)
        await press(pilot, "slash", *" regime:exhausted_")
        await pilot.pause(0.3)
        assert "exhausted_covered" in screen_text(app)


async def test_the_footer_names_the_keys_of_what_has_them(run_file: Path) -> None:
    """Enter filters in the facets and keeps a filter in its line: neither opens a trajectory."""

    def footer() -> str:
        return screen_text(app).splitlines()[-1]

    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3")
        assert "Enter trajectory" in footer()
        await press(pilot, "f")
        assert "Enter filter by it" in footer() and "Esc close facets" in footer()
        await press(pilot, "j", "enter")
        assert "filter out:" in screen_text(app)
        await press(pilot, "0")  # takes filters off, and leaves the facets to choose the next one
        assert "filter out:" not in screen_text(app) and "outcome" in screen_text(app)
        assert "0 filters off" in footer()
        await press(pilot, "tab")
        assert "Enter trajectory" in footer()
        await press(pilot, "escape", "slash")
        assert footer().split() == ["Enter", "keep", "Esc", "undo", "Tab", "complete"]
        await press(pilot, "escape")
        assert "Enter trajectory" in footer() and "? help" in footer()


async def test_the_cursor_stays_on_a_facet_that_is_switched(run_file: Path) -> None:
    """Others go when one is chosen: Enter once more must take back that one, not what came in its place."""
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "f", "j", "j", "j")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        chosen, before = _under(screen), screen_text(app)
        assert chosen.split()[1].isdigit()
        await press(pilot, "enter")
        assert _under(screen).strip(" ▸") == chosen.strip()
        await press(pilot, "enter")
        assert _under(screen) == chosen
        assert listed(screen_text(app)) == listed(before)


async def test_every_column_can_be_sorted_by(run_file: Path) -> None:
    async with opened(run_file, (200, 60)) as (app, pilot):
        await press(pilot, "3")
        for key in (*SORT_ORDER[1:], SORT_ORDER[0]):
            await press(pilot, "s")
            shown = screen_text(app)
            assert f"sorted by {key.value} " in shown
            assert listed(shown) == 360
            marked = [word for word in shown.split("\n")[4].split() if word.endswith("▼")]
            assert len(marked) == (key is not SORT_ORDER[0]), shown
        for word in ("R", "t*", "+t*", "left", "red.", "tokens", "cost", "time", "gold", "answer"):
            assert word in screen_text(app).split("\n")[4], word


async def test_the_order_is_seen_at_80_columns_whatever_the_counts_are(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "slash", *"scale>=0", "enter")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        screen._counts = dict.fromkeys(Quick, 234567)
        for key in (*SORT_ORDER[1:], SORT_ORDER[0]):
            await press(pilot, "s")
            screen._counts = dict.fromkeys(Quick, 234567)
            screen.draw_around()
            await settle(pilot)
            counts, chips, titles = screen_text(app).split("\n")[2:5]
            assert "v excluded 234 567" in counts and "scale>=0" in chips
            assert chips.endswith(f"sorted by {key.value} ▼"), chips
            mark = titles.find("▼")
            assert mark < 0 or titles[mark - 1] != " "


async def test_hostile_values_are_facets_and_chips(tmp_path: Path) -> None:
    path = await hostile_run(tmp_path / "hostile.memtui")
    for size in SIZES:
        async with opened(path, size) as (app, pilot):
            await press(pilot, "3", "f")
            for key in ("G", "enter", "k", "enter", "k", "enter", "V", "escape", "escape", "0"):
                await press(pilot, key)
                assert_sane(screen_text(app), size[0])
            assert app.is_running


@pytest.mark.parametrize("longest_arm", [6, 22, 60])
@pytest.mark.parametrize(
    "apart", [Apart(), Apart(repeats=True), Apart(seeds=True), Apart(seeds=True, repeats=True)]
)
def test_the_arm_of_a_row_is_seen_at_80_columns(longest_arm: int, apart: Apart) -> None:
    """However long the names are: rows that differ in nothing else must not look the same."""
    names = [placed.column.name for placed in place(columns(2, longest_arm, apart), 76)]
    assert {"outcome", "strip", "arm", "scale", "question"} <= set(names)
    assert ("apart" in names) == bool(apart.heading)
    narrow = [placed.column.name for placed in place(columns(2, longest_arm, apart, 59), 57)]
    assert {"strip", "arm", "scale", "question"} <= set(narrow)  # the strip ends with the outcome
    assert ("apart" in narrow) == bool(apart.heading)


def test_a_wide_list_writes_arm_and_type_out_and_leaves_nothing_away() -> None:
    marked = place(columns(2, 22, Apart(repeats=True), 119), 117)
    assert {placed.column.name: placed.width for placed in marked}["arm"] == 22
    widths = {placed.column.name: placed.width for placed in place(columns(2, 26, None, 199), 197)}
    assert widths["arm"] == 26 and widths["type"] >= len("single-session-assistant")
    assert {"gold", "answer", "tokens", "cost", "time"} <= set(widths)


async def test_the_chosen_filter_is_told_whole_where_it_is_narrow(run_file: Path) -> None:
    async with opened(run_file, (50, 20)) as (app, pilot):
        await press(pilot, "3", "v")
        assert re.search(r" v excluded \d+$", screen_text(app), re.MULTILINE)


async def test_a_filter_that_is_not_understood_stays_to_be_put_right(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine is slow between two keys, and what stands there then, `out`, would be looked for.
    monkeypatch.setattr(episode_filters, "TYPING_PAUSE", 60)
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3")
        everything = listed(screen_text(app))
        await press(pilot, "slash", *"out:exhaused", "enter")
        shown = screen_text(app)
        assert "did you mean exhausted" in shown and "out:exhaused" in shown
        assert listed(shown) == everything
        await press(pilot, "backspace", "backspace", *"ted", "enter")
        assert 0 < listed(screen_text(app)) < everything
        await press(pilot, "slash", *" scale>=x", "enter", "escape")
        assert "scale>=x" not in screen_text(app)
        assert 0 < listed(screen_text(app)) < everything


async def test_another_theme_colours_the_rows_too(run_file: Path) -> None:
    async with opened(run_file, theme="light") as (app, pilot):
        await press(pilot, "3")
        wanted = styled_rows(app, range(4, 12))
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3")
        app.theme = "memtui-light"
        await settle(pilot)
        assert styled_rows(app, range(4, 12)) == wanted


async def test_calls_left_are_a_number_where_none_is_left(run_file: Path) -> None:
    async with opened(run_file, (200, 50)) as (app, pilot):
        await press(pilot, "3", "slash", *"calls:2..9", "enter")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        head, *rows = screen_text(app).splitlines()[3:20]
        while "left" not in head:
            head, *rows = rows
        at = head.index("left")
        assert {row[at : at + 4].strip() for row in rows[:8]} == {"0"}
