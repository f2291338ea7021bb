"""Intervals against scipy, published tables and direct computation."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.metrics.distributions import (
    binomial_cdf,
    binomial_quantile,
    incomplete_beta,
    mcnemar_exact,
    t_quantile,
    t_two_sided,
)
from memtui.metrics.intervals import clustered, order_statistic_ranks, wilson

stats = pytest.importorskip("scipy.stats")

SERVING_COST_ACCURACY = {
    # k of 665: (printed low, printed high), arXiv 2608.11879, accuracy table.
    214: (0.287, 0.358),
    142: (0.184, 0.246),
    331: (0.460, 0.536),
    343: (0.478, 0.554),
    240: (0.325, 0.398),
    205: (0.274, 0.344),
    285: (0.391, 0.466),
    334: (0.464, 0.540),
    351: (0.490, 0.565),
    360: (0.503, 0.579),
    328: (0.455, 0.531),
}


@pytest.mark.parametrize(("k", "printed"), SERVING_COST_ACCURACY.items())
def test_wilson_equals_the_published_intervals(k: int, printed: tuple[float, float]) -> None:
    found = wilson(k, 665)
    assert found is not None
    assert (round(found.low, 3), round(found.high, 3)) == printed


def test_all_twelve_published_cells_are_covered() -> None:
    """331 of 665 stands twice in the table, with the same interval."""
    cells = [214, 142, 331, 343, 240, 205, 285, 334, 351, 360, 328, 331]
    assert len(cells) == 12 and set(cells) == set(SERVING_COST_ACCURACY)


@given(st.integers(0, 3000), st.integers(1, 3000))
def test_wilson_stays_within_zero_and_one_and_holds_the_point(k: int, n: int) -> None:
    k = min(k, n)
    found = wilson(k, n)
    assert found is not None
    assert 0.0 <= found.low <= k / n <= found.high <= 1.0
    assert found.low < found.high


def test_no_episode_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert clustered([]) is None


@given(st.integers(1, 5000), st.sampled_from([0.75, 0.95, 0.975, 0.995]))
def test_t_quantile_equals_scipy(df: int, p: float) -> None:
    assert t_quantile(df, p) == pytest.approx(stats.t.ppf(p, df), rel=1e-8)


@given(st.integers(1, 5000), st.sampled_from([0.9, 0.95, 0.99]), st.sampled_from([0.025, 0.975]))
def test_binomial_quantile_equals_scipy(n: int, p: float, q: float) -> None:
    assert binomial_quantile(n, p, q) == stats.binom.ppf(q, n, p)


@given(st.integers(1, 60), st.integers(-1, 61), st.sampled_from([0.1, 0.5, 0.9]))
def test_binomial_cdf_equals_the_exact_sum(n: int, k: int, p: float) -> None:
    exact = sum(
        (Fraction(p) ** i * (1 - Fraction(p)) ** (n - i) * math.comb(n, i) for i in range(k + 1)),
        Fraction(0),
    )
    assert binomial_cdf(k, n, p) == pytest.approx(float(min(exact, Fraction(1))), abs=1e-12)


@given(st.floats(0.5, 300), st.floats(0.5, 300), st.floats(0, 1))
def test_incomplete_beta_equals_scipy(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-10)


def test_order_statistic_ranks() -> None:
    assert order_statistic_ranks(500, 0.9) == (436, 464)
    assert order_statistic_ranks(10, 0.9) == (7, None)
    assert order_statistic_ranks(1, 0.9) == (1, None)


@given(st.integers(1, 3000))
def test_order_statistics_cover_at_least_nominally(n: int) -> None:
    low, high = order_statistic_ranks(n, 0.9)
    below = stats.binom.cdf(low - 1, n, 0.9)
    above = 0.0 if high is None else stats.binom.sf(high - 1, n, 0.9)
    assert below <= 0.025 + 1e-12 or low == 1
    assert above <= 0.025 + 1e-12


@given(st.integers(1, 200), st.floats(-40, 40))
@example(32, 5.960464477539063e-08)
def test_two_sided_t_equals_scipy(df: int, t: float) -> None:
    assert t_two_sided(df, t) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-8, abs=1e-300)


def test_mcnemar_is_exact_and_survives_tiny_values() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(186, 23) == pytest.approx(7.04e-33, rel=1e-3)
    for a, b in [(1, 0), (3, 9), (20, 21), (100, 140)]:
        assert mcnemar_exact(a, b) == pytest.approx(stats.binomtest(a, a + b).pvalue, rel=1e-9)


CLUSTERS = st.lists(
    st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=15,
)


@given(CLUSTERS)
def test_clustered_error_equals_the_definition(clusters: list[tuple[int, int]]) -> None:
    found = clustered((k, n, 1) for k, n in clusters)
    assert found is not None
    total = sum(n for _, n in clusters)
    p = sum(k for k, _ in clusters) / total
    groups = len(clusters)
    scale = groups / (groups - 1)
    direct = math.sqrt(scale * math.fsum((k - p * n) ** 2 for k, n in clusters)) / total
    assert found.se == pytest.approx(direct, rel=1e-9, abs=1e-12)
    if found.interval is None:
        assert len({Fraction(k, n) for k, n in clusters}) == 1
    else:
        half = stats.t.ppf(0.975, groups - 1) * direct
        assert found.interval.low == pytest.approx(max(0.0, p - half), abs=1e-7)
        assert found.interval.high == pytest.approx(min(1.0, p + half), abs=1e-7)
    assert found.clusters == groups


def test_clusters_of_one_give_the_ordinary_error_with_g_over_g_minus_one() -> None:
    values = [1] * 30 + [0] * 10
    found = clustered((value, 1, 1) for value in values)
    assert found is not None
    assert found.se == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))
    assert found.icc is None


def test_identical_clusters_may_be_given_by_how_many_there_are() -> None:
    one = clustered([(1, 2, 3), (2, 2, 2), (0, 3, 1)])
    two = clustered([(1, 2, 1)] * 3 + [(2, 2, 1)] * 2 + [(0, 3, 1)])
    assert one == two


def test_icc_is_one_for_all_or_nothing_clusters_and_negative_for_balanced_ones() -> None:
    together = clustered([(4, 4, 5), (0, 4, 5)])
    assert together is not None and together.icc == pytest.approx(1.0)
    assert together.design_effect == pytest.approx(4.0)
    balanced = clustered([(2, 4, 10)])
    assert balanced is not None and balanced.icc is not None and balanced.icc < 0


def test_icc_equals_one_way_analysis_of_variance() -> None:
    groups = [[1, 1, 1, 0], [1, 0], [0, 0, 0, 1, 0], [1, 1, 1]]
    n = sum(map(len, groups))
    f = stats.f_oneway(*groups).statistic
    within = sum((x - statistics.fmean(g)) ** 2 for g in groups for x in g) / (n - len(groups))
    between = f * within
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (len(groups) - 1)
    expected = (between - within) / (between + (size - 1) * within)
    found = clustered((sum(g), len(g), 1) for g in groups)
    assert found is not None and found.icc == pytest.approx(expected)
