"""Counts and rates of one group of episodes at a budget B (docs/metrics.md).

Rates are held as integer counts: pass + exhausted + wrong = n exactly, for every B. What is outside n
(`excluded`, `pending`) is counted beside it, never inside.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memtui.metrics.histogram import Fold
from memtui.metrics.intervals import Clustered, Interval, wilson
from memtui.metrics.p90r import Quantile, quantile_of_counts
from memtui.metrics.regime import OUTCOME_OF
from memtui.model import FLAGGED, Outcome, Regime


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
    def n_lost(self) -> int:
        """Excluded episodes without those whose question a reader flagged.

        Flagged questions are out of every rung alike, so they say nothing against one of them.
        """
        return self.n_excluded - self.excluded[FLAGGED]

    @property
    def excluded_share(self) -> float | None:
        """Excluded out of all that ended, flagged questions apart; None when none ended."""
        ended = self.n + self.n_lost
        return self.n_lost / ended if ended else None

    @property
    def policies(self) -> dict[str, tuple[int, int]]:
        """Pass as (k, n) under each named policy of exclusion.

        `errors_excluded` is the headline. `errors_wrong` counts excluded episodes as not passed;
        `failures_excluded` leaves out episodes in which the system under test broke as well.
        """
        return {
            "errors_excluded": (self.passed, self.n),
            "errors_wrong": (self.passed, self.n + self.n_lost),
            "failures_excluded": (self.passed, self.n - self.system_failed),
        }


def tally(group: Fold, budget: int, mode: str, *, context: bool = False) -> Tally:
    """Count a fold at B = `budget`; `context` marks arms without tools (they cannot give up early).

    Another B costs a look-up: what B changes is swept once per fold, the rest counted once.
    """
    sweep = group.sweep(mode)
    regimes = sweep.regimes(budget)
    steady = group.steady(mode)
    outcomes: Counter[Outcome] = Counter()
    for what, count in regimes.items():
        outcomes[OUTCOME_OF[what]] += count
    raised = steady.flags
    early = 0 if context else sweep.gave_up_early(budget)
    if early:
        raised = Counter({**raised, "gave_up_early": early})
    return Tally(
        budget=budget,
        mode=mode,
        n=steady.n,
        passed=outcomes[Outcome.PASS],
        exhausted=outcomes[Outcome.EXHAUSTED],
        wrong=outcomes[Outcome.WRONG],
        system_failed=steady.system_failed,
        no_answer=steady.no_answer,
        exhausted_right=sweep.exhausted_right(budget),
        right=steady.right,
        pending=outcomes[Outcome.PENDING],
        covered_at_b=sweep.covered(budget),
        covered_end=steady.covered_end,
        coverage_n=steady.coverage_n,
        excluded=steady.excluded,  # shared with every other B: a tally is only read
        regimes=regimes,
        flags=raised,
        calls=steady.calls,
    )


RATES = ("pass", "exhausted", "wrong")


@dataclass(frozen=True, slots=True)
class Rate:
    """One rate as counts, with its intervals; `interval` is the one to show.

    `method` names it: `wilson` for independent questions, `clustered` where questions share a history.
    Where all clusters have the same rate a Wilson interval stands in: `wilson-iid`, or `wilson-questions`
    where questions were asked several times (repeats, several fillings of a history). They are not
    independent, so each question then counts once, with its mean (Miller, arXiv 2411.00640).
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

    @property
    def stands_in(self) -> bool:
        """Whether the interval is Wilson's in place of a clustered one that has no width."""
        return self.method in ("wilson-iid", "wilson-questions")


def rate(group: Fold, counts: Tally, name: str) -> Rate:
    """A rate of `RATES` with Wilson and, where clusters hold several episodes, clustered interval."""
    k = {"pass": counts.passed, "exhausted": counts.exhausted, "wrong": counts.wrong}[name]
    return _outcome_rate(group, name, k, counts.n, counts.budget)


def passed(group: Fold, budget: int, mode: str) -> int:
    """Right within B: `tally(...).passed`, without counting anything else."""
    return group.steady(mode).right - group.sweep(mode).exhausted_right(budget)


def pass_rate(group: Fold, budget: int, mode: str) -> Rate:
    """`rate(..., "pass")` without a tally: what a table of many cells asks for at every other B."""
    return _outcome_rate(group, "pass", passed(group, budget, mode), group.steady(mode).n, budget)


def _outcome_rate(group: Fold, name: str, k: int, n: int, budget: int) -> Rate:
    robust = group.cluster_sweep().interval(name, budget) if group.clustered else None
    return _rate(k, n, group.clustered, robust, group.questions)


def covered_rate(group: Fold, counts: Tally) -> Rate:
    """Evidence complete after call B, out of the counted episodes whose coverage is known."""
    robust = group.coverage_sweep().interval("pass", counts.budget) if group.clustered else None
    k, n, questions = counts.covered_at_b, counts.coverage_n, group.coverage_questions
    return _rate(k, n, group.clustered, robust, questions)


def _rate(
    k: int, n: int, is_clustered: bool, robust: Clustered | None, questions: int | None
) -> Rate:
    simple = wilson(k, n)
    if not is_clustered:
        return Rate(k, n, simple, None, simple, "wilson")
    if robust is None or robust.interval is None:
        if n and questions is not None:
            once = wilson(k / n * questions, questions)
            return Rate(k, n, simple, robust, once, "wilson-questions")
        return Rate(k, n, simple, robust, simple, "wilson-iid")
    return Rate(k, n, simple, robust, robust.interval, "clustered")


def p90r(counts: Tally) -> Quantile:
    """P90R of the counted episodes, right or wrong."""
    return quantile_of_counts(counts.calls)


def overshoots(group: Fold, counts: Tally) -> Counter[tuple[int, bool]]:
    """{(calls after the evidence was complete, right): episodes} over counted, covered episodes."""
    return Counter(group.steady(counts.mode).overshoots)
