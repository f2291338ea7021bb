"""Mem0 from release 2 on: memories are only ever added.

Paper of the first release: Chhikara et al., "Mem0" (arXiv 2504.19413); this is the pipeline of the mem0ai
package 2.x, which gave up updates. Implemented: one ADD-only extraction per piece of a session with the
speaker each memory comes from, embedding, removal of exact duplicates, search by cosine.
Contradictions are never resolved: old and new facts stand side by side with their dates.

What differs:
- The release shows the extractor ten earlier messages and ten stored memories. Here it sees the piece
  alone, so that a session is read once for all haystacks; what it would have left out as already known
  is stored again, in other words.
- A duplicate adds its session to the memory's sources instead of being dropped.
- Memories carry the session's date; the release stores the day of ingestion.
- No entity linking and no BM25 leg: the release needs a spaCy model and an index of its own for them
  and falls back to cosine alone without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runners.memory.contract import Door, Haystack
from runners.memory.memories import Memories
from runners.memory.planar.mem0 import Mem0, fact_sources
from runners.memory.planar.mem0_facts import ReadSession
from runners.memory.vectors import stacked


class Mem0V2(Mem0):
    """Add-only memory: its size grows with the haystack."""

    name = "mem0-v2"
    attributed = True

    async def store(
        self,
        memories: Memories,
        haystack: Haystack,
        sessions: Sequence[ReadSession],
        door: Door | None,
    ) -> tuple[dict[str, Any], int]:
        """Every distinct text once, at its first place, with all sessions that said it."""
        again = memories.extend_distinct(
            [fact.text for session in sessions for fact in session.facts],
            [one for sources in fact_sources(haystack, sessions) for one in sources],
            stacked([session.rows for session in sessions]),
        )
        return ({"duplicates": again} if again else {}), 0
