"""A new file under a name that nobody has: whole when it takes the name, and nothing where that fails."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.store.errors import StoreError

LONGEST_SHOWN = 120


def taken(path: Path) -> bool:
    """Whether something has the name, be it a link to nowhere; StoreError (one line) for a name that no file
    can have there."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except ValueError:
        raise StoreError("a path cannot hold a NUL character", exit_code=2) from None
    except OSError as error:
        raise StoreError(f"{shown(path)} cannot be written: {reason(error)}") from None
    return True


def first_free(folder: Path, stem: str, suffix: str) -> Path:
    """`stem` + `suffix` in a folder, or the first of `stem-2`, `stem-3` … that nobody has; StoreError (one line)
    for a name that no file can have there."""
    path, number = folder / f"{stem}{suffix}", 1
    while taken(path):
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


@contextmanager
def arriving(path: Path) -> Iterator[Path]:
    """An empty file beside `path` to be filled; takes the name when the block ends. StoreError (one line) for a
    name that is taken, a folder that is not there or cannot be written, and what else an OSError says."""
    if taken(path):
        raise _exists(path)
    if not path.parent.is_dir():
        raise StoreError(
            f"{shown(path)} cannot be written: there is no folder {shown(path.parent)}"
        )
    try:
        descriptor, kept = tempfile.mkstemp(prefix=".memtui-", dir=path.parent)
        os.close(descriptor)
    except OSError as error:
        raise StoreError(f"{shown(path.parent)} cannot be written: {reason(error)}") from None
    try:
        yield Path(kept)
        # Takes the name only once all is written: whoever has it by then keeps it.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        Path(kept).chmod(path.stat().st_mode & 0o777)
        Path(kept).replace(path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise StoreError(f"{shown(path)} cannot be written: {reason(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            Path(kept).unlink()


def _exists(path: Path) -> StoreError:
    return StoreError(f"{shown(path)} exists already: choose another name", exit_code=2)


def shown(path: Path) -> str:
    """The path; of one that no line could hold its beginning."""
    text = str(path)
    return text if len(text) <= 2 * LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def reason(error: OSError) -> str:
    """Why, as the system words it."""
    return (error.strerror or str(error)).lower()
