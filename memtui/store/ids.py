"""What the writer knows by heart: row ids by key, and which keys, attempts and steps were seen.

It is the only writer of its file, so ids are given here and every statement can run in bulk. The same
knowledge rejects an event that refers to nothing, or comes twice, at the emitter.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field

from memtui.store.errors import StoreError


@dataclass(slots=True)
class Attempt:
    """An attempt of an episode as the writer sees it; `seqs` is a bit per step number."""

    id: int
    key: str
    done: bool = False
    seqs: int | None = 0
    """None: written by an earlier process; look the steps up before adding one."""
    escaped: bool = False
    """A note about escaped surrogates was already left."""


@dataclass(slots=True)
class Ids:
    """Caches over one run file."""

    run_uid: str | None = None
    config_hash: str | None = None
    arms: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[int, str], int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    haystacks: dict[str, int] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    passages: set[str] = field(default_factory=set)
    attempts: dict[str, Attempt] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """Episode key -> a bit per attempt number."""
    content: dict[str, int] = field(default_factory=dict)
    """`arm:KEY`, `item:KEY`, `haystack:KEY` -> hash of the row, to notice a changed redefinition."""

    def number(self, key: str, attempt: int) -> None:
        """Note an attempt number; StoreError when it is taken or not positive."""
        if attempt < 0:
            raise StoreError(f"attempt {attempt} of episode {key} is negative")
        bit = 1 << attempt
        seen = self.numbers.get(key, 0)
        if seen & bit:
            raise StoreError(f"attempt {attempt} of episode {key} is already in the file")
        self.numbers[key] = seen | bit

    def known(self, kind: str, key: str, row: tuple[object, ...]) -> bool:
        """True when the key is there with this very row, False when it is new.

        StoreError when it is there with another row: what a run refers to never changes under it.
        """
        name = f"{kind}:{key}"
        fingerprint = hash(row)
        before = self.content.setdefault(name, fingerprint)
        if before != fingerprint:
            raise StoreError(
                f"{kind} {key!r} is already in the file with other content: it cannot change within"
                " a run"
            )
        return key in getattr(self, kind + "s")


def load(connection: sqlite3.Connection) -> Ids:
    """Read the keys of an existing file."""
    ids = Ids()
    run = connection.execute("SELECT uid, config_hash FROM run").fetchone()
    if run is not None:
        ids.run_uid, ids.config_hash = run
    ids.cells = {
        (a, c): i for i, a, c in connection.execute("SELECT id,arm_id,conditions FROM cell")
    }
    ids.sessions = dict(connection.execute("SELECT token, sha FROM session").fetchall())
    evidence: dict[int, list[tuple[object, ...]]] = {}
    for row in connection.execute("SELECT * FROM evidence ORDER BY item_id, ord"):
        evidence.setdefault(row[0], []).append(tuple(row[1:]))
    for row in connection.execute("SELECT * FROM arm"):
        ids.arms[row[1]] = row[0]
        ids.content[f"arm:{row[1]}"] = hash(tuple(row[1:]))
    for row in connection.execute("SELECT * FROM item"):
        ids.items[row[1]] = row[0]
        ids.content[f"item:{row[1]}"] = hash((*row[1:], *evidence.get(row[0], ())))
    for row in connection.execute("SELECT * FROM haystack"):
        # Not the packed positions: other versions of zlib may pack the same bytes otherwise.
        ids.haystacks[row[1]] = row[0]
        ids.content[f"haystack:{row[1]}"] = hash(tuple(row[1:-1]))
    bits = ids.numbers
    for id_, uid, key, attempt, done in connection.execute(
        "SELECT id, uid, key, attempt, done FROM episode"
    ):
        ids.attempts[uid] = Attempt(id_, key, bool(done), None)
        bits[key] = bits.get(key, 0) | 1 << attempt
    return ids


def highest(connection: sqlite3.Connection, table: str, column: str = "id") -> int:
    """Largest value of a column, 0 when there is none."""
    found: int | None = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()[0]
    return found or 0


def seqs_of(fetch: Callable[[int], list[int]], attempt: Attempt) -> int:
    """The step numbers of an attempt as bits, read from the file the first time."""
    if attempt.seqs is None:
        attempt.seqs = 0
        for seq in fetch(attempt.id):
            attempt.seqs |= 1 << seq
    return attempt.seqs
