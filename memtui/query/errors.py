"""What is wrong with a filter, in one line, and where."""

from __future__ import annotations

from memtui.errors import UserError


class QueryError(UserError):
    """A filter that cannot be understood; `start` and `end` are character positions in its text."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        super().__init__(message, exit_code=2)
        self.start = start
        self.end = end
