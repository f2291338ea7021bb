"""What a filter is asked about: an episode, and the reader's choices it may depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.metrics.signature import Signature
from memtui.model import FLAGGED, BudgetMode
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeRow, HaystackRow, ItemRow, StepRow
from memtui.store.side_file import NO_MARKS, Marks


@dataclass(frozen=True, slots=True)
class Environment:
    """Budget, its mode, the judge, and the keys of arms whose memory offers no tools."""

    budget: int
    mode: str = BudgetMode.POST_HOC
    judge: str = ""
    context_arms: frozenset[str] = frozenset()
    marks: Marks = NO_MARKS
    """What the reader added: notes, bookmarks, flags."""
    left_out: frozenset[str] = frozenset()
    """Keys of the questions that are out of every rate."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One episode as the predicate sees it; `row` holds uncut texts."""

    row: EpisodeRow
    item: ItemRow
    haystack: HaystackRow | None
    best_rank: int | None = None
    """See `best_rank`."""

    def label(self, environment: Environment) -> str | None:
        """The latest label by the chosen judge."""
        return self.row.labels.get(environment.judge)

    def signature(self, environment: Environment) -> Signature:
        """What outcome, regime and flags read of it."""
        signature = signature_of(self.row, environment.judge)
        if self.row.done and self.row.item in environment.left_out:
            return signature._replace(end_reason=FLAGGED)
        return signature


def signature_of(row: EpisodeRow, judge: str) -> Signature:
    """What outcome, regime and flags read of a line of a list, with the latest verdict of `judge`."""
    return Signature(
        done=int(row.done),
        end_reason=row.end_reason,
        requested=row.requested,
        first_hit=row.first_hit,
        t_star=row.t_star,
        gold_total=row.gold_total,
        answerable=int(row.answerable),
        label=row.labels.get(judge),
        forced=int(row.forced),
        abstained=int(row.abstained),
        redundant=row.redundant,
    )


def subject_of(reader: RunReader, episode_id: int) -> Subject | None:
    """Read everything a predicate may ask about one episode; None for an unknown id."""
    detail = reader.episode(episode_id)
    if detail is None:
        return None
    rank = best_rank(detail.row, reader.steps(episode_id))
    return Subject(detail.row, detail.item, detail.haystack, rank)


def best_rank(row: EpisodeRow, steps: Iterable[StepRow]) -> int | None:
    """The best rank, from 1, at which any call returned a piece of evidence, shown to the model or not; None
    where none came back, or coverage is n/a."""
    if row.gold_total is None:
        return None
    return min((rank for step in steps for _, rank in step.gold_ranks), default=None)
