"""How often the deterministic judge errs, both ways: measured on real sets and kept within bounds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runners.judges.calibration import (
    Probe,
    abstention_golds,
    evidence_sentences,
    hand_checked,
    locomo_golds,
    longmemeval_golds,
    measure,
    rewritten,
    tempting_answers,
    wrong_answers,
)
from runners.judges.deterministic import DeterministicJudge

HAND_CHECKED = Path(__file__).with_name("hand_checked.json")
DOCS = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"
JUDGE = DeterministicJudge()


def note(line: str) -> None:
    """Shown with `pytest -s`; benchmarks/judge_calibration.py prints the whole table."""
    sys.stdout.write(f"{line}\n")


def published(probes: list[Probe]) -> float:
    return sum(p.published or 0.0 for p in probes) / len(probes)


async def test_wrong_answers_accepted(shared_data: Path) -> None:
    bounds = {"v1": (0.1061, 0.006), "v2": (0.6281, 0.02)}
    for name, (theirs, ours) in bounds.items():
        probes = wrong_answers(shared_data, name)
        rates = await measure(JUDGE, probes)
        note(f"{name}: {rates.right} of {rates.n} = {rates.accepted:.2%} {rates.by_group}")
        assert rates.n == 1540 and rates.unknown == 0
        assert published(probes) == pytest.approx(theirs, abs=0.0001)
        assert rates.accepted <= ours
        row = next(line for line in DOCS.read_text("utf-8").split("\n") if f"audit {name}," in line)
        assert f"| {rates.right} ({rates.accepted:.2%}) |" in row


async def test_every_gold_verbatim_is_accepted(shared_data: Path) -> None:
    locomo, longmemeval = locomo_golds(shared_data), longmemeval_golds(shared_data)
    assert (len(locomo), len(longmemeval)) == (1540, 440)
    for probes in (locomo, longmemeval):
        rates = await measure(JUDGE, probes)
        assert rates.right == rates.n, [p.case.gold for p, _ in rates.errors]


async def test_evidence_sentences_that_hold_the_gold_are_accepted(shared_data: Path) -> None:
    probes = evidence_sentences(shared_data)
    rates = await measure(JUDGE, probes)
    note(f"evidence sentences: {rates.right} of {rates.n}")
    assert rates.n > 600 and rates.accepted >= 0.97


async def test_rewrites_are_accepted(shared_data: Path) -> None:
    golds = locomo_golds(shared_data) + longmemeval_golds(shared_data)
    probes = rewritten(golds, seed=1)
    rates = await measure(JUDGE, probes)
    note(f"rewrites: {rates.right} of {rates.n} {rates.by_group}")
    assert rates.accepted >= 0.98
    assert set(rates.by_group) == {"date", "numeral", "list", "lead-in"}
    for kind, (right, n) in rates.by_group.items():
        assert n >= 300 and right / n >= 0.98, kind
    assert rewritten(golds[:50], seed=1) == rewritten(golds[:50], seed=1)
    assert rewritten(golds[:50], seed=1) != rewritten(golds[:50], seed=2)


async def test_tempting_answers_are_rejected_and_refusals_accepted(shared_data: Path) -> None:
    probes = tempting_answers(shared_data)
    assert len(probes) == 446
    rates = await measure(JUDGE, probes)
    note(f"tempting: {rates.right} of {rates.n} accepted")
    assert rates.right == 0
    declined = abstention_golds(shared_data)
    assert len(declined) == 30
    rates = await measure(JUDGE, declined)
    assert rates.right == 30


@pytest.mark.parametrize(("name", "least"), [("first", 200), ("held-out", 64)])
async def test_hand_checked_cases(name: str, least: int) -> None:
    probes = hand_checked(HAND_CHECKED, name)
    rates = await measure(JUDGE, probes)
    agreed = rates.n - len(rates.errors) - rates.unknown
    wrong = [p for p in probes if not p.right]
    note(f"{name}: {agreed} of {rates.n} {[(p.case.answer, v.reason) for p, v in rates.errors]}")
    assert agreed >= least
    accepted = sum(not p.right for p, _ in rates.errors)
    assert accepted / len(wrong) <= 0.1


def test_the_hand_checked_cases_are_two_hundred_and_go_both_ways() -> None:
    probes = hand_checked(HAND_CHECKED)
    assert len(probes) >= 200
    assert len({(p.case.question, p.case.gold, p.case.answer) for p in probes}) == len(probes)
    assert 0.4 <= sum(p.right for p in probes) / len(probes) <= 0.6
    for group in {p.group for p in probes}:
        kinds = {p.right for p in probes if p.group == group}
        assert kinds == {True, False}, group
