"""A terminal without colours: none is sent, and what a colour alone would set apart is reversed."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import NoColor

_IN_ITS_PLACE = Style(strike=False, reverse=True)


class Uncoloured(NoColor):
    """Takes all colours out, and reverses what the stylesheet strikes through.

    On the way from a stylesheet to a line Textual keeps `strike` and drops `reverse`; nothing of ours is
    ever struck through, so that word stands for the other one.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, _reversed(style), control) if style is not None and style.strike else one
            for one in super().apply(segments, background)
            for text, style, control in (one,)
        ]


@lru_cache(256)
def _reversed(style: Style) -> Style:
    return style + _IN_ITS_PLACE
