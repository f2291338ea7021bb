"""One line of the project's own data-set format, read and checked (docs/bring-your-own-data.md)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.model import EvidenceStatus, Turn
from runners.datasets.contract import SourceEvidence
from runners.datasets.dates import read_date
from runners.datasets.files import clean
from runners.datasets.gold import canonical_gold

FORMAT = "memtui-data/1"
"""Value of `format` in the first line."""

HEADER, SESSION, QUESTION = "dataset", "session", "question"

KEYS: dict[str, frozenset[str]] = {
    HEADER: frozenset({"type", "format", "name", "licence", "tiers", "own_first", "notes"}),
    SESSION: frozenset(
        {"type", "id", "date", "turns", "pool", "tags", "evidence_for"},
    ),
    QUESTION: frozenset(
        {
            "type",
            "id",
            "question",
            "answer",
            "gold",
            "question_type",
            "date",
            "answerable",
            "evidence",
            "history",
            "cluster",
            "tempting",
            "attributes",
            "flags",
            "meta",
        }
    ),
}
TURN_KEYS = frozenset({"role", "speaker", "text", "content", "caption"})


class LineProblem(Exception):
    """Why a line cannot be used, in words for its author."""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session as its line gives it."""

    id: str
    date: str | None
    date_raw: Any
    turns: tuple[Turn, ...]
    pool: str
    tags: tuple[str, ...]
    evidence_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A question as its line gives it; evidence and history still by session id."""

    id: str
    question: str
    answer: Any
    gold: str | None
    """The canonical gold: what `gold` says where the line has it, else the answer as text."""
    has_answer: bool
    qtype: str
    date: str | None
    date_raw: Any
    answerable: bool
    evidence: tuple[SourceEvidence, ...] | None
    """None: the line does not say (unknown, not empty)."""
    history: tuple[tuple[str, str | None], ...]
    history_dated: bool
    cluster: str
    tempting: str | None
    flags: tuple[str, ...]
    meta: dict[str, Any] = field(default_factory=dict)


def line_type(row: Any) -> str:
    """`dataset`, `session` or `question`; said by `type`, else told by the keys.

    Raises LineProblem for a line that is none of them.
    """
    if not isinstance(row, dict):
        raise LineProblem("an object is expected")
    kind = row.get("type")
    if kind in KEYS:
        return str(kind)
    if kind is not None:
        raise LineProblem(f"type {kind!r} is not one of {', '.join(KEYS)}")
    if "turns" in row:
        return SESSION
    if "question" in row:
        return QUESTION
    raise LineProblem("neither a session (`turns`) nor a question (`question`)")


def unknown_keys(kind: str, row: Mapping[str, Any]) -> list[str]:
    """Keys that the format does not have, each with the one probably meant."""
    told = []
    for key in row:
        if key not in KEYS[kind]:
            close = difflib.get_close_matches(key, KEYS[kind], n=1)
            told.append(f"{key!r} (did you mean {close[0]!r}?)" if close else repr(key))
    return told


def read_session(row: Mapping[str, Any]) -> SessionLine:
    """A session line; raises LineProblem."""
    turns = row.get("turns")
    if not isinstance(turns, list):
        raise LineProblem("`turns` must be a list")
    return SessionLine(
        id=_identity(row),
        date=read_date(row.get("date")).iso,
        date_raw=row.get("date"),
        turns=tuple(_turn(turn, index) for index, turn in enumerate(turns)),
        pool=_text(row, "pool") or "general",
        tags=_texts(row, "tags"),
        evidence_for=_texts(row, "evidence_for"),
    )


def read_question(row: Mapping[str, Any]) -> QuestionLine:
    """A question line; raises LineProblem."""
    identity = _identity(row)
    question = row.get("question")
    if not isinstance(question, str):
        raise LineProblem("`question` must be text")
    answerable = row.get("answerable", True)
    if not isinstance(answerable, bool):
        raise LineProblem("`answerable` must be true or false")
    evidence = row.get("evidence")
    if evidence is not None and not isinstance(evidence, list):
        raise LineProblem("`evidence` must be a list, or null where it is not known")
    history = row.get("history", [])
    if not isinstance(history, list):
        raise LineProblem("`history` must be a list")
    meta = row.get("meta", {})
    if not isinstance(meta, dict):
        raise LineProblem("`meta` must be an object")
    attributes = _texts(row, "attributes")
    return QuestionLine(
        id=identity,
        question=clean(question),
        answer=row.get("answer"),
        gold=canonical_gold(row["gold"] if "gold" in row else row.get("answer")),
        has_answer=row.get("answer") is not None,
        qtype=_text(row, "question_type") or "unspecified",
        date=read_date(row.get("date")).iso,
        date_raw=row.get("date"),
        answerable=answerable,
        evidence=None if evidence is None else tuple(map(_evidence, evidence)),
        history=tuple(map(_history, history)),
        history_dated=any(isinstance(entry, dict) and "date" in entry for entry in history),
        cluster=_text(row, "cluster") or identity,
        tempting=_text(row, "tempting") or None,
        flags=_texts(row, "flags"),
        meta={**meta, "attributes": list(attributes)} if attributes else dict(meta),
    )


def _identity(row: Mapping[str, Any]) -> str:
    """The id of a line."""
    identity = row.get("id")
    if isinstance(identity, str) and identity:
        return clean(identity)
    if isinstance(identity, int) and not isinstance(identity, bool):
        return str(identity)
    raise LineProblem("`id` must be non-empty text")


def _turn(raw: Any, index: int) -> Turn:
    """A turn: `role` or `speaker`, `text` or `content`, perhaps `caption`."""
    if not isinstance(raw, dict):
        raise LineProblem(f"turn {index} must be an object")
    strange = sorted(set(raw) - TURN_KEYS)
    if strange:
        # marks such as `has_answer` must not get near a memory system: refused, not passed on
        raise LineProblem(f"turn {index} has {', '.join(map(repr, strange))}: not a key of a turn")
    text = raw.get("text", raw.get("content", ""))
    role = raw.get("role", raw.get("speaker", ""))
    if not isinstance(text, str) or not isinstance(role, str):
        raise LineProblem(f"turn {index}: role and text must be text")
    return Turn(clean(role), clean(text), clean(raw.get("caption") or ""))


def _evidence(raw: Any) -> SourceEvidence:
    """A session id, or an object with `session` and perhaps `turn` (0-based)."""
    if isinstance(raw, str):
        return SourceEvidence(raw, raw, None)
    if not isinstance(raw, dict):
        raise LineProblem("an entry of `evidence` must be a session id or an object")
    session, turn = raw.get("session"), raw.get("turn")
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
        raise LineProblem("`turn` of an evidence must be a 0-based whole number")
    if session is not None and not isinstance(session, str):
        raise LineProblem("`session` of an evidence must be a session id")
    try:
        status = EvidenceStatus(raw.get("status", EvidenceStatus.RESOLVED))
    except ValueError:
        raise LineProblem(f"evidence status {raw['status']!r} is not known") from None
    text = raw.get("raw")
    if not isinstance(text, str):
        text = "" if session is None else session if turn is None else f"{session}:{turn}"
    return SourceEvidence(clean(text), session, turn, status)


def _history(raw: Any) -> tuple[str, str | None]:
    """A session id, or an object with `session` and its `date` in this history."""
    if isinstance(raw, str):
        return raw, None
    if isinstance(raw, dict) and isinstance(raw.get("session"), str):
        return raw["session"], read_date(raw.get("date")).iso
    raise LineProblem("an entry of `history` must be a session id or an object with `session`")


def _text(row: Mapping[str, Any], key: str) -> str:
    """A text that may be absent."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise LineProblem(f"`{key}` must be text")
    return clean(value)


def _texts(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts that may be absent."""
    value: Iterable[Any] | None = row.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise LineProblem(f"`{key}` must be a list of texts")
    return tuple(map(clean, value))
