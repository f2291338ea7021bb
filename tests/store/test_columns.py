"""What does not fit its column is refused at the emitter that sent it, and nobody else hears of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.model import RunState
from memtui.store.columns import Shape, columns
from memtui.store.errors import StoreError
from memtui.store.events import Event, ItemEvent, LogEvent, RunStateEvent, StepEvent
from memtui.store.reader import open_run
from memtui.store.schema import TABLES
from memtui.store.writer import RunWriter
from tests.store import store_events as make

TABLE_NAMES = [
    *("run", "arm", "cell", "item", "evidence", "session", "passage", "haystack", "episode"),
    *("step", "message", "verdict", "ledger", "heartbeat", "event"),
]


@pytest.mark.parametrize("table", TABLE_NAMES)
def test_columns_are_read_from_the_schema_as_sqlite_reads_it(table: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        declared = connection.execute(f"PRAGMA table_info({table})").fetchall()
    assert [(c.name, c.kind, c.required) for c in columns(table)] == [
        (name, kind, bool(required)) for _, name, kind, required, _, _ in declared
    ]


def test_a_shape_names_the_column_that_does_not_fit() -> None:
    shape = Shape("run", "budget", "planned")
    shape.check((2, 0.7, "rules", 10))
    for row, name in [
        ((2.5, 0.7, "rules", 10), "budget is 2.5, not integer"),
        ((2, float("nan"), "rules", 10), "alpha is nan"),
        ((2, 0.7, None, 10), "judge is missing"),
        ((2, 0.7, b"rules", 10), "judge is b'rules', not text"),
        ((2, 0.7, 5, 10), "judge is 5, not text"),
        ((2, 0.7, "rules", "ten"), "planned is 'ten', not integer"),
        ((2, 0.7, "rules", 2**63), "planned is out of range"),
    ]:
        for _ in range(2):  # what was refused once is not known as good
            with pytest.raises(ValueError, match=name):
                shape.check(row)


ODD: dict[str, Any] = {
    "raw": None,
    "text": None,
    "name": None,
    "status": None,
    "query": b"bytes",
    "k_asked": "twelve",
    "call_no": 2**63,
    "gold_new": "one",
    "wall_ms": "long",
}


@pytest.mark.parametrize("name", ODD)
def test_a_step_that_fits_no_column_breaks_nothing_but_itself(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.memtui"
    with_odd: dict[str, Any] = {"at": make.AT, **{name: ODD[name]}}
    writer = RunWriter(path).start()
    whole = make.whole_episode("e1")
    for event in [*make.opening(), whole[0]]:
        writer.put(event)
    with pytest.raises(StoreError, match=name):
        writer.put(StepEvent("e1", 1, "model", **with_odd))
    for event in whole[1:]:
        writer.put(event)
    writer.close_sync()
    with open_run(path) as reader:
        assert reader.progress().done == 1


def test_other_events_that_do_not_fit_break_nothing_but_themselves(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    opening = make.opening()
    item = next(e.item for e in opening if isinstance(e, ItemEvent))
    nothing: Any = None
    odd: list[Event] = [
        ItemEvent(replace(item, key="other", question=nothing)),
        LogEvent(make.AT, "info", "note", nothing),
        RunStateEvent(RunState.RUNNING, make.AT, nothing),
    ]
    writer = RunWriter(path).start()
    for event in opening:
        writer.put(event)
    for event in odd:
        with pytest.raises(StoreError, match=r"missing \(None\)"):
            writer.put(event)
    for event in make.whole_episode("e1"):
        writer.put(event)
    writer.close_sync()
    with open_run(path) as reader:
        assert reader.progress().done == 1
