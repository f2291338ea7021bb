"""The line a reader types the path of a configuration into, which knows how it may go on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from textual import work
from textual.message import Message
from textual.widgets import Input

from memtui.widgets.path_completion import completed


class PathLine(Input):
    """Says after each key what its path may become; `complete` adds what all of it has in common."""

    @dataclass
    class Offered(Message):
        """What the path may become now. Outside text."""

        names: Sequence[str]

    def on_focus(self) -> None:
        self._look(add=False)

    def watch_value(self) -> None:
        if self.has_focus:
            self._look(add=False)

    def complete(self) -> None:
        """Add what can be added."""
        self._look(add=True)

    @work(exclusive=True)
    async def _look(self, *, add: bool) -> None:
        line = self.value
        found = await asyncio.to_thread(completed, line)
        if line != self.value:
            return  # typed on meanwhile
        self.post_message(self.Offered(found.names))
        if add and found.line != line:
            self.value = found.line
            self.cursor_position = len(found.line)
