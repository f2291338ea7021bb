"""From a rich `Text` to a strip of the screen, on the ground of the current look."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from memtui.views.look import ascii_twins

_CONSOLE = Console(width=1_000, force_terminal=True, color_system="truecolor")
"""Only resolves the spans of a Text; nothing is printed."""


Colours = Callable[[list[Segment]], list[Segment]]
"""Turns the colours of segments into those of a terminal."""


def strip_of(
    text: Text,
    width: int,
    base: Style,
    *,
    over: Style | None = None,
    ascii_only: bool = False,
    colours: Colours | None = None,
) -> Strip:
    """The text as exactly `width` cells on `base`; `over` is laid on top (a cursor row).

    Blank segments are styled too: the line interface does not paint them. Without `colours` whoever
    paints the strip sees to them.
    """
    if isinstance(text.style, Style):
        base = base + text.style
    segments: list[Segment] = []
    shown, last = "", None
    cells = 0
    for piece, own in _in_a_row(text) or _resolved(text):
        style = base + own if own else base
        if over is not None:
            style = style + over
        if ascii_only:
            piece = ascii_twins(piece)
        cells += len(piece) if piece.isascii() else cell_len(piece)
        if last is None:
            shown, last = piece, style
        elif style is last or style == last or (piece.isspace() and _same_ground(last, style)):
            # Blanks show no colour but their ground: one piece less to filter, cut and send each time.
            shown += piece
        else:
            segments.append(Segment(shown, last))
            shown, last = piece, style
    if last is not None:
        segments.append(Segment(shown, last))
    pad = base if over is None else base + over
    if cells < width:
        segments.append(Segment(" " * (width - cells), pad))
        cells = width
    strip = Strip(segments if colours is None else colours(segments), cells)
    return strip if cells == width else strip.adjust_cell_length(width, pad)


def _in_a_row(text: Text) -> list[tuple[str, Style | None]]:
    """The pieces of a text whose spans follow one another, which is how lines are put together; empty
    where some overlap or are named, and there is more to it than cutting."""
    plain, at = text.plain, 0
    if text.style and not isinstance(text.style, Style):
        return []
    pieces: list[tuple[str, Style | None]] = []
    for start, end, style in text.spans:
        if start < at or not isinstance(style, Style):
            return []
        if start > at:
            pieces.append((plain[at:start], None))
        if piece := plain[start:end]:
            pieces.append((piece, style))
        at = max(end, start)
    if at < len(plain):
        pieces.append((plain[at:], None))
    return pieces


def _resolved(text: Text) -> Iterable[tuple[str, Style | None]]:
    """The pieces of any text."""
    return ((segment.text, segment.style) for segment in text.render(_CONSOLE, end=""))


@lru_cache(maxsize=1024)
def _same_ground(one: Style, other: Style) -> bool:
    """Whether a blank looks the same in both styles."""
    drawn = (one.underline, one.underline2, one.strike, one.overline, one.reverse, one.link)
    return (
        not any(drawn)
        and not other.underline
        and not other.reverse
        and not other.strike
        and not other.link
        and one.bgcolor == other.bgcolor
    )
