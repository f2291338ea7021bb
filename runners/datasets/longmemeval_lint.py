"""Lint of LongMemEval: native rows, and the derived lists that circulate. Nothing is changed.

Rules and counts of known copies are in docs/bring-your-own-data.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runners.datasets.contract import Finding
from runners.datasets.dates import ReadDate, read_date
from runners.datasets.gold import gold_elsewhere
from runners.datasets.locomo_lint import LONG_TURN, lint_characters
from runners.datasets.longmemeval_rows import ABSTENTION, Row
from runners.datasets.rules import INFO, finding


@dataclass(slots=True)
class Seen:
    """What must be known across rows."""

    ids: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)


def lint_row(row: Row, seen: Seen) -> Iterator[Finding]:
    """Every finding of one native row."""
    yield from lint_question(row.key, row.question, row.answer, row.has_answer_text, seen)
    yield from _lint_evidence(row)
    yield from _lint_dates(row)
    yield from _lint_history(row)
    for index, session in enumerate(row.sessions):
        yield from lint_session(f"{row.key}/{index}:{row.ids[index]}", session)


def lint_question(
    key: str, question: Any, answer: Any, has_answer: bool, seen: Seen
) -> Iterator[Finding]:
    """Question and gold: shared by native rows and question lists."""
    if key in seen.ids:
        yield finding("question-id-repeated", key)
    seen.ids.add(key)
    text = question if isinstance(question, str) else ""
    if not text.strip():
        yield finding("question-empty", key)
    elif text in seen.texts:
        yield finding("question-text-repeated", key, f"as {seen.texts[text]}")
    seen.texts.setdefault(text, key)
    if text != text.strip():
        yield finding("question-whitespace", key)
    if ABSTENTION in key:
        yield finding("abstention", key)
    if not has_answer or answer is None:
        yield finding("answer-missing", key, severity=INFO if ABSTENTION in key else "error")
    elif not isinstance(answer, str):
        yield finding("answer-not-string", key, repr(answer))
    elif "acceptable" in answer.lower():
        yield finding("gold-alternatives", key)


def lint_session(key: str, session: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """One session: its turns and their order."""
    if not session:
        yield finding("session-empty", key)
        return
    if session[0].get("role") == "assistant":
        yield finding("session-starts-assistant", key)
    last: Any = None
    for index, turn in enumerate(session):
        text = turn.get("content")
        text = text if isinstance(text, str) else str(text or "")
        if not text.strip():
            yield finding("turn-empty", f"{key}/{index}")
        if index and turn.get("role") == last:
            yield finding("turn-role-repeated", f"{key}/{index}", str(last))
        last = turn.get("role")
        if len(text) > LONG_TURN:
            yield finding("turn-very-long", f"{key}/{index}", f"{len(text):,} characters")
        yield from lint_characters(f"{key}/{index}", text)


def lint_date(key: str, raw: Any, read: ReadDate) -> Iterator[Finding]:
    """One date: readable, and the weekday right."""
    if read.iso is None:
        yield finding("date-unreadable", key, repr(raw))
    elif not read.weekday_ok:
        yield finding("date-weekday", key, repr(raw))


def partly_flagged(official: Sequence[str] | None, flagged: Sequence[str]) -> bool:
    """Whether the official evidence holds more sessions than those with a flagged turn."""
    return official is not None and set(flagged) < set(official)


def _lint_evidence(row: Row) -> Iterator[Finding]:
    """The evidence of a row: known, there, flagged, and not after the question."""
    if row.official is None:
        yield finding("evidence-unknown", row.key)
    elif not row.official and not row.abstention:
        yield finding("evidence-empty", row.key)
    if row.official is not None and len(set(row.official)) < len(row.official):
        yield finding("evidence-repeated", row.key)
    indices = row.evidence_indices()
    for gold, places in indices.items():
        if not places:
            yield finding("evidence-dangling", row.key, gold)
    here = {index for places in indices.values() for index in places}
    if not row.flags_known:
        yield finding("evidence-flags-absent", row.key)
    elif not row.flagged:
        yield finding("evidence-turn-none", row.key)
    flagged = {row.ids[index] for index in row.flagged}
    if row.flags_known and row.official is not None:
        if partly_flagged(row.official, sorted(flagged)):
            yield finding("evidence-partly-flagged", row.key)
        if outside := flagged - set(row.official):
            yield finding("evidence-beyond-official", row.key, ", ".join(sorted(outside)))
    if row.synthetic:
        yield finding("session-id-synthetic", row.key)
    if here and isinstance(row.answer, str) and not row.abstention:
        texts = ["\n".join(str(turn.get("content")) for turn in s) for s in row.sessions]
        others = {row.ids[i]: text for i, text in enumerate(texts) if i not in here}
        if others and (found := gold_elsewhere(row.answer, [texts[i] for i in here], others)):
            yield finding("gold-elsewhere", row.key, ", ".join(found))
    asked = row.date.iso
    watched = here if row.evidence_known() else set(range(len(row.ids)))
    late = [index for index in watched if asked and (row.dates[index].iso or "") > asked]
    if late:
        latest = max(row.dates[index].iso or "" for index in late)
        yield finding("evidence-late", row.key, f"{latest} after {asked}")


def _lint_dates(row: Row) -> Iterator[Finding]:
    """The dates of a row, and the order they give."""
    yield from lint_date(row.key, row.date_raw, row.date)
    for index, read in enumerate(row.dates):
        yield from lint_date(f"{row.key}/{index}:{row.ids[index]}", row.dates_raw[index], read)
    dates = [read.iso for read in row.dates if read.iso is not None]
    if dates != sorted(dates):
        yield finding("haystack-unsorted", row.key)
        days = [date[:10] for date in dates]
        if days == sorted(days):
            yield finding("haystack-unsorted-within-day", row.key)


def _lint_history(row: Row) -> Iterator[Finding]:
    """The sessions of a row as a list."""
    yield from repeated_ids(row.key, row.ids)
    for session in row.dropped:
        yield finding("session-empty", f"{row.key}/{session}", "recorded as dropped")
    for session in dict.fromkeys(row.ids):
        if session.startswith("answer"):
            yield finding("session-id-leaks", f"{row.key}/{session}")


def repeated_ids(key: str, ids: Sequence[str]) -> Iterator[Finding]:
    """Session ids that one history holds twice."""
    twice = [session for session, times in Counter(ids).items() if times > 1]
    if twice:
        yield finding("session-repeated", key, ", ".join(twice))


def lint_question_list(raw: Mapping[str, Any], seen: Seen) -> Iterator[Finding]:
    """One line of a question list: questions without histories, with both clocks."""
    key = str(raw.get("question_id"))
    yield from lint_question(key, raw.get("question"), raw.get("answer"), "answer" in raw, seen)
    official = raw.get("answer_session_ids")
    flagged = raw.get("answer_session_ids_with_has_answer")
    if official is None:
        yield finding("evidence-unknown", key)
    if flagged is not None:
        if not flagged:
            yield finding("evidence-turn-none", key)
        if partly_flagged(official, flagged):
            yield finding("evidence-partly-flagged", key)
    oracle = read_date(raw.get("question_date_oracle"))
    if "question_date_oracle" in raw:
        yield from lint_date(key, raw["question_date_oracle"], oracle)
    evidence = raw.get("evidence_session_dates_oracle") or []
    late = [date for value in evidence if (date := read_date(value).iso) and oracle.iso]
    if late and max(late) > (oracle.iso or ""):
        yield finding("evidence-late", key, f"{max(late)} after {oracle.iso}")
    other = raw.get("question_date_s")
    if other is not None and oracle.iso is not None and read_date(other).iso != oracle.iso:
        yield finding("clock-differs", key)
    day = raw.get("question_day_s")
    if isinstance(day, str) and oracle.iso is not None and day != oracle.iso[:10]:
        yield finding("clock-day-differs", key)


def lint_flagged_turns(raw: Mapping[str, Any], seen: Seen) -> Iterator[Finding]:
    """One line of a list of flagged turns: question, and the turns that hold the answer."""
    key = str(raw.get("question_id"))
    if key in seen.ids:
        yield finding("question-id-repeated", key)
    seen.ids.add(key)
    sessions = raw.get("sessions") or []
    if not sessions:
        yield finding("evidence-turn-none", key)
    asked = read_date(raw.get("question_date"))
    yield from lint_date(key, raw.get("question_date"), asked)
    for index, session in enumerate(sessions):
        date = read_date(session.get("date"))
        yield from lint_date(f"{key}/{index}", session.get("date"), date)
        for at, turn in enumerate(session.get("turns") or []):
            text = str(turn.get("content") or "")
            if not text.strip():
                yield finding("turn-empty", f"{key}/{index}/{at}")
            yield from lint_characters(f"{key}/{index}/{at}", text)


def lint_pool_session(raw: Mapping[str, Any], seen: Seen) -> Iterator[Finding]:
    """One line of a session pool."""
    key = str(raw.get("session_id"))
    if key in seen.ids:
        yield finding("session-repeated", key)
    seen.ids.add(key)
    if "__by_date_" in key:
        yield finding("session-id-synthetic", key)
    if key.startswith("answer"):
        yield finding("session-id-leaks", key)
    dates = raw.get("dates")
    for value in dates if isinstance(dates, list) else [raw.get("date")]:
        yield from lint_date(key, value, read_date(value))
    turns = raw.get("turns")
    yield from lint_session(key, [t for t in turns if isinstance(t, dict)] if turns else [])
