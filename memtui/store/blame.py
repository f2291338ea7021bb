"""After an unexpected fault: was it the run file, whose rows contradict each other?

Looking for contradictions before every reading would keep the first frame waiting, and no run of ours
has any; a file that was edited or patched together may. So it is looked for when something broke.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.errors import UserError
from memtui.store.errors import StoreError


def blamed(path: Path, fault: Exception) -> StoreError | None:
    """The plain error for a file that contradicts itself; None where the fault was not the file's.

    Unfinished runs and warnings are no contradiction, and what is no run file is to blame for nothing. Reads the whole file: seconds for a large one.
    """
    from memtui.store.check import check_file

    try:
        found = [problem for problem in check_file(path) if problem.severity == "error"]
    except (UserError, sqlite3.Error, OSError):
        return None  # it cannot even be looked at, by now: that says nothing about this fault
    if not found or found[0].kind == "unusable":
        return None
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    error = StoreError(
        f"{path}: the file contradicts itself ({found[0].text}{more}), and what was asked of it cannot be"
        f" told; `memtui check {path.name}` lists everything"
    )
    error.__cause__ = fault
    return error


@contextmanager
def blaming(*paths: Path) -> Iterator[None]:
    """Turns a fault that is one of the files' into its plain error; any other fault stays what it is."""
    try:
        yield
    except (UserError, OSError):
        raise
    except Exception as fault:
        for path in dict.fromkeys(paths):
            if (error := blamed(path, fault)) is not None:
                raise error from fault
        raise
