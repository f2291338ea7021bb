"""Short notices in a corner of the screen, each of them once."""

from __future__ import annotations

from time import monotonic
from typing import Any, Literal

from textual.app import App

from memtui.store.errors import WAS_INTERRUPTED
from memtui.views.text_door import clean_line

SECONDS: dict[Literal["error", "information"], float] = {"error": 6.0, "information": 3.0}
LONGEST = 400


class Notices:
    """What is on screen: the same words again would only cover more of it."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def say(self, app: App[Any], message: str, *, error: bool) -> None:
        """Show a message unless it is still there; outside text in it is literal."""
        if error and message.endswith(WAS_INTERRUPTED):
            return  # the reader asked for something else meanwhile
        now = monotonic()
        self._until = {one: until for one, until in self._until.items() if until > now}
        if message in self._until:
            return
        level: Literal["error", "information"] = "error" if error else "information"
        self._until[message] = now + SECONDS[level]
        text = clean_line(message, width=LONGEST)
        app.notify(text, severity=level, timeout=SECONDS[level], markup=False)
