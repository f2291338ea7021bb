"""What one owner used at the door, per phase: as asked, as paid, and as if every cache were cold."""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, field

from memtui.model import Usage
from runners.usage import UsageTotal, as_if_cold

FREE = Usage(prompt=0, cached=0, completion=0, reasoning=0, cost=0.0)
"""Nothing was asked of a model, or nothing had to be paid for: both are known zeros."""


@dataclass(slots=True)
class Tally:
    """Sums of one phase."""

    asked: UsageTotal = field(default_factory=UsageTotal)
    """The calls as the model answered them, whoever paid, and whenever."""
    paid: UsageTotal = field(default_factory=UsageTotal)
    """What this run paid for them: nothing for a reply that was recorded before."""
    cold: UsageTotal = field(default_factory=UsageTotal)
    wall_ms: float = 0.0


class Meter:
    """Counts and sums by phase; `counts` by (phase, `complete` or `embed`)."""

    def __init__(self, owner: str = "") -> None:
        """`owner`: who is named with a call under way that names nobody."""
        self.owner = owner
        self.counts: Counter[tuple[str, str]] = Counter()
        self._tallies: dict[str, Tally] = {}

    def add(
        self,
        phase: str,
        kind: str,
        usage: Usage,
        *,
        paid: Usage | None = None,
        cold: Usage | None = None,
        wall_ms: float = 0.0,
    ) -> None:
        """One call. `paid` is given where it differs from `usage`, `cold` where it is known better
        than the usage tells."""
        self.counts[phase, kind] += 1
        tally = self._tallies.setdefault(phase, Tally())
        tally.asked.add(usage)
        tally.paid.add(usage if paid is None else paid)
        tally.cold.add(as_if_cold(usage) if cold is None else cold)
        tally.wall_ms += wall_ms

    def take(self, phase: str) -> Tally | None:
        """What was used in a phase since it was last taken; None where the door was not used."""
        return self._tallies.pop(phase, None)


CHARGED: ContextVar[Meter | None] = ContextVar("charged", default=None)
"""The meter of the episode that this task works for: agents and judges need not name an owner."""
