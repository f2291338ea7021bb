"""What a run spent, by phase: sums that say how much of them is unknown (docs/metrics.md).

A ledger has one line per owner and phase. *Paid* is what was asked for in this run, *as if cold* what it
would have been with every cache empty. A sum over lines of which some are unknown is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

PHASES = ("ingest", "search", "answer", "judge")
"""In the order in which they happen."""
WHOLE = "episode"
"""Phase of an episode whose harness did not split what it used."""


@dataclass(slots=True)
class Amount:
    """A quantity summed over `lines` of which `unknown` do not say it; `known` is the sum of the rest."""

    known: float = 0.0
    lines: int = 0
    unknown: int = 0

    def add(self, other: Amount) -> None:
        """Add another sum to this one."""
        self.known += other.known
        self.lines += other.lines
        self.unknown += other.unknown

    @property
    def value(self) -> float | None:
        """The sum of what is known; None where nothing is."""
        return self.known if self.lines > self.unknown else None

    @property
    def partial(self) -> bool:
        """Whether `value` is only a lower bound."""
        return 0 < self.unknown < self.lines

    def per(self, n: int) -> float | None:
        """`value` per one of `n`; None for n = 0 or where nothing is known."""
        value = self.value
        return None if value is None or not n else value / n


@dataclass(slots=True)
class Spent:
    """Model calls, tokens (prompt + completion) and US dollars."""

    calls: int = 0
    tokens: Amount = field(default_factory=Amount)
    dollars: Amount = field(default_factory=Amount)

    def add(self, other: Spent) -> None:
        """Add another one to this one."""
        self.calls += other.calls
        self.tokens.add(other.tokens)
        self.dollars.add(other.dollars)


@dataclass(slots=True)
class PhaseCost:
    """One phase: what was paid, what it is as if every cache were cold, and milliseconds."""

    phase: str
    paid: Spent = field(default_factory=Spent)
    cold: Spent = field(default_factory=Spent)
    wall: Amount = field(default_factory=Amount)

    def add(self, other: PhaseCost) -> None:
        """Add another one to this one; the phase stays."""
        self.paid.add(other.paid)
        self.cold.add(other.cold)
        self.wall.add(other.wall)


def in_order(phases: Iterable[PhaseCost]) -> tuple[PhaseCost, ...]:
    """One per phase, added up, in the order of `PHASES`; phases of other names after them."""
    found: dict[str, PhaseCost] = {}
    for one in phases:
        found.setdefault(one.phase, PhaseCost(one.phase)).add(one)
    names = [name for name in PHASES if name in found]
    names += sorted(name for name in found if name not in PHASES)
    return tuple(found[name] for name in names)


def total(phases: Iterable[PhaseCost]) -> PhaseCost:
    """All phases together."""
    everything = PhaseCost("total")
    for one in phases:
        everything.add(one)
    return everything
