"""The plan: complete, deterministic, honest about missing rungs, silent about gold."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.metrics.scales import OWN, parse_scale, scale_conditions, scale_label
from memtui.model import EvidenceStatus
from runners.datasets.synthetic import load as load_synthetic
from runners.protocols.canary import identifiers, scan_object
from runners.protocols.scale import ScaleOptions, ScalePlan
from runners.sessions import opaque_token, render_session
from tests.protocols.made_up import dataset, item, leaky, session
from tests.protocols.rung_summary import rung_summary

ARMS = ("bm25/once", "dense/once")


def small(**options: Any) -> ScalePlan:
    settings: dict[str, Any] = {"scales": (OWN, 0.0, 4.0, 8.0), "allow_missing_rungs": True}
    return ScalePlan(leaky(), ARMS, ScaleOptions(**(settings | options)), salt="pepper")


@pytest.mark.parametrize(
    ("scale", "label"), [(OWN, "own"), (0.0, "0"), (100.0, "100"), (0.5, "0.5")]
)
def test_a_scale_has_one_label(scale: float, label: str) -> None:
    assert scale_label(scale) == label
    assert parse_scale(label) == scale
    assert parse_scale(scale) == scale
    assert scale_conditions(scale, 3) == f"scale={label}|seed=3"
    assert scale_conditions(scale) == f"scale={label}"


@pytest.mark.parametrize("value", ["-2", "many", "nan", "inf", -3, ""])
def test_what_is_no_scale(value: str | float) -> None:
    with pytest.raises(ValueError, match=r"scale|float"):
        parse_scale(value)


def test_every_cell_has_every_item_once() -> None:
    plan = small(repeats=2, ladder_seeds=(1, 2))
    specs = list(plan.episodes())
    assert len(specs) == plan.planned == len({spec.id for spec in specs})
    cells = Counter((spec.arm, spec.scale, spec.ladder_seed, spec.repeat) for spec in specs)
    assert len(cells) == 2 * 4 * 2 * 2
    assert all(count == (1 if scale == OWN else 2) for (_, scale, _, _), count in cells.items())
    assert {spec.id.attempt for spec in specs} == {1}
    assert specs[0].id.conditions == "scale=own|seed=1" or specs[0].scale != OWN


def test_all_cells_are_seen_within_the_first_items() -> None:
    plan = small(scales=(0.0, 4.0, 8.0), ladder_seeds=(1, 2, 3), repeats=2)
    first = list(plan.episodes())[: len(ARMS) * 3]
    assert {(spec.arm, spec.scale) for spec in first} == {(a, s) for a in ARMS for s in (0, 4, 8)}


def test_a_plan_is_the_same_bytes_in_another_process() -> None:
    code = (
        "from tests.protocols.test_scale_plan import small\n"
        "print(small(ladder_seeds=(1, 2)).digest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
        ).stdout
        for env in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "77"})
    }
    assert runs == {small(ladder_seeds=(1, 2)).digest() + "\n"}


def test_every_option_changes_the_plan() -> None:
    plans = {
        small(ladder_seeds=(1, 2)).digest(),
        small(ladder_seeds=(2,)).digest(),
        small(date_policy="natural").digest(),
        small(scales=(0.0, 4.0)).digest(),
        small(repeats=2).digest(),
        small(limit=1).digest(),
        small().digest(),
    }
    assert len(plans) == 7


def test_histories_of_rungs_and_items_share_tokens() -> None:
    plan = small()
    low, high = (plan.haystack("q2", scale, 1) for scale in (4.0, 8.0))
    tokens = [position.token for position in high.haystack.positions]
    assert {position.token for position in low.haystack.positions} < set(tokens)
    assert all(len(token) == 12 and int(token, 16) >= 0 for token in tokens)
    other = plan.haystack("q1_abs", 0.0, 1)
    assert other.haystack.positions[0].token in tokens
    assert opaque_token("pepper", high.haystack.positions[0].sha) == tokens[0]


def test_evidence_points_at_positions() -> None:
    plan = small()
    items = {one.key: one for one in plan.items()}
    for key, one in items.items():
        built = plan.haystack(key, 8.0, 1)
        here = {token for token, _, _ in built.event.positions}
        assert {gold.session for gold in one.evidence} <= here
        assert Counter(role for _, _, role in built.event.positions)["evidence"] == len(
            one.evidence
        )


def test_dangling_evidence_stays_unknown() -> None:
    sessions = [session("gold", "kiln"), session("s", "tea")]
    data = dataset([item("q", ["gold", "nowhere"], dangling=1)], sessions)
    plan = ScalePlan(data, ["a"], ScaleOptions(scales=(0.0, 1.0)), salt="x")
    (one,) = plan.items()
    assert [gold.status for gold in one.evidence] == [
        EvidenceStatus.RESOLVED,
        EvidenceStatus.DANGLING,
        EvidenceStatus.DANGLING,
    ]
    assert one.evidence[1].session is None


def test_an_item_without_evidence_has_an_empty_rung_and_says_so() -> None:
    data = dataset([item("q", [])], [session("s", "tea")])
    plan = ScalePlan(data, ["a"], ScaleOptions(scales=(0.0, 1.0)), salt="x")
    built = plan.haystack("q", 0.0, 1)
    assert built.haystack.positions == ()
    assert built.event.available
    assert "no evidence session" in built.event.note
    assert any("hold no evidence" in caveat for caveat in plan.caveats())


def test_a_pool_too_small_fails_with_what_it_can_give() -> None:
    with pytest.raises(UserError, match=r"rung 400 cannot be filled for 2 of 2 items: .*gives 12"):
        ScalePlan(leaky(), ARMS, salt="x")
    with pytest.raises(UserError, match="rung own cannot be filled for 1 of 2 items"):
        small(allow_missing_rungs=False)


def test_missing_rungs_are_marked_and_not_shortened() -> None:
    plan = small(scales=(0.0, 12.0, 14.0))
    assert {(event.item, event.scale) for event in plan.unavailable()} == {
        ("q1_abs", 14.0),
        ("q2", 14.0),
    }
    event = next(event for event in plan.unavailable() if event.item == "q2")
    assert not event.available
    assert event.positions == ()
    assert "12 irrelevant sessions" in event.note
    assert not any(spec.scale == 14.0 for spec in plan.episodes())
    assert len(plan.haystack("q2", 12.0, 1).haystack.positions) == 14
    (_, full, missing) = rung_summary(plan)
    assert (full.histories, full.missing, missing.histories, missing.missing) == (2, 0, 0, 2)
    assert missing.tokens_mean is None


def test_session_events_and_texts_hold_the_clean_turns() -> None:
    plan = small()
    built = plan.haystack("q2", 8.0, 1)
    events = list(plan.session_events(built))
    assert [event.token for event in events] == [p.token for p in built.haystack.positions]
    for event in events:
        assert built.texts[event.sha].turns == event.turns
        assert event.tokens == -(-len(render_session(event.turns)) // 4)
    assert sum(event.tokens for event in events) == built.event.tokens
    assert set(built.texts) == {event.sha for event in events}
    with pytest.raises(KeyError):
        built.texts["0" * 64]


def test_nothing_handed_out_gives_gold_away() -> None:
    plan = small(ladder_seeds=(1, 2))
    secrets = [*identifiers(plan.dataset), "zyxtold"]
    for spec in plan.episodes():
        built = plan.haystack(spec.item, spec.scale, spec.ladder_seed)
        texts = [built.texts[position.sha] for position in built.haystack.positions]
        assert scan_object([built.haystack, texts], secrets) == ()
        assert scan_object([spec.haystack], secrets) == ()


def test_the_synthetic_set_hands_out_no_id() -> None:
    data = load_synthetic()
    plan = ScalePlan(data, ["a"], ScaleOptions(scales=(0.0, 50.0), limit=12), salt="x")
    secrets = identifiers(data)
    for key in plan.item_keys():
        built = plan.haystack(key, 50.0, 1)
        texts = [built.texts[position.sha] for position in built.haystack.positions]
        assert scan_object([built.haystack, texts], secrets) == ()


def test_the_summary_counts_what_the_histories_hold() -> None:
    plan = small(ladder_seeds=(1, 2))
    own, zero, four, eight = rung_summary(plan)
    assert [rung.label for rung in (own, zero, four, eight)] == ["own", "0", "4", "8"]
    assert (own.histories, own.missing) == (2, 2)
    assert (eight.histories, eight.irrelevant) == (4, 32)
    built = [plan.haystack(key, 8.0, seed) for key in plan.item_keys() for seed in (1, 2)]
    assert eight.tokens_total == sum(one.event.tokens for one in built)
    assert eight.tokens_min == min(one.event.tokens for one in built)
    assert eight.tokens_max == max(one.event.tokens for one in built)
    assert eight.borrowed == sum(one.event.borrowed for one in built)
    assert zero.evidence_age is None
    assert eight.evidence_age is not None


def test_shared_fillers_are_a_caveat_until_three_seeds() -> None:
    one, three = small(), small(ladder_seeds=(1, 2, 3))
    assert any("1 ladder seed," in caveat for caveat in one.caveats())
    assert not any("ladder seed" in caveat for caveat in three.caveats())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scales": ()}, "no scale"),
        ({"scales": (0.5,)}, "whole number"),
        ({"ladder_seeds": ()}, "at least one"),
        ({"ladder_seeds": (1, 1)}, "each once"),
        ({"repeats": 0}, "repeats 0"),
        ({"date_policy": "weekly"}, "date policy"),
        ({"flag": "no_such_flag"}, "no item is left"),
    ],
)
def test_options_that_name_no_experiment(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        small(**options)
