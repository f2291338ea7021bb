"""An episode as a line of text: its strip with the budget bar and how it ended, as on screen."""

from __future__ import annotations

from memtui.metrics.outcome import outcome
from memtui.metrics.signature import Signature
from memtui.model import Label
from memtui.store.records import EpisodeRow
from memtui.views.look import NO_COLOUR
from memtui.views.outcome import Ending
from memtui.views.strip import call_strip


def signature_of(row: EpisodeRow, judge: str) -> Signature:
    """What outcome, regime and the sentence read of an episode, under a judge."""
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


def strip_text(row: EpisodeRow, judge: str, budget: int, mode: str) -> str:
    """The call strip with bar and closing signs, without colour: ``◈◆│◇◇◔✓``."""
    said = row.labels.get(judge)
    label = None
    if said is not None:
        label = Label(said) if said in set(Label) else Label.UNKNOWN
    what = outcome(signature_of(row, judge), budget, mode)
    ending = Ending(what, label, row.answer is not None)
    return call_strip(row.strip, budget, ending, NO_COLOUR, pad=False).plain
