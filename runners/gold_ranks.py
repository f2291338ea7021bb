"""Where the evidence stands in a system's own ranking, beyond the blocks that it returned."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from runners.memory.contract import MemoryView


async def gold_ranks(
    view: MemoryView, query: str, depth: int, gold: Sequence[str], limit_s: float | None
) -> dict[str, Any]:
    """`ranked`: how many sessions the system ranked; `gold_session_ranks`: 1-based rank of each of `gold`.

    The system is asked for the ranking of every query alike and told nothing of gold. Empty where it
    ranks nothing, cannot say, or fails: what is only looked at must not change how an episode ends.
    """
    if depth <= 0:
        return {}
    try:
        async with asyncio.timeout(limit_s or None):
            ranking = await view.rank(query, depth)
        places = {token: place for place, token in enumerate(ranking or (), 1)}
    except Exception:
        return {}
    if not places:
        return {}
    found = {token: places[token] for token in gold if token in places}
    return {"ranked": len(places), "gold_session_ranks": found}
