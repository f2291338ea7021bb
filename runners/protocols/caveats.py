"""What a reader of the results must know about the ladder before a run is paid for."""

from __future__ import annotations

from collections.abc import Sequence

from runners.datasets.contract import SourceItem
from runners.protocols.pool import SessionPool

FEW_SEEDS = 3
"""Ladder seeds from which the draw of fillers is averaged over."""
SHARED = 0.5
"""Share of the pool that a rung may take before its fillers count as shared by most questions."""


def caveats(
    items: Sequence[SourceItem], pool: SessionPool, top: int, seeds: int
) -> tuple[str, ...]:
    """One line each; `top` is the N_irr of the highest rung, `seeds` the number of ladder seeds.

    No history is built for it: evidence and pool are the same at every rung.
    """
    told = []
    if blind := sum(not pool.evidence(item) for item in items):
        told.append(
            f"the histories of {blind} of {len(items)} questions hold no evidence: the data set names"
            " none that exists"
        )
    drawable = sum(not session.empty for session in pool.by_sha.values())
    if top and seeds < FEW_SEEDS and top > SHARED * drawable:
        told.append(
            f"{top} of {drawable} sessions are fillers of one question: most questions share them, so "
            f"items are not independent over the draw; {seeds} ladder seed"
            f"{'s' if seeds > 1 else ''}, {FEW_SEEDS} would average over it"
        )
    return tuple(told)
