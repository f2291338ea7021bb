"""The large plot: exact places, gaps, signs at alpha, and the same cells whatever the terminal can draw."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.views.dots import Canvas
from memtui.views.look import DARK, LIGHT, NO_COLOUR
from memtui.views.plot import FILLED, HOLLOW, Curve, Plot, Point, plot_lines

RATES = st.one_of(st.none(), st.floats(0, 1))


def point(value: float | None) -> Point | None:
    if value is None:
        return None
    return Point(value, max(0.0, value - 0.1), min(1.0, value + 0.1), 50)


def plot(*curves: list[float | None], target: float | None = 0.7) -> Plot:
    rungs = len(curves[0])
    return Plot(
        "Pass@2",
        "right within 2 calls",
        tuple(f"+{100 * rung}" for rung in range(rungs)),
        tuple(Curve(f"arm {n}", tuple(map(point, c))) for n, c in enumerate(curves)),
        target,
    )


def body(lines: list[str]) -> list[str]:
    """The rows between legend and axis."""
    return [line for line in lines if len(line) > 4 and line[4] in "│┤"]


def test_points_stand_at_their_rate_filled_from_alpha_on() -> None:
    lines = [line.plain for line in plot_lines(plot([1.0, 0.7, 0.69, 0.0]), 80, 30, DARK)]
    rows = body(lines)
    assert len(rows) == 21 and rows[0].startswith(" 100┤") and rows[-1].startswith("   0┤")
    assert FILLED[0] in rows[0] and HOLLOW[0] in rows[-1]
    alpha = next(row for row in rows if "α .70" in row)
    assert alpha.startswith("  70┤")
    found = "".join(rows)
    assert found.count(FILLED[0]) == 2 and found.count(HOLLOW[0]) == 2


def test_a_rung_that_did_not_run_is_a_gap() -> None:
    whole = body(
        [line.plain for line in plot_lines(plot([0.5, 0.5, 0.5], target=None), 60, 20, DARK)]
    )
    gap = body(
        [line.plain for line in plot_lines(plot([0.5, None, 0.5], target=None), 60, 20, DARK)]
    )
    drawn = [sum(1 for sign in "".join(rows) if "⠀" < sign <= "⣿") for rows in (whole, gap)]
    assert drawn[1] < drawn[0] / 2
    assert "–" in plot_lines(plot([0.5, None, 0.5]), 60, 24, DARK)[-1].plain


def test_no_line_joins_a_rung_of_another_axis() -> None:
    flat = plot([0.5, 0.5, 0.5], target=None)
    for ladder in ((True, True, True), (False, True, True)):
        lines = [line.plain for line in plot_lines(replace(flat, ladder=ladder), 60, 20, DARK)]
        row = next(row for row in body(lines) if FILLED[0] in row)
        first, second, third = (at for at, sign in enumerate(row) if sign == FILLED[0])
        assert ("⠤" in row[first:second] or "⠒" in row[first:second]) == ladder[0]
        assert row[second + 2 : third - 1].strip()
        axis = next(line for line in lines if line.startswith("    └"))
        assert (" " in axis.strip()) != ladder[0]


@pytest.mark.parametrize("upper", [0.55, 0.65, 0.75, 0.85])
def test_a_point_of_difference_is_not_a_row(upper: float) -> None:
    near = [line.plain for line in plot_lines(plot([upper, upper - 0.01, 0.2]), 80, 20, DARK)]
    rows = [row for row in body(near) if FILLED[0] in row or HOLLOW[0] in row]
    assert len(rows) == 2
    far = [line.plain for line in plot_lines(plot([upper, upper - 0.12, 0.2]), 80, 20, DARK)]
    assert len([row for row in body(far) if FILLED[0] in row or HOLLOW[0] in row]) == 3


def test_the_rates_stand_below_and_are_bold_from_alpha_on() -> None:
    last = plot_lines(plot([0.8, 0.6]), 80, 30, DARK)[-1]
    assert "80±10 (50)" in last.plain and "60±10 (50)" in last.plain
    bold = {
        last.plain[span.start : span.end]
        for span in last.spans
        if not isinstance(span.style, str) and span.style.bold
    }
    assert "80±10" in bold and "60±10" not in bold


@given(
    st.lists(st.lists(RATES, min_size=4, max_size=4), min_size=1, max_size=4),
    st.integers(40, 160),
    st.integers(8, 50),
    st.booleans(),
)
def test_it_keeps_to_its_room(
    curves: list[list[float | None]], width: int, height: int, ascii_only: bool
) -> None:
    for look in (DARK, LIGHT, NO_COLOUR):
        lines = plot_lines(plot(*curves), width, height, look, ascii_only=ascii_only)
        assert len(lines) <= height
        assert all(cell_len(line.plain) <= width for line in lines)


def test_ascii_has_letters_small_below_alpha() -> None:
    lines = [
        line.plain
        for line in plot_lines(plot([0.9, 0.2], [0.8, 0.6]), 70, 24, DARK, ascii_only=True)
    ]
    rows = "".join(line for line in lines if len(line) > 4 and line[4] in "|+")
    assert {"A", "a", "B", "b"} <= set(rows)
    assert all(sign.isascii() or sign in "·±α–≥→" for sign in "".join(lines))


def test_dots_add_up_and_the_last_ink_holds() -> None:
    canvas = Canvas(2, 1)
    for y in range(4):
        canvas.dot(0, y, 1)
        canvas.dot(1, y, 2)
    canvas.dot(9, 9, 3)
    assert list(canvas.cells(0)) == [("⣿", 2), (" ", None)]
    canvas.sign(1, 0, "●", 7)
    assert list(canvas.cells(0))[1] == ("●", 7)
    assert [sign for sign, _ in canvas.cells(0, ascii_only=True)] == ["|", "●"]


def test_without_an_arm_it_says_so() -> None:
    nothing = Plot("Pass@2", "", ("+0",), ())
    assert "no arm" in plot_lines(nothing, 60, 20, DARK)[0].plain


@pytest.mark.parametrize("height", [10, 14, 20, 40])
def test_labels_stand_at_even_steps(height: int) -> None:
    rows = body([line.plain for line in plot_lines(plot([0.5]), 80, height, DARK)])
    at = [number for number, row in enumerate(rows) if row[4] == "┤"]
    assert len({b - a for a, b in pairwise(at)}) == 1
