"""Lint on hostile files in our own words: each planted defect is found, at its place, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.errors import UserError
from runners.datasets.contract import Finding
from runners.datasets.gold import gold_elsewhere
from runners.datasets.lint import lint_file, tally
from runners.datasets.rules import RULES, finding, item_flags
from tests.datasets.places import HOSTILE_LINES, LOCOMO, LONGMEMEVAL, POOL, UNEQUAL


def found(path: Path) -> dict[str, tuple[str, ...]]:
    return {rule.rule: rule.ids for rule in lint_file(path).rules}


@pytest.mark.parametrize(
    ("rule", "places"),
    [
        ("gold-garbled", ("conv-7/2",)),
        ("evidence-dangling", ("conv-7/9", "conv-7/11", "conv-7/12")),
        ("evidence-unresolved", ("conv-7/10", "conv-7/11", "conv-7/12")),
        ("evidence-malformed", ("conv-7/0", "conv-7/7", "conv-7/8", "conv-7/10")),
        ("evidence-empty", ("conv-7/2",)),
        ("answer-not-string", ("conv-7/7",)),
        ("answer-missing", ("conv-7/4",)),
        ("answer-both", ("conv-7/5",)),
        ("question-text-repeated", ("conv-7/13",)),
        ("question-whitespace", ("conv-7/8",)),
        ("session-date-only", ("conv-7/session_3",)),
        ("session-gap", ("conv-7",)),
        ("date-unreadable", ("conv-7/session_2",)),
        ("turn-id-repeated", ("conv-7/session_2/1",)),
        ("turn-id-order", ("conv-7/session_2/1",)),
        ("turn-empty", ("conv-7/session_2/1",)),
        ("turn-speaker-unknown", ("conv-7/session_2/1",)),
        ("lone-surrogate", ("conv-7/session_1/3",)),
        ("zero-width", ("conv-7/session_1/2",)),
        ("caption-without-image", ("conv-7/session_10/1",)),
    ],
)
def test_locomo(rule: str, places: tuple[str, ...]) -> None:
    assert found(LOCOMO)[rule] == places


@pytest.mark.parametrize(
    ("rule", "places"),
    [
        ("evidence-dangling", ("q_dangling",)),
        ("evidence-unknown", ("q_unknown_abs",)),
        ("evidence-late", ("q_late",)),
        ("evidence-partly-flagged", ("q_late",)),
        ("evidence-repeated", ("q_int",)),
        ("answer-not-string", ("q_int",)),
        ("abstention", ("q_none_abs", "q_unknown_abs")),
        ("session-repeated", ("q_none_abs",)),
        ("session-empty", ("q_dangling/1:cafe_2",)),
        ("date-unreadable", ("q_dangling/1:cafe_2",)),
        ("date-weekday", ("q_dangling",)),
        ("gold-alternatives", ("q_dangling",)),
        ("gold-elsewhere", ("q_elsewhere",)),
        ("haystack-unsorted", ("q_int", "q_late")),
        ("haystack-unsorted-within-day", ("q_late",)),
        ("session-starts-assistant", ("q_int/0:answer_22_1",)),
        ("turn-role-repeated", ("q_int/0:answer_22_1/2",)),
        ("session-id-synthetic", ("q_synthetic",)),
    ],
)
def test_longmemeval(rule: str, places: tuple[str, ...]) -> None:
    assert found(LONGMEMEVAL)[rule] == places


def test_lists_of_different_length_are_a_finding_and_do_not_stop_lint() -> None:
    report = lint_file(UNEQUAL)
    assert [(rule.rule, rule.severity, rule.ids) for rule in report.rules] == [
        ("lists-differ", "error", ("q_unequal",))
    ]


def test_lines() -> None:
    told = found(HOSTILE_LINES)
    assert told["line-bad"] == ("hostile.jsonl:5",)
    assert told["line-torn"] == ("hostile.jsonl:11",)
    assert told["id-repeated"] == ("hostile.jsonl:4",)
    assert told["history-dangling"] == ("q1",)
    assert told["evidence-dangling"] == ("q2",)


def test_pool() -> None:
    assert found(POOL)["session-id-leaks"] == ("answer_22_1", "answer_99_1")


def test_the_document_has_what_is_documented() -> None:
    document = json.loads(json.dumps(lint_file(LOCOMO).document()))
    assert {"schema", "file", "shape", "sha256", "rules", "notes"} == set(document)
    for rule in document["rules"]:
        assert {"rule", "severity", "count", "ids", "details", "meaning"} == set(rule)
        assert rule["count"] >= len(rule["ids"]) > 0


def test_rules_come_by_severity_and_count_occurrences() -> None:
    told = tally(
        [
            finding("zero-width", "a", count=3),
            finding("zero-width", "a", count=2),
            finding("evidence-empty", "b"),
            finding("evidence-dangling", "c", severity="warning"),
        ]
    )
    assert [(rule.rule, rule.severity, rule.count, rule.ids) for rule in told] == [
        ("evidence-empty", "error", 1, ("b",)),
        ("evidence-dangling", "warning", 1, ("c",)),
        ("zero-width", "info", 5, ("a",)),
    ]


def test_flags_of_an_item_follow_severity() -> None:
    assert item_flags([finding("zero-width", "a")]) == ()
    assert item_flags([finding("evidence-late", "a")]) == ("evidence-late",)
    assert item_flags([finding("evidence-empty", "a")]) == ("evidence-empty", "known_defect")
    assert item_flags([finding("evidence-dangling", "a", severity="warning")]) == (
        "evidence-dangling",
    )


def test_every_rule_has_a_severity_and_a_meaning() -> None:
    assert all(
        severity in ("error", "warning", "info") and text for severity, text in RULES.values()
    )
    assert isinstance(finding("line-bad", "x"), Finding)


def test_gold_elsewhere_needs_whole_words_and_some_length() -> None:
    others = {"b": "it stays in the Boathouse now", "c": "a houseboat"}
    assert gold_elsewhere("the boathouse", ["nothing here"], others) == ["b"]
    assert gold_elsewhere("the boathouse", ["In the boathouse."], others) == []
    assert gold_elsewhere("now", [], others) == []


@pytest.mark.parametrize("text", ["", "null", "3", "<html>", '{"a": 1}', "[]", "[[1]]"])
def test_a_file_of_no_known_shape(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UserError) as refusal:
        lint_file(path)
    assert refusal.value.exit_code == 3


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read") as refusal:
        lint_file(tmp_path / "absent.json")
    assert refusal.value.exit_code == 3
