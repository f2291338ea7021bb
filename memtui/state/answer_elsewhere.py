"""Sessions outside the evidence in which the answer stands, too: luck, a leak, or a gold label too few.

A plain comparison of texts: it finds words, not meanings, and claims no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memtui.store.reader import RunReader
from memtui.store.records import EpisodeDetail

MOST_SESSIONS = 2_000
"""Sessions of a history that are looked through, the oldest first."""
MOST_CHARACTERS = 40_000_000
BATCH = 100
SHORTEST, LONGEST = 2, 200
"""Characters of an answer worth looking for."""
NAMED = 12
"""Places that are kept; all are counted."""


@dataclass(frozen=True, slots=True)
class Place:
    """A turn outside the evidence that holds the answer's words."""

    session: str
    source: str
    """What the data set calls the session: outside text."""
    date: str | None
    turn: int
    """0-based."""

    @property
    def name(self) -> str:
        """``conv-44/session_3 t4 (2023-04-16)``, as evidence is named."""
        day = f" ({self.date[:10]})" if self.date else ""
        return f"{self.source or self.session} t{self.turn + 1}{day}"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What was found; `looked` of `sessions` sessions were read."""

    text: str
    places: tuple[Place, ...]
    holding: int
    """Sessions that hold it."""
    looked: int
    sessions: int

    @property
    def whole(self) -> bool:
        """Whether every session of the history was looked through."""
        return self.looked >= self.sessions


def answer_pattern(text: str) -> re.Pattern[str] | None:
    """The answer as whole words, case and white space apart; None for one too short or too long."""
    words = text.strip().rstrip(".").split()
    plain = " ".join(words)
    if not SHORTEST <= len(plain) <= LONGEST:
        return None
    body = r"\s+".join(map(re.escape, words))
    before = r"(?<!\w)" if plain[0].isalnum() else ""
    after = r"(?!\w)" if plain[-1].isalnum() else ""
    return re.compile(before + body + after, re.IGNORECASE)


def answer_elsewhere(
    reader: RunReader, detail: EpisodeDetail, stop: Callable[[], bool] = lambda: False
) -> Elsewhere | None:
    """Look for the gold answer through the history; None where there is nothing to look for or in.

    Runs in the reading thread; `stop` is asked between two batches whether the answer is still wanted.
    """
    gold = detail.item.gold
    pattern = None if gold is None or not detail.item.answerable else answer_pattern(gold)
    if pattern is None or gold is None or detail.row.haystack_id is None:
        return None
    haystack = reader.haystack(detail.row.haystack_id)
    if haystack is None:
        return None
    evidence = {e.session for e in detail.item.evidence}
    tokens = [t for t, _, _ in haystack.positions if t not in evidence]
    dates = {token: date for token, date, _ in haystack.positions}
    places: list[Place] = []
    holding = looked = characters = 0
    for start in range(0, min(len(tokens), MOST_SESSIONS), BATCH):
        if stop() or characters > MOST_CHARACTERS:
            break
        wanted: Sequence[str] = tokens[start : min(start + BATCH, MOST_SESSIONS)]
        found = reader.sessions(wanted)
        for token in wanted:
            looked += 1
            session = found.get(token)
            if session is None:
                continue
            characters += sum(len(turn.text) for turn in session.turns)
            turns = [n for n, turn in enumerate(session.turns) if pattern.search(turn.text)]
            if turns:
                holding += 1
                if len(places) < NAMED:
                    date = dates.get(token) or session.date
                    places.append(Place(token, session.source, date, turns[0]))
    return Elsewhere(gold, tuple(places), holding, looked, len(tokens))


def elsewhere_words(found: Elsewhere | None) -> str:
    """What was found, in one sentence; empty where nothing was looked for."""
    if found is None:
        return ""
    looked = "" if found.whole else f" (the first {found.looked} of {found.sessions} looked at)"
    if not found.holding:
        return f"The gold answer's words stand in no session outside the evidence{looked}."
    where = ", ".join(place.name for place in found.places[:3])
    more = f" and {found.holding - 3} more" if found.holding > 3 else ""
    many = "1 session" if found.holding == 1 else f"{found.holding} sessions"
    return (
        f"The gold answer's words also stand in {many} outside the evidence{looked}: {where}{more}."
    )
