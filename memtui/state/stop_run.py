"""Stopping a run that goes on: the process that holds the lease of its file is signalled, and no other."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from memtui.errors import UserError
from memtui.store import lease


@dataclass(frozen=True, slots=True)
class Writer:
    """The process that writes a run file, proved to be the holder of its lease at that moment."""

    path: Path
    pid: int


def writer_of(path: Path) -> Writer:
    """The process on this machine that writes a run file; UserError where there is none to signal."""
    name = path.name
    owner = lease.owner(path)
    if owner is None:
        if lease.holder(path) is not None:
            raise UserError(
                f"whoever writes {name} left no name in its lock: nothing was signalled"
            )
        raise UserError(f"nobody on this machine is writing {name}: there is nothing to stop")
    if owner.host != socket.gethostname():
        raise UserError(f"{name} is written by process {owner.pid} on {owner.host}: stop it there")
    if owner.pid == os.getpid():
        raise UserError(f"{name} is written by this very program: end it with q")
    held = lease.holds(path, owner.pid)
    if held is False or (held is None and not _alive(owner.pid)):
        raise UserError(
            f"the lock of {name} names process {owner.pid}, which does not hold it:"
            " nothing was signalled"
        )
    return Writer(path, owner.pid)


def signal_writer(writer: Writer, *, at_once: bool = False) -> None:
    """Send SIGINT (`at_once`: SIGTERM) to the process, if it still is the holder; UserError if not.

    The process is pinned before it is looked at again, so that a number taken over by another process
    in between cannot be hit (pidfd_open(2), Linux).
    """
    number = signal.SIGTERM if at_once else signal.SIGINT
    pinned = None
    try:
        if hasattr(os, "pidfd_open"):
            pinned = os.pidfd_open(writer.pid)
        if writer_of(writer.path) != writer:
            raise UserError(f"{writer.path.name} is written by another process now")
        if pinned is None:
            os.kill(writer.pid, number)
        else:
            signal.pidfd_send_signal(pinned, number)
    except ProcessLookupError:
        raise UserError(f"process {writer.pid} has ended already") from None
    except PermissionError:
        raise UserError(f"process {writer.pid} belongs to another user: stop it there") from None
    except OSError as error:
        raise UserError(f"process {writer.pid} cannot be signalled ({error.strerror})") from None
    finally:
        if pinned is not None:
            os.close(pinned)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
