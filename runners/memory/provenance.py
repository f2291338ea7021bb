"""Where stored items come from, kept through every merge, summary and update.

What is prepared of a session knows turns only. It is tied to a token and a date when a haystack is
opened, because the same content may lie at another place, on another day, in another haystack.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.model import Hit
from runners.memory.contract import Position


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A part of one session of a haystack: turns `first` to `last` (0-based, inclusive).

    Sources are ordered by their place in the haystack, then by turn.
    """

    place: int
    """Index of the session in the haystack, oldest first."""
    token: str
    date: str
    """ISO 8601, empty when unknown."""
    first: int
    last: int


def source(place: int, position: Position, first: int, last: int) -> Source:
    """Turns of the session at `position`, which is the haystack's `place`-th."""
    return Source(place, position.token, position.date or "", first, last)


def merged(*groups: Iterable[Source]) -> tuple[Source, ...]:
    """The union of several items' sources, each once, oldest first."""
    return tuple(sorted({one for group in groups for one in group}))


def sessions(sources: Iterable[Source]) -> tuple[str, ...]:
    """Tokens of the sessions, each once, oldest first."""
    return tuple(dict.fromkeys(one.token for one in sorted(sources)))


def latest_date(sources: Iterable[Source]) -> str | None:
    """The date of the newest dated source; None where none is dated."""
    return max((one.date for one in sources), default="") or None


def derived_hit(ref: str, text: str, score: float, sources: Iterable[Source]) -> Hit:
    """A stored item as a hit: its own id and text, and every session it was made from.

    Made from one session, it names the turns from its first to its last; made from several, it stands
    for them as wholes.
    """
    found = sorted(sources)
    tokens = sessions(found)
    if len(tokens) != 1:
        return Hit(ref, score, sources=tokens, text=text)
    first, last = min(one.first for one in found), max(one.last for one in found)
    return Hit(ref, score, first=first, last=last, sources=tokens, text=text)


def dated(text: str, date: str | None) -> str:
    """`text` with the day it was said in front: derived text reaches the model as it stands."""
    return f"[{date[:10]}] {text}" if date else text
