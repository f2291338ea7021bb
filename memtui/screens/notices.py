"""Short notices above the keys, one at a time."""

from __future__ import annotations

from time import monotonic
from typing import Any, Literal

from textual.app import App

from memtui.store.errors import WAS_INTERRUPTED
from memtui.views.text_door import clean_line

Level = Literal["error", "information"]
SECONDS: dict[Level, float] = {"error": 6.0, "information": 3.0}
LONGEST = 400


class Notices:
    """What is on screen: the latest word of ours, and errors until they have been there long enough to read."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[Level, float]] = {}
        """Message -> (level, when it goes)."""
        self._shown: set[str] = set()
        self._due = False

    def say(self, app: App[Any], message: str, *, error: bool) -> None:
        """Show a message in place of the one before, unless it is still there; outside text in it is literal."""
        if error and message.endswith(WAS_INTERRUPTED):
            return  # the reader asked for something else meanwhile
        now = monotonic()
        self._said = {one: said for one, said in self._said.items() if said[1] > now}
        self._shown &= set(self._said)
        if message in self._said:
            return
        errors = {one: said for one, said in self._said.items() if said[0] == "error"}
        level: Level = "error" if error else "information"
        self._said = {**errors, message: (level, now + SECONDS[level])}
        if not self._due:  # several words of one moment are shown at once: Textual would queue each
            self._due = True
            app.call_later(self._show, app)

    def _show(self, app: App[Any]) -> None:
        self._due = False
        if not self._shown <= set(self._said):
            app.clear_notifications()
            self._shown.clear()
        now = monotonic()
        for message, (level, until) in self._said.items():
            if message not in self._shown:
                text = clean_line(message, width=LONGEST)
                app.notify(text, severity=level, timeout=max(0.1, until - now), markup=False)
        self._shown = set(self._said)
