"""The project's own data-set format: sessions and questions as JSON lines.

One file, or questions and sessions in two; documented in docs/bring-your-own-data.md. Every loader's
data set can be written in it, and what was written reads back equal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.errors import UserError
from memtui.model import EvidenceStatus
from runners.datasets.contract import DataSet, Finding, SourceEvidence, SourceItem, SourceSession
from runners.datasets.files import combined_sha256, file_sha256, read_lines
from runners.datasets.gold import count_declared, with_declared_subset
from runners.datasets.jsonl_lint import Known, dangles, lint_question_line, lint_session_line
from runners.datasets.jsonl_rows import (
    FORMAT,
    HEADER,
    SESSION,
    LineProblem,
    QuestionLine,
    line_type,
    read_question,
    read_session,
    unknown_keys,
)
from runners.datasets.rules import finding, item_flags
from runners.datasets.session_pool import SessionPoolFile, read_session_pool
from runners.datasets.shelf import SPILL_FROM, SessionShelf
from runners.sessions import session_sha


def load_jsonl(
    path: Path,
    *,
    sessions: Path | None = None,
    pool: Path | None = None,
    skip_bad_lines: bool = False,
    on_disk: bool | None = None,
) -> DataSet:
    """Reads a data set of JSON lines, or its questions with `sessions` in a second file.

    A torn last line is left out and reported. Any other bad line raises UserError with its number,
    unless `skip_bad_lines` is set: then it is left out and reported. `pool` adds a session pool file.
    """
    reader = Reader(path, sessions, skip_bad_lines=skip_bad_lines, on_disk=on_disk)
    reader.read()
    return reader.finish(read_session_pool(pool) if pool is not None else SessionPoolFile())


class Reader:
    """Collects the lines of a data set; questions are tied to sessions when all are known."""

    def __init__(
        self,
        path: Path,
        sessions: Path | None = None,
        *,
        skip_bad_lines: bool = False,
        on_disk: bool | None = None,
    ) -> None:
        self.path = path
        self.files = [path] if sessions is None else [path, sessions]
        self.skip = skip_bad_lines
        if on_disk is None:
            on_disk = sum(f.stat().st_size for f in self.files if f.exists()) >= SPILL_FROM
        self.shelf = SessionShelf(on_disk=on_disk)
        self.turns: dict[str, int] = {}
        self.dates: dict[str, str | None] = {}
        self.questions: dict[str, QuestionLine] = {}
        self.header: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.pools: dict[str, None] = {}

    def read(self) -> None:
        """Every line of every file, then the findings that need all of them."""
        for file in self.files:
            for line in read_lines(file):
                where = f"{file.name}:{line.number}"
                if line.torn:
                    self.findings.append(finding("line-torn", where, line.problem))
                    continue
                try:
                    if line.problem:
                        raise LineProblem(line.problem)
                    self._take(line.value, where)
                except LineProblem as problem:
                    if not self.skip:
                        raise UserError(
                            f"{file}: line {line.number}: {problem}; put it right, or skip bad lines",
                            exit_code=3,
                        ) from None
                    self.findings.append(finding("line-bad", where, str(problem)))
        known = Known(self.turns, self.dates)
        for question in self.questions.values():
            self.findings.extend(lint_question_line(question, known))

    def _skipped(self) -> list[Finding]:
        return [f for f in self.findings if f.rule in ("line-bad", "line-torn")]

    def _left_out(self) -> tuple[str, ...]:
        """A note on lines that were not read, shown with every run."""
        skipped = [f"{f.item} ({f.rule})" for f in self._skipped()]
        if not skipped:
            return ()
        more = f" and {len(skipped) - 5} more" if len(skipped) > 5 else ""
        return (f"lines left out: {', '.join(skipped[:5])}{more}",)

    def finish(self, extra: SessionPoolFile) -> DataSet:
        """The data set; raises UserError where there is no question in it."""
        if not self.questions:
            raise UserError(f"{self.path}: no question in this file", exit_code=3)
        told: dict[str, list[Finding]] = {}
        for found in self.findings:
            told.setdefault(found.item, []).append(found)
        items = [self._item(line, told.get(line.id, [])) for line in self.questions.values()]
        here = len(self.shelf)
        for session in extra.sessions.values():
            self.shelf.put(session)
        items = list(with_declared_subset(items, self.shelf))
        pools = tuple(self.pools)
        tiers = self.header.get("tiers") or ([list(pools)] if pools else [])
        return DataSet(
            name=str(self.header.get("name") or self.path.stem),
            sha256=combined_sha256([*map(file_sha256, self.files), extra.sha256]),
            items=tuple(items),
            sessions=self.shelf,
            pools=(*(name for tier in tiers for name in tier), *extra.pools),
            tiers=(*(tuple(tier) for tier in tiers), *extra.tiers),
            own_first=bool(self.header.get("own_first", False)),
            findings=tuple(self.findings),
            notes=(*map(str, self.header.get("notes") or ()), *self._left_out(), *extra.notes),
            licence=str(self.header.get("licence") or ""),
            source=str(self.path),
            counts={
                **count_declared(items),
                "sessions": here,
                "lines_skipped": len(self._skipped()),
            },
        )

    def _take(self, row: Any, where: str) -> None:
        """One line; raises LineProblem."""
        kind = line_type(row)
        if strange := unknown_keys(kind, row):
            self.findings.append(finding("key-unknown", where, ", ".join(strange)))
        if kind == HEADER:
            self.header.update(_header(row))
        elif kind == SESSION:
            session = read_session(row)
            if session.id in self.shelf:
                self.findings.append(finding("id-repeated", where, session.id))
                return
            self.turns[session.id] = len(session.turns)
            self.dates[session.id] = session.date
            self.pools.setdefault(session.pool)
            self.findings.extend(lint_session_line(session))
            self.shelf.put(
                SourceSession(
                    id=session.id,
                    turns=session.turns,
                    date=session.date,
                    sha=session_sha(session.turns),
                    pool=session.pool,
                    evidence_for=frozenset(session.evidence_for),
                    tags=session.tags,
                )
            )
        else:
            question = read_question(row)
            if question.id in self.questions:
                self.findings.append(finding("question-id-repeated", where, question.id))
                return
            self.questions[question.id] = question

    def _item(self, line: QuestionLine, told: list[Finding]) -> SourceItem:
        """A question tied to its sessions."""
        evidence = []
        for gold in line.evidence or ():
            if gold.status is EvidenceStatus.DANGLING or dangles(
                gold.session_id, gold.turn, self.turns
            ):
                evidence.append(SourceEvidence(gold.raw, None, None, EvidenceStatus.DANGLING))
                continue
            evidence.append(gold)
            self.shelf.mark(str(gold.session_id), line.id)
        history = [(session, date) for session, date in line.history if session in self.turns]
        return SourceItem(
            key=line.id,
            question=line.question,
            gold=line.gold,
            gold_raw=line.answer,
            qtype=line.qtype,
            cluster=line.cluster,
            answerable=line.answerable,
            question_date=line.date,
            evidence=tuple(dict.fromkeys(evidence)),
            own=tuple(session for session, _ in history),
            own_dates=tuple(date for _, date in history) if line.history_dated else (),
            tempting=line.tempting,
            flags=tuple(dict.fromkeys((*line.flags, *item_flags(told)))),
            meta={"evidence_known": line.evidence is not None, **line.meta},
        )


def _header(row: dict[str, Any]) -> dict[str, Any]:
    """The header line, checked; raises LineProblem."""
    if row.get("format", FORMAT) != FORMAT:
        raise LineProblem(f"format {row['format']!r} is not {FORMAT!r}")
    tiers = row.get("tiers", [])
    if not isinstance(tiers, list) or not all(
        isinstance(tier, list) and all(isinstance(name, str) for name in tier) for tier in tiers
    ):
        raise LineProblem("`tiers` must be a list of lists of pool names")
    if not isinstance(row.get("own_first", False), bool):
        raise LineProblem("`own_first` must be true or false")
    if not isinstance(row.get("notes", []), list):
        raise LineProblem("`notes` must be a list of texts")
    return {key: value for key, value in row.items() if key != "type"}
