"""How a line of a list came out, under a judge and at a budget."""

from __future__ import annotations

from memtui.metrics.outcome import outcome
from memtui.model import Ending, Label, Outcome
from memtui.query.subject import signature_of
from memtui.store.records import EpisodeRow


def outcome_of(row: EpisodeRow, judge: str, budget: int, mode: str) -> Outcome:
    """The outcome of a line at B = `budget`."""
    return outcome(signature_of(row, judge), budget, mode)


def ending_with(what: Outcome, row: EpisodeRow, judge: str) -> Ending:
    """How a line whose outcome is known ended under a judge."""
    return Ending(what, label_of(row, judge), row.answer is not None)


def label_of(row: EpisodeRow, judge: str) -> Label | None:
    """The verdict of a judge; None without one, unknown for a label this version does not know."""
    said = row.labels.get(judge)
    if said is None:
        return None
    return Label(said) if said in set(Label) else Label.UNKNOWN
