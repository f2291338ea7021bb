"""Counts and rates of one group of episodes at a budget B (docs/metrics.md).

Rates are held as integer counts: pass + exhausted + wrong = n exactly, for every B. What is outside n
(`excluded`, `pending`) is counted beside it, never inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from memtui.metrics.histogram import Fold, Profile, Signature
from memtui.metrics.intervals import Clustered, Interval, clustered, wilson
from memtui.metrics.outcome import standing
from memtui.metrics.p90r import Quantile, quantile_of_counts
from memtui.metrics.regime import OUTCOME_OF, flags, overshoot, regime
from memtui.model import Outcome, Regime


@dataclass(slots=True)
class Tally:
    """Integer counts of a group at one budget.

    `n` counted episodes = `passed` + `exhausted` + `wrong`. `system_failed` (the system under test
    broke) and `no_answer` lie inside exhausted or wrong; `exhausted_right` were right but over budget.
    `covered_at_b` and `covered_end` count episodes whose evidence was complete after call B and at
    the end, out of `coverage_n` whose coverage is known. `calls` is {(R, censored): episodes}.
    """

    budget: int
    mode: str
    n: int = 0
    passed: int = 0
    exhausted: int = 0
    wrong: int = 0
    system_failed: int = 0
    no_answer: int = 0
    exhausted_right: int = 0
    right: int = 0
    pending: int = 0
    covered_at_b: int = 0
    covered_end: int = 0
    coverage_n: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    regimes: Counter[Regime] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    calls: Counter[tuple[int, bool]] = field(default_factory=Counter)

    @property
    def n_excluded(self) -> int:
        """Episodes outside n for a cause that is not the agent's or the memory system's."""
        return sum(self.excluded.values())

    @property
    def excluded_share(self) -> float | None:
        """Excluded out of all that ended; None when none ended."""
        ended = self.n + self.n_excluded
        return self.n_excluded / ended if ended else None

    @property
    def policies(self) -> dict[str, tuple[int, int]]:
        """Pass as (k, n) under each named policy of exclusion.

        `errors_excluded` is the headline. `errors_wrong` counts excluded episodes as not passed;
        `failures_excluded` leaves out episodes in which the system under test broke as well.
        """
        return {
            "errors_excluded": (self.passed, self.n),
            "errors_wrong": (self.passed, self.n + self.n_excluded),
            "failures_excluded": (self.passed, self.n - self.system_failed),
        }


def tally(
    group: Fold, budget: int, mode: str, *, context: bool = False, cache: TallyCache | None = None
) -> Tally:
    """Count a fold at B = `budget`; `context` marks arms without tools (they cannot give up early)."""
    total = Tally(budget, mode)
    look = (cache or TallyCache(budget, mode)).look
    for signature, count in group.signatures.items():
        what, counted, failed, mute, right, censored, cause, raised = look(signature)
        total.regimes[what] += count
        if not counted:
            if cause:
                total.excluded[cause] += count
            else:
                total.pending += count
            continue
        total.n += count
        total.right += count * right
        outcome = OUTCOME_OF[what]
        if outcome is Outcome.PASS:
            total.passed += count
        elif outcome is Outcome.EXHAUSTED:
            total.exhausted += count
            total.exhausted_right += count * right
        else:
            total.wrong += count
        total.system_failed += count * failed
        total.no_answer += count * mute
        total.calls[signature.requested, censored] += count
        for name in raised:
            if not (context and name == "gave_up_early"):
                total.flags[name] += count
        if signature.gold_total is not None and signature.answerable:
            total.coverage_n += count
            if signature.t_star is not None:
                total.covered_end += count
                if signature.t_star <= budget:
                    total.covered_at_b += count
    return total


Look = tuple[Regime, bool, bool, bool, bool, bool, str, tuple[str, ...]]


class TallyCache:
    """What one signature means at one budget, shared by all groups of a file."""

    def __init__(self, budget: int, mode: str) -> None:
        self._budget = budget
        self._mode = mode
        self._known: dict[Signature, Look] = {}

    def look(self, signature: Signature) -> Look:
        """Regime, counted, failed, mute, right, censored, cause, flags of a signature."""
        found = self._known.get(signature)
        if found is None:
            held = standing(signature.end_reason, signature.label, signature.done, self._mode)
            found = (
                regime(signature, self._budget, self._mode),
                held.counted,
                held.failed,
                held.mute,
                held.right,
                held.censored,
                held.cause,
                flags(signature, self._budget, self._mode) if held.counted else (),
            )
            self._known[signature] = found
        return found


RATES = ("pass", "exhausted", "wrong")


@dataclass(frozen=True, slots=True)
class Rate:
    """One rate as counts, with its intervals; `interval` is the one to show.

    `method` names it: `wilson` for independent questions, `clustered` where questions share a history.
    Where all clusters have the same rate the Wilson interval is shown as `wilson-iid`.
    """

    k: int
    n: int
    wilson: Interval | None
    clustered: Clustered | None
    interval: Interval | None
    method: str

    @property
    def value(self) -> float | None:
        """k / n, or None (undefined) for n = 0."""
        return self.k / self.n if self.n else None


def rate(group: Fold, counts: Tally, name: str) -> Rate:
    """A rate of `RATES` with Wilson and, where clusters hold several episodes, clustered interval."""
    k = {"pass": counts.passed, "exhausted": counts.exhausted, "wrong": counts.wrong}[name]
    simple = wilson(k, counts.n)
    if not group.clustered:
        return Rate(k, counts.n, simple, None, simple, "wilson")
    budget = counts.budget
    if name == "pass":
        robust = clustered(_profiles(group, lambda r, right: right and r <= budget))
    elif name == "exhausted":
        robust = clustered(_profiles(group, lambda r, right: r > budget))
    else:
        robust = clustered(_profiles(group, lambda r, right: not right and r <= budget))
    if robust is None or robust.interval is None:
        return Rate(k, counts.n, simple, robust, simple, "wilson-iid")
    return Rate(k, counts.n, simple, robust, robust.interval, "clustered")


def _profiles(group: Fold, hit: Callable[[int, bool], bool]) -> list[tuple[int, int, int]]:
    return [(*_sums(profile, hit), times) for profile, times in group.profiles.items()]


def _sums(profile: Profile, hit: Callable[[int, bool], bool]) -> tuple[int, int]:
    successes = size = 0
    for (requested, right), count in profile:
        size += count
        if hit(requested, right):
            successes += count
    return successes, size


def p90r(counts: Tally) -> Quantile:
    """P90R of the counted episodes, right or wrong."""
    return quantile_of_counts(counts.calls)


def overshoots(group: Fold, counts: Tally) -> Counter[tuple[int, bool]]:
    """{(calls after the evidence was complete, right): episodes} over counted, covered episodes."""
    found: Counter[tuple[int, bool]] = Counter()
    for signature, count in group.signatures.items():
        held = standing(signature.end_reason, signature.label, signature.done, counts.mode)
        beyond = overshoot(signature)
        if held.counted and beyond is not None:
            found[beyond, held.right] += count
    return found
