"""Coverage shares histories like every other rate, so its interval is clustered like theirs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.histogram import fold
from memtui.metrics.intervals import clustered
from memtui.metrics.rates import covered_rate, tally
from tests.metrics.episodes import Episode

CALLS = st.lists(
    st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 6))), min_size=2, max_size=40
)


@given(CALLS, st.integers(0, 7))
def test_the_interval_is_that_of_a_direct_recount(
    rows: list[tuple[int, int | None]], budget: int
) -> None:
    facts = [Episode(requested=6, t_star=t, gold_total=1) for _, t in rows]
    clusters = [cluster for cluster, _ in rows]
    group = fold(facts, [0] * len(facts), clusters, "post_hoc")[0]
    found = covered_rate(group, tally(group, budget, "post_hoc"))
    hits = [t is not None and t <= budget for _, t in rows]
    assert (found.k, found.n) == (sum(hits), len(rows))
    if len(set(clusters)) == len(clusters):
        assert found.method == "wilson"
        return
    sizes = {c: clusters.count(c) for c in set(clusters)}
    counts = {c: sum(h for h, of in zip(hits, clusters, strict=True) if of == c) for c in sizes}
    direct = clustered((counts[c], sizes[c], 1) for c in sizes)
    assert found.clustered is not None and direct is not None
    assert found.clustered.interval == direct.interval and found.clustered.se == direct.se


def test_an_episode_without_known_coverage_is_in_neither_count() -> None:
    facts = [Episode(t_star=1, gold_total=1)] * 2 + [Episode(t_star=None, gold_total=None)] * 2
    group = fold(facts, [0] * 4, [0, 0, 1, 1], "post_hoc")[0]
    found = covered_rate(group, tally(group, 2, "post_hoc"))
    assert (found.k, found.n) == (2, 2)
