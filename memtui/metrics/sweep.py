"""Every budget at once: what B changes about a fold, as steps along B.

An episode changes its regime at most four times while B grows (evidence first in view, complete, then
R reached), and a cluster its number of passes at most once per distinct R. Adding these steps up once
makes any B a look-up, so moving B costs the same for ten episodes as for a hundred thousand.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from memtui.metrics.intervals import Clustered, clustered_from_sums
from memtui.metrics.outcome import Standing, standing
from memtui.metrics.regime import NONE, PARTIAL, coverage_after, flags, regime
from memtui.metrics.signature import Profile, Signature
from memtui.model import Regime


class Meaning(NamedTuple):
    """What a signature means whatever B is: standing, regime once R <= B, flags that ignore B."""

    standing: Standing
    final: Regime
    flags: tuple[str, ...]
    exhausted: tuple[tuple[int, Regime], ...]
    """(first B, regime) while R > B, ascending."""
    coverage_known: bool
    may_give_up: bool


@lru_cache(maxsize=65_536)
def meaning(signature: Signature, mode: str) -> Meaning:
    """Work a signature out once, for all cells of all files."""
    held = standing(signature.end_reason, signature.label, signature.done, mode)
    final = regime(signature, signature.requested, mode)
    steps: list[tuple[int, Regime]] = []
    if held.counted and signature.requested:
        starts = {0, signature.first_hit or 0, signature.t_star or 0}
        for start in sorted(start for start in starts if start < signature.requested):
            found = regime(signature, start, mode)
            if not steps or steps[-1][1] is not found:
                steps.append((start, found))
    never_early = held.right or held.failed or not held.counted
    return Meaning(
        standing=held,
        final=final,
        flags=flags(signature, 0, mode) if held.counted else (),
        exhausted=tuple(steps),
        coverage_known=signature.gold_total is not None and bool(signature.answerable),
        may_give_up=not never_early and coverage_after(signature, None) in (PARTIAL, NONE),
    )


@dataclass(slots=True)
class Steady:
    """Counts of a fold that no budget changes (see `rates.Tally` for what they mean)."""

    n: int = 0
    right: int = 0
    pending: int = 0
    system_failed: int = 0
    no_answer: int = 0
    covered_end: int = 0
    coverage_n: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    calls: Counter[tuple[int, bool]] = field(default_factory=Counter)
    overshoots: Counter[tuple[int, bool]] = field(default_factory=Counter)
    searches: Counter[tuple[int | None, int]] = field(default_factory=Counter)
    """{(t*, R): episodes} where coverage is known; t* None: never complete."""
    ends: Counter[tuple[str | None, bool, str]] = field(default_factory=Counter)
    """Of all that ended, excluded ones too: {(end reason, abstained, cause of exclusion): episodes}."""


def steady_counts(signatures: Counter[Signature], mode: str) -> Steady:
    """Count what does not depend on B."""
    total = Steady()
    for signature, count in signatures.items():
        found = meaning(signature, mode)
        held = found.standing
        if not held.pending:
            total.ends[signature.end_reason, bool(signature.abstained), held.cause] += count
        if not held.counted:
            total.pending += count * held.pending
            if held.cause:
                total.excluded[held.cause] += count
            continue
        total.n += count
        total.right += count * held.right
        total.system_failed += count * held.failed
        total.no_answer += count * held.mute
        total.calls[signature.requested, held.censored] += count
        for name in found.flags:
            total.flags[name] += count
        if found.coverage_known:
            total.coverage_n += count
            total.searches[signature.t_star, signature.requested] += count
            if signature.t_star is not None:
                total.covered_end += count
                total.overshoots[signature.requested - signature.t_star, held.right] += count
    return total


class _Steps:
    """A count that changes at some values of B; looked up by bisection, whatever the values are."""

    __slots__ = ("_at", "_values")

    def __init__(self, changes: Mapping[int, int]) -> None:
        self._at = sorted(changes)
        self._values = list(accumulate((changes[at] for at in self._at), initial=0))

    def __getitem__(self, budget: int) -> int:
        return self._values[bisect_right(self._at, budget)]

    def changes(self) -> list[tuple[int, int]]:
        """(B, by how much more than at the B before), where it changes."""
        return [(at, self[at] - self[at - 1]) for at in self._at]


class Sweep:
    """The B-dependent counts of one fold, for every B."""

    def __init__(self, signatures: Counter[Signature], mode: str) -> None:
        regimes: defaultdict[Regime, Counter[int]] = defaultdict(Counter)
        exhausted_right: Counter[int] = Counter()
        covered: Counter[int] = Counter()
        early: Counter[int] = Counter()
        for signature, count in signatures.items():
            found = meaning(signature, mode)
            requested = signature.requested
            previous = None
            for start, name in found.exhausted:
                if previous is not None:
                    regimes[previous][start] -= count
                regimes[name][start] += count
                previous = name
            if previous is None:
                regimes[found.final][0] += count
            else:
                regimes[previous][requested] -= count
                regimes[found.final][requested] += count
            if not found.standing.counted:
                continue
            if found.standing.right:
                exhausted_right[0] += count
                exhausted_right[requested] -= count
            if found.coverage_known and signature.t_star is not None:
                covered[signature.t_star] += count
            if found.may_give_up:
                early[requested + 1] += count
        self._regimes = {name: _Steps(changes) for name, changes in regimes.items()}
        self._exhausted_right = _Steps(exhausted_right)
        self._covered = _Steps(covered)
        self._early = _Steps(early)

    def regimes(self, budget: int) -> Counter[Regime]:
        """Episodes by regime at B >= 0."""
        return Counter(
            {name: count for name, steps in self._regimes.items() if (count := steps[budget])}
        )

    def exhausted_right(self, budget: int) -> int:
        """Exhausted at B though right."""
        return self._exhausted_right[budget]

    def covered(self, budget: int) -> int:
        """Evidence complete after call B."""
        return self._covered[budget]

    def completed(self) -> list[tuple[int, int]]:
        """(t*, episodes) in order of t*."""
        return self._covered.changes()

    def gave_up_early(self, budget: int) -> int:
        """Stopped below B with evidence missing, and not right."""
        return self._early[budget]


Sums = tuple[int, int, int, float]
"""Sums over clusters of one rate: k, k^2, k * n and k^2 / n."""


class ClusterSweep:
    """Cluster-robust intervals of pass, exhausted and wrong at every B."""

    def __init__(self, profiles: Iterable[tuple[Profile, int]]) -> None:
        self._groups = self._n = self._nn = 0
        moves: dict[str, defaultdict[int, list[tuple[int, int, int, int]]]] = {
            name: defaultdict(list) for name in ("pass", "exhausted", "wrong")
        }
        for profile, times in profiles:
            size = sum(count for _, count in profile)
            self._groups += times
            self._n += size * times
            self._nn += size * size * times
            passed, wrong, over = 0, 0, size
            for (requested, right), count in profile:
                moves["exhausted"][requested].append((over, over - count, size, times))
                over -= count
                if right:
                    moves["pass"][requested].append((passed, passed + count, size, times))
                    passed += count
                else:
                    moves["wrong"][requested].append((wrong, wrong + count, size, times))
                    wrong += count
        # With less than the fewest calls allowed every episode is over budget: k_g = n_g.
        everything: Sums = (self._n, self._nn, self._nn, float(self._n))
        nothing: Sums = (0, 0, 0, 0.0)
        self._at: dict[str, list[int]] = {}
        self._sums: dict[str, tuple[array[int], array[float]]] = {}
        """The sums one after the other, the three whole ones and the ratio apart: as tuples of numbers
        they take six times the room, for every cell under every judge."""
        for name, by_call in moves.items():
            self._at[name] = sorted(by_call)
            start = everything if name == "exhausted" else nothing
            whole, ratios = self._sums[name] = array("q"), array("d")
            steps = (by_call[at] for at in self._at[name])
            for *three, ratio in accumulate(steps, _moved, initial=start):
                whole.extend(three)
                ratios.append(ratio)

    def interval(self, name: str, budget: int) -> Clustered | None:
        """The clustered interval of `pass`, `exhausted` or `wrong` at B; None for n = 0."""
        if not self._n:
            return None
        at = bisect_right(self._at[name], budget)
        whole, ratios = self._sums[name]
        k, kk, kn = whole[3 * at : 3 * at + 3]
        return clustered_from_sums(self._groups, self._n, self._nn, k, kk, kn, ratios[at])


def _moved(sums: Sums, moves: Iterable[tuple[int, int, int, int]]) -> Sums:
    """The sums after clusters moved: (successes before, after, size, how many such clusters)."""
    k, kk, kn, ratio = sums
    for before, after, size, times in moves:
        change = (after - before) * times
        square = change * (after + before)
        k += change
        kk += square
        kn += change * size
        ratio += square / size
    return k, kk, kn, ratio
