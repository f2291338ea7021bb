"""Intervals of rates and quantiles: which one is the default, and where each comes from.

Wilson (1927; Brown, Cai, DasGupta 2001) for independent questions; cluster-robust with t(G - 1) where
questions share a history (Miller, arXiv 2411.00640, App. A; Cameron, Gelbach, Miller 2008); order
statistics for quantiles. All are 95 %; n = 0 is undefined (None), never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memtui.metrics.distributions import Z95, binomial_quantile, t_quantile

FEW_CLUSTERS = 20
"""Below this many clusters a cluster bootstrap is printed beside the cluster-robust interval."""
TOO_FEW_CLUSTERS = 6
"""Below this many clusters the report says "too few clusters"."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of a rate, as fractions."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OrderInterval:
    """A 95 % order-statistic interval of a quantile: values that occurred, at 1-based ranks.

    `high` is None where the data cannot bound it: too few episodes, or a censored one.
    """

    low: int
    high: int | None
    low_rank: int
    high_rank: int | None


@dataclass(frozen=True, slots=True)
class Clustered:
    """Cluster-robust interval of a rate with what one needs to read it.

    `se` is the clustered standard error, `naive_se` the one that ignores clusters, `clusters` G,
    `icc` the intra-cluster correlation (ANOVA estimate, may be negative), `design_effect`
    1 + (mean cluster size - 1) * icc. `interval` is None where every cluster has the same rate (the
    standard error is then 0 by construction, which is not certainty) or G < 2.
    """

    interval: Interval | None
    se: float
    naive_se: float
    clusters: int
    icc: float | None
    design_effect: float | None


def wilson(k: float, n: int, z: float = Z95) -> Interval | None:
    """Wilson score interval of k successes in n; None for n = 0; always within [0, 1].

    k need not be whole: the mean of n questions that were asked several times each, times n.
    """
    if n == 0:
        return None
    p = k / n
    d = 1.0 + z * z / n
    centre = (p + z * z / (2 * n)) / d
    half = z / d * math.sqrt(p * (1.0 - p) / n + z * z / (4 * n * n))
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return Interval(low, high)


def clustered(clusters: Iterable[tuple[int, int, int]]) -> Clustered | None:
    """Cluster-robust interval of a rate.

    `clusters` yields (successes, episodes, how many such clusters). The variance is
    G/(G-1) * sum((k_g - p n_g)^2) / n^2, the interval p ± t(G-1) * SE, cut to [0, 1]; None for n = 0.
    """
    groups = 0
    n = k = 0
    kk = kn = nn = 0
    k2_over_n = 0.0
    for successes, size, times in clusters:
        if not size:
            continue
        groups += times
        n += size * times
        k += successes * times
        kk += successes * successes * times
        kn += successes * size * times
        nn += size * size * times
        k2_over_n += successes * successes / size * times
    return clustered_from_sums(groups, n, nn, k, kk, kn, k2_over_n) if n else None


def clustered_from_sums(
    groups: int, n: int, nn: int, k: int, kk: int, kn: int, k2_over_n: float
) -> Clustered:
    """The same from sums over G >= 1 clusters of n_g episodes and k_g successes.

    `nn`, `kk`, `kn` are the sums of n_g^2, k_g^2 and k_g n_g; `k2_over_n` that of k_g^2 / n_g.
    """
    p = k / n
    naive = math.sqrt(p * (1.0 - p) / n)
    if groups < 2:
        return Clustered(None, 0.0, naive, groups, None, None)
    # n^2 times the sum of squared residuals, in integers: exactly 0 where all clusters agree.
    residual = n * n * kk - 2 * n * k * kn + k * k * nn
    se = math.sqrt(groups / (groups - 1) * residual) / (n * n)
    icc = _icc(groups, n, k, nn, k2_over_n)
    design = None if icc is None else 1.0 + (n / groups - 1.0) * icc
    if residual == 0:
        return Clustered(None, 0.0, naive, groups, icc, design)
    half = t_quantile(groups - 1) * se
    interval = Interval(max(0.0, p - half), min(1.0, p + half))
    return Clustered(interval, se, naive, groups, icc, design)


def _icc(groups: int, n: int, k: int, nn: int, k2_over_n: float) -> float | None:
    """ANOVA estimator of the intra-cluster correlation of a binary outcome; None if undefined."""
    if n <= groups or k in (0, n):
        return None
    between = (k2_over_n - k * k / n) / (groups - 1)
    within = (k - k2_over_n) / (n - groups)
    size = (n - nn / n) / (groups - 1)
    denominator = between + (size - 1.0) * within
    return (between - within) / denominator if denominator > 0 else None


def order_statistic_ranks(n: int, q: float, level: float = 0.95) -> tuple[int, int | None]:
    """1-based ranks (low, high) whose order statistics bound the q quantile with `level` confidence.

    From the binomial distribution of the number of observations below the quantile; the upper rank is
    None when even the largest of n observations is not high enough. For n = 500, q = 0.9: 436 and 464.
    """
    tail = (1.0 - level) / 2.0
    low = max(1, binomial_quantile(n, q, tail))
    high = binomial_quantile(n, q, 1.0 - tail) + 1
    return low, high if high <= n else None
