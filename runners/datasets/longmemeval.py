"""LongMemEval: 500 questions, each over its own dated history of user-assistant sessions.

Wu et al. 2024, arXiv 2410.10813, github.com/xiaowu0162/LongMemEval, MIT. Three files of one shape:
oracle (evidence sessions only), S (about 50 sessions a question) and M (about 500; 2.7 GB, read as a
stream). Evidence is the official `answer_session_ids`, at turn level where turns are marked; ids and
marks that give it away stay on the scorer's side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from memtui.errors import UserError
from memtui.model import EvidenceStatus
from runners.datasets import longmemeval_lint
from runners.datasets.contract import DataSet, Finding, SourceEvidence, SourceItem, SourceSession
from runners.datasets.files import clean, combined_sha256, file_sha256
from runners.datasets.gold import (
    SPAN_ANSWERABLE,
    canonical_gold,
    count_declared,
    is_span_answerable,
)
from runners.datasets.longmemeval_rows import ABSTENTION, Row, read_row, rows_of
from runners.datasets.rules import item_flags
from runners.datasets.session_pool import (
    EVIDENCE_POOL,
    POOLS,
    TIERS,
    SessionPoolFile,
    kind_of,
    read_session_pool,
    read_turns,
)
from runners.datasets.shelf import SOMEBODY, SPILL_FROM, SessionShelf
from runners.sessions import session_sha

REPORTED = {
    "longmemeval_oracle.json": (
        15_388_478,
        "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    ),
    "longmemeval_s_cleaned.json": (
        277_383_467,
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
    ),
    "longmemeval_m_cleaned.json": (
        2_737_100_077,
        "9d79e5524794a2e6900a3aa9cb7d9152c5a3e8319c9a87c25494ba1eacee495f",
    ),
}
"""Bytes and sha256 of the files of `xiaowu0162/longmemeval-cleaned` at 98d7416 as others report them:
a file that differs is read, and the difference shown and recorded."""

M_FROM = 150
"""Mean sessions a question from which a file is of the M shape."""


def load_longmemeval(
    path: Path, *, pool: Path | None = None, on_disk: bool | None = None
) -> DataSet:
    """Reads an oracle, S or M file (a JSON list, or one row a line).

    `pool` is a session pool file to draw further fillers from. `on_disk` keeps session texts in a
    temporary file; by default for files from 64 MB. Raises UserError naming the question for parallel
    lists of different length, and for a file of another shape.
    """
    reader = _Reader(path, pool, on_disk)
    items = tuple(reader.items())
    if not items:
        raise UserError(f"{path}: no question in this file", exit_code=3)
    return reader.finish(items)


class _Reader:
    """One pass over a file: rows become items at once, their sessions go to the shelf."""

    def __init__(self, path: Path, pool: Path | None, on_disk: bool | None) -> None:
        self.path = path
        self.pool = read_session_pool(pool) if pool is not None else SessionPoolFile()
        if on_disk is None:
            on_disk = path.exists() and path.stat().st_size >= SPILL_FROM
        self.shelf = SessionShelf(on_disk=on_disk)
        self.findings: list[Finding] = []
        self.slots = 0
        self.oracle = True
        self._entries, self._list = rows_of(path)
        self._seen = longmemeval_lint.Seen()
        self._dates: dict[str, str] = {}

    def items(self) -> Iterator[SourceItem]:
        """The items, in file order; an id that repeats is kept under a key of its own."""
        keys: dict[str, int] = {}
        for number, raw in enumerate(self._entries):
            row = read_row(raw, self.path, number)
            told = list(longmemeval_lint.lint_row(row, self._seen))
            self.findings.extend(told)
            times = keys[row.key] = keys.get(row.key, 0) + 1
            key = row.key if times == 1 else f"{row.key}#{times}"
            yield self._item(key, row, item_flags(f for f in told if f.item == row.key))

    def finish(self, items: tuple[SourceItem, ...]) -> DataSet:
        """The data set, once every row is read."""
        digest = self._list.sha256 if self._list is not None else file_sha256(self.path)
        mean = self.slots / len(items)
        shape = "oracle" if self.oracle else "m" if mean >= M_FROM else "s"
        for session in self.pool.sessions.values():
            known = self.shelf.sha(session.id)
            if known is not None and known != session.sha:
                session = replace(session, id=f"{session.id}#{session.sha[:8]}")
            for item in session.evidence_for:
                self.shelf.mark(session.id, item)
            self.shelf.put(session)
        counts = {
            **count_declared(items),
            "sessions": len(self.shelf),
            "session_slots": self.slots,
            "evidence_unknown": sum("evidence-unknown" in item.flags for item in items),
        }
        return DataSet(
            name=f"longmemeval-{shape}",
            sha256=combined_sha256((digest, self.pool.sha256)),
            items=items,
            sessions=self.shelf,
            pools=POOLS,
            tiers=TIERS,
            findings=tuple(self.findings),
            notes=(*digest_notes(self.path, digest), *self.pool.notes),
            licence="MIT",
            source=str(self.path),
            counts=counts,
        )

    def _item(self, key: str, row: Row, flags: tuple[str, ...]) -> SourceItem:
        """One question; its sessions are put on the shelf."""
        sessions = [self._session(row, index) for index in range(len(row.ids))]
        self.slots += len(sessions)
        evidence: list[SourceEvidence] = []
        gold_indices: set[int] = set()
        for gold, indices in row.evidence_indices().items():
            if not indices:
                evidence.append(SourceEvidence(gold, None, None, EvidenceStatus.DANGLING))
            for index in indices:
                gold_indices.add(index)
                self.shelf.mark(sessions[index].id, key)
                turns = row.flagged.get(index, ())
                evidence.extend(SourceEvidence(gold, sessions[index].id, at) for at in turns)
                if not turns:
                    evidence.append(SourceEvidence(gold, sessions[index].id, None))
        if len(gold_indices) < len(sessions):
            self.oracle = False
        item = SourceItem(
            key=key,
            question=clean(row.question),
            gold=canonical_gold(row.answer),
            gold_raw=row.answer,
            qtype=row.qtype,
            # an `_abs` question is a variation of the question it is named after
            cluster=row.key.replace(ABSTENTION, ""),
            answerable=not row.abstention,
            question_date=row.date.iso,
            evidence=tuple(dict.fromkeys(evidence)),
            own=tuple(session.id for session in sessions),
            own_dates=tuple(self._shared(date.iso) for date in row.dates),
            flags=flags,
            meta={
                "evidence_known": row.evidence_known(),
                "evidence_from": "answer_session_ids",
                "sessions_flagged": len(row.flagged) if row.flags_known else None,
            },
        )
        here = {session.id: session for session in sessions}
        if is_span_answerable(item, here):
            return replace(item, flags=(*item.flags, SPAN_ANSWERABLE))
        return item

    def _session(self, row: Row, index: int) -> SourceSession:
        """A session of a row under its id, or under an id of its own where the content differs."""
        turns = read_turns(list(row.sessions[index]))
        sha = session_sha(turns)
        key = row.ids[index]
        known = self.shelf.sha(key)
        if known is not None and known != sha:
            key = f"{key}#{sha[:8]}"
        kind = kind_of(key)
        session = SourceSession(
            id=key,
            turns=turns,
            date=row.dates[index].iso,
            sha=sha,
            pool=kind,
            # its question may be in another file
            evidence_for=frozenset((SOMEBODY,)) if kind == EVIDENCE_POOL else frozenset(),
        )
        self.shelf.put(session)
        return session

    def _shared(self, date: str | None) -> str | None:
        """One string for each date, however many sessions have it."""
        return None if date is None else self._dates.setdefault(date, date)


def digest_notes(path: Path, digest: str) -> tuple[str, ...]:
    """What to say about a file's digest: the official one, another, or only the record."""
    for name, (_, reported) in REPORTED.items():
        if digest == reported:
            return (f"sha256 {digest}: the reported digest of {name}",)
    if path.name in REPORTED:
        reported = REPORTED[path.name][1]
        return (f"sha256 {digest}: NOT the reported digest of {path.name} ({reported})",)
    return (f"sha256 {digest} (no digest is reported for {path.name})",)
