"""Lint of the project's own data-set format: what a line says, and whether its references exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memtui.model import EvidenceStatus
from runners.datasets.contract import Finding
from runners.datasets.jsonl_rows import QuestionLine, SessionLine
from runners.datasets.locomo_lint import LONG_TURN, lint_characters
from runners.datasets.rules import INFO, finding


@dataclass(slots=True)
class Known:
    """What the lines before and the other file say."""

    turns: Mapping[str, int]
    """Session id -> number of turns."""
    dates: Mapping[str, str | None]
    texts: dict[tuple[str, str], str] = field(default_factory=dict)


def lint_session_line(line: SessionLine) -> Iterator[Finding]:
    """Every finding of one session."""
    if not line.turns:
        yield finding("session-empty", line.id)
    if line.date_raw is None:
        yield finding("session-date-missing", line.id)
    elif line.date is None:
        yield finding("date-unreadable", line.id, repr(line.date_raw))
    for index, turn in enumerate(line.turns):
        key = f"{line.id}/{index}"
        if not turn.text.strip() and not turn.caption.strip():
            yield finding("turn-empty", key)
        if len(turn.text) > LONG_TURN:
            yield finding("turn-very-long", key, f"{len(turn.text):,} characters")
        yield from lint_characters(key, turn.text)


def lint_question_line(line: QuestionLine, known: Known) -> Iterator[Finding]:
    """Every finding of one question, its references included."""
    if not line.question.strip():
        yield finding("question-empty", line.id)
    elif line.question != line.question.strip():
        yield finding("question-whitespace", line.id)
    first = known.texts.setdefault((line.cluster, line.question), line.id)
    if first != line.id:
        yield finding("question-text-repeated", line.id, f"as {first}")
    if not line.answerable:
        yield finding("abstention", line.id)
    if not line.has_answer:
        yield finding("answer-missing", line.id, severity="error" if line.answerable else INFO)
    elif not isinstance(line.answer, str):
        yield finding("answer-not-string", line.id, repr(line.answer))
    else:
        yield from lint_characters(line.id, line.answer)
    if line.date_raw is not None and line.date is None:
        yield finding("date-unreadable", line.id, repr(line.date_raw))
    yield from _lint_evidence(line, known)
    ids = [session for session, _ in line.history]
    for session in dict.fromkeys(ids):
        if session not in known.turns:
            yield finding("history-dangling", line.id, session)
        if ids.count(session) > 1:
            yield finding("session-repeated", line.id, session)


def dangles(session: str | None, turn: int | None, turns: Mapping[str, int]) -> bool:
    """Whether a reference names no session, or a turn that the session does not have."""
    if session is None or session not in turns:
        return True
    return turn is not None and not 0 <= turn < turns[session]


def _lint_evidence(line: QuestionLine, known: Known) -> Iterator[Finding]:
    """The evidence of a question: known, there, in its history, not after the question."""
    if line.evidence is None:
        yield finding("evidence-unknown", line.id)
        return
    if not line.evidence and line.answerable:
        yield finding("evidence-empty", line.id)
    if len(set(line.evidence)) < len(line.evidence):
        yield finding("evidence-repeated", line.id)
    own = dict(line.history)
    for gold in line.evidence:
        lost = gold.status is EvidenceStatus.DANGLING
        if lost or dangles(gold.session_id, gold.turn, known.turns):
            yield finding("evidence-dangling", line.id, gold.raw)
            continue
        session = str(gold.session_id)
        if own and session not in own:
            yield finding("evidence-outside-history", line.id, session)
        date = own.get(session) or known.dates.get(session)
        if date and line.date and date > line.date:
            yield finding("evidence-late", line.id, f"{date} after {line.date}")
