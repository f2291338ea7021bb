"""Lint reproduces the known defects of public files, count by count, and invents none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memtui.errors import UserError
from runners.datasets.lint import LintReport, lint_file


def counts(report: LintReport) -> dict[str, int]:
    return {rule.rule: rule.count for rule in report.rules}


def ids(report: LintReport, rule: str) -> tuple[str, ...]:
    return next(found.ids for found in report.rules if found.rule == rule)


def test_locomo(shared_data: Path) -> None:
    path = shared_data / "locomo" / "locomo10.json"
    before = path.read_bytes()
    report = lint_file(path, audit=shared_data / "locomo" / "audit" / "errors.json")
    assert path.read_bytes() == before
    found = counts(report)
    run_together = found.pop("gold-run-together")
    assert run_together < 20
    assert found == {
        "answer-not-string": 6,
        "evidence-malformed": 6,
        "evidence-dangling": 3,
        "evidence-unresolved": 3,
        "evidence-empty": 4,
        "evidence-repeated": 1,
        "evidence-many": 4,
        "question-text-repeated": 12,
        "answer-missing": 444,
        "answer-both": 2,
        "session-date-only": 16,
        "caption-without-image": 316,
        "question-whitespace": 3,
        "gold-garbled": 1,
        "zero-width": 9,
        "question-no-speaker": 20,
        "audit-finding": 156,
        "audit-score-corrupting": 99,
    }
    assert ids(report, "answer-not-string") == tuple(
        f"conv-26/{n}" for n in (1, 26, 40, 49, 72, 75)
    )
    assert ids(report, "evidence-malformed") == (
        "conv-26/37",
        "conv-42/88",
        "conv-43/18",
        "conv-49/31",
        "conv-49/38",
        "conv-49/46",
    )
    assert ids(report, "evidence-dangling") == ("conv-42/58", "conv-47/38", "conv-50/69")
    assert ids(report, "evidence-empty") == ("conv-26/30", "conv-26/46", "conv-50/39", "conv-50/42")
    assert ids(report, "evidence-repeated") == ("conv-50/5",)
    assert ids(report, "answer-both") == ("conv-26/167", "conv-26/178")
    assert ids(report, "gold-garbled") == ("conv-42/0",)
    assert ids(report, "question-whitespace") == ("conv-26/130", "conv-30/22", "conv-42/10")
    assert ids(report, "session-date-only") == tuple(f"conv-26/session_{n}" for n in range(20, 36))
    assert ids(report, "question-text-repeated")[0] == "conv-30/95"
    severities = {rule.rule: rule.severity for rule in report.rules}
    assert severities["evidence-empty"] == "error"
    assert severities["answer-missing"] == "info", "expected of adversarial items"


def test_locomo_audit_types(shared_data: Path) -> None:
    report = lint_file(
        shared_data / "locomo" / "locomo10.json",
        audit=shared_data / "locomo" / "audit" / "errors.json",
    )
    found = next(rule for rule in report.rules if rule.rule == "audit-finding")
    assert Counter(found.details) == {
        "WRONG_CITATION": 57,
        "HALLUCINATION": 33,
        "TEMPORAL_ERROR": 26,
        "ATTRIBUTION_ERROR": 24,
        "AMBIGUOUS": 13,
        "INCOMPLETE": 3,
    }


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "questions_500.jsonl",
            {
                "answer-not-string": 32,
                "abstention": 30,
                "evidence-turn-none": 21,
                "evidence-partly-flagged": 38,
                "evidence-unknown": 24,
                "evidence-late": 43,
                "clock-differs": 240,
                "clock-day-differs": 293,
                "gold-alternatives": 36,
            },
        ),
        ("evidence_turns_500.jsonl", {"evidence-turn-none": 21}),
        (
            "oracle_full.json",
            {
                "answer-not-string": 9,
                "evidence-late": 13,
                "gold-alternatives": 8,
                "abstention": 3,
                "evidence-partly-flagged": 6,
                "evidence-flags-absent": 10,
                "session-id-synthetic": 6,
                "session-id-leaks": 194,
                "session-starts-assistant": 1,
                "turn-role-repeated": 1,
                "haystack-unsorted": 9,
                "haystack-unsorted-within-day": 9,
            },
        ),
        (
            "haystacks_s_full.json",
            {
                "evidence-beyond-official": 1,
                "session-empty": 4,
                "gold-alternatives": 1,
                "evidence-flags-absent": 3,
                "session-id-leaks": 11,
                "session-starts-assistant": 21,
                "turn-very-long": 1,
                "haystack-unsorted": 3,
                "haystack-unsorted-within-day": 3,
                "zero-width": 1,
                "replacement-character": 2,
            },
        ),
        (
            "haystacks_s_abstain_capped12.json",
            {
                "evidence-late": 1,
                "abstention": 4,
                "evidence-flags-absent": 4,
                "session-id-synthetic": 4,
                "session-starts-assistant": 4,
            },
        ),
        ("haystack_session_ids_s_236.json", {"session-repeated": 6}),
        (
            "session_pool.jsonl",
            {
                "session-id-synthetic": 59,
                "session-id-leaks": 203,
                "session-starts-assistant": 26,
                "turn-role-repeated": 1,
                "turn-very-long": 1,
                "zero-width": 1,
                "replacement-character": 2,
            },
        ),
    ],
)
def test_longmemeval(shared_data: Path, file: str, expected: dict[str, int]) -> None:
    assert counts(lint_file(shared_data / "longmemeval" / file)) == expected


def test_where_in_longmemeval(shared_data: Path) -> None:
    folder = shared_data / "longmemeval"
    s = lint_file(folder / "haystacks_s_full.json")
    assert ids(s, "haystack-unsorted-within-day") == ("852ce960", "6a1eabeb", "gpt4_59149c77")
    assert set(ids(s, "session-empty")) == {
        "51a45a95/c2701e39_1",
        "gpt4_59149c77/91b3b8e0_1",
        "gpt4_59149c77/72854b6a_1",
        "gpt4_59149c77/881e4cfd_1",
    }
    (detail,) = next(rule.details for rule in s.rules if rule.rule == "turn-very-long")
    assert detail == "76,560 characters"
    repeated = lint_file(folder / "haystack_session_ids_s_236.json")
    assert set(ids(repeated, "session-repeated")) == {
        "caf03d32",
        "91b15a6e",
        "078150f1",
        "gpt4_76048e76",
        "gpt4_c27434e8_abs",
        "1d4da289",
    }
    capped = lint_file(folder / "haystacks_s_abstain_capped12.json")
    assert ids(capped, "evidence-late") == ("0862e8bf_abs",)


def test_the_audit_of_another_file_is_refused(shared_data: Path) -> None:
    with pytest.raises(UserError, match="audit is of LoCoMo"):
        lint_file(
            shared_data / "longmemeval" / "oracle_full.json",
            audit=shared_data / "locomo" / "audit" / "errors.json",
        )
