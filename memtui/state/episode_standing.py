"""What outcome, regime and flags read of a line of a list, under a judge."""

from __future__ import annotations

from memtui.metrics.outcome import outcome
from memtui.metrics.signature import Signature
from memtui.model import Label, Outcome
from memtui.store.records import EpisodeRow


def signature_of(row: EpisodeRow, judge: str) -> Signature:
    """The facts of a line with the latest verdict of `judge`."""
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


def outcome_of(row: EpisodeRow, judge: str, budget: int, mode: str) -> Outcome:
    """The outcome of a line at B = `budget`."""
    return outcome(signature_of(row, judge), budget, mode)


def label_of(row: EpisodeRow, judge: str) -> Label | None:
    """The verdict of a judge; None without one, unknown for a label this version does not know."""
    said = row.labels.get(judge)
    if said is None:
        return None
    return Label(said) if said in set(Label) else Label.UNKNOWN
