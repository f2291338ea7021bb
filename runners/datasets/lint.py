"""Lint of a data-set file in its original format: rules, counts and items; the file is never changed.

Files are read as streams where they can be huge. The rules are in `runners/datasets/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets import longmemeval_lint as lme
from runners.datasets import shapes
from runners.datasets.contract import Finding
from runners.datasets.files import file_sha256, read_json, read_lines
from runners.datasets.jsonl import Reader
from runners.datasets.locomo_lint import conversations, lint_audit, lint_conversation
from runners.datasets.longmemeval_rows import read_row, rows_of
from runners.datasets.rules import ERROR, INFO, RULES, WARNING, finding

_ORDER = {ERROR: 0, WARNING: 1, INFO: 2}


@dataclass(frozen=True, slots=True)
class RuleCount:
    """One rule that found something."""

    rule: str
    severity: str
    """The most severe of its findings."""
    count: int
    """How often: items, or occurrences inside them."""
    ids: tuple[str, ...]
    """Where, each place once, in the order of the file."""
    details: tuple[str, ...]
    """What exactly, parallel to `ids`; empty texts where the rule says it all."""
    meaning: str


@dataclass(frozen=True, slots=True)
class LintReport:
    """Everything lint says about one file."""

    path: str
    shape: str
    sha256: str
    rules: tuple[RuleCount, ...]
    notes: tuple[str, ...] = ()

    def has(self, severity: str) -> bool:
        """Whether a finding is at least this severe."""
        return any(_ORDER[rule.severity] <= _ORDER[severity] for rule in self.rules)

    def document(self) -> dict[str, Any]:
        """The report as one JSON document (docs/command-line.md)."""
        return {
            "schema": "memtui-data-lint-1",
            "file": self.path,
            "shape": self.shape,
            "sha256": self.sha256,
            "notes": list(self.notes),
            "rules": [
                {
                    "rule": rule.rule,
                    "severity": rule.severity,
                    "count": rule.count,
                    "ids": list(rule.ids),
                    "details": list(rule.details) if any(rule.details) else [],
                    "meaning": rule.meaning,
                }
                for rule in self.rules
            ],
        }


def lint_file(path: Path, *, audit: Path | None = None, sessions: Path | None = None) -> LintReport:
    """Lints a file of any known shape.

    `audit` is the public LoCoMo audit's `errors.json`, laid over a LoCoMo file; `sessions` is the
    second file of a data set of JSON lines in two. Raises UserError (exit code 3) for a file that
    cannot be read or is of no known shape.
    """
    shape = shapes.any_shape_of(path)
    if audit is not None and shape != shapes.LOCOMO:
        raise UserError(f"{path}: {shape}: the audit is of LoCoMo")
    if sessions is not None and shape != shapes.JSONL:
        raise UserError(f"{path}: {shape}: holds its sessions itself")
    findings, notes = _findings(path, shape, audit, sessions)
    digest = file_sha256(path)
    if shape == shapes.LOCOMO:
        from runners.datasets.locomo import SHA256

        told = "the official file" if digest == SHA256 else f"NOT the official file ({SHA256})"
        notes = (*notes, f"sha256 {digest}: {told}")
    elif shape == shapes.LONGMEMEVAL:
        from runners.datasets.longmemeval import digest_notes

        notes = (*notes, *digest_notes(path, digest))
    return LintReport(str(path), shape, digest, tally(findings), notes)


def tally(findings: Iterable[Finding]) -> tuple[RuleCount, ...]:
    """Findings by rule, the most severe rules first, then in the order of the table."""
    groups: dict[str, list[Finding]] = {}
    for found in findings:
        groups.setdefault(found.rule, []).append(found)
    counted = []
    for rule, group in groups.items():
        places = dict.fromkeys((found.item for found in group), "")
        for found in group:
            places[found.item] = places[found.item] or found.detail
        severity = min((found.severity for found in group), key=_ORDER.__getitem__)
        counted.append(
            RuleCount(
                rule=rule,
                severity=severity,
                count=sum(found.count for found in group),
                ids=tuple(places),
                details=tuple(places.values()),
                meaning=RULES[rule][1],
            )
        )
    table = list(RULES)
    return tuple(sorted(counted, key=lambda r: (_ORDER[r.severity], table.index(r.rule))))


def _findings(
    path: Path, shape: str, audit: Path | None, sessions: Path | None
) -> tuple[list[Finding], tuple[str, ...]]:
    """Every finding of a file, and what else is worth saying."""
    if shape == shapes.LOCOMO:
        document, _ = read_json(path)
        found = [f for talk in conversations(document, path) for f in lint_conversation(talk)]
        return (found + lint_audit(audit, document) if audit is not None else found), ()
    if shape == shapes.JSONL:
        reader = Reader(path, sessions, skip_bad_lines=True)
        reader.read()
        counts = f"{len(reader.questions)} questions, {len(reader.shelf)} sessions"
        return reader.findings, (counts,)
    if shape == shapes.SESSION_IDS:
        document, _ = read_json(path)
        return [f for key, ids in document.items() for f in lme.repeated_ids(key, ids)], ()
    if shape == shapes.LONGMEMEVAL:
        return list(_longmemeval(path)), ()
    return list(_lines(path, shape)), ()


def _longmemeval(path: Path) -> Iterator[Finding]:
    """Findings of a native file; a row that cannot be used is one of them."""
    entries, _ = rows_of(path)
    seen = lme.Seen()
    for number, raw in enumerate(entries):
        try:
            row = read_row(raw, path, number)
        except UserError as problem:
            key = str(raw.get("question_id", f"row {number}")) if isinstance(raw, dict) else ""
            rule = "lists-differ" if "one length" in str(problem) else "row-unusable"
            detail = str(problem).removeprefix(f"{path}: ")
            yield finding(rule, key or f"row {number}", detail)
            continue
        yield from lme.lint_row(row, seen)


def _lines(path: Path, shape: str) -> Iterator[Finding]:
    """Findings of a list of questions, of flagged turns or of pool sessions, one a line."""
    rule = {
        shapes.QUESTION_LIST: lme.lint_question_list,
        shapes.FLAGGED_TURNS: lme.lint_flagged_turns,
        shapes.SESSION_POOL: lme.lint_pool_session,
    }[shape]
    seen = lme.Seen()
    entries = _list_entries(path)
    for where, value, problem, torn in entries:
        if problem:
            yield finding("line-torn" if torn else "line-bad", where, problem)
        elif not isinstance(value, dict):
            yield finding("row-unusable", where, "an object is expected")
        else:
            yield from rule(value, seen)


def _list_entries(path: Path) -> Iterator[tuple[str, Any, str, bool]]:
    """(where, value, problem, torn) of JSON lines, or of a JSON list of the same objects."""
    with path.open("rb") as stream:
        is_list = stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    if is_list:
        entries, _ = rows_of(path)
        for number, value in enumerate(entries):
            yield f"row {number}", value, "", False
        return
    for line in read_lines(path):
        yield f"{path.name}:{line.number}", line.value, line.problem, line.torn
