"""Writes any data set in the project's own format: what `memtui data convert` does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from memtui.model import EvidenceStatus, Turn
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem, SourceSession
from runners.datasets.files import has_surrogate
from runners.datasets.gold import SPAN_ANSWERABLE, canonical_gold
from runners.datasets.jsonl_rows import FORMAT, HEADER, QUESTION, SESSION


def write_jsonl(dataset: DataSet, path: Path, *, overwrite: bool = False) -> int:
    """Writes a data set as JSON lines and returns the number of lines.

    The file appears whole or not at all. Raises UserError when it exists (unless `overwrite`) or
    cannot be written.
    """
    if path.exists() and not overwrite:
        raise UserError(f"{path}: exists already; name another file or allow overwriting")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            for row in rows(dataset):
                stream.write(_line(row) + "\n")
                count += 1
        part.replace(path)
    except OSError as problem:
        raise UserError(f"{path}: cannot be written: {problem.strerror}", exit_code=3) from None
    finally:
        part.unlink(missing_ok=True)
    return count


def _line(row: dict[str, Any]) -> str:
    """A line as readable as its text allows: half UTF-16 pairs can only be escaped."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(row, separators=(",", ":")) if has_surrogate(text) else text


def rows(dataset: DataSet) -> Iterator[dict[str, Any]]:
    """Header, sessions and questions of a data set, one JSON object each."""
    yield {
        "type": HEADER,
        "format": FORMAT,
        "name": dataset.name,
        "licence": dataset.licence,
        "tiers": [list(tier) for tier in dataset.tiers] or [[name] for name in dataset.pools],
        "own_first": dataset.own_first,
        "notes": [f"converted from {dataset.name}, sha256 {dataset.sha256}", *dataset.notes],
    }
    for session in dataset.sessions.values():
        yield _session(session)
    for item in dataset.items:
        yield _question(item)


def _session(session: SourceSession) -> dict[str, Any]:
    """A session line."""
    row: dict[str, Any] = {
        "type": SESSION,
        "id": session.id,
        "date": session.date,
        "pool": session.pool,
        "turns": list(map(_turn, session.turns)),
    }
    if session.tags:
        row["tags"] = list(session.tags)
    if session.evidence_for:
        row["evidence_for"] = sorted(session.evidence_for)
    return row


def _turn(turn: Turn) -> dict[str, str]:
    """A turn, its caption only where it has one."""
    row = {"role": turn.role, "text": turn.text}
    return {**row, "caption": turn.caption} if turn.caption else row


def _question(item: SourceItem) -> dict[str, Any]:
    """A question line. Flags that reading recomputes are left out; those of the source format stay."""
    meta = dict(item.meta)
    known = meta.pop("evidence_known", True)
    attributes = meta.pop("attributes", None)
    evidence = [_evidence(gold) for gold in item.evidence]
    row: dict[str, Any] = {
        "type": QUESTION,
        "id": item.key,
        "question": item.question,
        "answer": item.gold_raw,
        "question_type": item.qtype,
        "date": item.question_date,
        "answerable": item.answerable,
        "evidence": evidence if known or evidence else None,
        "history": (
            [
                {"session": session, "date": date}
                for session, date in zip(item.own, item.own_dates, strict=True)
            ]
            if item.own_dates
            else list(item.own)
        ),
        "cluster": item.cluster,
    }
    if item.gold != canonical_gold(item.gold_raw):
        row["gold"] = item.gold
    if item.tempting is not None:
        row["tempting"] = item.tempting
    if attributes:
        row["attributes"] = list(attributes)
    if flags := [flag for flag in item.flags if flag != SPAN_ANSWERABLE]:
        row["flags"] = flags
    if meta:
        row["meta"] = meta
    return row


def _evidence(gold: SourceEvidence) -> Any:
    """An evidence entry, as short as it can be said."""
    if gold.turn is None and gold.raw == gold.session_id:
        return gold.session_id
    row: dict[str, Any] = {"session": gold.session_id}
    if gold.turn is not None:
        row["turn"] = gold.turn
    row["raw"] = gold.raw
    if gold.status is not EvidenceStatus.RESOLVED:
        row["status"] = gold.status.value
    return row
