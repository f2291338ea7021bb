"""Files a reader asks for: a path as typed, a name that is free, and a write that is whole or not there at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

from memtui.errors import UserError
from memtui.store.new_name import arriving, first_free, reason, shown

_PLAIN = re.compile(r"[^\w.+]+")
LONGEST_NAME = 120
"""Characters, and room for a number and a suffix within the 255 bytes of a file name."""
MOST_BYTES = 220


def typed_path(text: str) -> Path:
    """The path that a reader typed; UserError where no file can be there: a home that nobody has, a name
    too long for the file system, a folder that may not be looked into."""
    try:
        path = Path(text).expanduser()
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except RuntimeError:
        raise UserError(f"nobody's home is {text.partition('/')[0]}") from None
    except ValueError:
        raise UserError("a path cannot hold a NUL character") from None
    except OSError as error:
        raise UserError(f"cannot be used, {reason(error)}: {shown(path)}") from None
    return path


def plain_name(text: str) -> str:
    """A file name without anything that a shell, a terminal or a file system takes amiss."""
    name = _PLAIN.sub("-", text).strip("-.")[:LONGEST_NAME]
    return name.encode("utf-8", "ignore")[:MOST_BYTES].decode("utf-8", "ignore") or "memtui"


def folder_for(beside: Path) -> Path:
    """The folder of a run file, or the current one where that cannot be written or shown."""
    folder = beside if beside.is_dir() else beside.parent
    if os.access(folder, os.W_OK) and str(folder).isprintable():
        return folder
    return Path()


def free_name(folder: Path, stem: str, suffix: str) -> Path:
    """`folder/stem.suffix`, or the first of `stem-2`, `stem-3` … that does not exist."""
    name = plain_name(stem)
    try:
        return first_free(folder, name, f".{suffix}")
    except UserError:
        return (
            folder / f"{name}.{suffix}"
        )  # what is wrong with the folder is said when it is written to


def write_new(path: Path, text: str) -> None:
    """Write a new file, on disk and whole when this returns; UserError (one line) for a name that is taken,
    a folder that cannot be written and a full disk, all of which leave nothing behind."""
    with arriving(path) as kept, kept.open("wb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))
        file.flush()
        os.fsync(file.fileno())
