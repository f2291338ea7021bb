"""From a rich `Text` to a strip of the screen, on the ground of the current look."""

from __future__ import annotations

from functools import lru_cache

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from memtui.views.look import ascii_twins

_CONSOLE = Console(width=1_000, force_terminal=True, color_system="truecolor")
"""Only resolves the spans of a Text; nothing is printed."""


def strip_of(
    text: Text, width: int, base: Style, *, over: Style | None = None, ascii_only: bool = False
) -> Strip:
    """The text as exactly `width` cells on `base`; `over` is laid on top (a cursor row).

    Blank segments are styled too: the line interface does not paint them.
    """
    if isinstance(text.style, Style):
        base = base + text.style
    segments: list[Segment] = []
    last: Style | None = None
    for segment in text.render(_CONSOLE, end=""):
        style = base + segment.style if segment.style else base
        if over is not None:
            style = style + over
        shown = ascii_twins(segment.text) if ascii_only else segment.text
        if last is not None and (style == last or (shown.isspace() and _same_ground(last, style))):
            # Blanks show no colour but their ground: one piece less to filter, cut and send each time.
            segments[-1] = Segment(segments[-1].text + shown, last)
            continue
        segments.append(Segment(shown, style))
        last = style
    pad = base if over is None else base + over
    return Strip(segments).adjust_cell_length(width, pad)


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
