"""A folder of run files, one in every state that a list can meet, and one with every bad name."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from memtui.store import lease
from memtui.store.schema import SCHEMA_VERSION
from memtui.store.side_file import ALIAS, NOTE, SideFile

LONG_AGO = "2025-03-02T10:00:00+00:00"
"""So old that its age is the same in every test."""
HOSTILE_NAMES = (
    "red\x1b[31m\x07bell",
    "turned\u202egnp\u202c",
    "界" * 60,
    "zero\u200bwidth\ufeff",
    "[bold]markup[/]",
    "line\nbreak\ttab",
    "e" + "\u0301" * 40,
)


def rewrite(path: Path, **columns: object) -> None:
    """Set columns of the run row."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, value in columns.items():
            connection.execute(f"UPDATE run SET {name}=?", (value,))


def beat(path: Path, **snapshot: Any) -> None:
    """Make this the last sign of life."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT OR REPLACE INTO heartbeat VALUES (1,?,4711,'host',?)",
            (LONG_AGO, orjson.dumps(snapshot).decode()),
        )


def pay(path: Path, *costs: float | None) -> None:
    """Ledger rows with these costs; None is a call whose price is unknown."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for cost in costs:
            usage: dict[str, Any] = {"prompt": 10, "calls": 1, "attempts": 1}
            if cost is not None:
                usage["cost"] = cost
            text = orjson.dumps(usage).decode()
            connection.execute(
                "INSERT INTO ledger(owner,phase,paid,cold) VALUES ('state:x','answer',?,?)",
                (text, text),
            )


def copy(source: Path, folder: Path, name: str, day: int, **columns: object) -> Path:
    """A copy of a run file as a run of its own, begun on a day of March."""
    path = folder / f"{name}.memtui"
    shutil.copy(source, path)
    began = f"2025-03-{day:02d}T10:00:00+00:00"
    uid = f"run-{day}"
    rewrite(path, **{"uid": uid, "name": name, "created_at": began, **columns})
    return path


class RunFolder:
    """Files by name; the leases of those that run are held until `close`."""

    def __init__(self, source: Path, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._leases: list[lease.Lease] = []
        self.finished = copy(source, folder, "ladder", 9)
        pay(self.finished, 1.25, 0.5)
        self.running = copy(source, folder, "live", 12, state="running", planned=900)
        beat(self.running, state="running", rate=0.5, eta_s=1080, pace=None)
        pay(self.running, 0.04, None)
        self.paused = copy(source, folder, "held", 11, state="paused", planned=720)
        beat(self.paused, state="paused", rate=None, eta_s=None)
        self.interrupted = copy(source, folder, "cut-off", 10, state="running", planned=400)
        beat(self.interrupted, state="running", rate=2.0, eta_s=5)
        pay(self.interrupted, None)
        self.newer = copy(source, folder, "newer", 8)
        with closing(sqlite3.connect(self.newer)) as connection, connection:
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
        self.damaged = copy(source, folder, "damaged", 7)
        self.damaged.write_bytes(self.damaged.read_bytes()[:20_000])
        self.empty = folder / "empty.memtui"
        self.empty.touch()
        self.foreign = folder / "foreign.memtui"
        self.foreign.write_text("this is no database, but it is long enough to be read")
        for path in (self.running, self.paused):
            self._leases.append(lease.acquire(path))
        SideFile(self.finished, "run-9").append(ALIAS, "", "baseline")
        SideFile(self.finished, "run-9").append(NOTE, "", "the run of the figures")

    def add_hostile(self, source: Path) -> list[str]:
        """Runs whose names, aliases and notes try to draw elsewhere; returns the aliases."""
        for number, name in enumerate(HOSTILE_NAMES):
            path = copy(source, self.folder, name.replace("/", "")[:80], 20 + number)
            SideFile(path, f"run-{20 + number}").append(ALIAS, "", f"{name} alias")
            SideFile(path, f"run-{20 + number}").append(NOTE, "", f"{name} note")
        long = copy(source, self.folder, "L" * 240, 28)
        SideFile(long, "run-28").append(ALIAS, "", "x" * 300)
        return [f"{name} alias" for name in HOSTILE_NAMES]

    def close(self) -> None:
        """Let the leases go."""
        for held in self._leases:
            held.release()
