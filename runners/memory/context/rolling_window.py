"""Rolling window: the last sessions or turns in the model's context, and nothing else."""

from __future__ import annotations

from memtui.errors import UserError
from runners.memory.context.transcript import Offered, TranscriptSystem
from runners.memory.contract import SystemInfo


class RollingWindow(TranscriptSystem):
    """The memory of a plain chat: whatever is recent. Set `sessions` or `turns`, not both."""

    name = "rolling-window"

    def __init__(self, *, sessions: int | None = None, turns: int | None = None) -> None:
        if sessions is not None and turns is not None:
            raise UserError("give sessions or turns, not both: a window has one length")
        for unit, length in (("sessions", sessions), ("turns", turns)):
            bad = isinstance(length, bool) or not isinstance(length, int) or length < 1
            if length is not None and bad:
                raise UserError(f"{unit} must be a whole number of at least 1, not {length!r}")
        self._turns = turns
        self._sessions = 10 if sessions is None and turns is None else sessions

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        return SystemInfo(
            name=self.name,
            version="1",
            interface="context",
            mode="single_shot",
            context=True,
            order_dependent=True,
            config={
                "sessions": self._sessions,
                "turns": self._turns,
                "cut": "oldest turn first",
            },
        )

    def select(self, offered: list[Offered]) -> list[Offered]:
        """The newest sessions, or the newest turns across sessions; the rest was never offered."""
        if self._turns is None:
            assert self._sessions is not None
            return offered[-self._sessions :]
        left = self._turns
        chosen: list[Offered] = []
        for session in reversed(offered):
            if left <= 0:
                break
            first = max(len(session.lengths) - left, 0)
            chosen.append(Offered(session.position, session.lengths, first))
            left -= len(session.lengths) - first
        return chosen[::-1]
