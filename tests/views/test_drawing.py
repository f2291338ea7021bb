"""Strips, bars, heat cells, marks, coverage: fixed axes, shape beside colour, widths exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from rich.text import Text

from memtui.model import Ending, Label, Outcome
from memtui.views.bars import BLOCKS, bar, bars, share_bar, stacked_bar, tall_bars
from memtui.views.columns import Column, heading, place, row
from memtui.views.coverage import coverage_bar, coverage_curve, coverage_ratio
from memtui.views.difference import forest
from memtui.views.heat import heat_cell
from memtui.views.hints import Hint, fitting, hints_line
from memtui.views.look import (
    COLOUR_BLIND_SAFE,
    DARK,
    LIGHT,
    LOOKS,
    NO_COLOUR,
    Look,
    ascii_twins,
    rate_ground,
    rate_ink,
)
from memtui.views.marks import hit_marks
from memtui.views.outcome import outcome_word
from memtui.views.strip import call_strip
from memtui.views.title import Title, title_row

RATE = st.floats(0, 1)
PASS = Ending(Outcome.PASS, Label.RIGHT, True)


# --- strips --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "budget", "ending", "shown"),
    [
        ("◈◆◇◇", 2, Ending(Outcome.EXHAUSTED, Label.RIGHT, True), "◈◆│◇◇◔✓"),
        ("◈◆◇", 2, Ending(Outcome.EXHAUSTED, Label.WRONG, True), "◈◆│◇◔✗"),
        ("◇◇◇", 2, Ending(Outcome.EXHAUSTED, None, False), "◇◇│◇◔∅"),
        ("◆", 2, PASS, "◆ │✓"),
        ("◈◆", 2, PASS, "◈◆│✓"),
        ("", 2, PASS, "  │✓"),
        ("", 0, PASS, "│✓"),
        ("◆", 0, Ending(Outcome.EXHAUSTED, Label.RIGHT, True), "│◆◔✓"),
        ("◇", 2, Ending(Outcome.WRONG, Label.WRONG, True), "◇ │✗"),
        ("◇", 2, Ending(Outcome.WRONG, None, False), "◇ │∅"),
        ("◇", 2, Ending(Outcome.EXCLUDED, None, False), "◇ │!"),
        ("◇·", 2, Ending(Outcome.PENDING, None, False), "◇·│▸"),
        ("◆", 20, PASS, "◆✓"),
        ("◆", None, PASS, "◆✓"),
    ],
)
def test_the_grammar_of_a_strip(calls: str, budget: int | None, ending: Ending, shown: str) -> None:
    assert call_strip(calls, budget, ending, DARK).plain == shown


@given(st.text("◆◈◇·×○", max_size=60), st.integers(0, 30), st.integers(9, 40))
def test_a_strip_keeps_its_width_its_first_calls_and_its_end(
    calls: str, budget: int, width: int
) -> None:
    shown = call_strip(
        calls, budget, Ending(Outcome.EXHAUSTED, Label.RIGHT, True), DARK, width=width
    )
    assert shown.cell_len <= width
    assert shown.plain.endswith("◔✓")
    if calls:
        assert shown.plain.replace("│", "").startswith(calls[0])


def test_a_very_long_strip_says_how_many_calls_it_leaves_out() -> None:
    shown = call_strip("◇" * 5_000, 2, Ending(Outcome.EXHAUSTED, Label.RIGHT, True), DARK, width=14)
    assert shown.plain == "◇◇│◇◇◇◇+4994◔✓"


def test_a_strip_with_room_keeps_its_last_calls_too() -> None:
    calls = "◈◆" + "◇" * 36 + "·×"
    shown = call_strip(calls, 2, Ending(Outcome.EXHAUSTED, Label.RIGHT, True), DARK, width=18)
    assert shown.plain == "◈◆│◇◇◇◇◇◇◇+28◇·×◔✓"
    assert shown.plain.count("◇") + 28 == 36


def test_an_unknown_verdict_is_neither_right_nor_wrong() -> None:
    ending = Ending(Outcome.EXHAUSTED, Label.UNKNOWN, True)
    assert call_strip("◇◇◇", 2, ending, DARK).plain == "◇◇│◇◔?"


def test_every_outcome_has_a_sign_and_a_word_of_its_own() -> None:
    words = {outcome_word(outcome, NO_COLOUR).plain for outcome in Outcome}
    assert len(words) == len(Outcome)
    assert len({word[0] for word in words}) == len(Outcome)


def test_marks_are_two_cells_and_differ_without_colour() -> None:
    shown = {
        hit_marks(gold=g, new=n, shown=s, look=NO_COLOUR).plain
        for g in (True, False)
        for n, s in ((True, True), (False, True), (False, False))
    }
    assert shown == {"★+", "★=", "★✂", " +", " =", " ✂"}


# --- bars on a fixed axis --------------------------------------------------------------------------


def test_equal_rates_draw_equal_bars_whatever_stands_beside_them() -> None:
    assert bars([0.98, 0.97, 0.99], DARK).plain == "█ █ █"
    assert bars([0.9, 0.1], DARK).plain == "▇ ▁"
    assert bars([0.0, None, 1.0], DARK).plain == "▁ · █"
    assert bars([], DARK).plain == ""


@given(RATE, RATE)
def test_a_higher_rate_never_draws_a_lower_bar(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert BLOCKS.index(bar(low, DARK)[0]) <= BLOCKS.index(bar(high, DARK)[0])


@given(st.lists(st.one_of(st.none(), RATE), max_size=8), st.integers(1, 6))
def test_tall_bars_are_rectangular(rates: list[float | None], height: int) -> None:
    rows = tall_bars(rates, DARK, height=height)
    assert len(rows) == height
    assert len({text.cell_len for text in rows}) == 1


@given(st.lists(st.integers(0, 500), min_size=1, max_size=4), st.integers(1, 60))
def test_a_stacked_bar_fills_its_width_exactly(counts: list[int], width: int) -> None:
    shown = stacked_bar([(count, "█", DARK.good) for count in counts], width)
    assert shown.cell_len == (width if sum(counts) else 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(2, 30))
def test_a_share_is_neither_empty_nor_full_unless_it_is(part: int, whole: int, width: int) -> None:
    shown = share_bar(part, whole, width, DARK).plain
    assert len(shown) == width
    if 0 < part < whole:
        assert "━" in shown and "─" in shown
    if whole and part >= whole:
        assert shown == "━" * width


# --- heat ------------------------------------------------------------------------------------------


@given(RATE, st.integers(6, 12), st.sampled_from(sorted(LOOKS)), st.booleans(), st.booleans())
def test_a_heat_cell_has_its_width_and_its_number(
    rate: float, width: int, look: str, selected: bool, uncertain: bool
) -> None:
    cell = heat_cell(
        rate, max(0, rate - 0.03), min(1, rate + 0.03), LOOKS[look],
        width=width, selected=selected, uncertain=uncertain,
    )  # fmt: skip
    assert cell.cell_len == width
    at_an_end = f"{100 * rate:.0f}" in ("0", "100")  # ± would pass it: the interval stands alone
    assert f"{100 * rate:.0f}±" in cell.plain or (at_an_end and "–" in cell.plain)


def test_a_rate_that_does_not_exist_is_a_dash_and_not_a_zero() -> None:
    assert heat_cell(None, None, None, DARK, width=7).plain.strip() == "–"
    assert heat_cell(0.0, 0.0, 0.1, DARK, width=7).plain.strip() == "0–10"


def contrast(one: Style, other: Style) -> float:
    """WCAG's contrast of an ink on a ground."""
    assert one.color is not None and other.bgcolor is not None

    def luminance(colour: tuple[int, ...]) -> float:
        parts = [c / 255 / 12.92 if c < 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    lights = (luminance(one.color.get_truecolor()), luminance(other.bgcolor.get_truecolor()))
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@given(RATE, st.sampled_from([DARK, LIGHT, COLOUR_BLIND_SAFE]))
def test_rates_are_readable_on_and_in_every_colour(rate: float, look: Look) -> None:
    below, reached = (rate_ground(rate, look, bold=bold) for bold in (False, True))
    assert 4.5 <= contrast(below, below) < contrast(reached, reached)
    assert contrast(rate_ink(rate, look), look.base) >= 4.0


def test_no_colour_means_no_colour_in_any_style() -> None:
    for name in NO_COLOUR.__dataclass_fields__:
        style = getattr(NO_COLOUR, name)
        if hasattr(style, "color"):
            assert style.color is None and style.bgcolor is None
    assert NO_COLOUR.cursor.reverse


# --- coverage --------------------------------------------------------------------------------------


def test_coverage_that_is_not_known_is_not_nothing() -> None:
    assert coverage_ratio(None, None, DARK).plain == "n/a"
    assert coverage_ratio(0, 2, DARK).plain == "0/2"
    assert coverage_bar(None, None, 5, DARK).plain == "n/a  "
    assert coverage_bar(1, 3, 5, DARK).plain == "▪▫▫  "
    assert coverage_bar(1, 30, 5, DARK).plain == "▪▫▫▫▫"
    assert coverage_curve((), None, DARK).plain == ""
    assert coverage_curve((0, 0, 1, 2), 2, DARK).plain == "▁▄█"
    assert coverage_curve((2,), 2, DARK).plain == "█"
    assert coverage_curve((0, *range(1, 21)), 20, DARK, width=5).plain.endswith("…")


# --- rows and hints --------------------------------------------------------------------------------

COLUMNS = (
    Column("id", "id", 4, "right"),
    Column("rate", "rate", 6, keep=2),
    Column("text", "text", 10, grow=1),
)


@given(st.text(max_size=60), st.integers(20, 90))
def test_a_row_is_as_wide_as_its_heading_whatever_is_in_it(said: str, width: int) -> None:
    placed = place(COLUMNS, width)
    line = row(placed, {"id": "12", "rate": Text("91±3"), "text": said})
    assert line.cell_len == heading(placed, DARK.muted).cell_len == width


def test_the_least_needed_column_goes_first_and_whole() -> None:
    assert [one.column.name for one in place(COLUMNS, 24)] == ["id", "rate", "text"]
    assert [one.column.name for one in place(COLUMNS, 23)] == ["id", "text"]
    assert [one.column.name for one in place(COLUMNS, 5)] == ["id", "text"]


@given(st.integers(20, 120))
def test_hints_are_dropped_whole_and_the_way_out_stays(width: int) -> None:
    hints = [Hint(key, "what it does") for key in "abcdefgh"]
    line = hints_line(hints, width, DARK)
    assert line.cell_len == width
    assert "? help" in line.plain and "q quit" in line.plain
    shown = fitting(hints, width)
    assert list(shown[:-2]) == hints[: len(shown) - 2]


@given(st.integers(30, 200), st.text(max_size=40), st.booleans())
def test_row_one_has_the_width_and_always_names_screen_and_budget(
    width: int, file: str, hard: bool
) -> None:
    title = Title(
        3, "Episodes", file, state="▸ running 3/10", budget=2, hard=hard, alpha=0.7,
        judge="deterministic-v1", filter="out:wrong arm:bm25", excluded=4, paused=True,
    )  # fmt: skip
    line = title_row(title, width, DARK)
    assert line.cell_len == width
    assert "3 Episodes" in line.plain
    assert ("B≤2" if hard else "B 2") in line.plain


def test_ascii_twins_keep_every_cell() -> None:
    for sign in "◆◈◇·×○│✓✗◔∅★✂▸●▁▂▃▄▅▆▇█▒░±≥≤Δα–…⏎→━─▪▫":
        twin = ascii_twins(sign)
        assert twin.isascii() and len(twin) == 1


def test_a_difference_beyond_the_axis_looks_unlike_one_at_its_end() -> None:
    assert forest(0.5, 0.4, 0.6, 21, DARK).plain.endswith("─●")
    assert forest(0.667, 0.53, 0.8, 21, DARK).plain == " " * 10 + "│" + " " * 9 + "▸"
    assert forest(-0.667, -0.8, -0.3, 21, DARK).plain.startswith("◂─")
