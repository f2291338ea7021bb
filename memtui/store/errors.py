"""What goes wrong between an event and the run file."""

from __future__ import annotations

from memtui.errors import UserError


class StoreError(UserError):
    """The run file cannot be used, or an event cannot be stored: one line, exit code 3."""

    def __init__(self, message: str, *, exit_code: int = 3) -> None:
        super().__init__(message, exit_code=exit_code)


class NothingYet(StoreError):
    """The file is empty: its first transaction is yet to come, or never came."""


WAS_INTERRUPTED = "was interrupted"
"""How the line of `Interrupted` ends."""


class Interrupted(StoreError):
    """The reader asked for something else meanwhile: nothing is wrong, and nobody need be told."""


class Locked(StoreError):
    """Another program holds a lock on the file that keeps everybody from reading it."""
