"""What goes wrong between an event and the run file."""

from __future__ import annotations

from enum import StrEnum

from memtui.errors import UserError


class Trouble(StrEnum):
    """What is wrong with a run file, in a word or two."""

    DAMAGED = "damaged"
    NEWER = "newer version"
    EMPTY = "empty"
    FOREIGN = "no run file"
    LOCKED = "locked"
    UNREADABLE = "unreadable"


class StoreError(UserError):
    """The run file cannot be used, or an event cannot be stored: one line, exit code 3."""

    trouble = Trouble.DAMAGED

    def __init__(self, message: str, *, exit_code: int = 3, trouble: Trouble | None = None) -> None:
        super().__init__(message, exit_code=exit_code)
        if trouble is not None:
            self.trouble = trouble


class NothingYet(StoreError):
    """The file is empty: its first transaction is yet to come, or never came."""

    trouble = Trouble.EMPTY


WAS_INTERRUPTED = "was interrupted"
"""How the line of `Interrupted` ends."""


class Interrupted(StoreError):
    """The reader asked for something else meanwhile: nothing is wrong, and nobody need be told."""


class Locked(StoreError):
    """Another program holds a lock on the file that keeps everybody from reading it."""

    trouble = Trouble.LOCKED
