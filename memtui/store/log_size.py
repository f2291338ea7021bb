"""Keeps the write-ahead log short, and says so in the run file when somebody keeps it from being."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

LIMIT = 64 * 1024 * 1024
"""Bytes above which the log is worth a notice."""
_EVERY = 1.0


class LogWatch:
    """Looks at the log about once a second, from the writer's thread."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        limit: int = LIMIT,
        every: float = _EVERY,
    ) -> None:
        self._connection = connection
        self._log = path.with_name(path.name + "-wal")
        self._limit = limit
        self._every = every
        self._notice_at = limit
        self._next = 0.0

    def size(self) -> int:
        """Bytes of the log; 0 when there is none."""
        try:
            return self._log.stat().st_size
        except OSError:
            return 0

    def after_commit(self) -> None:
        """Checkpoint a log that outgrew its limit; leave one notice each time it doubles all the same."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every
        if self.size() <= self._limit:
            return
        connection = self._connection
        connection.execute("PRAGMA busy_timeout=100")
        try:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError:
            busy = 1
        finally:
            connection.execute("PRAGMA busy_timeout=10000")
        size = self.size()
        if busy and size > self._notice_at:
            self._notice_at = 2 * size
            text = (
                f"the write-ahead log is {size // 1_000_000} MB: another program keeps a read of this"
                " file open and the log cannot be folded in"
            )
            connection.execute(
                "INSERT INTO event(at,level,kind,text,data) VALUES(?,'warning','log_size',?,'{}')",
                (datetime.now(UTC).isoformat(), text),
            )
