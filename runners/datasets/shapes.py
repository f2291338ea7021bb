"""Telling the shape of a data-set file by its content: names of files are not to be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets.files import read_lines, unreadable
from runners.datasets.json_stream import JsonList

LOCOMO, LONGMEMEVAL, JSONL = "locomo", "longmemeval", "jsonl"
QUESTION_LIST = "longmemeval-questions"
FLAGGED_TURNS = "longmemeval-flagged-turns"
SESSION_POOL = "session-pool"
SESSION_IDS = "longmemeval-session-ids"

LOADABLE = (LOCOMO, LONGMEMEVAL, JSONL)


def any_shape_of(path: Path) -> str:
    """The shape of a file: one of the names above, the derived lists included.

    Raises UserError (exit code 3) for a file that cannot be read or is of no known shape.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as problem:
        raise unreadable(path, problem) from None
    if start.startswith(b"["):
        found = _of_entry(next(iter(JsonList(path)), None))
    elif start.startswith(b"{"):
        lines = read_lines(path)
        first = next(lines, None)
        second = next(lines, None)
        whole = second is None and first is not None
        value = first.value if first is not None else None
        found = _of_whole(value) if whole and _of_whole(value) else _of_entry(value)
        if found is None and first is not None and first.problem and whole:
            found = JSONL
        if found is None and first is not None and first.problem and second is not None:
            # a bad first line does not hide what the file is
            found = _of_entry(second.value)
    else:
        found = None
    if found is None:
        raise UserError(
            f"{path}: not a data set that is known: LoCoMo, LongMemEval or JSON lines "
            "(docs/bring-your-own-data.md)",
            exit_code=3,
        )
    return found


def shape_of(path: Path) -> str:
    """The name of the loader for a file; raises UserError where there is none."""
    found = any_shape_of(path)
    if found not in LOADABLE:
        raise UserError(f"{path}: {found}: can be linted, but holds no questions over histories")
    return found


def _of_entry(entry: Any) -> str | None:
    """The shape told by one entry of a list, or by one line."""
    if not isinstance(entry, dict):
        return None
    if "conversation" in entry and "qa" in entry:
        return LOCOMO
    if "haystack_sessions" in entry or "haystack_session_ids" in entry:
        return LONGMEMEVAL
    if "session_id" in entry and "turns" in entry:
        return SESSION_POOL
    if "question_id" in entry and "sessions" in entry:
        return FLAGGED_TURNS
    if "question_id" in entry:
        return QUESTION_LIST
    if entry.get("type") in ("dataset", "session", "question") or "turns" in entry:
        return JSONL
    return JSONL if "question" in entry and "id" in entry else None


def _of_whole(document: Any) -> str | None:
    """The shape of a file that is one object: question id -> session ids."""
    if not isinstance(document, dict) or not document:
        return None
    rows = list(document.values())
    listed = all(isinstance(row, list) and all(isinstance(e, str) for e in row) for row in rows)
    return SESSION_IDS if listed and "type" not in document else None
