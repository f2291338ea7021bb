"""Columns of a list: which fit, how wide they are, and a row laid out by cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.style import Style
from rich.text import Span, Text

from memtui.views.text_door import clean_line, fit

GAP = 2

Cell = Text | tuple[str, Style] | str
"""What stands in a column: a drawn text, or words, with one style for all of them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list.

    `keep` orders what goes first when it gets narrow (0 never goes). A column with `grow` shares what
    is left over; free text belongs in the last column, so that a terminal that measures it differently
    cannot move a number.
    """

    name: str
    title: str
    width: int
    align: Literal["left", "right"] = "left"
    keep: int = 0
    grow: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A column with the width it got."""

    column: Column
    width: int


def place(columns: Sequence[Column], width: int, *, gap: int = GAP) -> list[Placed]:
    """The columns that fit in `width` cells, in order; the least needed are dropped, whole."""
    kept = list(columns)

    def needed() -> int:
        return sum(column.width for column in kept) + gap * max(0, len(kept) - 1)

    while needed() > width:
        candidates = [column for column in kept if column.keep]
        if not candidates:
            break
        kept.remove(max(candidates, key=lambda column: column.keep))
    spare = max(0, width - needed())
    shares = sum(column.grow for column in kept)
    placed = []
    for column in kept:
        more = 0
        if column.grow and shares:
            more = spare * column.grow // shares
            spare -= more
            shares -= column.grow
        placed.append(Placed(column, column.width + more))
    return placed


def heading(placed: Sequence[Placed], style: Style, *, gap: int = GAP) -> Text:
    """The row of column titles."""
    text = Text(end="", no_wrap=True)
    for number, place_ in enumerate(placed):
        if number:
            text.append(" " * gap)
        text.append(fit(place_.column.title, place_.width, place_.column.align), style)
    return text


def aligned(cell: Text, width: int, align: Literal["left", "right"]) -> Text:
    """The cell cut or padded to exactly `width` cells."""
    room = width - cell.cell_len
    if room < 0:
        cell = cell.copy()
        cell.truncate(width, overflow="ellipsis")
        room = width - cell.cell_len
    if room <= 0:
        return cell
    blank = Text(" " * room, end="")
    return blank + cell if align == "right" else cell + blank


def row(
    placed: Sequence[Placed], cells: Mapping[str, Cell], *, gap: int = GAP, margin: int = 0
) -> Text:
    """One row after `margin` blanks; `cells` by column name. Strings are outside text and pass the door here."""
    parts: list[str] = []
    spans: list[Span] = []
    at, blanks = 0, margin  # characters so far; blanks at the end of a cell and before the next one
    for number, place_ in enumerate(placed):
        blanks += gap if number else 0
        width, right = place_.width, place_.column.align == "right"
        cell = cells.get(place_.column.name, "")
        if isinstance(cell, Text):
            room = width - cell.cell_len
            if room < 0:
                cell = aligned(cell, width, place_.column.align)
                room = width - cell.cell_len
            words, style = cell.plain, cell.style
        else:
            words, style = (cell, "") if isinstance(cell, str) else cell
            words = clean_line(words, width=width)
            room = width - (len(words) if words.isascii() else cell_len(words))
        before = blanks + (room if right else 0)
        parts += (" " * before, words)
        at += before
        end = at + len(words)
        if style and words:
            spans.append(Span(at, end, style))
        if isinstance(cell, Text):
            spans += [Span(at + start, at + stop, own) for start, stop, own in cell.spans]
        at, blanks = end, 0 if right else room
    parts.append(" " * blanks)
    return Text("".join(parts), end="", no_wrap=True, spans=spans)
