"""Marks of a hit, in signs of their own: gold, new, seen before, cut before the model saw it."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.views.look import Look

GOLD = "★"
NEW = "+"
SEEN = "="
CUT = "✂"

LEGEND = (
    (GOLD, "gold: this block holds evidence"),
    (NEW, "new to the model"),
    (SEEN, "the model had seen it before"),
    (CUT, "returned, but cut before the model saw it"),
)


def hit_marks(*, gold: bool, new: bool, shown: bool, look: Look) -> Text:
    """Two cells: gold or blank, then new, seen or cut."""
    second: tuple[str, Style]
    if not shown:
        second = (CUT, look.missing)
    elif new:
        second = (NEW, look.fresh)
    else:
        second = (SEEN, look.muted)
    return Text.assemble((GOLD if gold else " ", look.gold), second, end="")
