"""What context systems have in common: dated sessions written out in order, the oldest cut first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.model import Hit
from runners.memory.contract import (
    Artifact,
    CallResult,
    Context,
    Door,
    Haystack,
    MemoryError_,
    Position,
    SessionText,
    ToolSpec,
)
from runners.memory.flat.search import require_artifacts
from runners.sessions import count_tokens, render_block, render_turn


@dataclass(frozen=True, slots=True)
class TurnLengths:
    """Characters of each rendered turn: enough to know what fits without holding the text."""

    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """One session of a transcript: turns `first` and later are offered to the model."""

    position: Position
    lengths: tuple[int, ...]
    first: int = 0


def heading(position: Position) -> str:
    """The line above a session: its date, and nothing that names it."""
    return f"--- Session of {position.date or 'an unknown date'} ---"


def write_out(offered: Sequence[Offered], texts: Mapping[str, SessionText], tokens: int) -> Context:
    """The newest turns that fit into `tokens` (chars/4, as everywhere), oldest first.

    Turns are kept whole: cutting starts at the oldest turn and goes on until the rest fits. A session
    that lost turns has one hit for what is there and one, not shown, for what was cut; a session cut
    away altogether has one that is not shown.
    """
    room = tokens * 4
    kept: list[tuple[Offered, int]] = []
    full = False
    for session in reversed(offered):
        start = len(session.lengths)
        # The blank line between sessions is charged to each; one too many does no harm.
        cost = len(heading(session.position)) + 2
        while not full and start > session.first:
            cost += session.lengths[start - 1] + 1
            if cost > room:
                full = True
                break
            room -= cost
            cost = 0
            start -= 1
        kept.append((session, start))
    parts: list[str] = []
    hits: list[Hit] = []
    for session, start in reversed(kept):
        token, end = session.position.token, len(session.lengths)
        if start < end:
            said = render_block(texts[session.position.sha].turns, start)
            parts.append(f"{heading(session.position)}\n{said}")
        if start == 0 and end:
            hits.append(Hit(token))
            continue
        if session.first < start:
            whole = session.first == 0 and start == end
            span = (None, None) if whole else (session.first, start - 1)
            hits.append(Hit(token, shown=False, first=span[0], last=span[1]))
        if start < end:
            hits.append(Hit(token, first=start, last=end - 1))
    text = "\n\n".join(parts)
    return Context(text, tuple(hits), count_tokens(text))


class TranscriptView:
    """One opened haystack, written out on demand."""

    def __init__(
        self, offered: Sequence[Offered], texts: Mapping[str, SessionText], stored: int
    ) -> None:
        self._offered = offered
        self._texts = texts
        self.stored = stored
        """Sessions this view was given; a preflight compares it with the haystack."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """There is no tool."""
        raise MemoryError_(
            f"no tool named {tool!r}: this system puts the transcript in the context"
        )

    async def context(self, question: str, tokens: int) -> Context:
        """The transcript, whatever the question."""
        return write_out(self._offered, self._texts, tokens)

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """A transcript ranks nothing."""
        return None

    async def close(self) -> None:
        """Offer nothing any more."""
        self._offered = ()


class TranscriptSystem:
    """Preparation shared by the systems that write sessions out."""

    name = "transcript"

    def tools(self) -> tuple[ToolSpec, ...]:
        """None: R = 0 by construction."""
        return ()

    async def prepare(self, session: SessionText, door: Door | None) -> TurnLengths:
        """Measure the turns."""
        return TurnLengths(tuple(len(render_turn(turn)) for turn in session.turns))

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> TranscriptView:
        """The offered part of the haystack; `now` is told to the agent, not to the transcript."""
        prepared: list[TurnLengths] = require_artifacts(haystack, artifacts, self.name)
        offered = [
            Offered(position, session.turns)
            for position, session in zip(haystack.positions, prepared, strict=True)
        ]
        return TranscriptView(self.select(offered), texts, len(prepared))

    def select(self, offered: list[Offered]) -> list[Offered]:
        """The part of the transcript that is offered at all: here everything."""
        return offered
