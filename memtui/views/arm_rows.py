"""Rows of figures under the name of an arm or a scale: one table over all cells, one line at a time.

Columns are as wide as their widest figure in any cell, so that nothing moves with the cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from memtui.views.columns import Column, Placed, heading, place, row
from memtui.views.look import Look

LEAST_NAME, SHORT_NAME = 12, 20
"""Cells of a name that are never given up, and those that only give way to what never goes."""
WIDE = 100
"""Terminal columns from which titles are written out."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A column: its title, and what goes first when it gets narrow (0 never goes)."""

    name: str
    title: str
    keep: int = 0
    short: str = ""
    """The title on a narrow terminal, where it is another."""


Figures = Mapping[str, Text]
"""The figures of one cell, by name of the column."""


@dataclass(frozen=True, slots=True)
class CellTable:
    """Figures of every cell, by cell id, and the columns they stand in."""

    columns: tuple[Column, ...]
    rows: Mapping[int, Figures]
    gap: int = 2
    short_name: int = SHORT_NAME
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles written out, by name of the column."""


def cell_table(
    figures: Sequence[Figure],
    rows: Mapping[int, Figures],
    width: int = WIDE,
    *,
    short_name: int = SHORT_NAME,
) -> CellTable:
    """Measure the columns over all cells, for a terminal of `width` columns; `short_name`: cells to which
    names are cut for columns that go next."""
    narrow = width < WIDE
    columns = []
    for one in figures:
        title = one.short if narrow and one.short else one.title
        cells = _widest(one.name, rows.values())
        columns.append(Column(one.name, title, max(cell_len(title), cells), "right", one.keep))
    # Two blanks where all columns have them beside a name: titles of two words run into one another else.
    roomy = sum(column.width + 2 for column in columns) + SHORT_NAME + 2 <= width
    titles = {one.name: one.title for one in figures}
    return CellTable(tuple(columns), rows, 2 if roomy or not narrow else 1, short_name, titles)


def _widest(name: str, rows: Iterable[Figures]) -> int:
    return max((row[name].cell_len for row in rows if name in row), default=0)


def name_width(table: CellTable, longest: int, width: int) -> int:
    """Cells for the names: as many as the longest has, unless columns that matter more need them."""

    def room(keep: int) -> int:
        wanted = [column.width + table.gap for column in table.columns if column.keep <= keep]
        return min(longest, 32, width - 2 - sum(wanted))

    for keep in (2, 1):
        if room(keep) >= min(longest, table.short_name):
            return room(keep)
    return max(LEAST_NAME, room(0))


def left_out(
    table: CellTable, label: str, cell: int | None, name: int, width: int, look: Look
) -> tuple[Text, bool]:
    """The name written out, and with their titles the figures of a cell that have no column; whether the
    row does not say all of it."""
    placed = {one.column.name for one in _placed(table, name, width)}
    figures = {} if cell is None else table.rows.get(cell, {})
    text = Text(" ", end="", no_wrap=True)
    missing = [one for one in table.columns if one.name not in placed and one.name in figures]
    text.append(label, look.accent)
    for one in sorted(missing, key=lambda column: column.keep):
        title = table.titles[one.name]
        more = Text.assemble((f"   {title} ", look.muted), figures[one.name], end="")
        if text.cell_len + more.cell_len < width:
            text.append_text(more)
    return text, bool(missing) or cell_len(label) > name


def head_line(table: CellTable, label: str, name: int, width: int, look: Look) -> Text:
    """The titles of the columns after `label`."""
    text = Text(" ", end="", no_wrap=True)
    text.append(label.ljust(name + table.gap), look.muted)
    text.append_text(heading(_placed(table, name, width), look.muted, gap=table.gap))
    return text


def figures_line(table: CellTable, label: Text, cell: int | None, name: int, width: int) -> Text:
    """One row; a cell that did not run has blanks."""
    text = Text(" ", end="", no_wrap=True)
    label = label.copy()
    label.truncate(name, overflow="ellipsis", pad=True)
    text.append_text(label)
    text.append(" " * table.gap)
    figures = {} if cell is None else table.rows.get(cell, {})
    cells: dict[str, Text | str] = dict(figures)
    text.append_text(row(_placed(table, name, width), cells, gap=table.gap))
    return text


def _placed(table: CellTable, name: int, width: int) -> list[Placed]:
    return place(table.columns, width - name - table.gap - 1, gap=table.gap)
