"""Creating a run file, and bringing an older one up to date: the runner's side only.

The version is looked at before anything is changed. A newer or foreign file is refused with its bytes
untouched; an older one is migrated by sqlite-utils after a backup was made beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.store.connect import Identity, connect_read_only, explain, identity
from memtui.store.errors import StoreError
from memtui.store.new_name import first_free
from memtui.store.schema import APPLICATION_ID, INDICES, SCHEMA_VERSION, TABLES

if TYPE_CHECKING:
    import sqlite_utils

Migration = Callable[["sqlite_utils.Database"], None]

MIGRATIONS: Mapping[int, Migration] = {}
"""Migration from version n to n + 1, by n. Version 1 is the first that was ever written."""


def look(path: Path) -> Identity:
    """What an existing file is, without changing a byte of it; StoreError when it is not SQLite."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a run file")
    if not path.exists() or path.stat().st_size == 0:
        return Identity(0, 0, 0)
    with closing(connect_read_only(path)) as connection:
        try:
            return identity(connection)
        except sqlite3.DatabaseError as error:
            raise explain(path, error) from None


def require_writable(path: Path, found: Identity) -> None:
    """Refuse to write to a file that is not ours or newer than we are."""
    if found.blank:
        return
    if not found.ours or found.version == 0:
        raise StoreError(f"{path} is an SQLite file of another program: not written to")
    if found.version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer memtui (file version {found.version}, this one knows"
            f" {SCHEMA_VERSION}): not written to; update memtui, or write to another file"
        )


def prepare(
    connection: sqlite3.Connection,
    path: Path,
    found: Identity,
    *,
    migrations: Mapping[int, Migration] = MIGRATIONS,
    version: int = SCHEMA_VERSION,
) -> Path | None:
    """Create the tables of a blank file or migrate an older one; returns the backup that was made."""
    if found.blank:
        create(connection)
        return None
    if found.version == version:
        return None
    backup = back_up(connection, path, found.version)
    import sqlite_utils  # only a file that is out of date pays for loading it

    connection.execute("BEGIN IMMEDIATE")
    try:
        database = sqlite_utils.Database(connection)
        for step in range(found.version, version):
            migrations[step](database)
        connection.execute(f"PRAGMA user_version={version}")
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreError(
            f"{path} could not be brought from file version {found.version} to {version}"
            f" ({error!r}): it is unchanged, and {backup} is a copy"
        ) from error
    return backup


def create(connection: sqlite3.Connection) -> None:
    """Create all tables in one transaction: a file has all of them or none."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in (TABLES + INDICES).split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    connection.execute("COMMIT")


def back_up(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Copy a file, its log included, to `NAME.memtui.v<version>.bak`; an existing one is kept."""
    backup = first_free(path.parent, f"{path.name}.v{version}", ".bak")
    with closing(sqlite3.connect(backup)) as copy:
        connection.backup(copy)
    return backup
