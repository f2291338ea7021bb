"""One writing process per run file: a lock file beside it, held while the writer lives."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from memtui.errors import UserError

T = TypeVar("T")

PATIENCE = 0.3
"""Seconds to wait for a lock that is only being looked at."""


def lock_path(path: Path) -> Path:
    """`NAME.memtui.lock` beside `NAME.memtui`."""
    return path.with_name(path.name + ".lock")


class Owner(NamedTuple):
    """The process that says it holds a lease."""

    pid: int
    host: str


class Lease:
    """A held lock; `release()` (or the end of the process, however it ends) frees it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Free the lock and remove its file; harmless when called twice."""
        if self._descriptor is None:
            return
        lock_path(self.path).unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def acquire(path: Path) -> Lease:
    """Take the lease of a run file; UserError (exit code 2) when another process holds it."""
    lock = lock_path(path)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise _cannot_create(lock, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = _owner(descriptor)
            os.close(descriptor)
            if time.monotonic() > deadline:
                raise UserError(
                    f"{path} is being written by {owner}: one writer per run file; wait for it,"
                    " stop it, or write to another file"
                ) from None
            time.sleep(0.02)
            continue
        # The file may have been removed between open and lock; a lock on a removed file is worthless.
        if _same_file(descriptor, lock):
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
            except OSError as error:  # a full disk
                lock.unlink(missing_ok=True)
                os.close(descriptor)
                raise _cannot_create(lock, error) from None
            return Lease(path, descriptor)
        os.close(descriptor)


def holder(path: Path) -> str | None:
    """`process PID on HOST` while a run file is being written; None when its lease is free."""
    return _of_holder(path, _owner)


def owner(path: Path) -> Owner | None:
    """Who writes a run file; None when its lease is free, or its holder left no name."""
    return _of_holder(path, _read_owner)


def _of_holder(path: Path, ask: Callable[[int], T]) -> T | None:
    """What the lock file of a held lease says; None when the lease is free."""
    try:
        descriptor = os.open(lock_path(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return ask(descriptor)
    finally:
        os.close(descriptor)
    return None


def holds(path: Path, pid: int, locks: Path = Path("/proc/locks")) -> bool | None:
    """Whether it is this very process that the kernel gave the lock to; None where it does not tell.

    Linux lists every lock with its process and the inode of its file (proc_locks(5)).
    """
    try:
        inode = lock_path(path).stat().st_ino
        lines = locks.read_text(encoding="ascii", errors="replace").split("\n")
    except OSError:
        return None
    locked = {
        (parts[4], parts[5].rpartition(":")[2])
        for parts in map(str.split, lines)
        if len(parts) == 8 and parts[1] == "FLOCK"
    }
    return (str(pid), str(inode)) in locked


def _cannot_create(lock: Path, error: OSError) -> UserError:
    return UserError(
        f"cannot create {lock} ({error.strerror}): a run file needs a folder that can be written",
        exit_code=3,
    )


def _owner(descriptor: int) -> str:
    found = _read_owner(descriptor)
    return "another process" if found is None else f"process {found.pid} on {found.host}"


def _read_owner(descriptor: int) -> Owner | None:
    words = os.pread(descriptor, 200, 0).decode(errors="replace").split()
    if len(words) != 2 or not (words[0].isascii() and words[0].isdigit()):
        return None
    return Owner(int(words[0]), words[1])


def _same_file(descriptor: int, lock: Path) -> bool:
    try:
        on_disk = lock.stat()
    except OSError:
        return False
    mine = os.fstat(descriptor)
    return (mine.st_ino, mine.st_dev) == (on_disk.st_ino, on_disk.st_dev)
