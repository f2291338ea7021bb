"""One opened haystack of MemOS's tree, searched in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from memtui.model import Hit
from runners.memory.contract import Door
from runners.memory.extraction import require_door
from runners.memory.flat.bm25 import DEFAULT_B, DEFAULT_K1, idf
from runners.memory.flat.words import words
from runners.memory.memos_items import LONG_TERM, USER
from runners.memory.planar.tree_nodes import WORKING, Node, Tree
from runners.memory.planar.tree_search import (
    Goal,
    fast_goal,
    fine_goal,
    graph_recall,
    rerank,
    vector_recall,
)
from runners.memory.provenance import derived_hit
from runners.memory.search_view import Found, SearchView
from runners.memory.vectors import Vectors, embedded

NEAR = 5
"""Memories shown to the model that says what a question is after."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a tree is searched."""

    name: str
    k: int
    fine: bool
    bm25: bool
    weights: Mapping[str, float]
    max_tokens: int


class _Scope:
    """A bucket as it is searched: its nodes, their vectors, and their words where BM25 wants them."""

    def __init__(self, nodes: list[Node], count_words: bool) -> None:
        self.nodes = nodes
        self.rows: Vectors = (
            np.stack([node.row for node in nodes]) if nodes else np.zeros((0, 0), np.float32)
        )
        self._words = [Counter(words(f"{n.key} {n.value}")) for n in nodes] if count_words else []

    def bm25(self, query: str, most: int) -> list[Node]:
        """The best nodes by BM25 over this bucket; only those that hold a word of the query."""
        asked = words(query)
        lengths = [counts.total() for counts in self._words]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        scores = [0.0] * len(self.nodes)
        for word in asked:
            holding = [i for i, counts in enumerate(self._words) if word in counts]
            weight = idf(len(self.nodes), len(holding))
            for i in holding:
                times = self._words[i][word]
                norm = DEFAULT_K1 * (1 - DEFAULT_B + DEFAULT_B * lengths[i] / (mean or 1.0))
                scores[i] += weight * times / (times + norm)
        ranked = sorted((i for i, s in enumerate(scores) if s), key=lambda i: (-scores[i], i))
        return [self.nodes[i] for i in ranked[:most]]


class TreeView(SearchView):
    """The buckets of one haystack."""

    def __init__(
        self, settings: SearchSettings, tree: Tree, *, stored: int, door: Door | None,
        remarks: Mapping[str, Any],
    ) -> None:  # fmt: skip
        super().__init__(stored, settings.k)
        self.tree = tree
        self._settings = settings
        self._door = door
        self._remarks = dict(remarks)
        self._scopes = {
            scope: _Scope(tree.nodes(scope), settings.bm25) for scope in (WORKING, LONG_TERM, USER)
        }

    async def search(self, query: str) -> Found:
        """One pass over the three buckets; up to 2k nodes of each are ranked."""
        data = dict(self._remarks)
        if not len(self.tree):
            return Found(data=data)
        door = require_door(self._door, self._settings.name)
        goal, expansions = await self._goal(door, query)
        if goal.extracted is not None:
            data["goal"] = goal.extracted.value or {"unreadable": goal.extracted.problem}
        found: list[Node] = []
        most = 2 * self._k
        for name, scope in self._scopes.items():
            recalled = scope.nodes
            if name != WORKING:
                recalled = graph_recall(scope.nodes, goal)
                recalled += vector_recall(scope.nodes, scope.rows, expansions, most)
                if self._settings.bm25:
                    recalled += scope.bm25(goal.query, most)
            ranked = rerank(recalled, expansions[0], self._settings.weights)
            found += [node for node, _ in ranked[:most]]
        ranked = rerank(found, expansions[0], self._settings.weights)
        hits = tuple(
            derived_hit(node.name, node.value, round(score, 6), node.sources)
            for node, score in ranked[: self._k]
        )
        sessions = dict.fromkeys(one.token for node, _ in ranked for one in node.sources)
        return Found(hits, tuple(sessions), data)

    async def _goal(self, door: Door, query: str) -> tuple[Goal, Vectors]:
        """What is searched for, and the vectors of the query (first) and all expected statements."""
        vectors = await embedded(door, [query], phase="search")
        if not self._settings.fine:
            return fast_goal(query), vectors
        near: list[Node] = []
        for scope in (LONG_TERM, USER):
            searched = self._scopes[scope]
            near += vector_recall(searched.nodes, searched.rows, vectors, NEAR)
        shown = [node.value for node, _ in rerank(near, vectors[0], self._settings.weights)[:NEAR]]
        goal = await fine_goal(door, query, shown, max_tokens=self._settings.max_tokens)
        asked = list(dict.fromkeys((goal.query, *goal.memories)))
        if asked != [query]:
            vectors = await embedded(door, asked, phase="search")
        return goal, vectors

    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """The runner renders: a memory is a statement with its date."""
        return None

    async def clone(self) -> TreeView:
        """Searching changes nothing."""
        return copy(self)
