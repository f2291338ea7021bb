"""An episode as a line of text: its strip with the budget bar and how it ended, as on screen."""

from __future__ import annotations

from memtui.state.episode_standing import label_of, outcome_of
from memtui.store.records import EpisodeRow
from memtui.views.look import NO_COLOUR
from memtui.views.outcome import Ending
from memtui.views.strip import call_strip


def strip_text(row: EpisodeRow, judge: str, budget: int, mode: str) -> str:
    """The call strip with bar and closing signs, without colour: ``◈◆│◇◇◔✓``."""
    what = outcome_of(row, judge, budget, mode)
    ending = Ending(what, label_of(row, judge), row.answer is not None)
    return call_strip(row.strip, budget, ending, NO_COLOUR, pad=False).plain
