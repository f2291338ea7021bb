"""Mem0 as in its paper: facts are added, or they update or delete what is already stored.

Chhikara et al., "Mem0: Building Production-Ready AI Agents with Scalable Long-Term Memory" (arXiv
2504.19413), and the mem0ai package before release 2. Implemented: extraction of facts per piece of a
session; for each fact the five most similar memories; one decision for all facts of the piece (ADD,
UPDATE, DELETE, NONE) over the union of those memories, shown under small numbers; search by cosine. Fed
in order, oldest session first, over every haystack anew: what is stored decides.

What differs:
- Facts are extracted without the summary and the earlier messages that the paper shows the extractor, so
  that a session is read once for all haystacks. The update phase, which depends on them, is not shared.
- An updated memory keeps the sessions of its old text and gains the new one's; the release forgets the
  old ones. A deleted memory is gone, with its sources.
- Memories carry their newest session's date; the release stores the day of ingestion.
- A decision that names no known memory, or an empty text, is refused and counted, not guessed at.
- No graph store (the paper's second variant).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runners.memory import rule_extractor as rules
from runners.memory.contract import Door, Haystack
from runners.memory.extraction import Tally, require_door
from runners.memory.flat.search import DEFAULT_K
from runners.memory.memories import Memories
from runners.memory.option_values import check_count
from runners.memory.planar.mem0 import MAX_TOKENS, Mem0, fact_sources
from runners.memory.planar.mem0_decisions import Decision, decide_by_model, decide_by_rule
from runners.memory.planar.mem0_facts import PIECE_TOKENS, ReadSession
from runners.memory.provenance import Source, merged
from runners.memory.vectors import Vectors, embedded

SIMILAR = 5


class Mem0V1(Mem0):
    """Memory that is edited as sessions arrive: what is old may be gone when it is asked for."""

    name = "mem0-v1"
    attributed = False
    opens_with_door = True

    def __init__(
        self,
        *,
        extractor: str = "model",
        k: int = DEFAULT_K,
        similar: int = SIMILAR,
        piece_tokens: int = PIECE_TOKENS,
        max_tokens: int = MAX_TOKENS,
        mode: str = "loop",
        tool_text: str | None = None,
    ) -> None:
        super().__init__(
            extractor=extractor, k=k, piece_tokens=piece_tokens, max_tokens=max_tokens,
            mode=mode, tool_text=tool_text,
        )  # fmt: skip
        self._similar = check_count("similar", similar, least=1)

    def settings(self) -> dict[str, Any]:
        """Memories looked at for each fact, and whose statements count when facts are read by rule."""
        skipped = {"rules_skip": list(rules.USER_SIDE)} if self._extractor == rules.NAME else {}
        return {"similar": self._similar, **skipped}

    async def store(
        self,
        memories: Memories,
        haystack: Haystack,
        sessions: Sequence[ReadSession],
        door: Door | None,
    ) -> tuple[dict[str, Any], int]:
        """One `add` after the other, in the order of the haystack."""
        tally, counts = Tally(), dict.fromkeys(("added", "updated", "deleted", "refused"), 0)
        lost = 0
        for session, sources in zip(sessions, fact_sources(haystack, sessions), strict=True):
            start = 0
            unread = tally.unreadable
            for piece in session.pieces:
                end = start + len(piece)
                await self._add(
                    memories, [fact.text for fact in piece], sources[start:end],
                    session.rows[start:end], door, tally, counts,
                )  # fmt: skip
                start = end
            lost += bool(session.pieces) and tally.unreadable - unread == len(session.pieces)
        noted = {f"decisions_{name}": n for name, n in counts.items() if n}
        if tally.unreadable:
            noted["decisions_unreadable"] = tally.unreadable
        return noted, lost

    async def _add(
        self,
        memories: Memories,
        facts: list[str],
        sources: list[Source],
        rows: Vectors,
        door: Door | None,
        tally: Tally,
        counts: dict[str, int],
    ) -> None:
        similar = memories.nearest(rows, self._similar)
        stored = {index: memories.texts[index] for line in similar for index in line}
        if self._extractor == "model":
            decided = await decide_by_model(
                require_door(door, self.name), facts, similar, stored, max_tokens=self._max_tokens
            )
        else:
            decided = decide_by_rule(facts, similar, stored)
        if decided.extracted is not None:
            tally.add(decided.extracted)
        counts["refused"] += decided.refused
        vectors = await self._vectors(decided.decisions, facts, rows, door)
        added: list[tuple[str, tuple[Source, ...]]] = []
        for decision in decided.decisions:
            # A text that fits no fact may come from any of them.
            of = sources if decision.fact is None else [sources[decision.fact]]
            if decision.event == "ADD":
                added.append((decision.text, merged(of)))
                counts["added"] += 1
                continue
            if decision.memory is None or decision.memory not in memories:
                # Deleted earlier in this very `add`.
                counts["refused"] += decision.event in ("UPDATE", "DELETE")
                continue
            if decision.event == "UPDATE":
                memories.rewrite(
                    decision.memory, decision.text,
                    merged(memories.sources[decision.memory], of), vectors[decision.text],
                )  # fmt: skip
                counts["updated"] += 1
            elif decision.event == "DELETE":
                memories.remove(decision.memory)
                counts["deleted"] += 1
        if added:
            memories.extend(
                [text for text, _ in added],
                [origins for _, origins in added],
                np.stack([vectors[text] for text, _ in added]),
            )

    async def _vectors(
        self, decisions: Sequence[Decision], facts: list[str], rows: Vectors, door: Door | None
    ) -> dict[str, Vectors]:
        """The vector of every text that is written: the facts' own, and one embedding for new ones."""
        known = dict(zip(facts, rows, strict=True))
        written = [one.text for one in decisions if one.event in ("ADD", "UPDATE")]
        new = [text for text in dict.fromkeys(written) if text not in known]
        if new:
            found = await embedded(require_door(door, self.name), new, phase="ingest")
            known.update(zip(new, found, strict=True))
        return known
