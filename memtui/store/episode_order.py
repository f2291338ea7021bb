"""The episodes of a file in the order of one of its columns, read once and brought up to date where it grows."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from math import isnan, nan

from memtui.store.episode_queries import Source

PIECE = 8_192
"""Episodes that are read ahead at a time: some five milliseconds, for which a key may have to wait."""
KEPT = 3
"""Orders that are kept, of four bytes an episode."""
FEW = 50
"""Where more than one in so many changed, reading all of them anew is quicker."""
_WIDEST = 1 << 31
_LISTED = "(e.counts=1 OR e.done=0)"


class ColumnOrders:
    """Ids of all counted or running episodes by a column of `episode e`, what is unknown last, ties by id.

    What is no finite number counts as unknown; numbers are compared as floats. A file that stays as it is
    costs an order, four bytes an episode; of one that was seen to change the values are kept too, for the
    order that was asked for last, so that only what changed is read. For one thread.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], _Order] = {}
        self._ahead: tuple[str, bool, _Column] | None = None
        """An order that is being read, and what was read for it."""

    def ids(self, source: Source, column: str, *, largest_first: bool) -> array[int]:
        """The order as of now; never changed afterwards."""
        rev, before = _newest(source), self._kept.pop((column, largest_first), None)
        if before is not None and before.rev == rev:
            return self._keep(column, largest_first, before)
        if before is not None and before.values is not None:
            grown = before.values.grown(source, before.ids, largest_first)
            if grown is not None:
                return self._keep(column, largest_first, _Order(rev, grown, before.values))
        values = None if self._ahead is None else self._ahead[2]
        if values is None or values.column != column or values.rev != rev:
            values = _Column(source, column)
        self._ahead = None
        while values.read_on(source):
            pass
        ids = values.ordered(largest_first)
        if before is None:
            return self._keep(column, largest_first, _Order(values.rev, ids))
        for other in self._kept.values():
            other.values = None
        return self._keep(column, largest_first, _Order(values.rev, ids, values))

    def read_ahead(self, source: Source, column: str, *, largest_first: bool) -> bool:
        """Read one piece of what `ids` will be asked for; False when nothing is left to read."""
        if (column, largest_first) in self._kept:
            return False
        if self._ahead is None or self._ahead[:2] != (column, largest_first):
            self._ahead = column, largest_first, _Column(source, column)
        if not self._ahead[2].read_on(source):
            self.ids(source, column, largest_first=largest_first)
        return True

    def _keep(self, column: str, largest_first: bool, order: _Order) -> array[int]:
        self._kept[column, largest_first] = order
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return order.ids


@dataclass(slots=True)
class _Order:
    """Ids in order, as of a transaction, and the values where the file was seen to change."""

    rev: int
    ids: array[int]
    values: _Column | None = None


class _Column:
    """The values of a column, NaN for what is unknown, parallel to the ids they belong to, smallest id first."""

    def __init__(self, source: Source, column: str) -> None:
        self.column = column
        self._known = f"iif(({column}) BETWEEN -1e300 AND 1e300,{column},NULL)"
        self.rev = _newest(source)
        """Asked first: what changes while the column is read is read once more."""
        self._ids = array("q")
        self._values = array("d")
        self._whole = False

    def read_on(self, source: Source) -> bool:
        """Read some more; False when all is there."""
        if self._whole:
            return False
        after = self._ids[-1] if self._ids else -(1 << 63)
        rows = source.query(
            f"SELECT e.id,{self._known} FROM episode e WHERE e.id>? AND {_LISTED}"
            " ORDER BY e.id LIMIT ?",
            (after, PIECE),
        )
        if rows:
            ids, values = zip(*rows, strict=True)
            self._ids.extend(ids)
            self._values.extend([nan if value is None else value for value in values])
        self._whole = len(rows) < PIECE
        return not self._whole

    def ordered(self, largest_first: bool) -> array[int]:
        """The ids in the order of their values."""
        ids, unknown = self._ids.tolist(), list[int]()
        values = [value for value in self._values if value == value]
        if len(values) < len(ids):
            unknown = [*compress(ids, map(isnan, self._values))]
            ids = [one for one, value in zip(ids, self._values, strict=True) if value == value]
        # Keys are asked for once each, in the order of the list: no way from an id to its value is needed.
        ids.sort(key=partial(next, iter(values)), reverse=largest_first)
        return _packed(ids + unknown)

    def grown(self, source: Source, ids: array[int], largest_first: bool) -> array[int] | None:
        """The order `ids`, which is that of the values, brought up to date with them; None where too much
        changed."""
        most = len(self._ids) // FEW
        newest = _newest(source)
        rows = source.query(
            f"SELECT e.id,{self._known},{_LISTED} FROM episode e WHERE e.rev>? LIMIT ?",
            (self.rev, most + 1),
        )
        if len(rows) > most:
            return None
        place = partial(self._place, largest_first)
        wide = any(not -_WIDEST <= row[0] < _WIDEST for row in rows)
        order = array("q", ids) if wide else ids[:]
        for one, value, listed in rows:
            at = bisect_left(self._ids, one)
            if at < len(self._ids) and self._ids[at] == one:
                del order[bisect_left(order, place(one), key=place)]
                del self._ids[at], self._values[at]
            if listed:
                self._ids.insert(at, one)
                self._values.insert(at, nan if value is None else value)
                order.insert(bisect_left(order, place(one), key=place), one)
        self.rev = newest
        return order

    def _place(self, largest_first: bool, one: int) -> tuple[bool, float, int]:
        value = self._values[bisect_left(self._ids, one)]
        if isnan(value):
            return True, 0.0, one
        return False, -value if largest_first else value, one


def _newest(source: Source) -> int:
    """The newest transaction that touched an episode."""
    found: int = source.query("SELECT coalesce(max(rev),0) FROM episode")[0][0]
    return found


def _packed(ids: Sequence[int]) -> array[int]:
    try:
        return array("i", ids)
    except OverflowError:
        return array("q", ids)
