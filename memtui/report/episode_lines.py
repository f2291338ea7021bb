"""An episode as a line of text: its strip with the budget bar and how it ended, as on screen."""

from __future__ import annotations

from memtui.state.episode_standing import ending_with, outcome_of
from memtui.store.records import EpisodeRow
from memtui.views.look import NO_COLOUR
from memtui.views.strip import call_strip


def strip_text(row: EpisodeRow, judge: str, budget: int, mode: str) -> str:
    """The call strip with bar and closing signs, without colour: ``◈◆│◇◇◔✓``."""
    what = outcome_of(row, judge, budget, mode)
    return call_strip(row.strip, budget, ending_with(what, row, judge), NO_COLOUR, pad=False).plain
