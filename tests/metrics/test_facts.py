"""Facts of an episode: coverage, strip, redundancy, counted call by call."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics import glyphs
from memtui.metrics.facts import DEFAULT_VIEW, LEVELS, REACHES, FactTracker
from memtui.model import Evidence, EvidenceStatus, Hit

A, B, C, D = ("a" * 12, "b" * 12, "c" * 12, "d" * 12)


def session(token: str) -> Evidence:
    return Evidence(token, token, None)


def turn(token: str, number: int) -> Evidence:
    return Evidence(f"{token}:{number}", token, number)


def test_strip_of_an_episode_that_searched_on_after_it_had_everything() -> None:
    tracker = FactTracker([session(A), session(B)])
    tracker.call([Hit(A), Hit(C)])
    tracker.call([Hit(B)])
    tracker.call([Hit(A), Hit(D)])
    tracker.call([Hit("e" * 12)])
    assert tracker.strip == "◈◆◇◇"
    facts = tracker.facts()
    assert (facts.requested, facts.executed) == (4, 4)
    assert (facts.first_hit, facts.t_star) == (1, 2)
    assert (facts.gold_total, facts.gold_found) == (2, 2)
    assert facts.coverage == (0, 1, 2, 2, 2)
    assert (facts.redundant, facts.zero_yield) == (0, 0)


def test_repeats_and_empty_results_are_told_apart() -> None:
    tracker = FactTracker([session(A)])
    first = tracker.call([Hit(C), Hit(C), Hit(D)])
    again = tracker.call([Hit(D), Hit(C)])
    empty = tracker.call([])
    assert (first.new_hits, again.new_hits, empty.new_hits) == (2, 0, 0)
    assert tracker.strip == "◇··"
    facts = tracker.facts()
    assert (facts.redundant, facts.zero_yield) == (1, 1)
    assert (facts.first_hit, facts.t_star, facts.gold_found) == (None, None, 0)


def test_five_paraphrases_with_the_same_results_are_redundant_whatever_the_text() -> None:
    tracker = FactTracker([session(A)])
    for _ in range(5):
        tracker.call([Hit(C), Hit(D)])
    assert tracker.facts().redundant == 4


def test_five_empty_results_are_zero_yield_and_not_redundant() -> None:
    tracker = FactTracker([session(A)])
    for _ in range(5):
        tracker.call([])
    facts = tracker.facts()
    assert (facts.redundant, facts.zero_yield, tracker.strip) == (0, 5, "·····")


def test_alternating_results_are_redundant_from_the_third_call_on() -> None:
    tracker = FactTracker([session(A)])
    for number in range(6):
        tracker.call([Hit(C)] if number % 2 else [Hit(D)])
    assert tracker.facts().redundant == 4


def test_refused_and_invalid_calls_are_requested_but_bring_nothing() -> None:
    tracker = FactTracker([session(A)])
    tracker.call([], status="invalid_args", executed=False)
    refused = tracker.call([Hit(A)], status="refused", executed=False)
    tracker.call([Hit(A)])
    facts = tracker.facts()
    assert tracker.strip == "××◆"
    assert (facts.requested, facts.executed, facts.t_star) == (3, 1, 3)
    assert refused.gold_ranks == ()
    assert facts.zero_yield == 0
    assert facts.coverage == (0, 0, 0, 1)


def test_turns_where_annotated_else_the_session() -> None:
    tracker = FactTracker([session(A), turn(A, 3), turn(A, 3), turn(A, 9), session(B)])
    first = tracker.call([Hit(A, first=0, last=4), Hit(B, first=7, last=7)])
    assert first.gold_ranks == ((f"{A}:3", 1), (B, 2))
    assert tracker.facts().gold_total == 3
    second = tracker.call([Hit(A, first=5, last=8)])
    assert second.gold_ranks == () and second.glyph == glyphs.NO_EVIDENCE
    third = tracker.call([Hit(A)])
    assert third.gold_ranks == ((f"{A}:3", 1), (f"{A}:9", 1))
    assert tracker.strip == "◈◇◆"
    views = tracker.views()
    assert views["finest/shown"] == [1, 3, 3, 3]
    assert views["session/shown"] == [1, 1, 2, 2]
    assert views["turn/shown"] == [None, None, None, None]


def test_turn_level_is_counted_only_where_every_reference_has_a_turn() -> None:
    assert FactTracker([turn(A, 1)]).views()["turn/shown"] == [None, None, 1, 0]
    assert FactTracker([session(A)]).views()["turn/shown"] == [None] * 4
    assert FactTracker([session(A)]).views()["session/shown"] == [None, None, 1, 0]


def test_cut_blocks_count_as_returned_only() -> None:
    tracker = FactTracker([session(A), session(B)])
    call = tracker.call([Hit(A), Hit(B, shown=False)])
    assert call.gold_ranks == ((A, 1), (B, 2))
    assert (call.gold_new, call.gold_cum, call.new_hits) == (1, 1, 1)
    later = tracker.call([Hit(B)])
    assert (later.gold_new, later.new_hits) == (1, 1)
    assert tracker.views()["finest/returned"] == [1, 1, 2, 2]
    assert tracker.views()["finest/shown"] == [1, 2, 2, 2]


def test_context_before_any_call_is_call_zero() -> None:
    tracker = FactTracker([session(A), session(B)])
    call = tracker.context([Hit(A), Hit(B, shown=False), Hit(C)])
    assert call.gold_cum == 1
    facts = tracker.facts()
    assert (facts.requested, facts.first_hit, facts.t_star) == (0, 0, None)
    assert facts.coverage == (1,)
    assert tracker.strip == ""


@pytest.mark.parametrize(
    ("evidence", "provenance"),
    [
        ([], "full"),
        ([session(A)], "none"),
        ([Evidence("D", None, None, EvidenceStatus.DANGLING)], "full"),
        ([session(A), Evidence("D", None, None, EvidenceStatus.DANGLING)], "full"),
    ],
)
def test_coverage_is_not_available_rather_than_zero(
    evidence: list[Evidence], provenance: str
) -> None:
    tracker = FactTracker(evidence, provenance)
    call = tracker.call([Hit(A), Hit(C)])
    tracker.call([])
    facts = tracker.facts()
    assert (call.gold_new, call.gold_cum) == (None, None)
    assert (facts.first_hit, facts.t_star, facts.gold_total, facts.gold_found) == (None,) * 4
    assert facts.coverage == ()
    assert tracker.strip == "○·"
    assert set(tracker.views()) == {f"{level}/{reach}" for level in LEVELS for reach in REACHES}
    assert all(view == [None] * 4 for view in tracker.views().values())


def test_derived_blocks_count_through_their_sources() -> None:
    tracker = FactTracker([turn(A, 3), session(B)], "partial")
    call = tracker.call([Hit("fact-1", sources=(A, C), text="..."), Hit("fact-2", sources=(B,))])
    assert call.gold_ranks == ((f"{A}:3", 1), (B, 2))
    assert call.glyph == glyphs.COMPLETE


def test_an_untraceable_block_makes_coverage_unknown_unless_it_was_complete() -> None:
    before = FactTracker([session(A)], "partial")
    assert before.call([Hit("fact-1", text="...")]).glyph == glyphs.UNKNOWN
    before.call([Hit(A)])
    assert before.facts().gold_total is None
    after = FactTracker([session(A)], "partial", known={A, C})
    after.call([Hit(A)])
    after.call([Hit("fact-1")])
    assert after.facts().t_star == 1
    known = FactTracker([session(A)], "partial", known={A, C})
    known.call([Hit(C, text="a shortened session")])
    assert known.facts().gold_total == 1


TOKENS = st.sampled_from([A, B, C, D])
HITS = st.lists(
    st.builds(
        lambda ref, shown, span: Hit(ref, 1.0, shown, *(span or (None, None))),
        TOKENS,
        st.booleans(),
        st.none() | st.tuples(st.integers(0, 2), st.integers(3, 5)),
    ),
    max_size=5,
)
EVIDENCE = st.lists(
    st.builds(lambda t, n: Evidence("", t, n), TOKENS, st.none() | st.integers(0, 6)), min_size=1
)


@given(EVIDENCE, st.lists(st.tuples(HITS, st.sampled_from(["ok", "refused", "error"])), max_size=8))
def test_three_integers_reproduce_coverage_and_views_are_ordered(
    evidence: list[Evidence], calls: list[tuple[list[Hit], str]]
) -> None:
    tracker = FactTracker(evidence)
    news = []
    for hits, status in calls:
        call = tracker.call(hits, status, executed=status != "refused")
        news.append(call.gold_new or 0)
    facts = tracker.facts()
    coverage = facts.coverage
    assert len(coverage) == len(calls) + 1 == facts.requested + 1 == len(tracker.strip) + 1
    assert list(coverage) == sorted(coverage)
    assert coverage[-1] == facts.gold_found == sum(news)
    assert facts.first_hit == next((i for i, n in enumerate(coverage) if n), None)
    assert facts.t_star == next((i for i, n in enumerate(coverage) if n == facts.gold_total), None)
    assert tracker.strip.count(glyphs.COMPLETE) <= 1
    views = tracker.views()
    assert views[DEFAULT_VIEW] == [
        facts.first_hit,
        facts.t_star,
        facts.gold_total,
        facts.gold_found,
    ]
    for level in LEVELS:
        shown, returned = views[f"{level}/shown"], views[f"{level}/returned"]
        if shown[3] is not None and returned[3] is not None:
            assert shown[3] <= returned[3]
            if shown[1] is not None:
                assert returned[1] is not None and returned[1] <= shown[1]
    assert facts.redundant + facts.zero_yield + tracker.strip.count(glyphs.REFUSED) <= len(calls)


def test_a_call_costs_microseconds() -> None:
    calls = [
        [Hit(f"{(i * 7 + n) % 40:012x}", 1.0, True, 0, 3) for i in range(10)] + [Hit(A), Hit(B)]
        for n in range(10)
    ]
    start = time.process_time()
    for _ in range(200):
        tracker = FactTracker([turn(A, 3), session(B)])
        for hits in calls:
            tracker.call(hits)
        tracker.facts()
        tracker.views()
    assert (time.process_time() - start) / 2000 < 250e-6
