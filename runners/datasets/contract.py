"""What every data set becomes: items, sessions and a pool, keyed by the data set's own ids.

Everything here is the scorer's side: session ids and evidence marks are still the originals. The
ladder (`runners/protocols/ladder.py`) turns it into haystacks of opaque tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.model import EvidenceStatus, Turn


@dataclass(frozen=True, slots=True)
class SourceSession:
    """A session of the data set."""

    id: str
    turns: tuple[Turn, ...]
    date: str | None
    """ISO 8601 without offset; None where it cannot be read (never today)."""
    sha: str
    """sha256 hex over roles, texts and captions; equal content, equal sha."""
    pool: str
    """Which pool it belongs to, e.g. `conv-26`, `simulated`, `sharegpt`, `contradictions`."""
    evidence_for: frozenset[str] = frozenset()
    """Keys of the items it is evidence for."""
    tags: tuple[str, ...] = ()
    """Attributes for conflict filters."""


@dataclass(frozen=True, slots=True)
class SourceEvidence:
    """One gold reference before tokens: data-set session id and 0-based turn index."""

    raw: str
    session_id: str | None
    turn: int | None
    status: EvidenceStatus = EvidenceStatus.RESOLVED


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A question of the data set (see memtui.model.Item for the fields)."""

    key: str
    question: str
    gold: str | None
    gold_raw: Any
    qtype: str
    cluster: str
    answerable: bool
    question_date: str | None
    evidence: tuple[SourceEvidence, ...]
    own: tuple[str, ...] = ()
    """Ids of the item's own haystack in the data set's order (evidence and own fillers)."""
    own_dates: tuple[str | None, ...] = ()
    """Their dates in this haystack, parallel to `own`, where it has a clock of its own; empty where
    the sessions' own dates hold."""
    tempting: str | None = None
    flags: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect that lint reports: the data are never changed."""

    rule: str
    severity: str
    """`error`, `warning` or `info`."""
    item: str
    """Key of the item, or whatever else the defect is in: a session, a line, a key of the file."""
    detail: str = ""
    count: int = 1
    """How often it occurs there, e.g. characters."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A loaded data set."""

    name: str
    sha256: str
    """Of the file as read; a mismatch with a known digest is in `notes`, never refused silently."""
    items: tuple[SourceItem, ...]
    sessions: Mapping[str, SourceSession]
    pools: tuple[str, ...]
    """Filler pools in the order in which a ladder may draw from them after an item's own."""
    tiers: tuple[tuple[str, ...], ...] = ()
    """Pools that are mixed when drawn from, tier after tier; empty: each of `pools` is its own tier."""
    own_first: bool = False
    """True: all of an item's own history is drawn before any pool, even sessions that are evidence for
    another question. False: such borrowed sessions come after every never-evidence session."""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    licence: str = ""
    source: str = ""
    """Where the file comes from: a path, or `synthetic` with its seed."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What a reader is told first: items, sessions, turns, declared subsets such as
    `span_answerable` with the number of items they may be taken from."""
