"""The conversations, queries and door that the conformance suite tries a memory system with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memtui.model import Turn
from runners.memory.contract import Haystack, Position, SessionText
from runners.models.scripted_door import Responder, ScriptedDoor
from runners.sessions import opaque_token, session_sha

TOPICS = (
    "I repotted the monstera on the balcony and it already has two new leaves.",
    "My sister moved to Lisbon last spring to work for a ceramics studio.",
    "The dentist said the wisdom tooth can stay for another year.",
    "We adopted a greyhound called Biscuit from the shelter on Mill Road.",
    "I finally passed the sailing exam after failing the knots twice.",
    "The new bakery sells a rye bread with caraway and orange peel.",
    "My laptop battery swelled, so I replaced it with a second-hand one.",
    "Grandfather's violin needs a new bridge before the spring concert.",
)
CJK = "我去年在京都学会了做拉面，味道非常好。"
TIES = tuple(f"quokka walrus lemming {name}" for name in ("amber", "birch", "cedar", "dogwood"))

HOSTILE = (
    "POL-358", "multi-agent", "don't", "what is 500 Mbps?", '"', '""', "'", "NEAR(", "a AND", "OR",
    "NOT", "*", "C++", "100%", "a_b", "col:x", "^", "{}", "[x](y)", "\\", ";--", "\x00", "\ud800",
    "🦥", "(" * 500, "x" * 20_000,
)  # fmt: skip
"""Queries that mean something to SQLite's full-text search, to a shell, to markup, or to nobody."""


def session(*said: str) -> SessionText:
    """A session of alternating speakers."""
    turns = tuple(Turn(("user", "assistant")[i % 2], text) for i, text in enumerate(said))
    return SessionText(session_sha(turns), turns)


def topical() -> list[SessionText]:
    """Eight short conversations about things that have nothing in common."""
    return [session(text, "Thank you for telling me.") for text in TOPICS]


def others(count: int = 12) -> list[SessionText]:
    """Conversations that share words with the topical ones, to be felt if anything leaks."""
    words = [text.split() for text in TOPICS]
    return [
        session(" ".join((words[i % 8] + words[(i + 3) % 8])[i % 5 :]), f"Reply number {i}.")
        for i in range(count)
    ]


def large() -> SessionText:
    """One session of more than 200 kB, in turns of very different length."""
    sentence = "The committee met again and postponed the decision about bridge number {}. "
    turns = [
        "".join(sentence.format(100 * i + j) for j in range(length))
        for i, length in enumerate((1, 3, 400, 20, 2000, 380, 5))
    ]
    return session(*turns)


def haystack(sessions: Sequence[SessionText], *, salt: str = "a", dated: bool = True) -> Haystack:
    """The sessions in order, a day apart; other salt, other tokens for the same content."""
    return Haystack(
        f"conformance-{salt}-{len(sessions)}",
        tuple(
            Position(
                opaque_token(f"{salt}{i if _repeated(sessions, s) else ''}", s.sha),
                s.sha,
                f"2024-03-{i % 28 + 1:02}T09:{i // 28:02}" if dated else None,
            )
            for i, s in enumerate(sessions)
        ),
    )


def _repeated(sessions: Sequence[SessionText], one: SessionText) -> bool:
    return sum(s.sha == one.sha for s in sessions) > 1


class CountingDoor(ScriptedDoor):
    """A door that knows no model: it counts calls per phase and answers with hashed word vectors.

    `responder` stands in for the language model; without one, every reply is empty.
    """

    def __init__(self, responder: Responder = lambda messages, schema: "") -> None:
        super().__init__(responder)
        self.calls: dict[str, int] = {}
        """Calls by the phase of the suite: `prepare`, `open`, `call`, `context`, `rank`."""

    @contextmanager
    def during(self, name: str) -> Iterator[None]:
        """Calls made inside the block are booked under `name`."""
        self.phase = "ingest" if name in ("prepare", "open") else "search"
        counted = self.counts.total()
        try:
            yield
        finally:
            if made := self.counts.total() - counted:
                self.calls[name] = self.calls.get(name, 0) + made
