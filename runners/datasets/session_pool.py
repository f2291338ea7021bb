"""An external pool of filler sessions, one JSON object a line, as `session_pool.jsonl` has it.

    {"session_id": "sharegpt_ab_0", "dates": ["2023/05/20 (Sat) 02:21"], "used_by": ["oracle:q1"],
     "evidence_for": ["q1"], "turns": [{"role": "user", "content": "..."}]}

A ladder draws sessions that are evidence for no question first, then those whose origin is not known,
then, marked as borrowed, evidence of other questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from memtui.model import Turn
from runners.datasets.contract import SourceSession
from runners.datasets.dates import iso_date
from runners.datasets.files import clean, file_sha256, read_lines
from runners.datasets.shelf import SOMEBODY
from runners.sessions import session_sha

SIMULATED, SHAREGPT, ULTRACHAT = "simulated", "sharegpt", "ultrachat"
EVIDENCE_POOL, UNIDENTIFIED = "evidence", "unidentified"
POOLS = (SIMULATED, SHAREGPT, ULTRACHAT, EVIDENCE_POOL, UNIDENTIFIED)
TIERS = ((SIMULATED, SHAREGPT, ULTRACHAT, EVIDENCE_POOL), (UNIDENTIFIED,))
"""Sessions of known origin are mixed as in LongMemEval's own builder; the unidentified, which may hide
evidence of some question, come after them."""


@dataclass(frozen=True, slots=True)
class SessionPoolFile:
    """A pool as read; empty when there is none."""

    sessions: Mapping[str, SourceSession] = field(default_factory=dict)
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @property
    def pools(self) -> tuple[str, ...]:
        """Names of the pools, in drawing order."""
        return POOLS if self.sessions else ()

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The pools that are mixed, tier after tier."""
        return TIERS if self.sessions else ()


def kind_of(session_id: str) -> str:
    """The pool of a LongMemEval session, by the prefix of its id."""
    if "__by_date_" in session_id:
        return UNIDENTIFIED
    if session_id.startswith("answer"):
        return EVIDENCE_POOL
    prefix = session_id.split("_", 1)[0]
    return prefix if prefix in (SHAREGPT, ULTRACHAT) else SIMULATED


def read_turns(raw: Any) -> tuple[Turn, ...]:
    """Clean turns of a LongMemEval session: role and content; every mark of an answer is left out."""
    turns = raw if isinstance(raw, list) else []
    return tuple(
        Turn(clean(turn.get("role", "")), clean(turn.get("content", "")))
        for turn in turns
        if isinstance(turn, dict)
    )


def read_session_pool(path: Path) -> SessionPoolFile:
    """The sessions of a pool file by id; raises UserError naming the line of a fault."""
    sessions: dict[str, SourceSession] = {}
    for line in read_lines(path):
        row = line.value
        if line.problem:
            raise UserError(f"{path}: line {line.number}: {line.problem}", exit_code=3)
        if not isinstance(row, dict) or "session_id" not in row or "turns" not in row:
            raise UserError(
                f"{path}: line {line.number}: not a pool session: `session_id` and `turns` are needed",
                exit_code=3,
            )
        key = str(row["session_id"])
        if key in sessions:
            raise UserError(
                f"{path}: line {line.number}: session {key!r} occurs twice", exit_code=3
            )
        turns = read_turns(row["turns"])
        evidence = set(map(str, row.get("evidence_for") or ()))
        # everything in an oracle history is evidence, whether or not the list says so
        uses = map(str, row.get("used_by") or ())
        evidence.update(use.removeprefix("oracle:") for use in uses if use.startswith("oracle:"))
        if not evidence and key.startswith("answer"):
            evidence.add(SOMEBODY)
        dates = row.get("dates") or [row.get("date")]
        sessions[key] = SourceSession(
            id=key,
            turns=turns,
            date=iso_date(dates[0]),
            sha=session_sha(turns),
            pool=kind_of(key),
            evidence_for=frozenset(evidence),
        )
    digest = file_sha256(path)
    note = f"filler pool {path.name}: {len(sessions)} sessions, sha256 {digest}"
    return SessionPoolFile(sessions, digest, (note,))
