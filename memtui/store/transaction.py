"""The thread's side of the writer: a batch of operations becomes one short transaction."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memtui.store import codec
from memtui.store.ids import highest
from memtui.store.rows import Row


@dataclass(frozen=True, slots=True)
class Step:
    """A step's row without its id, and its new messages as JSON."""

    row: Row
    messages: bytes | None


@dataclass(frozen=True, slots=True)
class Insert:
    """A row of any other table."""

    table: str
    row: Row


@dataclass(frozen=True, slots=True)
class Update:
    """A change of rows, run after the inserts of its batch, in order; `?1` is the new rev."""

    sql: str
    values: Row


Operation = Step | Insert | Update

_WITH_REV = {
    "run": "INSERT INTO run(uid,name,protocol,config,config_hash,mode,budget,alpha,judge,planned,"
    "scales,dataset,versions,seeds,created_at,rev,state,id) VALUES"
    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'running',1)",
    "episode": "INSERT INTO episode(id,uid,key,cell_id,item_id,haystack_id,repeat,attempt,started_at,"
    "rev) VALUES(?,?,?,?,?,?,?,?,?,?)",
    "verdict": "INSERT INTO verdict(episode_id,judge,label,reason,raw,usage,at,rev) VALUES"
    "(?,?,?,?,?,?,?,?)",
}
_PLAIN = {
    "arm": "INSERT INTO arm VALUES(?,?,?,?,?,?,?,?)",
    "cell": "INSERT INTO cell VALUES(?,?,?,?)",
    "item": "INSERT INTO item VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
    "evidence": "INSERT INTO evidence VALUES(?,?,?,?,?,?)",
    "ledger": "INSERT INTO ledger(owner,phase,paid,cold,wall_ms) VALUES(?,?,?,?,?)",
    "heartbeat": "INSERT OR REPLACE INTO heartbeat VALUES(1,?,?,?,?)",
    "event": "INSERT INTO event(at,level,kind,text,data) VALUES(?,?,?,?,?)",
}
_PACKED = {
    "session": "INSERT INTO session(token,sha,source,date,n_turns,tokens,z) VALUES(?,?,?,?,?,?,?)",
    "passage": "INSERT OR IGNORE INTO passage VALUES(?,?)",
    "haystack": "INSERT INTO haystack VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
}
_SQL = {**_WITH_REV, **_PLAIN, **_PACKED}
_STEP_ROW = "(" + ",".join("?" * 25) + ")"
_STEP = "INSERT INTO step VALUES" + _STEP_ROW
_MANY = 50
_STEPS = "INSERT INTO step VALUES" + ",".join([_STEP_ROW] * _MANY)
"""Many rows in one statement: sqlite3 hands the interpreter lock over at every statement it steps."""
_MESSAGE = "INSERT INTO message VALUES(?,?)"


class Transactions:
    """Writes batches; owns the connection's rev and the ids of steps."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.rev = max(highest(connection, t, "rev") for t in ("run", "episode", "verdict"))
        self._step = highest(connection, "step")

    def write(self, batch: list[list[Operation]]) -> None:
        """Write a batch in one transaction; on any error nothing of it is in the file."""
        rev, step = self.rev + 1, self._step
        steps: list[Row] = []
        messages: list[Row] = []
        inserts: dict[str, list[Row]] = {}
        updates: list[Update] = []
        for operations in batch:
            for operation in operations:
                if type(operation) is Step:
                    step += 1
                    steps.append((step, *operation.row))
                    if operation.messages is not None:
                        messages.append((step, codec.pack(operation.messages)))
                elif type(operation) is Insert:
                    table, row = operation.table, operation.row
                    if table in _WITH_REV:
                        row = (*row, rev)
                    elif table in _PACKED:
                        packed = row[-1]
                        assert isinstance(packed, bytes)
                        row = (*row[:-1], codec.pack(packed))
                    inserts.setdefault(table, []).append(row)
                elif type(operation) is Update:
                    updates.append(operation)
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table, rows in inserts.items():
                connection.executemany(_SQL[table], rows)
            if steps:
                whole = len(steps) - len(steps) % _MANY
                for start in range(0, whole, _MANY):
                    chunk = steps[start : start + _MANY]
                    connection.execute(_STEPS, [value for row in chunk for value in row])
                connection.executemany(_STEP, steps[whole:])
            if messages:
                connection.executemany(_MESSAGE, messages)
            for update in updates:
                connection.execute(update.sql, (rev, *update.values))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self.rev, self._step = rev, step
