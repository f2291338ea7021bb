"""Short ways to make sessions and open them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memtui.model import Turn
from runners.memory.contract import Haystack, MemorySystem, Position, SessionText
from runners.sessions import opaque_token, session_sha


def session(*texts: str) -> SessionText:
    turns = tuple(Turn("user", text) for text in texts)
    return SessionText(session_sha(turns), turns)


def haystack(
    sessions: Sequence[SessionText], dates: Sequence[str | None] | None = None
) -> Haystack:
    return Haystack(
        "h",
        tuple(
            Position(opaque_token(str(i), s.sha), s.sha, dates[i] if dates else None)
            for i, s in enumerate(sessions)
        ),
    )


async def opened(system: MemorySystem, sessions: Sequence[SessionText], **where: Any) -> Any:
    artifacts = {s.sha: await system.prepare(s, None) for s in sessions}
    texts = {s.sha: s for s in sessions}
    return await system.open(haystack(sessions, **where), artifacts, texts, None, None)


def tokens(sessions: Sequence[SessionText]) -> list[str]:
    return [p.token for p in haystack(sessions).positions]
