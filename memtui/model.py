"""Domain types shared by the store, the metrics, the runners and the screens.

Everything here is a frozen, slotted dataclass or an enum of the standard library: the viewer imports
this module on its way to the first frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class EndReason(StrEnum):
    """Why an episode stopped: a closed list, every path of every runner ends in one of these."""

    ANSWERED = "answered"
    FORCED = "forced"
    STEP_CAP = "step_cap"
    BUDGET_REFUSED = "budget_refused"
    BUDGET_TOKENS = "budget_tokens"
    COST_CAP = "cost_cap"
    TIMEOUT = "timeout"
    NO_PROGRESS = "no_progress"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    PROVIDER_ERROR = "provider_error"
    MEMORY_ERROR = "memory_error"
    CONTEXT_OVERFLOW = "context_overflow"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    EMPTY = "empty"


FLAGGED = "flagged"
"""No end reason: what stands in its place where a reader left a flagged question out of every rate."""


class Outcome(StrEnum):
    """The three outcomes at a budget B, or the two reasons an episode has none."""

    PASS = "pass"
    EXHAUSTED = "exhausted"
    WRONG = "wrong"
    EXCLUDED = "excluded"
    PENDING = "pending"


class Regime(StrEnum):
    """Refines the outcome at B; derived, never stored (docs/metrics.md)."""

    PENDING = "pending"
    EXCLUDED = "excluded"
    EXHAUSTED_COVERED = "exhausted_covered"
    EXHAUSTED_PARTIAL = "exhausted_partial"
    EXHAUSTED_NONE = "exhausted_none"
    EXHAUSTED_NA = "exhausted_na"
    SYSTEM_FAILED = "system_failed"
    NO_ANSWER = "no_answer"
    RIGHT_COVERED = "right_covered"
    RIGHT_UNCOVERED = "right_uncovered"
    RIGHT_NA = "right_na"
    WRONG_COVERED = "wrong_covered"
    WRONG_PARTIAL = "wrong_partial"
    WRONG_NONE = "wrong_none"
    WRONG_NA = "wrong_na"
    ABSTAIN_RIGHT = "abstain_right"
    ANSWERED_UNANSWERABLE = "answered_unanswerable"


class BudgetMode(StrEnum):
    """Whether the budget only measures (post hoc) or is enforced on the agent (hard)."""

    POST_HOC = "post_hoc"
    HARD = "hard"


class Label(StrEnum):
    """A judge's verdict on one answer; UNKNOWN is never counted as wrong."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ending:
    """How an episode came out: the outcome at B and the verdict beside it."""

    outcome: Outcome
    label: Label | None
    """None while running, and where no judge has spoken."""
    answered: bool
    """False: the episode ended without an answer."""


class EvidenceStatus(StrEnum):
    """What became of one evidence string of the data set."""

    RESOLVED = "resolved"
    REPAIRED = "repaired"
    DANGLING = "dangling"


class RunState(StrEnum):
    """State of a run file; `interrupted` is also inferred from a stale heartbeat."""

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session. `caption` is image text, kept apart from what was said."""

    role: str
    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One block that a memory call returned, in rank order.

    `ref` names a session of the haystack by its opaque token; `first`/`last` are 0-based turn
    indices (inclusive) when the block is only part of it. `ref` may also be an id of the memory
    system's own (derived text): then `sources` names the sessions it was made from, or is empty when
    the system cannot say (coverage is then n/a, never 0). `text` is what was returned when it is not a
    verbatim copy of the referenced turns. `shown` is False when the block was cut before the model
    saw it.
    """

    ref: str
    score: float | None = None
    shown: bool = True
    first: int | None = None
    last: int | None = None
    sources: tuple[str, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One gold reference of a question: a session, and a turn where the data set annotates it.

    `session` is the opaque token used in haystacks, or None when the reference dangles.
    """

    raw: str
    session: str | None
    turn: int | None
    status: EvidenceStatus = EvidenceStatus.RESOLVED


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its gold answer: what an episode is asked, and what only the scorer may see."""

    key: str
    question: str
    gold: str | None
    """Canonical gold text; None when the data set gives none (unknown, never empty)."""
    qtype: str
    cluster: str
    """Items of one cluster share a history; intervals are clustered by it."""
    answerable: bool = True
    question_date: str | None = None
    """ISO 8601 without offset, as the data set gives it; None when it cannot be read."""
    evidence: tuple[Evidence, ...] = ()
    gold_raw: Any = None
    """The gold exactly as the data set had it (int, list, rubric …)."""
    tempting: str | None = None
    """An adversarial answer: the wrong answer the question invites."""
    flags: tuple[str, ...] = ()
    """Lint rules this item breaks, plus declared subsets such as `span_answerable`."""
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one or more model calls; None is unknown, never zero."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cost: float | None = None
    """US dollars."""
    calls: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class EpisodeId:
    """Identity of an episode attempt: a key, never a position."""

    arm: str
    item: str
    conditions: str
    """Canonical text such as `scale=100|seed=1`."""
    repeat: int
    attempt: int

    @property
    def key(self) -> str:
        """The identity without the attempt: what resume and pairing work on."""
        return f"{self.arm}|{self.item}|{self.conditions}|r{self.repeat}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What one episode did, independent of B, judge and filter. Counts are exact.

    Coverage numbers are at one *view* of coverage (level x reach); `None` means n/a (no usable
    evidence, or a memory system without provenance). Coverage is monotone over calls, so three
    integers reproduce it after any call: `first_hit`, `t_star` and `gold_total`.
    """

    requested: int
    """R: memory calls the agent requested, refused ones included."""
    executed: int
    first_hit: int | None
    """Smallest call index (1-based; 0 = context given before any call) at which a gold unit was in view."""
    t_star: int | None
    """Smallest call index at which all gold units were in view; None if never, or n/a."""
    gold_total: int | None
    """Number of gold units; None = coverage n/a."""
    gold_found: int | None
    redundant: int
    """Calls that returned hits, none of them new."""
    zero_yield: int
    """Calls that returned no hit at all."""
    coverage: tuple[int, ...] = ()
    """Gold units in view after call 0, 1, …, executed."""
