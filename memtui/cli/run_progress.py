"""Progress of a run on stderr: one line that rewrites itself on a terminal, else at most one a second."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any, TextIO

from memtui.views.numbers import count
from memtui.views.text_door import clean_line

if TYPE_CHECKING:
    from memtui.store.events import LogEvent

QUIET_BEATS = 10
"""Without a terminal, beats without a change after which a line is printed all the same."""
SAID = frozenset({"warning", "error"})


class ProgressLine:
    """Shows each heartbeat, and what was logged as a warning or error."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name = name
        self._stream = stream
        self._terminal = stream.isatty()
        self._open = False
        self._shown = ""
        self._quiet = 0

    def beat(self, snapshot: dict[str, Any]) -> None:
        """Show one snapshot."""
        text = progress_text(self._name, snapshot)
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            self._write(f"\r\x1b[K{clean_line(text, width=max(20, columns - 1))}")
            self._open = True
            return
        key = f"{snapshot['done']} {snapshot['state']} {snapshot.get('doing')}"
        self._quiet += 1
        if key != self._shown or self._quiet >= QUIET_BEATS:
            self._shown, self._quiet = key, 0
            self.say(text)

    def log(self, event: LogEvent) -> None:
        """Say a warning or an error; what is only for the record is in the file."""
        if event.level in SAID:
            self.say(f"{event.level}: {event.text}")

    def say(self, text: str) -> None:
        """A line of its own."""
        self.close()
        self._write(f"{clean_line(text)}\n")

    def close(self) -> None:
        """Leave the line that rewrites itself."""
        if self._open:
            self._write("\r\x1b[K")
            self._open = False

    def _write(self, text: str) -> None:
        # The terminal is gone, the pipe closed or the log's disk full: the run goes on without words.
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


def progress_text(name: str, snapshot: dict[str, Any]) -> str:
    """One snapshot in one line."""
    planned, done = snapshot["planned"], snapshot["done"]
    share = f" {100 * done // planned} %" if planned else ""
    parts = [f"{name}: {count(done)} of {count(planned)}{share}"]
    if snapshot["state"] != "running":
        parts.append(snapshot["state"])
    elif snapshot.get("doing") == "preflight":
        prepared = sum(snapshot.get("prepared", {}).values())
        parts.append(f"preparing the first histories, {count(prepared)} sessions done")
    if snapshot["rate"]:
        parts.append(f"{snapshot['rate']:.1f}/s")
    if snapshot["eta_s"] is not None and snapshot["pending"]:
        parts.append(f"about {_duration(snapshot['eta_s'])} left")
    if snapshot["pace"]:
        parts.append(f"paced at {snapshot['pace']:g}/s")
    if snapshot["in_flight_total"]:
        parts.append(f"{snapshot['in_flight_total']} under way")
    if snapshot["retries"]:
        parts.append(f"{snapshot['retries']} retries")
    if snapshot["excluded"]:
        parts.append(f"{snapshot['excluded']} excluded")
    if snapshot["known_cost"]:
        bound = "" if snapshot["cost"] is not None else ">= "
        parts.append(f"{bound}{snapshot['known_cost']:.2f} USD")
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
