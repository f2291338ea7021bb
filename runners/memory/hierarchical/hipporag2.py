"""HippoRAG 2: a graph of phrases and passages, searched by personalised PageRank.

Gutiérrez, Shu, Qi, Zhou & Su, "From RAG to Memory: Non-Parametric Continual Learning for Large
Language Models" (ICML 2025, arXiv 2502.14802); release: github.com/OSU-NLP-Group/HippoRAG, 2.0.0a4.

Implemented: entities and triples of each passage by a language model (`passages.py`); phrase and
passage nodes with relation, context and synonymy edges (`hippocampal_index.py`); facts ranked against
the question, five of them put before the recognition filter (`recognition.py`); the phrases of the
kept facts and all passages as seeds of the walk, at the release's weights and damping; passages in
the order of their PageRank. Where no fact is kept, passages come in the order of their cosine.

What differs:
- A passage is an exchange of one session, prepared without its date (shared by all haystacks); dates
  are shown with the results. Equal passages at two dates stay two passages; the release merges equal
  texts.
- A phrase keeps letters and digits of every script; the release keeps a-z and 0-9 only.
- One vector of the question serves facts and passages: the release embeds it twice, under two
  instructions that only instruction-tuned embedders tell apart.
- Every edge counts once (`relation_weight` = 2 reproduces the release's doubled relation and synonymy
  edges); where a pair has a relation and is a synonym, the two add up instead of the last one
  winning.
- Where all seeds weigh nothing (the release stops with an assertion), the ranking is dense.
- `extractor = "rules"` puts rules in the model's place, for runs without one; `recognition = "none"`
  (then the default) keeps all five facts. Both are part of the configuration.
- The local embedder reads the first 254 word pieces of a passage.

Calls at the door: 2 completions per passage and 1 embedding per session at ingest; 1 completion and 1
embedding per search. A reply that cannot be read is asked for once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from memtui.model import Hit
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
from runners.memory.flat.search import DEFAULT_K, best, check_k, require_artifacts
from runners.memory.hierarchical.concurrently import concurrently
from runners.memory.hierarchical.hippocampal_index import (
    RELEASE,
    HippoIndex,
    HippoSession,
    Place,
    Settings,
)
from runners.memory.hierarchical.passages import (
    CALLS_PER_PASSAGE,
    Passage,
    Triple,
    read_passage,
    triples,
)
from runners.memory.hierarchical.recognition import recognise
from runners.memory.hierarchical.rule_triples import sentence_triples
from runners.memory.needs import LLM
from runners.memory.option_values import check_choice, check_count, check_number
from runners.memory.search_view import (
    Found,
    SearchView,
    interaction,
    summed,
)
from runners.memory.vectors import embedded

PASSAGE_TOKENS = 512
REPLY_TOKENS = 1024
FILTER_TOKENS = 512

TOOL_TEXTS = {
    "single_shot": (
        "Search the memory of past conversations, once per question: give the whole question. One "
        "retrieval over the graph of everything said returns the best matching passages with their "
        "dates, best first; asking again in other words is not needed."
    ),
    "loop": (
        "Search the memory of past conversations. Returns the best matching passages with their "
        "dates, best first. Call again in other words, or about another part of the question, if "
        "what you need is not there."
    ),
}


class HippoRAG2View(SearchView):
    """One haystack: its index and the door for the recognition filter and the question's vector."""

    def __init__(
        self,
        index: HippoIndex,
        stored: int,
        k: int,
        door: Door | None,
        tally: Tally,
        *,
        filtering: bool,
        attempts: int,
    ) -> None:
        super().__init__(stored, k)
        self.index = index
        self._door = door
        self._tally = tally
        self._filtering = filtering
        self._attempts = attempts

    async def search(self, query: str) -> Found:
        """Recognise facts and walk the graph from them, or rank passages by cosine."""
        index = self.index
        if not index.places:
            return Found()
        door = require_door(self._door, "hipporag2")
        vector = (await embedded(door, [query], phase="search"))[0]
        candidates, scores = index.candidates(vector)
        kept = candidates
        data: dict[str, Any] = {"candidates": [list(index.facts[fact]) for fact in candidates]}
        if self._filtering and candidates:
            found = await recognise(
                door,
                query,
                [index.facts[fact] for fact in candidates],
                max_tokens=FILTER_TOKENS,
                attempts=self._attempts,
            )
            kept = [candidates[at] for at in found.kept]
            data |= {"recognition": found.status, "facts": [list(index.facts[f]) for f in kept]}
        dense = index.dense(vector)
        seeds = index.seeds(kept, scores)
        ranks = index.walk(seeds, dense) if kept else None
        data |= {
            "ranking": "dense" if ranks is None else "pagerank",
            "seeds": {index.phrases[node]: round(weight, 6) for node, weight in seeds.items()},
        } | self._tally.remarks()
        final = dense if ranks is None else ranks
        order = best(final).tolist()
        # A long turn is several passages: it is shown once, at the rank of its best.
        hits: dict[Place, Hit] = {}
        for at in order:
            if len(hits) == self._k:
                break
            place = index.places[at]
            hits.setdefault(
                place, Hit(place.token, float(final[at]), first=place.first, last=place.last)
            )
        sessions = dict.fromkeys(map(index.tokens.__getitem__, order))
        return Found(tuple(hits.values()), tuple(sessions), data)

    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """Passages are shown as they were said."""
        return None

    async def clone(self) -> HippoRAG2View:
        """A view on the same index, which nothing writes to."""
        return copy(self)


class HippoRAG2:
    """The system with its configuration fixed."""

    def __init__(
        self,
        *,
        k: int = DEFAULT_K,
        mode: str = "single_shot",
        tool_text: str | None = None,
        extractor: str = "model",
        recognition: str | None = None,
        passage_tokens: int = PASSAGE_TOKENS,
        reply_tokens: int = REPLY_TOKENS,
        attempts: int = 2,
        linking_top_k: int = RELEASE.linking_top_k,
        passage_node_weight: float = RELEASE.passage_node_weight,
        damping: float = RELEASE.damping,
        synonymy: float = RELEASE.synonymy_edge_sim_threshold,
        relation_weight: float = RELEASE.relation_weight,
    ) -> None:
        self._k = check_k(k)
        self._interaction = interaction(mode, tool_text, TOOL_TEXTS)
        if recognition is None:
            recognition = "none" if extractor == "rules" else "model"
        self._rules = check_extractor(extractor) == "rules"
        self._filtering = check_choice("recognition", recognition, ("model", "none")) == "model"
        self._passage_tokens = check_count("passage_tokens", passage_tokens, least=16)
        self._reply_tokens = check_count("reply_tokens", reply_tokens, least=16)
        self._attempts = check_count("attempts", attempts, least=1)
        self._settings = Settings(
            linking_top_k=check_count("linking_top_k", linking_top_k, least=1),
            passage_node_weight=check_number("passage_node_weight", passage_node_weight, least=0),
            damping=check_number("damping", damping, least=0, most=0.99),
            synonymy_edge_sim_threshold=check_number("synonymy", synonymy, least=0.1, most=1.01),
            relation_weight=check_number("relation_weight", relation_weight, least=1e-6),
        )

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        settings = self._settings
        asked = 0 if self._rules else CALLS_PER_PASSAGE
        return SystemInfo(
            name="hipporag2",
            version="1",
            interface="hierarchical",
            mode=self._interaction.mode,
            needs=("model:minilm",)
            if self._rules and not self._filtering
            else (LLM, "model:minilm"),
            uses_door=("prepare", "call"),
            calls={
                "prepare": {"embed": (0, 1), "complete": (asked, asked * self._attempts)},
                "call": {
                    "embed": (0, 1),
                    "complete": (0, self._attempts if self._filtering else 0),
                },
            },
            config={
                "k": self._k,
                "mode": self._interaction.mode,
                "extractor": "rules" if self._rules else "model",
                "recognition": "model" if self._filtering else "none",
                "passage_tokens": self._passage_tokens,
                "reply_tokens": self._reply_tokens,
                "attempts": self._attempts,
                "linking_top_k": settings.linking_top_k,
                "passage_node_weight": settings.passage_node_weight,
                "damping": settings.damping,
                "synonymy": settings.synonymy_edge_sim_threshold,
                "synonyms_at_most": settings.synonymy_edge_most,
                "relation_weight": settings.relation_weight,
            },
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """One search tool, worded by the mode."""
        return (self._interaction.tool(),)

    def expected_calls(self, session: SessionText) -> Calls:
        """Twice for every passage, more where a reply has to be asked for again; one embedding."""
        passages = len(turn_pairs(session.turns, self._passage_tokens))
        asked = 0 if self._rules else CALLS_PER_PASSAGE * passages
        embedded = min(passages, 1)
        return {
            "prepare": {
                "complete": (asked, asked * self._attempts),
                "embed": (embedded, embedded),
            }
        }

    async def prepare(self, session: SessionText, door: Door | None) -> HippoSession:
        """Passages, triples and vectors: what depends on this content alone."""
        tally = Tally()
        chunks = turn_pairs(session.turns, self._passage_tokens)
        if chunks:
            require_door(door, "hipporag2")
        read = await concurrently(self._read(chunk, door) for chunk in chunks)
        for _, asked in read:
            for one in asked:
                tally.add(one)
        passages = tuple(passage for passage, _ in read)
        facts: dict[Triple, None] = dict.fromkeys(t for p in passages for t in p.triples)
        phrases: dict[str, None] = dict.fromkeys(text for p in passages for text in p.phrases)
        texts = [
            *(chunk.text for chunk in chunks), *phrases, *(" ".join(fact) for fact in facts),
        ]  # fmt: skip
        if not texts:
            empty = np.zeros((0, 0), np.float32)
            return HippoSession((), empty, (), empty, (), empty, tally)
        rows = await embedded(require_door(door, "hipporag2"), texts, phase="ingest")
        split = np.split(rows, [len(chunks), len(chunks) + len(phrases)])
        return HippoSession(
            passages, split[0], tuple(phrases), split[1], tuple(facts), split[2], tally
        )

    async def _read(self, chunk: Chunk, door: Door | None) -> tuple[Passage, list[Extracted]]:
        if self._rules:
            said = triples([list(one) for one in sentence_triples(chunk.text)])
            return Passage(chunk.first, chunk.last, said), []
        return await read_passage(
            require_door(door, "hipporag2"),
            chunk,
            max_tokens=self._reply_tokens,
            attempts=self._attempts,
        )

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> HippoRAG2View:
        """Build this haystack's graph; `now` has no influence on it."""
        sessions: list[HippoSession] = require_artifacts(haystack, artifacts, "hipporag2")
        index = await asyncio.to_thread(HippoIndex, haystack, sessions, self._settings)
        return HippoRAG2View(
            index,
            len(sessions),
            self._k,
            door,
            summed(session.tally for session in sessions),
            filtering=self._filtering,
            attempts=self._attempts,
        )
