"""LiCoMemory's search over one haystack: entities, triples, sessions, and the exchanges behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from memtui.model import Hit, Turn
from runners.memory.contract import Door, Haystack
from runners.memory.extraction import Tally, require_door
from runners.memory.hierarchical.cognigraph import CogniGraph, LicoSession
from runners.memory.hierarchical.dialogue_extraction import Entity, read_question
from runners.memory.hierarchical.rule_triples import query_words, typed_entities
from runners.memory.hierarchical.triple_ranks import (
    BONUS,
    cogni_rank,
    days_between,
    entity_bonus,
    entity_scores,
    session_score,
    simple_rank,
)
from runners.memory.provenance import Source, dated, derived_hit, latest_date, source
from runners.memory.search_view import Found, SearchView
from runners.memory.vectors import Scores, Vectors, cosines, embedded, stacked
from runners.sessions import render_block

LEAST_POOL = 20
SHORT_WORD = 2
"""Where a question has no entities, its longer words are compared with the keys."""
QUESTION = "question"
"""Type of the question itself among what is asked for: no entity has it."""


@dataclass(frozen=True, slots=True)
class LicoSettings:
    """The figures of the release (config/Memory.yaml)."""

    rank: str = "simple"
    """`simple` (shipped as default) or `cogni` (the paper's)."""
    summaries: int = 1
    entities: int = 5
    triples: int = 20
    summary_weight: float = 0.2
    rerank_k: float = 0.1
    rules: bool = False
    reply_tokens: int = 1536
    attempts: int = 2


class LicoView(SearchView):
    """One haystack: its graph, its sessions' keys and summaries, and the door."""

    def __init__(
        self,
        graph: CogniGraph,
        haystack: Haystack,
        sessions: Sequence[LicoSession],
        short_dates: Sequence[str | None],
        date_rows: Sequence[Vectors | None],
        turns: Mapping[str, Sequence[Turn]],
        now: str | None,
        k: int,
        door: Door | None,
        tally: Tally,
        settings: LicoSettings,
    ) -> None:
        super().__init__(len(sessions), k)
        self.graph = graph
        self._positions = haystack.positions
        self._sessions = sessions
        self._shorts = short_dates
        self._keys = [
            stacked([session.key_rows, *([] if row is None else [row[np.newaxis]])])
            for session, row in zip(sessions, date_rows, strict=True)
        ]
        self._turns = turns
        self._dates = {position.token: position.date for position in haystack.positions}
        self._now = now
        self._door = door
        self._tally = tally
        self._settings = settings

    async def search(self, query: str) -> Found:
        """One pass: the best summary and the exchanges of the best triples."""
        if not self._sessions:
            return Found()
        door = require_door(self._door, "licomemory")
        entities, data = await self._entities(query, door)
        words = [] if entities else [w for w in query_words(query) if len(w) > SHORT_WORD]
        asked = [query, *(entity.name for entity in entities), *words]
        rows = await embedded(door, asked, phase="search")
        of_entities = rows[: len(entities) + 1]
        types = [QUESTION, *(entity.type for entity in entities)]
        sessions = self.session_scores(rows[1:])
        pool = self._candidates(rows[0], of_entities, types)
        ranked = self._reranked(pool, sessions)[: self._settings.triples]
        data |= {
            "triples": [
                [self.graph.words(self.graph.triples[at]), round(score, 6)] for at, score in ranked
            ],
            "candidates": len(pool),
        } | self._tally.remarks()
        hits = (*self._summaries(sessions), *self._exchanges(ranked))
        found = dict.fromkeys(ref for hit in hits for ref in hit.sources or (hit.ref,))
        known = "; ".join(self.graph.words(self.graph.triples[at]) for at, _ in ranked)
        preface = f"Known relations: {known}" if known else ""
        return Found(hits, tuple(found), data, preface)

    async def _entities(self, query: str, door: Door) -> tuple[list[Entity], dict[str, Any]]:
        if self._settings.rules:
            entities = [Entity(name, kind) for name, kind in typed_entities(query)]
            return entities, {"entities": [entity.name for entity in entities]}
        entities, found = await read_question(
            door, query, self._now,
            max_tokens=self._settings.reply_tokens, attempts=self._settings.attempts,
        )  # fmt: skip
        data: dict[str, Any] = {"entities": [entity.name for entity in entities]}
        return entities, data if found.usable else data | {"question": "unreadable"}

    def session_scores(self, asked: Vectors) -> list[float]:
        """Each session's score by its keys, its short date among them."""
        return [session_score(asked, keys) for keys in self._keys]

    def _candidates(
        self, question: Vectors, asked: Vectors, types: Sequence[str]
    ) -> list[tuple[int, float]]:
        """Triples of the nearest entities with their cosine to the question, the best of them."""
        graph, settings = self.graph, self._settings
        scores: Scores = entity_scores(
            graph.node_rows, [graph.nodes[at].type for at in graph.linked], asked, types
        )
        nearest = np.argsort(-scores, kind="stable")[: settings.entities]
        ranks = {graph.linked[at]: rank for rank, at in enumerate(nearest.tolist())}
        touched = sorted({triple for node in ranks for triple in graph.nodes[node].triples})
        if not touched:
            return []
        close = cosines(graph.triple_rows[touched], question).tolist()
        first = [
            cosine + BONUS * entity_bonus(ranks, graph.triples[at].source, graph.triples[at].target)
            for at, cosine in zip(touched, close, strict=True)
        ]
        order = sorted(range(len(touched)), key=lambda i: -first[i])
        pool = order[: max(2 * settings.triples, LEAST_POOL)]
        return [(touched[i], close[i]) for i in pool]

    def _reranked(
        self, pool: Sequence[tuple[int, float]], sessions: Sequence[float]
    ) -> list[tuple[int, float]]:
        """The pool by SimpleRank or CogniRank; a triple belongs to its newest session."""
        settings, triples = self._settings, self.graph.triples
        close = [cosine for _, cosine in pool]
        of_session = [sessions[triples[at].said[-1].place] for at, _ in pool]
        if settings.rank == "simple":
            scores = simple_rank(close, of_session, settings.summary_weight)
        else:
            gaps = [days_between(self._now, latest_date(triples[at].said)) for at, _ in pool]
            scores = cogni_rank(close, of_session, gaps, settings.summary_weight, settings.rerank_k)
        found = [(at, round(score, 9)) for (at, _), score in zip(pool, scores, strict=True)]
        return sorted(found, key=lambda one: (-one[1], triples[one[0]].said[0], one[0]))

    def _summaries(self, scores: Sequence[float]) -> list[Hit]:
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        hits = []
        for place in order[: self._settings.summaries]:
            session, position = self._sessions[place], self._positions[place]
            if not session.summary.themes:
                continue
            short = self._shorts[place]
            keys = [*([] if short is None else [short]), *session.summary.keys]
            whole = source(place, position, 0, session.turns - 1)
            text = dated(session.summary.text(keys), position.date)
            hits.append(derived_hit(f"summary-{position.token}", text, scores[place], [whole]))
        return hits

    def _exchanges(self, ranked: Sequence[tuple[int, float]]) -> list[Hit]:
        """What the triples were said in, each exchange once, at its best triple's score."""
        scores: dict[Source, float] = {}
        for at, score in ranked:
            for here in self.graph.triples[at].said:
                scores.setdefault(here, score)
        order = sorted(scores, key=lambda here: (-scores[here], here))
        return [Hit(one.token, scores[one], first=one.first, last=one.last) for one in order]

    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """The triples, then the blocks as the runner words them; its own wording without triples."""
        if not preface or not hits:
            return None
        blocks = []
        for rank, hit in enumerate(hits, 1):
            date = self._dates.get(hit.ref)
            text = hit.text
            if text is None:
                text = render_block(self._turns[hit.ref], hit.first, hit.last)
            blocks.append(f"[{rank}] {hit.ref}{f' · {date}' if date else ''}\n{text}")
        return "\n\n".join((preface, *blocks))

    async def clone(self) -> LicoView:
        """A view on the same graph, which nothing writes to."""
        return copy(self)
