"""HippoRAG 2's index of one haystack: phrase and passage nodes, their edges, and the facts.

Nodes are numbered phrases first, then passages; both in the order of the haystack. Edges lie between
subject and object of each triple (relation), between a passage and each phrase of its triples
(context), and between phrases whose vectors are alike (synonymy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np

from runners.memory.contract import Haystack
from runners.memory.extraction import Tally
from runners.memory.graph import Graph, GraphBuilder
from runners.memory.graph_rank import Walk
from runners.memory.graph_synonyms import similar_pairs
from runners.memory.hierarchical.passages import Passage, Triple
from runners.memory.vectors import Scores, Vectors, cosines, min_max, stacked

Key = TypeVar("Key", str, Triple)


@dataclass(frozen=True, slots=True)
class HippoSession:
    """What one session's content gives, whatever haystack it lies in."""

    passages: tuple[Passage, ...]
    passage_rows: Vectors
    phrases: tuple[str, ...]
    phrase_rows: Vectors
    facts: tuple[Triple, ...]
    fact_rows: Vectors
    tally: Tally


@dataclass(frozen=True, slots=True)
class Settings:
    """The figures of the release (config_utils.py), under its names."""

    linking_top_k: int = 5
    """Facts put before the recognition filter, and phrases seeded after it."""
    passage_node_weight: float = 0.05
    damping: float = 0.5
    synonymy_edge_sim_threshold: float = 0.8
    synonymy_edge_most: int = 100
    relation_weight: float = 1.0
    """Weight of a triple's edge and factor of a synonymy edge, where a passage edge weighs 1. The
    release adds both in either direction to an undirected graph: 2 reproduces that."""


RELEASE = Settings()


@dataclass(frozen=True, slots=True)
class Place:
    """A passage in its haystack."""

    token: str
    first: int
    last: int


class HippoIndex:
    """The graph of one haystack with everything a query needs."""

    def __init__(
        self, haystack: Haystack, sessions: Sequence[HippoSession], settings: Settings
    ) -> None:
        self.settings = settings
        self.places = [
            Place(position.token, passage.first, passage.last)
            for position, session in zip(haystack.positions, sessions, strict=True)
            for passage in session.passages
        ]
        self.tokens = [place.token for place in self.places]
        passages = [passage for session in sessions for passage in session.passages]
        self.passage_rows = stacked([session.passage_rows for session in sessions])
        self.phrases, phrase_rows = _distinct(
            [s.phrases for s in sessions], [s.phrase_rows for s in sessions]
        )
        self.facts, self.fact_rows = _distinct(
            [s.facts for s in sessions], [s.fact_rows for s in sessions]
        )
        number = {text: node for node, text in enumerate(self.phrases)}
        self._ends = [(number[s], number[o]) for s, _, o in self.facts]
        in_passage = [[number[text] for text in passage.phrases] for passage in passages]
        self._passages_with = np.bincount(
            np.fromiter(chain.from_iterable(in_passage), np.intp), minlength=len(self.phrases)
        )
        self.graph = self._connect(passages, in_passage, number, phrase_rows)
        self._walk = Walk(self.graph, settings.damping)

    def _connect(
        self,
        passages: Sequence[Passage],
        in_passage: Sequence[Sequence[int]],
        number: dict[str, int],
        phrase_rows: Vectors,
    ) -> Graph:
        settings, phrases = self.settings, len(self.phrases)
        said = [triple for passage in passages for triple in passage.triples]
        builder = GraphBuilder()
        builder.add(
            [number[s] for s, _, _ in said], [number[o] for _, _, o in said],
            settings.relation_weight,
        )  # fmt: skip
        holders = np.repeat(np.arange(len(passages)), [len(nodes) for nodes in in_passage])
        builder.add(holders + phrases, list(chain.from_iterable(in_passage)))
        # Very short phrases are like too many others: the release lets them seek no synonyms.
        seeking = np.array([sum(map(str.isalnum, text)) > 2 for text in self.phrases], bool)
        synonyms = similar_pairs(
            phrase_rows,
            settings.synonymy_edge_sim_threshold,
            settings.synonymy_edge_most,
            seeking,
        )
        builder.add(synonyms.one, synonyms.other, synonyms.cosines * settings.relation_weight)
        return builder.build(phrases + len(passages))

    def candidates(self, query: Vectors) -> tuple[list[int], Scores]:
        """The facts nearest to the query, best first, and the stretched scores of all facts."""
        scores = min_max(cosines(self.fact_rows, query))
        most = min(self.settings.linking_top_k, len(scores))
        if not most:
            return [], scores
        (near,) = np.nonzero(scores >= np.partition(scores, -most)[-most])
        order = near[np.argsort(-scores[near], kind="stable")][:most]
        return order.tolist(), scores

    def dense(self, query: Vectors) -> Scores:
        """Stretched cosine of the query with each passage."""
        return min_max(cosines(self.passage_rows, query))

    def seeds(self, facts: Sequence[int], scores: Scores) -> dict[int, float]:
        """Phrase nodes of the kept facts with their weights, best first, at most `linking_top_k`.

        A phrase weighs the mean, over the kept facts it is an end of, of the fact's score divided by
        the number of passages that hold the phrase.
        """
        gathered: dict[int, list[float]] = {}
        for fact in facts:
            for node in self._ends[fact]:
                holders = max(int(self._passages_with[node]), 1)
                gathered.setdefault(node, []).append(float(scores[fact]) / holders)
        means = {node: sum(weights) / len(weights) for node, weights in gathered.items()}
        ranked = sorted(means.items(), key=lambda item: -item[1])
        return dict(ranked[: self.settings.linking_top_k])

    def walk(self, seeds: dict[int, float], dense: Scores) -> Scores | None:
        """PageRank of each passage from the seeds; None where there is no weight to start from."""
        reset = np.zeros(self.graph.nodes)
        for node, weight in seeds.items():
            reset[node] = weight
        reset[len(self.phrases) :] = dense * self.settings.passage_node_weight
        if not reset.sum() > 0:
            return None
        # Digits that the walk is not exact to would tell equal passages apart.
        ranks: Scores = np.round(self._walk.rank(reset)[len(self.phrases) :], 9)
        return ranks


def _distinct(keys: Sequence[Sequence[Key]], rows: Sequence[Vectors]) -> tuple[list[Key], Vectors]:
    """Every key once, at its first place, with its row."""
    found: dict[Key, int] = {}
    at = 0
    for group in keys:
        for key in group:
            found.setdefault(key, at)
            at += 1
    every = stacked(rows)
    return list(found), every[list(found.values())] if found else every
