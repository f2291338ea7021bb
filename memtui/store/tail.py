"""Following a live run file: asked ten times a second, it says what changed since the last time.

A tick without a change costs a `stat` and a `PRAGMA data_version`, a few microseconds. Start the tail,
then read the file: what is written in between is reported once more and never missed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memtui.store.connect import explain, open_read_only, require_run_file
from memtui.store.errors import Locked, NothingYet, StoreError
from memtui.store.reader import RunReader

_ENDED = ("finished", "interrupted")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a poll found. Ids are row ids; a reader asks for exactly those."""

    rev: int
    """The newest transaction that is part of this answer."""
    state: str
    """State of the run as its row says."""
    episodes: tuple[int, ...] = ()
    """Attempts that started, ended or lost their count."""
    judged: tuple[int, ...] = ()
    """Attempts with a new verdict."""
    stepped: tuple[int, ...] = ()
    """Attempts with new steps."""
    run: bool = False
    heartbeat: bool = False
    events: bool = False
    """There are new lines in the log."""
    declared: bool = False
    """There are new arms, cells, items or haystacks."""
    replaced: bool = False
    """Another file stands under this name now: everything is to be read again."""
    gone: bool = False
    """The file was removed; told once, polling goes on."""

    @property
    def ended(self) -> bool:
        """The run says that nothing more comes."""
        return self.state in _ENDED


@dataclass(frozen=True, slots=True)
class _Marks:
    """Where the last poll stood."""

    rev: int = 0
    step: int = 0
    event: int = 0
    declared: tuple[int | None, ...] = ()
    beat: str | None = None
    run: int = 0
    uid: str = ""


_MARKS = (
    "SELECT max((SELECT coalesce(max(rev),0) FROM episode),(SELECT coalesce(max(rev),0) FROM verdict),"
    "coalesce((SELECT rev FROM run),0)), (SELECT coalesce(max(id),0) FROM step),"
    "(SELECT coalesce(max(id),0) FROM event),(SELECT max(id) FROM arm),(SELECT max(id) FROM cell),"
    "(SELECT max(id) FROM item),(SELECT max(id) FROM haystack),(SELECT at FROM heartbeat),"
    "coalesce((SELECT rev FROM run),0),coalesce((SELECT uid FROM run),''),"
    "coalesce((SELECT state FROM run),'')"
)


class Tail:
    """Follows one path. `readers` are told to let go of the file when the run has ended."""

    def __init__(self, path: Path, readers: Sequence[RunReader] = ()) -> None:
        """Open the file; StoreError as `open_run`. Only what comes later is reported."""
        self.path = Path(path)
        self._readers = readers
        self._connection: sqlite3.Connection | None = None
        self._inode = (0, 0)
        self._version = -1
        self._signature: tuple[int, ...] = ()
        self._gone = False
        self._marks = _Marks()
        self._state = ""
        self._reopen()
        try:
            with self._transaction() as connection:
                self._marks, self._state = _stand(connection)
        except sqlite3.DatabaseError as error:
            self.close()
            raise explain(self.path, error) from None
        self._let_go()

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def poll(self) -> Changes | None:
        """What changed since the last poll, None for nothing; StoreError when it cannot be read."""
        replaced = False
        try:
            status = os.stat(self.path)  # noqa: PTH116 - half the cost of Path.stat, ten times a second
        except OSError:
            self.close()
            was_there, self._gone = not self._gone, True
            return Changes(self._marks.rev, self._state, gone=True) if was_there else None
        try:
            if self._gone or (status.st_ino, status.st_dev) != self._inode:
                self.close()
                self._release_readers()
                self._reopen()
                self._marks = _Marks()
                self._gone, replaced = False, True
            elif self._connection is None:
                signature = self._sign(status)
                if signature == self._signature:
                    return None
                self._signature = signature
                self._reopen()
            connection = self._connection
            assert connection is not None
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version == self._version and not replaced:
                return None
            changes = self._read()
            self._version = version
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error) or "unable to open" in str(error):
                return None  # the writer is leaving WAL mode, or the file is being moved: next tick
            raise explain(self.path, error) from None
        except sqlite3.DatabaseError as error:
            raise explain(self.path, error) from None
        except Locked:
            self._signature = ()  # and so it is opened at the next tick
            return None
        except NothingYet:
            if not self._gone and (status.st_ino, status.st_dev) == self._inode:
                raise  # the file that was followed, emptied
            return None  # a new file whose first transaction is yet to come: next tick
        except OSError:
            return None  # removed just now: the next tick says so
        except StoreError:
            if not self.path.exists():
                return None
            raise
        with contextlib.suppress(OSError):
            self._let_go()
        if replaced:
            return replace(changes or Changes(self._marks.rev, self._state), replaced=True)
        return changes

    def _reopen(self) -> None:
        connection, found = open_read_only(self.path)
        try:
            require_run_file(self.path, found)
        except BaseException:
            connection.close()
            raise
        status = self.path.stat()
        self._inode = (status.st_ino, status.st_dev)
        self._connection = connection
        self._version = -1

    def _let_go(self) -> None:
        """Close the connection of a run that ended, so that its writer can leave WAL mode.

        From then on the file's size and time are watched: a later judge, or a resume, reopens it.
        """
        if self._state not in _ENDED:
            return
        self._signature = self._sign(self.path.stat())
        self.close()
        self._release_readers()

    def _release_readers(self) -> None:
        for reader in self._readers:
            reader.release()

    def _sign(self, status: os.stat_result) -> tuple[int, ...]:
        signature = (status.st_size, status.st_mtime_ns)
        with contextlib.suppress(OSError):
            log = self.path.with_name(self.path.name + "-wal").stat()
            return (*signature, log.st_size, log.st_mtime_ns)
        return signature

    def _read(self) -> Changes | None:
        with self._transaction() as connection:
            before = self._marks
            marks, state = _stand(connection)
            if marks == before:
                return None
            if before.uid and (marks.uid != before.uid or marks.rev < before.rev):
                # Another run, or an older copy of this one, was written over it: the same file to the system.
                self._marks, self._state = marks, state
                self._release_readers()
                return Changes(marks.rev, state, replaced=True)
            changes = Changes(
                rev=marks.rev,
                state=state,
                episodes=_ids(
                    connection, "SELECT id FROM episode WHERE rev>? ORDER BY rev", before.rev
                ),
                judged=_ids(
                    connection, "SELECT DISTINCT episode_id FROM verdict WHERE rev>?", before.rev
                ),
                # The plus keeps SQLite from going over the index of all steps for the DISTINCT.
                stepped=_ids(
                    connection, "SELECT DISTINCT +episode_id FROM step WHERE id>?", before.step
                ),
                run=marks.run != before.run,
                heartbeat=marks.beat != before.beat,
                events=marks.event != before.event,
                declared=marks.declared != before.declared,
            )
        self._marks = marks
        self._state = changes.state
        return changes

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for several questions, ended at once."""
        connection = self._connection
        assert connection is not None
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("COMMIT")


def _stand(connection: sqlite3.Connection) -> tuple[_Marks, str]:
    row = connection.execute(_MARKS).fetchone()
    return _Marks(row[0], row[1], row[2], row[3:7], row[7], row[8], row[9]), row[10]


def _ids(connection: sqlite3.Connection, sql: str, after: int) -> tuple[int, ...]:
    rows: list[Any] = connection.execute(sql, (after,)).fetchall()
    return tuple([row[0] for row in rows])
