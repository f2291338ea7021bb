"""What a runner says: plain, picklable events that the writer turns into rows.

An episode numbers its own steps (`seq`); the writer never reorders. Events carry opaque session
tokens; gold travels only in `ItemEvent`, which comes from the scorer's side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from memtui.model import EndReason, EpisodeId, Facts, Hit, Item, Label, Turn, Usage


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Opens a run: one per file, first."""

    uid: str
    name: str
    protocol: str
    config: dict[str, Any]
    config_hash: str
    mode: str
    budget: int
    alpha: float
    judge: str
    """Id of the judge whose verdicts are shown by default."""
    planned: int
    created_at: str
    scales: tuple[float, ...] = ()
    dataset: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    seeds: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArmEvent:
    """Declares an arm: agent x memory system with their whole configuration."""

    key: str
    agent: str
    memory: str
    config: dict[str, Any]
    form: str = "verbatim"
    """`verbatim` or `derived`: arms of different form are not compared on coverage."""
    provenance: str = "full"
    """`full`, `partial` or `none`; none means coverage is n/a."""
    note: str = ""
    """Shown with the arm, e.g. "baseline: extractive agent, reads spans only"."""


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """Declares an item with its gold and evidence (scorer's side)."""

    item: Item


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """Stores one distinct session text once, under its opaque token."""

    token: str
    sha: str
    turns: tuple[Turn, ...]
    tokens: int
    source: str = ""
    """The data set's own session id; scorer's side only."""
    date: str | None = None


@dataclass(frozen=True, slots=True)
class HaystackEvent:
    """Stores the ordered sessions an episode may reach."""

    key: str
    item: str
    scale: float
    ladder_seed: int
    date_policy: str
    positions: tuple[tuple[str, str | None, str], ...]
    """(session token, ISO date, role) in order; role is `evidence`, `filler`, `own`, or `borrowed`."""
    tokens: int
    tokenizer: str
    n_irrelevant: int
    borrowed: int = 0
    contaminated: int = 0
    pools: dict[str, int] = field(default_factory=dict)
    evidence_age: float | None = None
    """Mean age percentile of the evidence among the haystack's dates, 0 oldest .. 1 newest."""
    available: bool = True
    """False: the pool was too small for this rung; the reason is in `note`."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeStarted:
    """An attempt of an episode begins."""

    id: EpisodeId
    uid: str
    """Unique per attempt; later events refer to it."""
    haystack: str | None
    scale: float
    at: str


@dataclass(frozen=True, slots=True)
class StepEvent:
    """One step of an episode, complete: written once, never updated."""

    episode: str
    seq: int
    kind: str
    """`model`, `memory_call`, `context`, `tool`, `answer`, `judge`, `ingest`, `error` … (open list)."""
    at: str
    name: str = ""
    status: str = "ok"
    """`ok`, `refused`, `invalid_args`, `unknown_tool`, `error`, `timeout` …"""
    counts_as_call: bool = False
    call_no: int | None = None
    query: str | None = None
    k_asked: int | None = None
    k_returned: int | None = None
    k_shown: int | None = None
    hits: tuple[Hit, ...] = ()
    gold_ranks: tuple[tuple[str, int], ...] = ()
    """(evidence key `token` or `token:turn`, 1-based rank) for gold in this call's hits."""
    gold_new: int | None = None
    gold_cum: int | None = None
    new_hits: int | None = None
    similarity: float | None = None
    """Similarity of the query to the nearest earlier one, 0..1."""
    similarity_kind: str = ""
    """`exact`, `reordered`, `overlap`, `different` …"""
    raw: str = ""
    """Raw request or raw reply, as it came."""
    text: str = ""
    """What this step produced for a reader: the observation, the answer, the error."""
    usage: Usage | None = None
    wall_ms: float | None = None
    messages: tuple[dict[str, Any], ...] = ()
    """Only the messages this step added."""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EpisodeFinished:
    """An attempt ended; `counts` flips the earlier attempts of the same key off in one transaction."""

    episode: str
    id: EpisodeId
    end_reason: EndReason
    facts: Facts
    strip: str
    """Call glyphs in order, without budget bar and outcome (they depend on B)."""
    at: str
    answer: str | None = None
    answer_raw: str | None = None
    forced: bool = False
    abstained: bool = False
    usage: Usage = field(default_factory=Usage)
    wall_ms: float | None = None
    error: str = ""
    counts: bool = True
    views: dict[str, list[int | None]] = field(default_factory=dict)
    """Other coverage views: `level/reach` -> [first_hit, t_star, gold_total, gold_found]."""


@dataclass(frozen=True, slots=True)
class VerdictEvent:
    """A judge's verdict; append-only, the latest per (episode, judge) is read."""

    episode: str
    judge: str
    label: Label
    at: str
    raw: str = ""
    reason: str = ""
    """`judge_error`, `unparsable`, `rubric`, … when the label is unknown; a rule name otherwise."""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """Cost of a phase, as paid and as if every cache were cold."""

    owner: str
    """`episode:<uid>`, `artifact:<key>` or `state:<key>`."""
    phase: str
    """`ingest`, `search`, `answer`, `judge`."""
    paid: Usage
    cold: Usage
    wall_ms: float | None = None


@dataclass(frozen=True, slots=True)
class HeartbeatEvent:
    """Sent at 1 Hz while a run is driven, with a snapshot of the work in flight."""

    at: str
    pid: int
    host: str
    snapshot: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LogEvent:
    """Something worth telling the reader of a run: a warning, a retry storm, a refused setting."""

    at: str
    level: str
    kind: str
    text: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunStateEvent:
    """The run changes state (`running`, `paused`, `finished`, `interrupted`)."""

    state: str
    at: str
    note: str = ""
    planned: int | None = None
    """Set when the number of planned episodes becomes known, or grows, while the run goes on."""


Event = (
    RunEvent
    | ArmEvent
    | ItemEvent
    | SessionEvent
    | HaystackEvent
    | EpisodeStarted
    | StepEvent
    | EpisodeFinished
    | VerdictEvent
    | LedgerEvent
    | HeartbeatEvent
    | LogEvent
    | RunStateEvent
)


class EventSink(Protocol):
    """Where an episode sends what happens; implemented by the writer and by remote workers."""

    async def emit(self, event: Event) -> None:
        """Queue one event; waits when the queue is full; raises StoreError if the writer died."""

    async def commit(self) -> None:
        """Return once everything emitted before is durable in the file: the acknowledgement."""
