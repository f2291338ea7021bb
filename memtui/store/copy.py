"""A copy of a run file that is safe while the run goes on."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from memtui.store.connect import explain, open_read_only, require_run_file
from memtui.store.errors import StoreError
from memtui.store.new_name import arriving, shown


def export_copy(source: Path, target: Path) -> None:
    """Copy a live or finished run file to one compact file; an existing target is refused.

    The copy is one moment of the run, checked by SQLite as it is written (VACUUM INTO). It appears
    under its name only when it is whole.
    """
    connection, found = open_read_only(source)
    with closing(connection):
        require_run_file(source, found)
        with arriving(target) as part:
            try:
                # As bytes, which are what a file name is; from the root, or `file:` would begin an address.
                name = os.fsencode(part.absolute())
                connection.execute("VACUUM INTO CAST(? AS TEXT)", (name,))
            except sqlite3.DatabaseError as error:
                if any(word in str(error) for word in ("unable to open", "full", "disk I/O")):
                    raise StoreError(f"{shown(target)} cannot be written: {error}") from None
                raise explain(source, error) from None
