"""Orders by a column of the file are those of a plain sort, also of a file that grows, and go on by index."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.store import episode_order
from memtui.store.episode_order import ColumnOrders
from memtui.store.records import HaystackDetail, ItemRow
from memtui.store.schema import INDICES, TABLES

COLUMNS = ("e.cost", "e.prompt_tokens+e.completion_tokens")
LARGE = 1 << 40
"""An id that takes more than four bytes."""


class EpisodeTable:
    """The source of a query: a run file in memory, and what was asked of it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(TABLES + INDICES)
        self.rev = 0
        self.read = 0
        """Rows handed over."""
        self.plans: list[str] = []
        """The ways SQLite took to them."""

    def query(self, sql: str, params: Sequence[object] = ()) -> list[Any]:
        plan = self.connection.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        self.plans += [row[3] for row in plan]
        rows = self.connection.execute(sql, params).fetchall()
        self.read += len(rows)
        return rows

    def item(self, item_id: int) -> ItemRow | None:
        raise NotImplementedError

    def haystack(self, haystack_id: int) -> HaystackDetail | None:
        raise NotImplementedError

    def write(self, episode: int, value: object, *, counts: int, done: int) -> None:
        """One transaction: the episode as it is now."""
        self.rev += 1
        self.connection.execute(
            "INSERT INTO episode(id,rev,uid,key,cell_id,item_id,repeat,attempt,started_at,counts,done,"
            "cost,prompt_tokens,completion_tokens) VALUES (?1,?2,?1,'',1,1,0,1,'',?3,?4,?5,?5,1)"
            " ON CONFLICT(id) DO UPDATE SET rev=?2,counts=?3,done=?4,cost=?5,prompt_tokens=?5",
            (episode, self.rev, counts, done, value),
        )

    def plainly(self, column: str, largest_first: bool) -> list[int]:
        """All ids in order, by a sort of Python's of one row after the other."""
        rows = self.connection.execute(
            f"SELECT e.id,{column} FROM episode e WHERE counts=1 OR done=0 ORDER BY e.id"
        ).fetchall()
        values = {
            one: value
            for one, value in rows
            if isinstance(value, (int, float)) and math.isfinite(value)
        }
        known = sorted(values, key=values.__getitem__, reverse=largest_first)
        return known + [one for one, _ in rows if one not in values]


@contextmanager
def table() -> Iterator[EpisodeTable]:
    made = EpisodeTable()
    try:
        yield made
    finally:
        made.connection.close()


VALUES = st.one_of(
    st.none(),
    st.sampled_from([0.3, 0.1 + 0.2, 0.0, -0.0, 1, 2, math.inf, -math.inf, "much", b"\x00"]),
    st.floats(-10, 10),
)
WRITES = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 15), st.just(LARGE)),
        VALUES,
        st.sampled_from([(0, 0), (1, 1), (1, 1), (0, 1)]),
    ),
    max_size=8,
)
"""Episodes that start, end, are written anew, or stop counting."""


@given(
    st.lists(WRITES, min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from(COLUMNS), st.booleans()), min_size=1, max_size=4),
    st.booleans(),
)
@example([[(1, 1, (1, 1))], [(2, 5, (0, 0))], [(2, 5, (0, 1))]], [("e.cost", True)], False)
@settings(max_examples=150, deadline=None)
def test_an_order_is_that_of_a_plain_sort_however_often_the_file_changed(
    writes: list[list[Any]], asked: list[tuple[str, bool]], ahead: bool
) -> None:
    with table() as source, pytest.MonkeyPatch.context() as patched:
        patched.setattr(episode_order, "PIECE", 4)
        patched.setattr(episode_order, "FEW", 1)  # what changed is always few
        orders = ColumnOrders()
        for batch in writes:
            for episode, value, (counts, done) in batch:
                source.write(episode, value, counts=counts, done=done)
            for column, largest_first in asked:
                if ahead:
                    orders.read_ahead(source, column, largest_first=largest_first)
                found = orders.ids(source, column, largest_first=largest_first)
                assert list(found) == source.plainly(column, largest_first)


def test_values_that_differ_in_their_last_digit_are_told_apart() -> None:
    with table() as source:
        for episode, value in ((1, 0.1 + 0.2), (2, 0.3), (3, 0.3)):
            source.write(episode, value, counts=1, done=1)
        orders = ColumnOrders()
        assert [*orders.ids(source, "e.cost", largest_first=True)] == [1, 2, 3]
        assert [*orders.ids(source, "e.cost", largest_first=False)] == [2, 3, 1]


def filled(source: EpisodeTable, episodes: int) -> None:
    for episode in range(1, episodes + 1):
        source.write(episode, episode * 7 % 13, counts=1, done=1)


def test_of_a_file_that_grows_only_what_changed_is_read() -> None:
    with table() as source:
        filled(source, 400)
        orders = ColumnOrders()
        for episode in range(401, 411):
            source.write(episode, None, counts=0, done=0)
            orders.ids(source, "e.cost", largest_first=True)
        before = orders.ids(source, "e.cost", largest_first=True)
        kept = list(before)
        source.read = 0
        assert orders.ids(source, "e.cost", largest_first=True) is before
        source.write(401, 6.5, counts=1, done=1)
        found = orders.ids(source, "e.cost", largest_first=True)
        assert source.read < 10
        assert list(found) == source.plainly("e.cost", True) != kept
        assert list(before) == kept, "a list on screen holds it"


def test_an_order_that_was_read_ahead_is_not_read_again() -> None:
    with table() as source:
        filled(source, 400)
        orders, pieces = ColumnOrders(), 0
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(episode_order, "PIECE", 100)
            while orders.read_ahead(source, "e.cost", largest_first=True):
                pieces += 1
        assert pieces > 3, "a key need not wait for all of it"
        source.read = 0
        found = orders.ids(source, "e.cost", largest_first=True)
        assert source.read == 1 and list(found) == source.plainly("e.cost", True)


def test_no_more_orders_are_kept_than_there_is_room_for() -> None:
    with table() as source:
        filled(source, 40)
        orders = ColumnOrders()
        for column in (*COLUMNS, "e.wall_ms"):
            for largest_first in (True, False):
                orders.ids(source, column, largest_first=largest_first)
        assert len(orders._kept) == episode_order.KEPT


def test_what_changed_is_found_by_index() -> None:
    with table() as source:
        filled(source, 400)
        orders = ColumnOrders()
        orders.ids(source, "e.cost", largest_first=True)
        source.write(1, 5, counts=1, done=1)
        orders.ids(source, "e.cost", largest_first=True)
        source.plans.clear()
        source.write(2, 5, counts=1, done=1)
        orders.ids(source, "e.cost", largest_first=True)
        assert source.plans and not [way for way in source.plans if way.startswith("SCAN e")]
