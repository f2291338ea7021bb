"""What the columns of a run file take: found in the schema, asked before a row is queued.

SQLite stores what does not fit as it is, and a NULL where none may be, or a number beyond 64 bits,
fails the whole transaction, the rows of others and all. So they are refused here, at the emitter that
sent them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from memtui.store.schema import TABLES

_TABLE = re.compile(r"CREATE TABLE (\w+)\((.*?)\)(?: WITHOUT ROWID)?;", re.DOTALL)
_BODIES: dict[str, str] = dict(_TABLE.findall(TABLES))
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_COLUMN = re.compile(r"^\s*(\w+) (INTEGER|TEXT|REAL|BLOB)\b(.*)$", re.DOTALL)
_TAKES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (int, float),
    "TEXT": (str,),
    "BLOB": (bytes,),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the schema declares it."""

    name: str
    kind: str
    required: bool


def columns(table: str) -> tuple[Column, ...]:
    """The columns of a table, in order."""
    found = []
    for part in _BODIES[table].split(","):
        match = _COLUMN.match(part)
        if match is not None:
            name, kind, rest = match.groups()
            named = kind == "TEXT" and "PRIMARY KEY" in rest  # only a number may be given by SQLite
            found.append(Column(name, kind, named or "NOT NULL" in rest))
    return tuple(found)


class Shape:
    """The columns `first` .. `last` of a table without `but`: what one kind of row fills."""

    def __init__(self, table: str, first: str, last: str, *, but: tuple[str, ...] = ()) -> None:
        self.table = table
        every = columns(table)
        names = [c.name for c in every]
        span = every[names.index(first) : names.index(last) + 1]
        self.columns = tuple(c for c in span if c.name not in but)
        self._whole = tuple(n for n, c in enumerate(self.columns) if c.kind == "INTEGER")
        self._finite = tuple(
            n for n, c in enumerate(self.columns) if c.kind == "REAL" and c.required
        )
        self._seen: set[tuple[type, ...]] = set()

    def check(self, row: tuple[object, ...]) -> None:
        """ValueError naming the column when the row would not be stored as it stands."""
        types = tuple(map(type, row))
        if types not in self._seen:
            for column, value in zip(self.columns, row, strict=True):
                _check(column, value)
            self._seen.add(types)
        for n in self._whole:
            if isinstance(value := row[n], int) and not _LOWEST <= value <= _HIGHEST:
                raise ValueError(f"{self.columns[n].name} is out of range")
        for n in self._finite:
            if isinstance(value := row[n], float) and not math.isfinite(value):
                raise ValueError(f"{self.columns[n].name} is {value}")


def _check(column: Column, value: object) -> None:
    if value is None:
        if column.required:
            raise ValueError(f"{column.name} is missing (None)")
    elif not isinstance(value, _TAKES[column.kind]):
        raise ValueError(f"{column.name} is {value!r:.80}, not {column.kind.lower()}")
