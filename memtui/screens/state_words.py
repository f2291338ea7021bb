"""The state of the open run in the words of row 1."""

from __future__ import annotations

from memtui.model import Outcome, RunState
from memtui.state.run_header import Header
from memtui.views.numbers import count
from memtui.views.outcome import SIGNS


def state_words(header: Header) -> str:
    """``◌ running 12/60`` while it goes on, else how it ended."""
    if header.live:
        progress = header.progress
        return f"{kept_words(header)} {count(progress.done)}/{count(progress.planned)}"
    sign = {"finished": "✓ ", "interrupted": "◌ ", "unknown": "? state "}.get(header.state, "")
    return f"{sign}{header.state}"


def kept_words(header: Header) -> str:
    """The part that row 1 never drops: that a run goes on, or did not come to its end."""
    if header.live:
        return f"{SIGNS[Outcome.PENDING]} {header.state}"
    return "" if header.state == RunState.FINISHED else state_words(header)
