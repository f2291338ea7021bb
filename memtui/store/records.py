"""What a reader gives: one frozen type per table, JSON and blobs decoded, unknown values None."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from memtui.model import Evidence, Hit, Turn, Usage


class EpisodeFact(NamedTuple):
    """The facts of one counted or running episode, small enough to hold 100,000 of them.

    `cluster` and `qtype` index `RunReader.clusters()` and `.qtypes()`, whose order never changes while
    a run grows. Flags are 0 or 1. `label` is the chosen judge's latest verdict, None without one.
    """

    id: int
    rev: int
    cell_id: int
    item_id: int
    cluster: int
    qtype: int
    answerable: int
    done: int
    end_reason: str | None
    requested: int
    executed: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    gold_found: int | None
    redundant: int
    zero_yield: int
    forced: int
    abstained: int
    repeat: int
    attempt: int
    flagged: int
    """1 when lint found a defect in the item (declared subsets are no defects)."""
    label: str | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """The run of a file."""

    rev: int
    uid: str
    name: str
    protocol: str
    config: dict[str, Any]
    config_hash: str
    mode: str
    budget: int
    alpha: float
    judge: str
    planned: int
    scales: tuple[float, ...]
    dataset: dict[str, Any]
    versions: dict[str, str]
    seeds: dict[str, Any]
    state: str
    note: str
    created_at: str
    finished_at: str | None


@dataclass(frozen=True, slots=True)
class ArmRow:
    """An arm with its whole configuration."""

    id: int
    key: str
    agent: str
    memory: str
    config: dict[str, Any]
    form: str
    provenance: str
    note: str


@dataclass(frozen=True, slots=True)
class CellRow:
    """An arm under one set of conditions (the ladder seed is no condition)."""

    id: int
    arm_id: int
    arm: str
    conditions: str
    scale: float | None


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A question with gold and evidence."""

    id: int
    key: str
    question: str
    gold: str | None
    gold_raw: Any
    qtype: str
    cluster: str
    answerable: bool
    question_date: str | None
    tempting: str | None
    flags: tuple[str, ...]
    meta: dict[str, Any]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session's text."""

    id: int
    token: str
    sha: str
    source: str
    date: str | None
    tokens: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class HaystackRow:
    """The header of a haystack: everything but its positions."""

    id: int
    key: str
    item_id: int
    scale: float
    ladder_seed: int
    date_policy: str
    n_sessions: int
    n_irrelevant: int
    tokens: int
    tokenizer: str
    borrowed: int
    contaminated: int
    pools: dict[str, int]
    evidence_age: float | None
    available: bool
    note: str


@dataclass(frozen=True, slots=True)
class HaystackDetail:
    """A haystack with its ordered positions: (session token, ISO date, role)."""

    header: HaystackRow
    positions: tuple[tuple[str, str | None, str], ...]


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One line of a list of episodes; long texts are cut to a preview."""

    id: int
    rev: int
    uid: str
    key: str
    cell_id: int
    arm: str
    conditions: str
    scale: float | None
    item_id: int
    item: str
    question: str
    gold: str | None
    qtype: str
    cluster: str
    answerable: bool
    haystack_id: int | None
    repeat: int
    attempt: int
    counts: bool
    done: bool
    end_reason: str | None
    requested: int
    executed: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    gold_found: int | None
    redundant: int
    zero_yield: int
    strip: str
    forced: bool
    abstained: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost: float | None
    wall_ms: float | None
    answer: str | None
    error: str
    started_at: str
    finished_at: str | None
    labels: dict[str, str]
    """Judge id -> its latest label."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One verdict; of several by one judge the one with the highest id holds."""

    id: int
    judge: str
    label: str
    reason: str
    raw: str
    usage: Usage | None
    at: str


@dataclass(frozen=True, slots=True)
class EpisodeDetail:
    """Everything about one attempt but its steps. `row` holds uncut texts here."""

    row: EpisodeRow
    item: ItemRow
    haystack: HaystackRow | None
    answer_raw: str | None
    usage: Usage | None
    coverage: tuple[int, ...]
    views: dict[str, list[int | None]]
    verdicts: tuple[VerdictRow, ...]
    """Oldest first."""
    attempts: tuple[int, ...]
    """Ids of all attempts of this episode's key, oldest first."""


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step, hits decoded; `messages` are read apart."""

    id: int
    episode_id: int
    seq: int
    kind: str
    at: str
    name: str
    status: str
    counts_as_call: bool
    call_no: int | None
    query: str | None
    k_asked: int | None
    k_returned: int | None
    k_shown: int | None
    hits: tuple[Hit, ...]
    gold_ranks: tuple[tuple[str, int], ...]
    gold_new: int | None
    gold_cum: int | None
    new_hits: int | None
    similarity: float | None
    similarity_kind: str
    raw: str
    text: str
    usage: Usage | None
    wall_ms: float | None
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class HeartbeatRow:
    """The last sign of life of the process that drives the run."""

    at: str
    pid: int
    host: str
    snapshot: dict[str, Any]
    damaged: bool = False
    """Whether it cannot be read; then it says nothing else."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """A line of the run's log."""

    id: int
    at: str
    level: str
    kind: str
    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in episodes."""

    planned: int
    done: int
    """Counted attempts: each episode once."""
    running: int
    attempts: int
    """All attempts, the uncounted ones included."""
    not_counted: int
    """Attempts that ended and do not count: interrupted, or replaced by a later attempt."""
