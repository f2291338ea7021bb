"""Opening a run file to read: never writes, never checkpoints, says in one line what is wrong."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memtui.store.errors import (
    WAS_INTERRUPTED,
    Interrupted,
    Locked,
    NothingYet,
    StoreError,
    Trouble,
)
from memtui.store.schema import APPLICATION_ID, SCHEMA_VERSION

ADVICE = ": run `memtui check` on it"
"""What to do about a damaged file, for everybody but the check itself."""
TIMEOUT = 5.0
"""Seconds SQLite waits for a lock before it gives up."""
BRIEF = 0.1
"""Seconds a lock is waited for where somebody waits for the answer, or it was waited for in vain already: a
writer that ends holds one for a moment."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the header of an SQLite file says about itself."""

    application_id: int
    version: int
    tables: int

    @property
    def blank(self) -> bool:
        """An SQLite file that nothing was created in yet."""
        return self.application_id == 0 and self.version == 0 and self.tables == 0

    @property
    def ours(self) -> bool:
        """A run file, of whatever version."""
        return self.application_id == APPLICATION_ID


def identity(connection: sqlite3.Connection) -> Identity:
    """Read the header; sqlite3.DatabaseError when the file is not SQLite or damaged."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return Identity(application & 0xFFFFFFFF, version, tables)


def require_file(path: Path) -> int:
    """Size of an existing, non-empty file; StoreError otherwise."""
    try:
        status = path.stat()
    except OSError as error:
        raise StoreError(
            f"no run file at {path} ({error.strerror})", trouble=Trouble.UNREADABLE
        ) from None
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a run file", trouble=Trouble.FOREIGN)
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path} cannot be read (permission denied)", trouble=Trouble.UNREADABLE)
    if status.st_size == 0:
        raise NothingYet(f"{path} is empty: no run was ever written to it")
    return status.st_size


def connect_read_only(
    path: Path, *, immutable: bool = False, patience: float = TIMEOUT
) -> sqlite3.Connection:
    """A bare read-only connection, in autocommit mode, usable from any one thread at a time; `patience`:
    seconds it waits for a lock."""
    query = "mode=ro&immutable=1" if immutable else "mode=ro"
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{query}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
    )


def open_read_only(path: Path, patience: float = TIMEOUT) -> tuple[sqlite3.Connection, Identity]:
    """Open a file read-only and read its header.

    A finished file on read-only media has no write-ahead log beside it: it is opened as immutable. A
    live one there cannot be read at all, because SQLite needs its shared-memory file. StoreError says
    which of these it was; whether the file is a run file is left to the caller.
    """
    require_file(path)
    try:
        return _identified(connect_read_only(path, patience=patience))
    except sqlite3.OperationalError as error:
        said = explain(path, error)
        if isinstance(said, Locked):
            raise said from None  # as immutable it would be read in the middle of a transaction
        first = error
    except sqlite3.DatabaseError as error:
        raise explain(path, error) from None
    log = path.with_name(path.name + "-wal")
    if not log.exists() or log.stat().st_size == 0:
        try:
            return _identified(connect_read_only(path, immutable=True))
        except sqlite3.DatabaseError as error:
            raise explain(path, error) from None
    raise StoreError(
        f"{path} was not closed and its folder cannot be written: a live run file is read through a"
        f" -shm file beside it; copy {path.name} and {log.name} to a folder you can write and open"
        f" the copy ({first})",
        trouble=Trouble.UNREADABLE,
    )


def _identified(connection: sqlite3.Connection) -> tuple[sqlite3.Connection, Identity]:
    try:
        return connection, identity(connection)
    except BaseException:
        connection.close()
        raise


def explain(path: Path, error: sqlite3.Error) -> StoreError:
    """One line for an SQLite error while reading `path`."""
    text = str(error)
    if "not a database" in text:
        return StoreError(f"{path} is not a run file (not an SQLite file)", trouble=Trouble.FOREIGN)
    if "malformed" in text or "corrupt" in text:
        there = declared = 0
        with contextlib.suppress(OSError):  # gone meanwhile: it was damaged all the same
            there, declared = path.stat().st_size, _declared_size(path)
        if there < declared:
            size = f"{there:,} of {declared:,} bytes".replace(",", " ")
            return StoreError(f"{path} is cut short, {size} are there: copy it again")
        return StoreError(f"{path} is damaged ({text}){ADVICE}")
    if "interrupted" in text:
        return Interrupted(f"reading {path} {WAS_INTERRUPTED}")
    if "locked" in text or "busy" in text:
        return Locked(f"{path} is locked by another program ({text}): try again")
    return StoreError(f"{path} cannot be read ({text})", trouble=Trouble.UNREADABLE)


def _declared_size(path: Path) -> int:
    """Bytes the header of an SQLite file says it has (https://sqlite.org/fileformat2.html, 1.3)."""
    with path.open("rb") as file:
        header = file.read(100)
    page = int.from_bytes(header[16:18])
    return (65_536 if page == 1 else page) * int.from_bytes(header[28:32])


def require_run_file(path: Path, found: Identity) -> str:
    """Refuse what is not a run file; returns a warning for a newer one, else an empty string."""
    if found.blank:
        raise NothingYet(f"{path} is empty: no run was ever written to it")
    if not found.ours or found.version == 0:
        raise StoreError(
            f"{path} is an SQLite file of another program, not a run file", trouble=Trouble.FOREIGN
        )
    if found.version > SCHEMA_VERSION:
        return (
            f"{path} was written by a newer memtui (file version {found.version}, this one knows"
            f" {SCHEMA_VERSION}): read-only, and what is new in it is not shown"
        )
    return ""
