"""Files a reader asks for: a path as typed, a name that is free, and a write that is whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path

from memtui.errors import UserError

_PLAIN = re.compile(r"[^\w.+]+")
LONGEST_NAME = 120


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
        shown = text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"
        raise UserError(f"cannot be used, {_reason(error)}: {shown}") from None
    return path


def plain_name(text: str) -> str:
    """A file name without anything that a shell, a terminal or a file system takes amiss."""
    return _PLAIN.sub("-", text).strip("-.")[:LONGEST_NAME] or "memtui"


def folder_for(beside: Path) -> Path:
    """The folder of a run file, or the current one where that cannot be written or shown."""
    folder = beside if beside.is_dir() else beside.parent
    if os.access(folder, os.W_OK) and str(folder).isprintable():
        return folder
    return Path()


def free_name(folder: Path, stem: str, suffix: str) -> Path:
    """`folder/stem.suffix`, or the first of `stem-2`, `stem-3` … that does not exist."""
    name = plain_name(stem)
    path = folder / f"{name}.{suffix}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}.{suffix}"
    return path


def write_new(path: Path, text: str) -> None:
    """Write a new file, on disk and whole when this returns; UserError (one line) for a file that exists,
    a folder that cannot be written and a full disk, all of which leave nothing behind."""
    try:
        descriptor, kept = tempfile.mkstemp(prefix=".memtui-", dir=path.parent)
    except OSError as error:
        raise UserError(f"{path.parent} cannot be written: {_reason(error)}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        # Takes the name only once all is written: whoever has it already keeps it.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        mode = path.stat().st_mode & 0o777
        Path(kept).chmod(mode)
        Path(kept).replace(path)
    except FileExistsError:
        raise UserError(f"{path} exists: choose another name") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {_reason(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            Path(kept).unlink()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
