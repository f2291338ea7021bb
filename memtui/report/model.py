"""What a report holds: exact counts and intervals, before any rendering (docs/metrics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.metrics.alarm import Alarm
from memtui.metrics.cost import PhaseCost
from memtui.metrics.intervals import Interval
from memtui.metrics.judging import Agreement, JudgePair
from memtui.metrics.ladder_bootstrap import ScaleDistribution
from memtui.metrics.p90r import Quantile
from memtui.metrics.rates import Rate, Tally
from memtui.metrics.repeats import RepeatRates
from memtui.metrics.stopping import Stopping
from memtui.metrics.usable_scale import UsableScale
from memtui.store.records import Progress, RunRow


@dataclass(frozen=True, slots=True)
class Rung:
    """The histories of one scale: what stands around the evidence.

    `evidence_age` is the mean percentile of the evidence among the dates, 0 oldest .. 1 newest.
    `smallest` and `mean_sessions` count sessions, `tokens` is the mean, `unavailable` counts histories
    the pool was too small for.
    """

    scale: float
    histories: int
    unavailable: int
    seeds: int
    tokens: float | None
    tokenizer: str
    mean_sessions: float | None
    smallest: int | None
    evidence_age: float | None
    borrowed: int
    contaminated: int
    date_policy: str


@dataclass(slots=True)
class Cell:
    """One arm under one set of conditions (and, where grouped, one value of the group) at B.

    `covered` is the retrieval ceiling: evidence complete after call B, out of those whose coverage is
    known. `clean` counts only items without a known defect (None where no item has one).
    """

    cell_id: int
    arm: str
    scale: float | None
    conditions: str
    group: str | None
    counts: Tally
    rates: Mapping[str, Rate]
    covered: Rate
    p90r: Quantile
    stopping: Stopping
    clustered: bool
    """Whether questions share a history, so that intervals are clustered."""
    clean: Tally | None = None
    repeats: RepeatRates | None = None
    bootstrap: dict[str, Interval] = field(default_factory=dict)
    """Cluster-bootstrap intervals of pass, exhausted, wrong and p90r, where clusters are few."""
    tokens_after: tuple[int, int, int] | None = None
    """(tokens after the evidence was complete, episodes, model steps of unknown usage)."""
    ranks: Mapping[str, int] | None = None
    """{bin: episodes} by the best rank at which a call returned evidence (`report.ranks`); None: not read."""
    agreement: Agreement | None = None
    """Of all judges, unanswerable items included; None where the file has one judge only."""

    @property
    def mean_tokens_after(self) -> float | None:
        """Mean tokens of an episode once its evidence was complete; None where it never was, or nothing is
        known of them. A lower bound where some steps are of unknown usage."""
        tokens, episodes, unknown = self.tokens_after or (0, 0, 0)
        return None if not episodes or (unknown and not tokens) else tokens / episodes


@dataclass(frozen=True, slots=True)
class Drop:
    """Pass@B at the top rung that ran minus at the lowest; interval from the joint bootstrap."""

    low_scale: float
    high_scale: float
    difference: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm over its whole ladder."""

    key: str
    agent: str
    memory: str
    form: str
    provenance: str
    note: str
    context: bool
    s_star: UsableScale
    distribution: ScaleDistribution | None
    drop: Drop | None
    p90r: Quantile


@dataclass(frozen=True, slots=True)
class Group:
    """Cells of one value of what the report is grouped by."""

    by: str
    value: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CellCost:
    """What the `episodes` of one cell that ended used, by phase; `right` of them, whatever B is."""

    cell_id: int
    arm: str
    scale: float | None
    conditions: str
    episodes: int
    right: int
    phases: tuple[PhaseCost, ...]


@dataclass(frozen=True, slots=True)
class ArmCost:
    """The same over all cells of an arm, and what its memory system spent on taking sessions in."""

    arm: str
    memory: str
    episodes: int
    right: int
    phases: tuple[PhaseCost, ...]


@dataclass(frozen=True, slots=True)
class Ingest:
    """What a memory system spent on taking sessions in, for all of its `arms` and scales together."""

    memory: str
    """Empty for what no arm of the file owns."""
    arms: tuple[str, ...]
    cost: PhaseCost


@dataclass(frozen=True, slots=True)
class Costs:
    """What the episodes that pass the filter used, unanswerable and excluded ones included."""

    cells: tuple[CellCost, ...] = ()
    arms: tuple[ArmCost, ...] = ()
    ingests: tuple[Ingest, ...] = ()


@dataclass(slots=True)
class Report:
    """Everything `memtui report` prints at one B, alpha, judge and filter."""

    file: str
    run: RunRow
    state: str
    progress: Progress
    budget: int
    alpha: float
    judge: str
    judges: tuple[str, ...]
    filter: str
    filtered: int | None
    """Episodes that pass the filter; None without one."""
    conditional: tuple[str, ...]
    """What the filter chooses episodes by, of what they did: all rates are conditional on it."""
    call_cap: int | None
    coverage: str
    totals: Tally
    """Answerable items, all arms and scales."""
    cells: tuple[Cell, ...]
    arms: tuple[Arm, ...]
    unanswerable: tuple[Cell, ...]
    groups: tuple[Group, ...]
    rungs: tuple[Rung, ...]
    ladder_items: int | None
    """Questions that every rung has; None where that is all of them."""
    alarms: tuple[Alarm, ...]
    notes: tuple[str, ...]
    judging: tuple[JudgePair, ...] = ()
    """The judge of the report against each other one of the file."""
    costs: Costs = Costs()
    flagged: frozenset[str] = frozenset()
    """Keys of the questions whose gold a reader flagged, left out or not."""
    left_out: bool = False
    """Whether these are out of every rate."""
    until: float | None = None
    """Seconds into the run, where it is reported as it was then."""
    asked: int = 0
    """Answerable questions asked; `defective` of them have a defect that lint knows."""
    defective: int = 0
