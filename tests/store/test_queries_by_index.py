"""What is asked ten times a second goes by index to what changed, however large the file is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memtui.store.reader import RunReader, open_run
from memtui.store.tail import Tail
from tests.report.generated_run import anything

JUDGE = "deterministic-1"
WHOLE = ("SCAN step", "SCAN episode", "SCAN verdict", "episode_facts (counts=?)")
"""In a plan of SQLite's: a way over all rows of a large table."""


class PlanningReader(RunReader):
    """Keeps the plan of every question."""

    plans: list[str]

    def query(self, sql: str, params: Sequence[object] = ()) -> list[Any]:
        plan = super().query(f"EXPLAIN QUERY PLAN {sql}", params)
        self.plans.append("; ".join(row[3] for row in plan))
        return super().query(sql, params)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PlanningReader]:
    found = PlanningReader(anything(tmp_path / "any.memtui"))
    found.plans = []
    yield found
    found.close()


def whole(plans: Sequence[str]) -> list[str]:
    return [plan for plan in plans if any(way in plan for way in WHOLE)]


def test_facts_that_changed_are_read_by_index(reader: PlanningReader) -> None:
    since = reader.rev() - 5
    assert since > 0
    changed = {fact.id for fact in reader.episode_facts(JUDGE, since)}
    assert changed and reader.dropped_since(since) is not None
    assert whole(reader.plans) == []
    everything = {fact.id for fact in reader.episode_facts(JUDGE)}
    assert changed < everything and whole(reader.plans), "the test can tell"


def test_facts_of_some_cells_are_read_by_index(reader: PlanningReader) -> None:
    cells = [cell.id for cell in reader.cells()][:3]
    reader.plans.clear()
    some = reader.packed_facts(JUDGE, cells)
    assert whole(reader.plans) == []
    all_of_them = reader.packed_facts(JUDGE)
    assert dict(some.items()) == {
        one: fact for one, fact in all_of_them.items() if fact.cell_id in cells
    }
    assert 0 < len(some) < len(all_of_them)


def test_the_newest_ids_are_all_ids_from_the_last_to_the_first(reader: PlanningReader) -> None:
    with open_run(reader.path) as plain:
        assert list(reader.newest_ids()) == plain.episode_ids(order_sql="e.id DESC")


def test_a_poll_goes_by_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = anything(tmp_path / "any.memtui")
    asked: list[tuple[str, Any]] = []

    def ids(connection: sqlite3.Connection, sql: str, after: int) -> tuple[int, ...]:
        asked.append((sql, after))
        return tuple(row[0] for row in connection.execute(sql, (after,)))

    monkeypatch.setattr("memtui.store.tail._ids", ids)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET state='running'")
    tail = Tail(path)
    connection.execute("UPDATE run SET rev=rev+1")
    connection.commit()
    assert tail.poll() is not None
    tail.close()
    plans = [
        "; ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (after,)))
        for sql, after in asked
    ]
    connection.close()
    assert len(plans) == 3 and whole(plans) == [], plans
