"""One large picture of a rate along the scales: up to four arms, intervals, the level alpha, s*.

Lines and whiskers are drawn in braille, four dots to a row and two to a column; points are signs, filled
at or above alpha and hollow below, and the figures stand below the axis, so that nothing has to be read
off a picture alone. Arms differ in sign and dash as well as in colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from memtui.views.dots import Canvas
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, level, percent, percent_interval
from memtui.views.sentences import shorten
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, cut

MOST = 4
"""Curves that can be told apart."""
LEAST_ROWS = 5
"""Rows of dots below which the figures under the axis give way."""
MARGIN = 5
FILLED, HOLLOW = "●▲■◆", "○△□◇"
ASCII_FILLED, ASCII_HOLLOW = "ABCD", "abcd"
DASHES = ("1", "111100", "1100", "11111100100")
"""Dots drawn and left out along each curve."""
ON_DARK = ("#56b4e9", "#e69f00", "#2bbf8a", "#d98cb8")
ON_LIGHT = ("#0072b2", "#b35c00", "#00795a", "#a0417f")
"""After Okabe and Ito: told apart by every kind of colour vision."""


@dataclass(frozen=True, slots=True)
class Point:
    """A rate 0..1 with its interval and n; a rung without one has no point."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Curve:
    """One arm: a point per rung, None where nothing ran. `star`: the rung of s*, where there is one."""

    name: str
    points: tuple[Point | None, ...]
    star: int | None = None
    star_label: str = ""
    here: bool = False
    """Whether it is the arm under the cursor."""


@dataclass(frozen=True, slots=True)
class Plot:
    """What is plotted: a measure, rungs at even steps, at most `MOST` curves, the level to hold."""

    title: str
    what: str
    labels: tuple[str, ...]
    curves: tuple[Curve, ...]
    target: float | None = None
    cursor: int | None = None
    """The rung to light, and so the name of the curve that is `here`."""
    ladder: tuple[bool, ...] = ()
    """Whether each rung is one of the ladder; a line joins two that are, or two that are not. Empty: all are."""

    def joined(self, rung: int) -> bool:
        """Whether a rung is on one axis with the rung before."""
        return not self.ladder or self.ladder[rung - 1] == self.ladder[rung]


def plot_lines(
    plot: Plot, width: int, height: int, look: Look, *, ascii_only: bool = False
) -> list[Text]:
    """The picture in at most `height` lines of `width` cells."""
    if not plot.labels or not plot.curves:
        return [styled(" nothing to plot: no arm has started yet", look.muted)]
    styles = curve_styles(look)
    signs = ASCII_FILLED if ascii_only else FILLED
    head = [_title(plot, width, look), *_legend(plot, signs, styles, width, look)]
    stars = plot.target is not None and any(curve.star is not None for curve in plot.curves)
    below = 2 + stars
    figures = len(plot.curves)
    rows = height - len(head) - below - figures
    if rows < LEAST_ROWS:
        figures, rows = 0, height - len(head) - below
    if rows < 3:
        return head[:height]
    grid = _Grid(plot, width, rows)
    blanks = [Text(end="")] * min(grid.spare, 2)
    lines = [*head, *blanks[:1], *_body(plot, grid, look, styles, ascii_only=ascii_only)]
    lines.append(_axis(plot, grid, look, ascii_only=ascii_only))
    if stars:
        lines.append(_stars(plot, grid, signs, styles, look))
    lines.append(_labels(plot, grid, look))
    if figures:
        lines += blanks[1:]
        lines += _figures(plot, grid, signs, styles, look)
    return lines


def curve_styles(look: Look) -> tuple[Style, ...]:
    """One per curve; without colour they are plain, and sign and dash tell curves apart."""
    if not look.colour:
        return (Style(),) * MOST
    return tuple(Style(color=colour) for colour in (ON_DARK if look.dark else ON_LIGHT))


class _Grid:
    """Where things are: rungs at even steps, rates from 0 at the lowest dot to 1 at the highest."""

    def __init__(self, plot: Plot, width: int, rows: int) -> None:
        self.rows, self.by = _even(rows)
        self.spare = rows - self.rows
        self.right = 0 if plot.target is None else cell_len(_target_label(plot.target)) + 1
        self.columns = max(len(plot.labels), width - MARGIN - self.right - 1)
        self.step = self.columns / len(plot.labels)
        many = len(plot.curves)
        self.apart = 2 if self.step >= 3 * many else 1

    def centre(self, rung: int) -> int:
        """Column of a rung."""
        return int(self.step * rung + self.step / 2)

    def column(self, curve: int, many: int, rung: int) -> int:
        """Column of a point: curves stand beside each other, so that no interval hides another."""
        shift = curve * self.apart - (many - 1) * self.apart // 2
        return max(0, min(self.columns - 1, self.centre(rung) + shift))

    def dot(self, value: float) -> int:
        """Row of dots of a rate, from the top: 1 and 0 are the middle of the first and the last row."""
        return int((1.0 - min(1.0, max(0.0, value))) * 4 * (self.rows - 1) + 2.0)

    @property
    def ticks(self) -> dict[int, int]:
        """{row: per cent} of the labels at the left."""
        return {self.dot(rate / 100) // 4: rate for rate in range(0, 101, self.by)}


def _even(rows: int) -> tuple[int, int]:
    """Rows to draw, and per cent from one label to the next, so that labels stand at even steps."""
    for by, least in ((10, 21), (20, 11), (25, 9), (50, 3)):
        parts = 100 // by
        if rows >= least:
            return (rows - 1) // parts * parts + 1, by
    return rows, 100


def _title(plot: Plot, width: int, look: Look) -> Text:
    text = Text(" ", end="", no_wrap=True)
    text.append(plot.title, look.strong)
    text.append(f"  {plot.what}", look.muted)
    spans = {_span(curve) for curve in plot.curves}
    if len(spans) == 1:
        text.append(f" · n {spans.pop()}", look.muted)
    if plot.target is not None:
        words = f"filled: at or above α {level(plot.target)}"
        gap = width - text.cell_len - cell_len(words) - 1
        if gap > 2:
            text.append(" " * gap)
            text.append(words, look.muted)
    return shorten(text, width)


def _legend(
    plot: Plot, signs: str, styles: Sequence[Style], width: int, look: Look
) -> Iterator[Text]:
    """Sign, name, s* and n of every curve, in as few lines as hold them."""
    several = len({_span(curve) for curve in plot.curves}) > 1
    line = Text(" ", end="", no_wrap=True)
    for number, curve in enumerate(plot.curves):
        entry = Text(end="", no_wrap=True)
        entry.append(f"{signs[number]} ", styles[number] + Style(bold=True))
        ink = styles[number] + Style(bold=curve.here or None, underline=curve.here or None)
        entry.append(clean_line(curve.name, width=max(8, width - 24)), ink)
        if curve.star_label:
            entry.append(f"  s* {curve.star_label}", look.muted)
        if several:
            entry.append(f"  n {_span(curve)}", look.muted)
        if line.cell_len > 1 and line.cell_len + 4 + entry.cell_len > width:
            yield line
            line = Text(" ", end="", no_wrap=True)
        if line.cell_len > 1:
            line.append("    ")
        line.append_text(entry)
    yield line


def _span(curve: Curve) -> str:
    """How many episodes are counted at a rung, fewest to most."""
    counted = sorted({point.n for point in curve.points if point is not None})
    if not counted:
        return "0"
    return str(counted[0]) if len(counted) == 1 else f"{counted[0]}–{counted[-1]}"


def _body(
    plot: Plot, grid: _Grid, look: Look, styles: Sequence[Style], *, ascii_only: bool
) -> Iterator[Text]:
    canvas = Canvas(grid.columns, grid.rows)
    _whiskers(plot, grid, canvas)
    _curves(plot, grid, canvas)
    _points(plot, grid, canvas, ascii_only=ascii_only)
    whisker = [_softer(style, look) for style in styles]
    inks = [*whisker, *styles, *(style + Style(bold=True) for style in styles)]
    ticks = grid.ticks
    target = None if plot.target is None else grid.dot(plot.target) // 4
    dash, stem, notch = ("-", "|", "+") if ascii_only else ("╌", "│", "┤")
    for row in range(grid.rows):
        text = Text(" ", end="", no_wrap=True)
        text.append(f"{ticks[row]:>3}" if row in ticks else "   ", look.muted)
        text.append(notch if row in ticks else stem, look.faint)
        ground, ink = " ", look.faint
        if row == target:
            ground, ink = dash, look.budget if look.colour else look.muted
        for sign, number in canvas.cells(row, ascii_only=ascii_only):
            if number is None:
                text.append(ground, ink)
            else:
                text.append(sign, inks[number])
        if row == target and plot.target is not None:
            text.append(f" {_target_label(plot.target)}", ink)
        yield text


def _target_label(target: float) -> str:
    return f"α {level(target)}"


def _softer(style: Style, look: Look) -> Style:
    """The ink of intervals: half way to the ground, so that points and lines stand before them."""
    if style.color is None or look.base.bgcolor is None:
        return style + Style(dim=True)
    ink, ground = style.color.get_truecolor(), look.base.bgcolor.get_truecolor()
    mixed = [round(0.6 * a + 0.4 * b) for a, b in zip(ink, ground, strict=True)]
    return Style(color="#{:02x}{:02x}{:02x}".format(*mixed))


def _whiskers(plot: Plot, grid: _Grid, canvas: Canvas) -> None:
    many = len(plot.curves)
    for number, curve in enumerate(plot.curves):
        for rung, point in enumerate(curve.points):
            if point is None or point.low is None or point.high is None:
                continue
            x = 2 * grid.column(number, many, rung)
            top, bottom = grid.dot(point.high), grid.dot(point.low)
            for y in range(top, bottom + 1):
                canvas.dot(x, y, number)
            for y in (top, bottom):
                canvas.dot(x - 1, y, number)
                canvas.dot(x + 1, y, number)


def _curves(plot: Plot, grid: _Grid, canvas: Canvas) -> None:
    """Lines from rung to rung; a rung that did not run, or is on another axis, leaves a gap."""
    many = len(plot.curves)
    for number, curve in enumerate(plot.curves):
        pattern, at = DASHES[number], 0
        for rung in range(1, len(curve.points)):
            before, after = curve.points[rung - 1], curve.points[rung]
            if before is None or after is None or not plot.joined(rung):
                continue
            start = 2 * grid.column(number, many, rung - 1), grid.dot(before.value)
            end = 2 * grid.column(number, many, rung), grid.dot(after.value)
            for x, y in _line(start, end):
                if pattern[at % len(pattern)] == "1":
                    canvas.dot(x, y, MOST + number)
                at += 1


def _line(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Dots of a straight line, one per column or row, whichever are more."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    for step in range(steps + 1):
        yield round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps)


def _points(plot: Plot, grid: _Grid, canvas: Canvas, *, ascii_only: bool) -> None:
    many = len(plot.curves)
    filled, hollow = (ASCII_FILLED, ASCII_HOLLOW) if ascii_only else (FILLED, HOLLOW)
    rows = _rows(plot, grid)
    for number, curve in enumerate(plot.curves):
        for rung, point in enumerate(curve.points):
            if point is not None:
                reached = plot.target is None or point.value >= plot.target
                sign = (filled if reached else hollow)[number]
                row = rows[point.value]
                canvas.sign(grid.column(number, many, rung), row, sign, 2 * MOST + number)


def _rows(plot: Plot, grid: _Grid) -> dict[float, int]:
    """The row of the sign of every value: values less than half a row apart share one, so that a difference
    of a point is not drawn like one of ten where a row ends between them."""
    values = sorted({p.value for curve in plot.curves for p in curve.points if p is not None})
    half = 0.5 / (grid.rows - 1)
    rows: dict[float, int] = {}
    near: list[float] = []
    for value in [*values, float("inf")]:
        if near and value - near[0] > half:
            row = grid.dot(sum(near) / len(near)) // 4
            rows |= dict.fromkeys(near, row)
            near = []
        near.append(value)
    return rows


def _axis(plot: Plot, grid: _Grid, look: Look, *, ascii_only: bool) -> Text:
    corner, line, tick = ("+", "-", "+") if ascii_only else ("└", "─", "┴")
    cells = [line] * grid.columns
    for rung in range(1, len(plot.labels)):
        if not plot.joined(rung):
            cells[(grid.centre(rung - 1) + grid.centre(rung)) // 2] = " "
    for rung in range(len(plot.labels)):
        cells[grid.centre(rung)] = tick
    return styled("    " + corner + "".join(cells), look.faint)


def _stars(plot: Plot, grid: _Grid, signs: str, styles: Sequence[Style], look: Look) -> Text:
    """The sign of each curve at its s*: the first scale at which it falls below alpha."""
    cells: list[tuple[str, Style]] = [(" ", Style())] * grid.columns
    for number, curve in enumerate(plot.curves):
        if curve.star is not None:
            at = grid.column(number, len(plot.curves), curve.star)
            cells[at] = (signs[number], styles[number] + Style(bold=True))
    text = Text("  ", end="", no_wrap=True)
    text.append("s* ", look.muted)
    for sign, style in cells:
        text.append(sign, style)
    return text


def _labels(plot: Plot, grid: _Grid, look: Look) -> Text:
    room = max(1, int(grid.step) - 1)
    labels = [
        styled(cut(label, room), look.strong if rung == plot.cursor else look.muted)
        for rung, label in enumerate(plot.labels)
    ]
    return _under(grid, labels, styled("", ""))


def _figures(
    plot: Plot, grid: _Grid, signs: str, styles: Sequence[Style], look: Look
) -> Iterator[Text]:
    """The rates under their rungs: bold at or above alpha, with n where there is room."""
    wide = grid.step >= 14
    for number, curve in enumerate(plot.curves):
        cells = []
        for point in curve.points:
            if point is None:
                cells.append(styled(UNKNOWN, look.faint))
                continue
            reached = plot.target is not None and point.value >= plot.target
            words = percent_interval(point.value, point.low, point.high)
            if cell_len(words) >= grid.step:
                words = percent(point.value)
            text = styled(words, look.strong if reached else "")
            if wide:
                text.append(f" ({point.n})", look.muted)
            cells.append(text)
        yield _under(grid, cells, styled(f" {signs[number]}", styles[number] + Style(bold=True)))


def _under(grid: _Grid, cells: Sequence[Text], label: Text) -> Text:
    """Texts centred under the rungs."""
    text = Text(" ", end="", no_wrap=True)
    text.append_text(label)
    for rung, cell in enumerate(cells):
        start = MARGIN + grid.centre(rung) - (cell.cell_len - 1) // 2
        text.append(" " * max(0 if not rung else 1, start - text.cell_len))
        text.append_text(cell)
    return text
