"""Made-up data sets for ladder tests: words that occur nowhere else, so that a leak is a leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui.model import EvidenceStatus, Turn
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem, SourceSession
from runners.sessions import session_sha


def session(
    key: str,
    text: str,
    date: str | None = "2024-03-01T10:00",
    *,
    pool: str = "general",
    evidence_for: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> SourceSession:
    """A session of one turn."""
    turns = (Turn("user", text),) if text else ()
    return SourceSession(
        key, turns, date, session_sha(turns), pool, frozenset(evidence_for), tuple(tags)
    )


def item(
    key: str,
    evidence: Sequence[str],
    *,
    gold: Any = "zyxgold",
    own: Sequence[str] = (),
    own_dates: Sequence[str | None] = (),
    date: str | None = "2024-06-01T12:00",
    qtype: str = "single",
    answerable: bool = True,
    dangling: int = 0,
    meta: Mapping[str, Any] | None = None,
    flags: Sequence[str] = (),
) -> SourceItem:
    """A question over whole evidence sessions, some of them dangling."""
    lost = tuple(
        SourceEvidence(f"lost{n}", None, None, EvidenceStatus.DANGLING) for n in range(dangling)
    )
    return SourceItem(
        key=key,
        question=f"What about {key}?",
        gold=None if gold is None else str(gold),
        gold_raw=gold,
        qtype=qtype,
        cluster=key,
        answerable=answerable,
        question_date=date,
        evidence=(*(SourceEvidence(e, e, None) for e in evidence), *lost),
        own=tuple(own),
        own_dates=tuple(own_dates),
        flags=tuple(flags),
        meta=dict(meta or {}),
    )


def dataset(
    items: Sequence[SourceItem], sessions: Sequence[SourceSession], **settings: Any
) -> DataSet:
    """A data set of these, with one pool unless told otherwise."""
    return DataSet(
        name="made-up",
        sha256="0" * 64,
        items=tuple(items),
        sessions={one.id: one for one in sessions},
        pools=settings.pop("pools", ("general",)),
        **settings,
    )


def leaky(fillers: int = 12) -> DataSet:
    """Ids and golds by which LongMemEval leaks, and texts that contain none of them."""
    sessions = [
        session("answer_aa_1", "the kiln is zyxgold", evidence_for=("q1_abs", "q2")),
        session("answer_bb_2", "and the other half", evidence_for=("q2",)),
        *(session(f"noise_{n}", f"small talk number {n}") for n in range(fillers)),
    ]
    items = [
        item("q1_abs", ["answer_aa_1"], gold="never said zyxtold", answerable=False),
        item("q2", ["answer_aa_1", "answer_bb_2"], own=("noise_0", "answer_aa_1", "answer_bb_2")),
    ]
    return dataset(items, sessions)
