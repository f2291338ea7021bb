"""What the list of episodes is sorted by: a mark at its column, and words where that is not on screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from memtui.state.settings import Settings, SortKey
from memtui.views.columns import GAP, Placed, heading
from memtui.views.look import Look

COLUMN_OF = {
    SortKey.SCALE: "scale",
    SortKey.ARM: "arm",
    SortKey.TYPE: "type",
    SortKey.OUTCOME: "outcome",
    SortKey.COVERAGE: "coverage",
    SortKey.CALLS: "requested",
    SortKey.T_STAR: "t_star",
    SortKey.OVERSHOOT: "overshoot",
    SortKey.REDUNDANT: "redundant",
    SortKey.QUESTION: "question",
    SortKey.TOKENS: "tokens",
    SortKey.COST: "cost",
    SortKey.TIME: "time",
}
"""Each order but that of arrival has a column."""
SORTABLE = frozenset(COLUMN_OF.values())


def list_heading(placed: Sequence[Placed], settings: Settings, look: Look) -> Text:
    """The titles: those that can be sorted by underlined, a mark behind the one that is."""
    text = heading(placed, look.muted)
    sorted_by, turned = COLUMN_OF.get(settings.sort), "▲" if settings.reversed else "▼"
    start = 0
    marked: tuple[int, str] | None = None
    for place in placed:
        words = min(cell_len(place.column.title), place.width)
        at = start if place.column.align == "left" else start + place.width - words
        if place.column.name in SORTABLE:
            text.stylize(Style(underline=True), at, at + words)
        if place.column.name == sorted_by:
            text.stylize(look.strong, at, at + words)
            marked = at + words, turned  # within the column, or in the gap behind it
        start += place.width + GAP
    if marked is None:
        return text
    at, sign = marked
    line = text[:at]
    line.append(sign, look.strong)
    line.append_text(text[at + 1 :])
    return line


def order_words(placed: Sequence[Placed], settings: Settings, look: Look) -> tuple[Text, bool]:
    """`sorted by cost ▼`, and whether it has to be said: its column is not on screen."""
    text = Text.assemble(
        ("sorted by ", look.muted),
        (settings.sort.value, ""),
        (" ▲" if settings.reversed else " ▼", look.muted),
        end="",
    )
    return text, COLUMN_OF.get(settings.sort) not in {place.column.name for place in placed}
