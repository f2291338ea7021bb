"""Why an episode ended, in one sentence that claims no more than the facts support."""

from __future__ import annotations

from memtui.store.records import EpisodeDetail


def why_it_ended(detail: EpisodeDetail, budget: int, judge: str, mode: str) -> str:
    """One sentence."""
    return f"ended: {detail.row.end_reason}"
