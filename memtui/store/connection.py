"""One connection that reads a run file: opened when something is asked, let go of in between.

Any thread may ask; one question runs at a time, and `interrupt()` ends it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui.store.connect import BRIEF, explain, open_read_only, require_file, require_run_file
from memtui.store.errors import Locked, StoreError, Trouble


class ReadConnection:
    """Asks a run file; what keeps it from answering is one line."""

    def __init__(self, path: Path, patience: float) -> None:
        """`patience`: seconds a lock is waited for."""
        self.path, self._patience = path, patience
        self._locked = False
        self.warning = ""
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @property
    def patience(self) -> float:
        """Seconds a lock is waited for. After waiting in vain the next questions hardly wait, until one is
        answered: of all that are asked under a lasting lock one waits."""
        return min(BRIEF, self._patience) if self._locked else self._patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        with self._lock:
            self._patience = seconds
            self._wait_so()

    def query(self, sql: str, params: Sequence[object] = ()) -> list[Any]:
        """All rows of one statement; StoreError in one line when the file cannot be read."""
        with self._lock:
            try:
                found = self._ask(sql, params)
            except Locked:
                self._locked = True
                self._wait_so()
                raise
            if self._locked:
                self._locked = False
                self._wait_so()
            return found

    def _ask(self, sql: str, params: Sequence[object]) -> list[Any]:
        if self._connection is None:
            self._connection = self._open()
        try:
            return self._connection.execute(sql, params).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._explain(error) from None
        except (OverflowError, UnicodeEncodeError) as error:
            raise StoreError(f"{self.path} cannot be asked that ({error})") from None

    def _wait_so(self) -> None:
        if self._connection is not None:
            self._connection.execute(f"PRAGMA busy_timeout={round(1000 * self.patience)}")

    def _open(self) -> sqlite3.Connection:
        connection, found = open_read_only(self.path, self.patience)
        try:
            self.warning = require_run_file(self.path, found)
            connection.execute("PRAGMA query_only=1")
            # Small: each page is read once, or lies in the cache of the operating system anyway.
            connection.execute("PRAGMA cache_size=-500")
            connection.execute(
                "PRAGMA temp_store=MEMORY"
            )  # a full disk must not keep anyone from reading
        except BaseException:
            connection.close()
            raise
        return connection

    def _explain(self, error: sqlite3.Error) -> StoreError:
        if self.warning and ("no such column" in str(error) or "no such table" in str(error)):
            return StoreError(
                f"{self.warning}; and it lacks what this memtui needs ({error})",
                trouble=Trouble.NEWER,
            )
        if "no such table" in str(error):
            try:
                require_file(self.path)
            except StoreError as emptied:
                return emptied
        return explain(self.path, error)

    def interrupt(self) -> None:
        """End the query that is running in another thread; it raises StoreError there."""
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(sqlite3.ProgrammingError):  # closed at this moment
                connection.interrupt()

    def release(self) -> None:
        """Let go of the file; the next question opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
