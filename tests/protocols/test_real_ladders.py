"""Ladders on real data: LongMemEval-109 to +400, LoCoMo from its own conversations to +200."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from memtui.metrics.scales import OWN
from runners.datasets.registry import load
from runners.protocols.canary import identifiers, scan_object
from runners.protocols.scale import ScaleOptions, ScalePlan
from tests.protocols.rung_summary import rung_summary


@pytest.fixture(scope="module")
def plan109(shared_data: Path) -> ScalePlan:
    data = load("longmemeval-109", shared_data / "longmemeval")
    scales = (0.0, 100.0, 200.0, 300.0, 400.0)
    return ScalePlan(data, ["bm25/once"], ScaleOptions(scales=scales), salt="s")


def test_longmemeval_109_fills_every_rung(plan109: ScalePlan) -> None:
    rungs = rung_summary(plan109)
    assert plan109.planned == 545
    assert [rung.histories for rung in rungs] == [109] * 5
    assert [rung.irrelevant for rung in rungs] == [109 * n for n in (0, 100, 200, 300, 400)]
    assert [rung.borrowed > 0 for rung in rungs] == [False, False, False, False, True]
    assert rungs[0].tokens_mean == pytest.approx(6_800, rel=0.02)
    assert rungs[4].tokens_mean == pytest.approx(1_090_000, rel=0.03)
    ages = [rung.evidence_age for rung in rungs]
    assert ages[0] is None
    assert all(age is not None and 0.4 < age < 0.65 for age in ages[1:])
    assert any("ladder seed" in caveat for caveat in plan109.caveats())


def test_unidentified_sessions_come_before_borrowed_and_after_known(plan109: ScalePlan) -> None:
    at_300, at_400 = (plan109.haystack(plan109.item_keys()[0], n, 1).event for n in (300.0, 400.0))
    assert at_300.borrowed == 0
    assert at_300.pools.get("unidentified", 0) < 10
    assert 40 <= at_400.pools["unidentified"] <= 48
    assert at_400.pools["evidence"] == at_400.borrowed or at_400.borrowed > 0


def test_a_question_never_meets_its_evidence_under_another_id(plan109: ScalePlan) -> None:
    """Six oracle rows carry made-up ids; the pool holds some of their sessions under official ones."""
    for source in plan109.dataset.items:
        gold = {session.sha for session in plan109.pool.evidence(source)}
        rung = plan109.rung(source.key, 400.0, 1)
        fillers = {place.session.sha for place in rung.places if place.role != "evidence"}
        assert gold.isdisjoint(fillers)
        assert len(fillers) == 400


def test_real_histories_hand_out_no_id(plan109: ScalePlan) -> None:
    secrets = identifiers(plan109.dataset)
    for key in plan109.item_keys()[::27]:
        built = plan109.haystack(key, 100.0, 1)
        texts = [built.texts[position.sha] for position in built.haystack.positions]
        assert scan_object([built.haystack, texts], secrets, markers=("has_answer",)) == ()
        assert scan_object(built.haystack, secrets) == ()


def locomo_plan(shared_data: Path, limit: int | None) -> ScalePlan:
    data = load("locomo", shared_data / "locomo" / "locomo10.json")
    options = ScaleOptions(
        scales=(OWN, 0.0, 100.0, 200.0),
        subset="answerable",
        allow_missing_rungs=True,
        limit=limit,
    )
    return ScalePlan(data, ["bm25/once"], options, salt="s")


def test_locomo_from_its_own_conversation_to_200(shared_data: Path) -> None:
    plan = locomo_plan(shared_data, None)
    assert len(plan.items()) == 1540
    missing = plan.unavailable()
    assert 0 < len(missing) < 30, "answers that are everyday words leave too few fillers"
    assert 4 * 1540 - len(missing) == plan.planned
    built = [plan.haystack(key, 200.0, 1).event for key in plan.item_keys()[::20]]
    assert all(set(event.pools) <= {"own", "conversations"} for event in built)
    full = [event for event in built if event.available]
    assert all(event.n_irrelevant == 200 for event in full)
    assert all(event.pools["own"] <= 31 for event in full)


def test_histories_are_built_lazily(shared_data: Path) -> None:
    tracemalloc.start()
    try:
        plan = locomo_plan(shared_data, 20)
        planned = tracemalloc.get_traced_memory()[0]
        for key in plan.item_keys():
            for scale in plan.scales:
                plan.haystack(key, scale, 1)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert planned < 40_000_000
    assert kept - planned < 4_000_000, "no history is kept once it is handed out"


def test_locomo_needs_a_pool_above_its_conversations(shared_data: Path) -> None:
    pool = shared_data / "longmemeval" / "session_pool.jsonl"
    data = load("locomo", shared_data / "locomo" / "locomo10.json", pool=pool)
    options = ScaleOptions(scales=(400.0,), limit=10, allow_missing_rungs=True)
    plan = ScalePlan(data, ["bm25/once"], options, salt="s")
    event = plan.haystack(plan.item_keys()[0], 400.0, 1).event
    assert event.pools["own"] > 0
    assert event.pools["conversations"] > 200
    assert event.pools["simulated"] > 0
