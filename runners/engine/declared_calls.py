"""Calls at the door in a run, held against what the memory system declares; more or fewer is told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from runners.engine.memory_calls import COMPLETE, EMBED, Bounds, expected
from runners.memory.contract import Calls, MemorySystem, SessionText

Counts = Mapping[tuple[str, str], int]
"""Calls by (phase of the door, kind)."""
_DOING = {"prepare": "preparing a session", "open": "opening a history", "call": "searching"}


class DeclaredCalls:
    """One system's declarations, session by session as they come.

    Systems that declare nothing are held to nothing. What failed is not looked at: a call that was not
    answered may well be followed by fewer.
    """

    def __init__(self, system: MemorySystem) -> None:
        self._system = system
        self._declared: Calls = system.info.calls
        self._sessions: dict[str, Calls] = {}

    def preparing(self, session: SessionText, counts: Counts) -> str:
        """What is wrong with the calls of one preparation, in words; empty where nothing is."""
        return self._problem("prepare", self._of(session), counts, 1)

    def opening(self, sessions: Iterable[SessionText], counts: Counts) -> str:
        """The same of opening a history of these sessions."""
        if not self._declared or not any(counts.values()):
            return ""
        summed: dict[str, Bounds] = {COMPLETE: Bounds(), EMBED: Bounds()}
        for session in sessions:
            of = self._of(session).get("open", {})
            summed = {
                kind: sum_.plus(Bounds(*of.get(kind, (0, 0)))) for kind, sum_ in summed.items()
            }
        calls: Calls = {"open": {kind: (sum_.least, sum_.most) for kind, sum_ in summed.items()}}
        return self._problem("open", calls, counts, 1)

    def searching(self, searches: int, counts: Counts) -> str:
        """The same of an episode that searched so often; rankings asked for beside it count with them."""
        ranks = self._declared.get("rank", {})
        calls: Calls = {"call": dict(self._declared.get("call", {}))}
        for kind, (_, most) in ranks.items():
            least, so_far = calls["call"].get(kind, (0, 0))
            both = None if most is None or so_far is None else most + so_far
            calls["call"][kind] = least, both
        return self._problem("call", calls, counts, searches)

    def _of(self, session: SessionText) -> Calls:
        if session.sha not in self._sessions:
            self._sessions[session.sha] = expected(self._system, session)
        return self._sessions[session.sha]

    def _problem(self, phase: str, calls: Calls, counts: Counts, units: int) -> str:
        if not self._declared:
            return ""
        made: Counter[str] = Counter()
        for (_, kind), number in counts.items():
            made[kind] += number
        for kind, name in ((COMPLETE, "completions"), (EMBED, "embeddings")):
            bounds = Bounds(*calls.get(phase, {}).get(kind, (0, 0))).times(units)
            # Fewer is no fault of an episode that was cut short; more is cost nobody expected.
            if bounds.most is not None and made[kind] > bounds.most:
                return (
                    f"asked for {made[kind]} {name} while {_DOING[phase]}, and declares at most"
                    f" {bounds.most}: the plan's numbers of calls are too low"
                )
        return ""
