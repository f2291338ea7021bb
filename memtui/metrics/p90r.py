"""P90R, the tail burden of memory calls: the 0.9 quantile of R over all counted trajectories.

arXiv 2605.07313: P90R = inf{r : P(R <= r) >= 0.9}, the inverted-CDF quantile. Never interpolated: it is
a number of calls that occurred, and P90R <= B exactly when 10 * #{R > B} <= n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.metrics.intervals import OrderInterval, order_statistic_ranks

NINE_TENTHS = (9, 10)


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile of call counts: `value` is None for n = 0; `censored` prints it as "≥ value"."""

    value: int | None
    censored: bool
    interval: OrderInterval | None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"≥ {self.value}" if self.censored else str(self.value)


def inverted_cdf_rank(n: int, numerator: int = 9, denominator: int = 10) -> int:
    """1-based rank of the inverted-CDF quantile, ceil(q * n) in integers: no float error."""
    return max(1, -(-numerator * n // denominator))


def quantile_of_counts(
    histogram: Mapping[tuple[int, bool], int], fraction: tuple[int, int] = NINE_TENTHS
) -> Quantile:
    """Quantile of R from {(R, censored): episodes} with a 95 % order-statistic interval.

    A censored episode (stopped by a safety cap or a refused budget) requested at least R calls, so it
    sorts after an exact one of the same R.
    """
    ordered = sorted((key, count) for key, count in histogram.items() if count)
    n = sum(count for _, count in ordered)
    if not n:
        return Quantile(None, False, None)
    numerator, denominator = fraction

    def at(rank: int) -> tuple[int, bool]:
        seen = 0
        for key, count in ordered:
            seen += count
            if seen >= rank:
                return key
        return ordered[-1][0]

    value, censored = at(inverted_cdf_rank(n, numerator, denominator))
    low_rank, high_rank = order_statistic_ranks(n, numerator / denominator)
    high = None if high_rank is None else at(high_rank)
    interval = OrderInterval(
        low=at(low_rank)[0],
        high=None if high is None or high[1] else high[0],
        low_rank=low_rank,
        high_rank=high_rank,
    )
    return Quantile(value, censored, interval)
