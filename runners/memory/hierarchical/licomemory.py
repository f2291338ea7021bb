"""LiCoMemory: a light graph over session summaries, searched by entities and reranked by session and time.

Huang, Tian, Guo et al., "LiCoMemory: Lightweight and Cognitive Agentic Memory for Efficient Long-Term
Reasoning" (arXiv 2511.01448); release: github.com/EverM0re/LiCoMemory.

Implemented: typed entities and weighted relations of each exchange and a summary of each session by a
language model (`dialogue_extraction.py`, `session_summary.py`); the CogniGraph, which merges entities
and triples in the order of the haystack (`cognigraph.py`); the search: entities of the question by a
model, the five nearest of the graph, their triples, the 20 best after SimpleRank or CogniRank
(`triple_ranks.py`), the exchanges they were said in, and the best summary in front. The paper's loop
is the agent's: one search is one pass, and the tool's text invites another (`mode = "loop"`).

What differs:
- An exchange is prepared without its date (shared by all haystacks), so times stay as they were said
  ("yesterday"); a triple's dates are those of its sessions. The question's date is known to the model
  that reads the question, and the short date of a session is one of its keys.
- Every distinct triple is an edge. The release keeps one relation per pair of entities: the last.
- Entities of the question keep their type; the release drops it before it compares types.
- A renamed entity's triple keeps the vector of the words it was first said in.
- Results are at most k blocks, the summary among them; the release shows 15 exchanges and a summary.
  The triples are shown in front of them.
- `extractor = "rules"` puts rules in the model's place, also for the question.

Calls at the door: 1 completion per exchange, 1 per part of a session (a summary) and 1 embedding per
session at ingest, 1 embedding per haystack (the dates); 1 completion and 1 embedding per search. A
reply that cannot be read is asked for once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import numpy as np

from runners.memory.chunking import Chunk, turn_pairs
from runners.memory.contract import (
    Artifact,
    Calls,
    Door,
    Haystack,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.memory.extraction import Extracted, Tally, check_extractor, require_door
from runners.memory.flat.search import DEFAULT_K, check_k, require_artifacts
from runners.memory.hierarchical.cognigraph import MERGE_AT, CogniGraph, LicoSession
from runners.memory.hierarchical.concurrently import concurrently
from runners.memory.hierarchical.dialogue_extraction import (
    Exchange,
    exchange_by_rule,
    read_exchange,
)
from runners.memory.hierarchical.licomemory_search import LicoSettings, LicoView
from runners.memory.hierarchical.session_summary import (
    Summary,
    parts,
    short_date,
    summarise,
    summary_by_rule,
)
from runners.memory.needs import LLM
from runners.memory.option_values import check_choice, check_count, check_number
from runners.memory.search_view import (
    interaction,
    summed,
)
from runners.memory.vectors import embedded

CHUNK_TOKENS = 1200
"""Of the release; an exchange is rarely longer."""
PART_TOKENS = 4000
REPLY_TOKENS = 1536

RANKS = ("simple", "cogni")
RELEASE = LicoSettings()

TOOL_TEXTS = {
    "loop": (
        "Search the memory of past conversations: a graph of entities and relations over session "
        "summaries. Returns a summary of the best matching session, known relations, and the "
        "exchanges they come from with their dates, best first. Call again with other entities or "
        "for a missing step if what you need is not there."
    ),
    "single_shot": (
        "Search the memory of past conversations, once per question: give the whole question. "
        "Returns a summary of the best matching session, known relations, and the exchanges they "
        "come from with their dates, best first."
    ),
}


class LiCoMemory:
    """The system with its configuration fixed."""

    def __init__(
        self,
        *,
        k: int = DEFAULT_K,
        mode: str = "loop",
        tool_text: str | None = None,
        extractor: str = "model",
        rank: str = "simple",
        summaries: int = RELEASE.summaries,
        entities: int = RELEASE.entities,
        triples: int = RELEASE.triples,
        summary_weight: float = RELEASE.summary_weight,
        rerank_k: float = RELEASE.rerank_k,
        merge_at: float = MERGE_AT,
        chunk_tokens: int = CHUNK_TOKENS,
        part_tokens: int = PART_TOKENS,
        reply_tokens: int = REPLY_TOKENS,
        attempts: int = 2,
    ) -> None:
        self._k = check_k(k)
        self._interaction = interaction(mode, tool_text, TOOL_TEXTS)
        self._rules = check_extractor(extractor) == "rules"
        check_choice("rank", rank, RANKS)
        self._merge_at = check_number("merge_at", merge_at, least=0.01, most=1)
        self._chunk_tokens = check_count("chunk_tokens", chunk_tokens, least=16)
        self._part_tokens = check_count("part_tokens", part_tokens, least=16)
        self._settings = LicoSettings(
            rank=rank,
            summaries=check_count("summaries", summaries),
            entities=check_count("entities", entities, least=1),
            triples=check_count("triples", triples, least=1),
            summary_weight=check_number("summary_weight", summary_weight, least=0, most=1),
            rerank_k=check_number("rerank_k", rerank_k, least=0),
            rules=self._rules,
            reply_tokens=check_count("reply_tokens", reply_tokens, least=16),
            attempts=check_count("attempts", attempts, least=1),
        )

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        settings = self._settings
        asked = 0 if self._rules else 1
        return SystemInfo(
            name="licomemory",
            version="1",
            interface="hierarchical",
            mode=self._interaction.mode,
            # A summary among the blocks is text of the system's own.
            form="derived" if settings.summaries else "verbatim",
            order_dependent=True,
            needs=("model:minilm",) if self._rules else (LLM, "model:minilm"),
            uses_door=("prepare", "open", "call"),
            calls={
                # An exchange and a summary.
                "prepare": {
                    "embed": (0, 1),
                    "complete": (2 * asked, 2 * asked * settings.attempts),
                },
                "open": {"embed": (0, 1)},
                "call": {"embed": (0, 1), "complete": (0, asked * settings.attempts)},
            },
            config={
                "k": self._k,
                "mode": self._interaction.mode,
                "extractor": "rules" if self._rules else "model",
                "rank": settings.rank,
                "summaries": settings.summaries,
                "entities": settings.entities,
                "triples": settings.triples,
                "summary_weight": settings.summary_weight,
                "rerank_k": settings.rerank_k,
                "merge_at": self._merge_at,
                "chunk_tokens": self._chunk_tokens,
                "part_tokens": self._part_tokens,
                "reply_tokens": settings.reply_tokens,
                "attempts": settings.attempts,
            },
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """One search tool, worded by the mode."""
        return (self._interaction.tool(),)

    def expected_calls(self, session: SessionText) -> Calls:
        """Once for every exchange and every part, more where a reply has to be asked for again."""
        exchanges = len(turn_pairs(session.turns, self._chunk_tokens))
        asked = 0 if self._rules else exchanges + len(parts(session.turns, self._part_tokens))
        return {
            "prepare": {
                "complete": (asked, asked * self._settings.attempts),
                "embed": (0, min(exchanges, 1)),
            },
            # One for the dates of all, which no single session answers for.
            "open": {"embed": (0, 1)},
        }

    async def prepare(self, session: SessionText, door: Door | None) -> LicoSession:
        """Exchanges, summary and vectors: what depends on this content alone."""
        chunks = turn_pairs(session.turns, self._chunk_tokens)
        if chunks:
            require_door(door, "licomemory")
        tally = Tally()
        read = await concurrently(self._read(chunk, door) for chunk in chunks)
        summary, asked = await self._summary(session, door)
        for one in (*(found for _, found in read if found is not None), *asked):
            tally.add(one)
        exchanges = tuple(one for one, _ in read)
        names = list(dict.fromkeys(e.name for one in exchanges for e in one.entities))
        triples = list(dict.fromkeys(r.text for one in exchanges for r in one.relations))
        texts = [*names, *triples, *(key.lower() for key in summary.keys)]
        rows = np.zeros((0, 0), np.float32)
        if texts:
            rows = await embedded(require_door(door, "licomemory"), texts, phase="ingest")
        split = np.split(rows, [len(names), len(names) + len(triples)])
        return LicoSession(
            exchanges, summary, len(session.turns), tuple(names), split[0], tuple(triples),
            split[1], split[2], tally,
        )  # fmt: skip

    async def _read(self, chunk: Chunk, door: Door | None) -> tuple[Exchange, Extracted | None]:
        if self._rules:
            return exchange_by_rule(chunk.text, chunk.first, chunk.last), None
        return await read_exchange(
            require_door(door, "licomemory"), chunk.text, chunk.first, chunk.last,
            max_tokens=self._settings.reply_tokens, attempts=self._settings.attempts,
        )  # fmt: skip

    async def _summary(
        self, session: SessionText, door: Door | None
    ) -> tuple[Summary, list[Extracted]]:
        if self._rules:
            return summary_by_rule(session.turns), []
        if not parts(session.turns, self._part_tokens):
            return Summary(), []
        return await summarise(
            require_door(door, "licomemory"), session.turns, part_tokens=self._part_tokens,
            max_tokens=self._settings.reply_tokens, attempts=self._settings.attempts,
        )  # fmt: skip

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> LicoView:
        """Merge the sessions into this haystack's graph and give each the key of its date."""
        sessions: list[LicoSession] = require_artifacts(haystack, artifacts, "licomemory")
        graph = await asyncio.to_thread(CogniGraph, haystack, sessions, self._merge_at)
        shorts = [short_date(position.date or "") for position in haystack.positions]
        days = {day: at for at, day in enumerate(dict.fromkeys(s for s in shorts if s))}
        rows: Any = np.zeros((0, 0), np.float32)
        if days:
            lowered = [day.lower() for day in days]
            rows = await embedded(require_door(door, "licomemory"), lowered, phase="ingest")
        return LicoView(
            graph,
            haystack,
            sessions,
            shorts,
            [None if short is None else rows[days[short]] for short in shorts],
            {position.token: texts[position.sha].turns for position in haystack.positions},
            now,
            self._k,
            door,
            summed(session.tally for session in sessions),
            self._settings,
        )
