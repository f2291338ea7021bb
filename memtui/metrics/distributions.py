"""Quantiles of Student's t and of the binomial, in plain Python: a report starts without numpy.

The regularised incomplete beta function is Lentz's continued fraction (Numerical Recipes 6.4, also
DLMF 8.17.22); tests compare with scipy.
"""

from __future__ import annotations

import math
from functools import lru_cache

Z95 = 1.959963984540054
"""0.975 quantile of the normal distribution."""


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), the regularised incomplete beta function; a, b > 0 and 0 <= x <= 1."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    total = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            total *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    return total


@lru_cache(maxsize=1024)
def t_quantile(df: int, p: float = 0.975) -> float:
    """Quantile of Student's t with `df` >= 1 degrees of freedom, 0.5 <= p < 1."""
    if df < 1 or not 0.5 <= p < 1.0:
        raise ValueError(f"t quantile needs df >= 1 and 0.5 <= p < 1, got df={df}, p={p}")
    if p == 0.5:
        return 0.0
    # P(|T| <= t) = 1 - I_x(df/2, 1/2) with x = df / (df + t^2): solve for t by bisection.
    tail = 2.0 * (1.0 - p)
    low, high = 0.0, 2.0
    while incomplete_beta(df / 2.0, 0.5, df / (df + high * high)) > tail:
        high *= 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if incomplete_beta(df / 2.0, 0.5, df / (df + middle * middle)) > tail:
            low = middle
        else:
            high = middle
        if high - low <= 1e-13 * high:
            break
    return (low + high) / 2.0


@lru_cache(maxsize=4096)
def t_two_sided(df: int, t: float) -> float:
    """P(|T| >= |t|) of Student's t with `df` >= 1 degrees of freedom."""
    if df < 1:
        raise ValueError(f"Student's t needs df >= 1, got {df}")
    square = t * t
    if square < 1:  # from the other side: df / (df + t * t) rounds to 1 where t is small
        return 1.0 - incomplete_beta(0.5, df / 2, square / (df + square))
    return incomplete_beta(df / 2, 0.5, df / (df + square))


def binomial_quantile(n: int, p: float, q: float) -> int:
    """Smallest k with P(Bin(n, p) <= k) >= q; 0 < p < 1, 0 < q < 1, n >= 0.

    Starts where the normal approximation points and walks from there, so that hundreds of cells of
    different n cost one incomplete beta each.
    """
    if n == 0:
        return 0
    q -= 1e-13  # a probability that equals q exactly must not be missed by one rounding
    deviations = Z95 if q > 0.9 else -Z95 if q < 0.1 else 0.0
    k = min(n, max(0, round(n * p + deviations * math.sqrt(n * p * (1.0 - p)))))
    below = binomial_cdf(k, n, p)
    if below >= q:
        while k > 0 and (less := below - _binomial_pmf(k, n, p)) >= q:
            k, below = k - 1, less
        return k
    while k < n and below < q:
        k += 1
        below += _binomial_pmf(k, n, p)
    return k


def _binomial_pmf(k: int, n: int, p: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p))


def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(Bin(n, p) <= k), exact through the incomplete beta function."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return incomplete_beta(n - k, k + 1.0, 1.0 - p)


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided exact McNemar p-value of the discordant counts (binomial form; McNemar 1947).

    1.0 when there is no discordant pair. Computed in the log domain, so 7e-33 is not 0.
    """
    n = only_a + only_b
    if n == 0:
        return 1.0
    k = min(only_a, only_b)
    # log of the sum of C(n, i) for i = 0..k, largest term first.
    logs = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(k, -1, -1)
    ]
    top = logs[0]
    total = math.fsum(math.exp(value - top) for value in logs)
    return min(1.0, 2.0 * math.exp(top + math.log(total) - n * math.log(2.0)))
