"""The Markdown files that OpenClaw would keep: one per day, sessions appended in order.

Files are never written. A session's lines depend on its content alone; where they stand in which file
follows from the haystack's dates.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from memtui.model import Hit, Turn
from runners.memory.contract import Haystack
from runners.sessions import render_turn

UNDATED = "memory/undated.md"
"""Where sessions without a date go: a file without a date in its name does not age."""


@dataclass(frozen=True, slots=True)
class SessionLines:
    """A session as lines of a file; `turns[i]` (0-based) is the turn that line i belongs to."""

    lines: tuple[str, ...]
    turns: tuple[int, ...]


def session_lines(turns: Sequence[Turn]) -> SessionLines:
    """Every turn written out, a line feed in it starting a new line."""
    lines: list[str] = []
    numbers: list[int] = []
    for number, turn in enumerate(turns):
        for line in render_turn(turn).split("\n"):
            lines.append(line)
            numbers.append(number)
    return SessionLines(tuple(lines), tuple(numbers))


def path_of(date: str | None) -> str:
    """The file of a session's day."""
    return f"memory/{date[:10]}.md" if date else UNDATED


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines read from a file, and the turns they are."""

    text: str
    hits: tuple[Hit, ...]


class DailyFiles:
    """The files of one haystack: which session stands where."""

    def __init__(self, haystack: Haystack, sessions: Sequence[SessionLines]) -> None:
        self._positions = haystack.positions
        self._sessions = sessions
        self.paths = [path_of(position.date) for position in haystack.positions]
        self.starts: list[int] = []
        """Line (1-based) at which each session begins in its file; an empty line parts two sessions."""
        self._files: dict[str, list[int]] = {}
        ends: dict[str, int] = {}
        for place, (path, session) in enumerate(zip(self.paths, sessions, strict=True)):
            start = ends[path] + 2 if path in ends else 1
            self.starts.append(start)
            ends[path] = start + len(session.lines) - 1
            self._files.setdefault(path, []).append(place)

    def read(self, path: str, start: int, count: int) -> Excerpt | None:
        """At most `count` lines of a file from line `start` (1-based) on; None for no such file."""
        places = self._files.get(path)
        if places is None:
            return None
        end = start + count
        hits: list[Hit] = []
        parts: list[str] = []
        begins = [self.starts[place] for place in places]
        for place in places[max(bisect_right(begins, start) - 1, 0) :]:
            first = self.starts[place]
            session = self._sessions[place]
            if first >= end:
                break
            low, high = max(start - first, 0), min(end - first, len(session.lines))
            if low >= high:
                continue
            text = "\n".join(session.lines[low:high])
            parts.append(text)
            hits.append(self.hit(place, low, high - 1, None, text))
        return Excerpt("\n\n".join(parts), tuple(hits))

    def token(self, place: int) -> str:
        """The session at a place of the haystack."""
        return self._positions[place].token

    def hit(self, place: int, low: int, high: int, score: float | None, text: str) -> Hit:
        """Lines `low` to `high` (0-based) of a session; with their text where turns are not whole."""
        numbers = self._sessions[place].turns
        first, last = numbers[low], numbers[high]
        whole = (low == 0 or numbers[low - 1] != first) and (
            high + 1 == len(numbers) or numbers[high + 1] != last
        )
        lines = self._sessions[place].lines
        exact = whole and text == "\n".join(lines[low : high + 1])
        token = self._positions[place].token
        return Hit(token, score, first=first, last=last, text=None if exact else text)
