"""LoCoMo's evidence strings: read, repaired where possible, never dropped silently.

An evidence string should be one dialogue id, `D<session>:<turn>`. Some hold several ids, a stray
colon, a padded zero or no id at all, and a few name a turn that does not exist
(github.com/snap-research/locomo/issues/27).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui.model import EvidenceStatus
from runners.datasets.contract import SourceEvidence

_EXACT = re.compile(r"D\d+:\d+")
_INSIDE = re.compile(r"D:?(\d+):(\d+)")

TurnIndex = Mapping[tuple[int, int], tuple[str, int]]
"""(session number, turn number) of a dialogue id -> session id and 0-based turn index."""


@dataclass(frozen=True, slots=True)
class EvidenceString:
    """One evidence string and what became of it."""

    raw: str
    malformed: bool
    """Not exactly one `D<int>:<int>`."""
    dangling: bool
    """Well formed, but no turn carries exactly this id."""
    found: tuple[SourceEvidence, ...]
    """One reference per id in the string; a single dangling one when it holds no id."""


def read_evidence(
    strings: Sequence[object], turns: TurnIndex, exact: frozenset[str]
) -> tuple[EvidenceString, ...]:
    """Every evidence string of a question, in order.

    `exact` are the dialogue ids as written in the conversation. A string that is one of them is
    `resolved`; an id that is found only after splitting or after dropping padded zeros is `repaired`;
    the rest is `dangling`.
    """
    return tuple(_read(value, turns, exact) for value in strings)


def references(strings: Sequence[EvidenceString]) -> tuple[SourceEvidence, ...]:
    """The distinct references of a question: a turn that is named twice is one gold unit."""
    seen: dict[tuple[str | None, int | None, str], SourceEvidence] = {}
    for string in strings:
        for found in string.found:
            raw = found.raw if found.session_id is None else ""
            seen.setdefault((found.session_id, found.turn, raw), found)
    return tuple(seen.values())


def _read(value: object, turns: TurnIndex, exact: frozenset[str]) -> EvidenceString:
    """One evidence string."""
    raw = value if isinstance(value, str) else repr(value)
    well_formed = isinstance(value, str) and _EXACT.fullmatch(raw) is not None
    found = []
    for session, turn in _INSIDE.findall(raw):
        place = turns.get((int(session), int(turn)))
        if place is None:
            found.append(SourceEvidence(raw, None, None, EvidenceStatus.DANGLING))
            continue
        status = EvidenceStatus.RESOLVED if raw in exact else EvidenceStatus.REPAIRED
        found.append(SourceEvidence(raw, place[0], place[1], status))
    if not found:
        found.append(SourceEvidence(raw, None, None, EvidenceStatus.DANGLING))
    return EvidenceString(raw, not well_formed, well_formed and raw not in exact, tuple(found))
