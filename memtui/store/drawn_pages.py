"""Reading for the thread that draws: a lock that another program holds must not keep the screen waiting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from memtui.store.connect import BRIEF
from memtui.store.errors import Locked
from memtui.store.reader import RunReader

PAUSE = 1.0
"""Seconds in which a locked file is not asked again: a screen asks for each of its rows."""


class PageReader(RunReader):
    """A reader of what comes into view; Locked at once, where it was locked a moment ago."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, patience=BRIEF)
        self._said: Locked | None = None
        self._again = 0.0

    def query(self, sql: str, params: Sequence[object] = ()) -> list[Any]:
        """As of any reader."""
        if self._said is not None and monotonic() < self._again:
            raise Locked(str(self._said))
        try:
            return super().query(sql, params)
        except Locked as error:
            self._said, self._again = error, monotonic() + PAUSE
            raise
