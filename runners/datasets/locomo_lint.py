"""Lint of LoCoMo: its shape, and every defect known of the file. Nothing is changed.

Rules and counts of the official file are in docs/bring-your-own-data.md. The public audit
(github.com/dial481/locomo-audit) is an overlay: shown beside the gold, never put in its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets.contract import Finding
from runners.datasets.dates import read_date
from runners.datasets.evidence import EvidenceString, read_evidence
from runners.datasets.files import read_json
from runners.datasets.gold import ZERO_WIDTH
from runners.datasets.rules import INFO, WARNING, finding

_SESSION = re.compile(r"session_(\d+)")
_SESSION_DATE = re.compile(r"session_(\d+)_date_time")
_GLUED_YES = re.compile(r"yes(?!terday)[a-z]{2,}", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,}")
MANY = 10
LONG_TURN = 50_000


def conversations(document: Any, path: Path) -> list[dict[str, Any]]:
    """The conversations of a parsed file; raises UserError where it is not LoCoMo's shape."""
    if not isinstance(document, list) or not document:
        raise UserError(f"{path}: not LoCoMo: a non-empty list is expected", exit_code=3)
    for index, entry in enumerate(document):
        parts = ("sample_id", "conversation", "qa")
        lacking = [key for key in parts if not isinstance(entry, dict) or key not in entry]
        if lacking:
            raise UserError(
                f"{path}: not LoCoMo: entry {index} has no {', '.join(lacking)}", exit_code=3
            )
        if not isinstance(entry["conversation"], dict) or not isinstance(entry["qa"], list):
            raise UserError(
                f"{path}: not LoCoMo: entry {index}: `conversation` must be an object and `qa` a list",
                exit_code=3,
            )
        for number, question in enumerate(entry["qa"]):
            if not isinstance(question, dict):
                raise UserError(
                    f"{path}: entry {index}, question {number}: an object is expected", exit_code=3
                )
    return document


def sessions(talk: Mapping[str, Any]) -> list[tuple[int, list[dict[str, Any]]]]:
    """(number, turns) of a conversation, by number: `session_10` comes after `session_2`.

    Sessions are found by their turns and not by their dates: a conversation may have more dates.
    """
    found = []
    for key, value in talk.items():
        match = _SESSION.fullmatch(key)
        if match and isinstance(value, list):
            found.append((int(match[1]), [turn for turn in value if isinstance(turn, dict)]))
    return sorted(found, key=lambda pair: pair[0])


def evidence_strings(question: Mapping[str, Any]) -> Sequence[object]:
    """The evidence of a question as a list; a lone string counts as a list of one."""
    value = question.get("evidence")
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def lint_conversation(raw: Mapping[str, Any]) -> list[Finding]:
    """Every finding of one conversation: its sessions, its turns, its questions."""
    name = str(raw["sample_id"])
    talk = raw["conversation"]
    found = list(_lint_sessions(name, talk))
    turns: dict[tuple[int, int], tuple[str, int]] = {}
    exact: set[str] = set()
    words: set[str] = set()
    for number, messages in sessions(talk):
        for index, turn in enumerate(messages):
            dia_id = str(turn.get("dia_id", ""))
            words.update(_WORD.findall(str(turn.get("text", "")).lower()))
            if match := re.fullmatch(r"D(\d+):(\d+)", dia_id):
                exact.add(dia_id)
                turns.setdefault(
                    (int(match[1]), int(match[2])), (f"{name}/session_{number}", index)
                )
    speakers = [str(talk[key]) for key in ("speaker_a", "speaker_b") if talk.get(key)]
    for index, question in enumerate(raw["qa"]):
        key = f"{name}/{index}"
        strings = read_evidence(evidence_strings(question), turns, frozenset(exact))
        found.extend(_lint_evidence(key, question, strings))
        found.extend(_lint_gold(key, question, words))
        found.extend(_lint_question(key, question, speakers))
    found.extend(_repeated_questions(name, raw["qa"]))
    return found


def lint_audit(path: Path, document: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """The audit's findings, matched to the items of the file by position and question text.

    An error in the gold itself is an error; a wrong citation alone does not corrupt a score. Raises
    UserError when an entry does not fit the file.
    """
    entries, _ = read_json(path)
    if not isinstance(entries, list):
        raise UserError(f"{path}: not the audit's errors.json: a list is expected", exit_code=3)
    found = []
    for entry in entries:
        match = re.fullmatch(r"locomo_(\d+)_qa(\d+)", str(entry.get("question_id", "")))
        conversation, index = (int(match[1]), int(match[2])) if match else (-1, -1)
        known = 0 <= conversation < len(document) and 0 <= index < len(document[conversation]["qa"])
        if not known or document[conversation]["qa"][index].get("question") != entry.get(
            "question"
        ):
            raise UserError(f"{path}: {entry.get('question_id')!r} does not fit this LoCoMo file")
        key = f"{document[conversation]['sample_id']}/{index}"
        kind = str(entry.get("error_type", ""))
        found.append(finding("audit-finding", key, kind))
        if kind != "WRONG_CITATION":
            found.append(finding("audit-score-corrupting", key, kind))
    return found


def _lint_sessions(name: str, talk: Mapping[str, Any]) -> Iterator[Finding]:
    """Sessions, their dates, their turns."""
    there = sessions(talk)
    numbers = [number for number, _ in there]
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        yield finding("session-gap", name, ", ".join(map(str, numbers)))
    for key in talk:
        match = _SESSION_DATE.fullmatch(key)
        if match and int(match[1]) not in numbers:
            yield finding("session-date-only", f"{name}/session_{match[1]}")
    seen: set[str] = set()
    last: str | None = None
    for number, turns in there:
        key = f"{name}/session_{number}"
        date = talk.get(f"session_{number}_date_time")
        iso = read_date(date).iso
        if date is None:
            yield finding("session-date-missing", key)
        elif iso is None:
            yield finding("date-unreadable", key, repr(date))
        elif last is not None and iso < last:
            yield finding("date-order", key, f"{iso} after {last}")
        last = iso or last
        if not turns:
            yield finding("session-empty", key)
        for index, turn in enumerate(turns):
            yield from _lint_turn(
                f"{name}/session_{number}/{index}", number, index, turn, talk, seen
            )


def _lint_turn(
    key: str,
    number: int,
    index: int,
    turn: Mapping[str, Any],
    talk: Mapping[str, Any],
    seen: set[str],
) -> Iterator[Finding]:
    """One message."""
    dia_id = str(turn.get("dia_id", ""))
    if dia_id in seen:
        yield finding("turn-id-repeated", key, dia_id)
    seen.add(dia_id)
    if dia_id != f"D{number}:{index + 1}":
        yield finding("turn-id-order", key, dia_id)
    if turn.get("speaker") not in (talk.get("speaker_a"), talk.get("speaker_b")):
        yield finding("turn-speaker-unknown", key, repr(turn.get("speaker")))
    text = str(turn.get("text") or "")
    caption = turn.get("blip_caption")
    if not text.strip() and not caption:
        yield finding("turn-empty", key)
    if caption and not turn.get("img_url"):
        yield finding("caption-without-image", key)
    if len(text) > LONG_TURN:
        yield finding("turn-very-long", key, f"{len(text):,} characters")
    yield from lint_characters(key, text)


def lint_characters(key: str, text: str) -> Iterator[Finding]:
    """Characters that cannot be seen or were lost, counted."""
    if text.isascii():
        return
    if hidden := len(ZERO_WIDTH.findall(text)):
        yield finding("zero-width", key, count=hidden)
    if lost := text.count("\ufffd"):
        yield finding("replacement-character", key, count=lost)
    if half := sum("\ud800" <= char <= "\udfff" for char in text):
        yield finding("lone-surrogate", key, count=half)


def _lint_evidence(
    key: str, question: Mapping[str, Any], strings: tuple[EvidenceString, ...]
) -> Iterator[Finding]:
    """The evidence of one question."""
    if not strings:
        yield finding("evidence-empty", key)
    for string in strings:
        lost = any(gold.session_id is None for gold in string.found)
        if string.malformed:
            yield finding("evidence-malformed", key, string.raw)
        if string.dangling:
            severity = "" if lost else WARNING
            yield finding("evidence-dangling", key, string.raw, severity=severity)
        if lost:
            yield finding("evidence-unresolved", key, string.raw)
    raws = [string.raw for string in strings]
    if len(set(raws)) < len(raws):
        twice = ", ".join(raw for raw, times in Counter(raws).items() if times > 1)
        yield finding("evidence-repeated", key, twice)
    if len(strings) > MANY:
        yield finding("evidence-many", key, f"{len(strings)} ids")


def _lint_gold(key: str, question: Mapping[str, Any], words: set[str]) -> Iterator[Finding]:
    """The gold of one question."""
    adversarial = "adversarial_answer" in question
    if "answer" not in question:
        # expected of a category 5 item: it has a trap instead
        yield finding("answer-missing", key, severity=INFO if adversarial else "error")
        return
    if adversarial:
        yield finding("answer-both", key)
    gold = question["answer"]
    if not isinstance(gold, str):
        yield finding("answer-not-string", key, repr(gold))
        return
    if _GLUED_YES.match(gold):
        yield finding("gold-garbled", key)
    if glued := [word for word in _WORD.findall(gold.lower()) if _run_together(word, words)]:
        yield finding("gold-run-together", key, ", ".join(glued))
    yield from lint_characters(key, gold)


def _run_together(word: str, words: set[str]) -> bool:
    """Whether a word that the conversation never uses is two of its words without a space."""
    return word not in words and any(
        word[:cut] in words and word[cut:] in words for cut in range(4, len(word) - 3)
    )


def _lint_question(
    key: str, question: Mapping[str, Any], speakers: Sequence[str]
) -> Iterator[Finding]:
    """The text of one question."""
    text = question.get("question")
    if not isinstance(text, str) or not text.strip():
        yield finding("question-empty", key)
        return
    if text != " ".join(text.split()):
        yield finding("question-whitespace", key)
    if speakers and not any(name in text for name in speakers):
        yield finding("question-no-speaker", key)
    yield from lint_characters(key, text)


def _repeated_questions(name: str, questions: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Question texts that occur again over the same conversation, one finding per repetition."""
    first: dict[str, int] = {}
    for index, question in enumerate(questions):
        text = " ".join(str(question.get("question", "")).split())
        if text and text in first:
            yield finding("question-text-repeated", f"{name}/{index}", f"as {name}/{first[text]}")
        first.setdefault(text, index)
