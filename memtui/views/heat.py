"""Cells of the heat table: the rate and its interval as text on the colour of the rate."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.views.look import Look, rate_ground
from memtui.views.numbers import UNKNOWN, percent_interval
from memtui.views.styled import styled


def heat_cell(
    rate: float | None,
    low: float | None,
    high: float | None,
    look: Look,
    *,
    width: int,
    goodness: float | None = None,
    at_target: bool = False,
    selected: bool = False,
    uncertain: bool = False,
) -> Text:
    """``91±3`` centred in `width` cells; bold at or above the target, reverse under the cursor.

    `goodness` 0..1 chooses the colour where a high rate is bad (default: the rate). `uncertain` (few episodes, or many excluded) draws the text in italics on a plain ground: a colour
    would say more than the numbers do. Without a rate the cell is empty ground with ``–``.
    """
    if rate is None:
        text = styled(UNKNOWN.center(width), look.faint)
    else:
        shown = percent_interval(rate, low, high).center(width)
        if not look.colour:
            style = Style(bold=at_target)
        elif uncertain:
            style = look.muted + Style(italic=True)
        else:
            style = rate_ground(rate if goodness is None else goodness, look, bold=at_target)
        text = styled(shown, style)
    if selected:
        inside = text.plain[1:-1]
        if not (text.plain.startswith(" ") and text.plain.endswith(" ")):
            return styled(text.plain, look.chip)  # no room for brackets
        if not look.colour:
            return styled(f"▸{inside}◂", look.chip)
        return Text.assemble(("▸", look.accent), (inside, look.strong), ("◂", look.accent), end="")
    return text
