"""s*, and the published tables of scale-conditioned evaluation (arXiv 2605.07313)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.intervals import wilson
from memtui.metrics.ladder_bootstrap import Counts, Resampler
from memtui.metrics.usable_scale import RungRate, UsableScale, usable_scale
from memtui.views.numbers import usable_label

SCALES = (0, 100, 200, 300, 400)


def ladder(*rates: float | None, n: int = 1000) -> list[RungRate]:
    return [
        RungRate(scale, 0 if rate is None else round(rate * n / 100), 0 if rate is None else n)
        for scale, rate in zip(SCALES, rates, strict=False)
    ]


@pytest.mark.parametrize(
    ("rates", "printed"),
    [
        ((78.2, 66.0, 63.0, 60.0, 58.2), "100"),
        ((53.5, 53.0, 53.0, 52.5, 52.2), "0"),
        ((84.8, 75.0, 71.0, 69.9, 68.8), "300"),
        ((78.6, 78.6, 78.5, 78.5, 78.5), "> 400"),
        ((70.0, 70.0, 70.0, 70.0, 70.0), "> 400"),
        ((80.0, 69.9, 75.0, 80.0, 80.0), "100"),
        ((80.0, None, 60.0, 50.0, 40.0), "≤ 200, 100 missing"),
        ((80.0, None, None, 60.0, 40.0), "≤ 300, 100, 200 missing"),
        ((80.0, None, 75.0, 72.0, 71.0), "> 400, 100 missing"),
        ((80.0, 60.0, None, 60.0, 40.0), "100"),
        ((80.0, 75.0, 72.0, None, None), "> 200"),
        ((None, None, None, None, None), "–"),
        ((), "–"),
    ],
)
def test_edge_rules(rates: tuple[float | None, ...], printed: str) -> None:
    assert str(usable_scale(ladder(*rates), 0.7)) == printed
    assert str(usable_scale(ladder(*rates)[::-1], 0.7)) == printed


def test_withheld_where_more_than_five_per_cent_of_a_rung_is_excluded() -> None:
    rungs = [RungRate(0, 80, 100), RungRate(100, 75, 94, excluded=6), RungRate(200, 10, 100)]
    found = usable_scale(rungs, 0.7)
    assert (found.kind, found.value) == ("withheld", 100)
    assert str(found) == "withheld (6% at scale 100 excluded)"
    rungs[1] = RungRate(100, 75, 95, excluded=5)
    assert str(usable_scale(rungs, 0.7)) == "200"
    rungs[1] = RungRate(100, 0, 0, excluded=40)
    assert usable_scale(rungs, 0.7).kind == "withheld"


def test_exclusions_above_the_failing_rung_do_not_matter() -> None:
    rungs = [RungRate(0, 50, 100), RungRate(100, 50, 60, excluded=40)]
    assert str(usable_scale(rungs, 0.7)) == "0"


def test_how_sure_the_failing_rung_is() -> None:
    close = RungRate(0, 69, 100, interval=wilson(69, 100))
    clear = RungRate(0, 300, 1000, interval=wilson(300, 1000))
    assert usable_scale([close], 0.7).sure is False
    assert usable_scale([clear], 0.7).sure is True


def test_an_items_own_history_is_no_rung_of_the_ladder() -> None:
    assert str(usable_scale([RungRate(-1, 1, 100), RungRate(0, 90, 100)], 0.7)) == "> 0"


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 3)),
        min_size=1,
        max_size=5,
    )
)
def test_every_ladder_has_exactly_one_answer_that_names_a_rung_of_it(
    rungs: list[tuple[int, int, int]],
) -> None:
    given_rungs = [
        RungRate(scale, min(k, n), n, excluded)
        for scale, (k, n, excluded) in zip(SCALES, rungs, strict=False)
    ]
    found = usable_scale(given_rungs, 0.7)
    assert found.kind in {"exact", "above", "interval", "withheld", "undefined"}
    if found.kind == "exact":
        index = SCALES.index(int(found.value or 0))
        assert all(r.n and r.passed / r.n >= 0.7 for r in given_rungs[:index])
        assert given_rungs[index].passed / given_rungs[index].n < 0.7
    if found.kind == "above":
        top = found.value or 0.0
        assert all(r.passed / r.n >= 0.7 for r in given_rungs if r.n and r.scale <= top)
    assert isinstance(found, UsableScale) and str(found)


# Published rates, per cent, LongMemEval at B = 2, as (p_exh, p_wrong, Pass or None where not printed).
DECOMPOSITION = {
    ("8B", "HippoRAG", "s0"): (0.0, 21.8, 78.2),
    ("8B", "HippoRAG", "s4"): (0.0, 41.8, 58.2),
    ("8B", "LiCoMemory", "s0"): (37.2, 9.3, 53.5),
    ("8B", "LiCoMemory", "s4"): (38.6, 9.2, 52.2),
    ("32B", "HippoRAG", "s0"): (0.0, 17.4, 82.6),
    ("32B", "HippoRAG", "s4"): (0.0, 36.5, 63.5),
    ("32B", "LiCoMemory", "s0"): (15.4, 6.0, 78.6),
    ("32B", "LiCoMemory", "s4"): (15.7, 5.8, 78.5),
    ("235B", "LiCoMemory", "s0"): (1.9, 16.8, 81.4),
    ("235B", "LiCoMemory", "s4"): (2.0, 17.9, 80.1),
}
P90R_AT_S4 = {
    ("8B", "HippoRAG"): 1,
    ("8B", "LiCoMemory"): 5,
    ("32B", "HippoRAG"): 1,
    ("32B", "LiCoMemory"): 4,
    ("235B", "LiCoMemory"): 2,
}


@pytest.mark.parametrize(("cell", "rates"), DECOMPOSITION.items())
def test_published_triples_sum_to_one_hundred(
    cell: tuple[str, str, str], rates: tuple[float, float, float]
) -> None:
    assert sum(rates) == pytest.approx(100.0, abs=0.15)


@pytest.mark.parametrize(("system", "p90r"), P90R_AT_S4.items())
def test_published_tail_burden_agrees_with_the_published_exhaustion(
    system: tuple[str, str], p90r: int
) -> None:
    """P90R <= B exactly when p_exh(B) <= 10 %."""
    p_exh = DECOMPOSITION[(*system, "s4")][0]
    assert (p90r <= 2) == (p_exh <= 10.0)


@pytest.mark.parametrize(
    ("s0", "s4", "s_star"),
    [
        (78.2, 58.2, "100"),
        (53.5, 52.2, "0"),
        (82.6, 63.5, "100"),
        (78.6, 78.5, "> 400"),
        (84.8, 68.8, "300"),
        (81.4, 80.1, "> 400"),
    ],
)
def test_published_break_points_follow_from_some_ladder_between_the_published_ends(
    s0: float, s4: float, s_star: str
) -> None:
    """The rungs between are not published; one ladder that has the printed s* is enough."""
    fails = {"0": 0, "100": 1, "300": 3, "> 400": 5}[s_star]
    middle = [max(s4, 70.0) if i < fails else min(s0, 69.9) for i in range(1, 4)]
    assert str(usable_scale(ladder(s0, *middle, s4), 0.7)) == s_star


def counts(*passed: int, n: int = 1) -> Counts:
    return {cluster: (k, n) for cluster, k in enumerate(passed)}


def test_joint_bootstrap_gives_the_mass_above_the_top_its_own_place() -> None:
    easy = counts(*([1] * 95 + [0] * 5))
    edge = counts(*([1] * 70 + [0] * 30))
    resampler = Resampler(range(100), resamples=500, seed=1)
    found = resampler.usable_scale([(0, easy), (100, edge)], 0.7)
    assert found is not None
    assert sum(found.shares.values()) == pytest.approx(1.0)
    assert set(found.shares) == {"100", "> 100"}
    assert 0.3 < found.shares["> 100"] < 0.7
    assert (found.low, found.high) == ("100", "> 100")
    hopeless = resampler.usable_scale([(0, counts(*[0] * 100)), (100, easy)], 0.7)
    assert hopeless is not None and hopeless.shares == {"0": 1.0}
    assert resampler.usable_scale([], 0.7) is None


def test_equality_is_still_usable_in_every_resample() -> None:
    same: Counts = dict.fromkeys(range(20), (7, 10))
    found = Resampler(range(20), resamples=200).usable_scale([(0, same), (100, same)], 0.7)
    assert found is not None and found.shares == {"> 100": 1.0}


def test_the_same_seed_gives_the_same_draws_and_pairs_stay_paired() -> None:
    a = counts(*[1, 0] * 25)
    b = {cluster: (1 - k, n) for cluster, (k, n) in a.items()}
    first = Resampler(range(50), resamples=300, seed=7)
    again = Resampler(range(50), resamples=300, seed=7)
    other = Resampler(range(50), resamples=300, seed=8)
    assert (first.rates([a]) == again.rates([a])).all()
    assert not (first.rates([a]) == other.rates([a])).all()
    # b = 1 - a in every resample, so the difference is 1 - 2a exactly.
    both = first.rates([a, b])
    assert abs(both.sum(axis=1) - 1.0).max() < 1e-12
    no_difference = first.difference(a, a)
    assert no_difference is not None and no_difference.low == no_difference.high == 0.0


def test_bootstrap_interval_of_a_rate_is_close_to_the_clustered_one() -> None:
    resampler = Resampler(range(400), resamples=2000)
    found = resampler.rate_interval(counts(*[1, 1, 0, 1] * 100))
    assert found is not None
    assert found.low == pytest.approx(0.75 - 1.96 * 0.0217, abs=0.01)
    assert found.high == pytest.approx(0.75 + 1.96 * 0.0217, abs=0.01)


def test_a_rung_of_which_nothing_was_drawn_is_no_failure() -> None:
    one: Counts = {0: (1, 1)}
    found = Resampler(range(3), resamples=200).usable_scale([(0, one)], 0.7)
    assert found is not None and found.shares == {"> 0": 1.0}


@pytest.mark.parametrize(
    ("counts", "label", "sure"),
    [
        (((3, 3), (1, 3)), "+100?", False),  # 1 of 3: anything from .06 to .79
        (((3, 3), (3, 3)), "> +100?", False),  # 3 of 3: .44 and more
        (((300, 300), (30, 300)), "+100", True),
        (((300, 300), (290, 300)), "> +100", True),
        (((300, 300), (0, 0)), "> +0", True),
        (((3, 3), (290, 300)), "> +100?", False),
    ],
)
def test_a_point_of_few_episodes_is_marked(
    counts: tuple[tuple[int, int], ...], label: str, sure: bool
) -> None:
    rungs = [
        RungRate(100.0 * at, passed, n, 0, wilson(passed, n))
        for at, (passed, n) in enumerate(counts)
    ]
    found = usable_scale(rungs, 0.7)
    assert usable_label(found) == label and found.sure is sure and found.unsure is not sure
    assert found.n == (counts[1][1] if label == "+100?" else min(n for _, n in counts if n))


def test_without_an_interval_nothing_is_sure() -> None:
    for passed in (10, 90):
        found = usable_scale([RungRate(0, passed, 100)], 0.7)
        assert found.sure is None and found.unsure and usable_label(found).endswith("?")
    withheld = usable_scale([RungRate(0, 10, 10, 90)], 0.7)
    assert not withheld.unsure and usable_label(withheld) == "withheld"
