"""The one error a user can cause: a clear line, and the exit code it leaves with."""

from __future__ import annotations

from collections.abc import Sequence


class UserError(Exception):
    """Something the user can put right: says what, where and what to do, in one line.

    `exit_code` is 2 for usage or configuration, 3 for a file that is not usable or a run that is
    incomplete, 1 for a gate or check that failed. `details` are further lines that belong to it, such
    as the settings that differ.
    """

    def __init__(self, message: str, *, exit_code: int = 2, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.details = tuple(details)
