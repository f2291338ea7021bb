"""Two arms on the same questions: the paired difference and its test, Holm over a family.

Miller, arXiv 2411.00640 (paired differences, clustered); McNemar 1947 in its exact binomial form; Holm
1979. Item sets that differ are refused by the caller or intersected explicitly: `Pairing` says by how
much they do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from memtui.metrics.distributions import mcnemar_exact, t_quantile, t_two_sided
from memtui.metrics.intervals import Interval

MCNEMAR = "mcnemar"
CLUSTERED = "clustered_t"

Results = Mapping[Hashable, Sequence[bool | None]]
"""{question (or question and condition): passed of each repeat}; None = excluded or pending."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How two sets of questions meet: on both sides, on one only, and lost to exclusions."""

    common: int
    only_a: int
    only_b: int
    dropped: int
    """Common questions without a counted repeat on one side: outside the comparison."""

    @property
    def equal(self) -> bool:
        """Whether both sides asked the same questions."""
        return not self.only_a and not self.only_b


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """B minus A on `n` paired questions.

    `difference` is the mean over questions of the difference of their mean pass rates. `se` is
    clustered (`clusters` of them), `interval` uses t(G - 1) and is None for fewer than two
    clusters or without any spread between them;
    `unpaired_se` shows what pairing saved. `only_a`, `only_b`, `both`, `neither` count discordant and
    concordant questions: None where a question has several repeats. `p_value` is that of `test`: exact McNemar,
    which takes pairs for independent, where each question counts once and shares no history; else
    |difference| / se against t(G - 1), which does not; None where that has no spread either.
    """

    n: int
    difference: float | None
    se: float | None
    unpaired_se: float | None
    interval: Interval | None
    clusters: int
    mean_a: float | None
    mean_b: float | None
    both: int | None
    only_a: int | None
    only_b: int | None
    neither: int | None
    p_value: float | None
    test: str | None
    """`MCNEMAR` or `CLUSTERED`; None without a p-value."""


def pairing(a: Results, b: Results) -> Pairing:
    """Compare the question sets of two sides."""
    common = [key for key in a if key in b]
    dropped = sum(1 for key in common if not (_counted(a[key]) and _counted(b[key])))
    return Pairing(len(common), len(a) - len(common), len(b) - len(common), dropped)


def paired_difference(
    a: Results, b: Results, cluster_of: Mapping[Hashable, Hashable]
) -> PairedDifference:
    """B minus A over the questions both sides have counted; averages within a question first."""
    rows: list[tuple[Hashable, float, float]] = []
    single = True
    for key, results in a.items():
        if key not in b:
            continue
        left, right = _counted(results), _counted(b[key])
        if not left or not right:
            continue
        single = single and len(left) == len(right) == 1
        rows.append((cluster_of[key], sum(left) / len(left), sum(right) / len(right)))
    n = len(rows)
    if not n:
        nothing = (None, None, None, None)
        return PairedDifference(0, None, None, None, None, 0, None, None, *nothing, None, None)
    mean_a = math.fsum(x for _, x, _ in rows) / n
    mean_b = math.fsum(y for _, _, y in rows) / n
    difference = math.fsum(y - x for _, x, y in rows) / n
    residuals: defaultdict[Hashable, float] = defaultdict(float)
    spread_a = spread_b = 0.0
    for cluster, x, y in rows:
        residuals[cluster] += (y - x) - difference
        spread_a += (x - mean_a) ** 2
        spread_b += (y - mean_b) ** 2
    groups = len(residuals)
    se = interval = None
    if groups > 1:
        total = math.fsum(value * value for value in residuals.values())
        se = math.sqrt(groups / (groups - 1) * total) / n
        # No spread between histories is no certainty: say nothing rather than ±0.
        if se > 1e-12:
            half = t_quantile(groups - 1) * se
            interval = Interval(max(-1.0, difference - half), min(1.0, difference + half))
    unpaired = math.sqrt((spread_a + spread_b) / (n - 1) / n) if n > 1 else None
    cells: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
    p_value = test = None
    if single:
        both = sum(1 for _, x, y in rows if x and y)
        first = sum(1 for _, x, y in rows if x and not y)
        second = sum(1 for _, x, y in rows if y and not x)
        cells = (both, first, second, n - both - first - second)
        if groups == n:
            p_value, test = mcnemar_exact(first, second), MCNEMAR
    if test is None and se is not None and interval is not None:
        p_value, test = t_two_sided(groups - 1, difference / se), CLUSTERED
    return PairedDifference(
        n, difference, se, unpaired, interval, groups, mean_a, mean_b, *cells, p_value, test
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm-adjusted p-values of one family, in the given order; None entries are not tested."""
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, place) in enumerate(tested):
        running = max(running, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = running
    return adjusted


def _counted(results: Sequence[bool | None]) -> list[bool]:
    return [result for result in results if result is not None]
