"""MemOS's reorganiser: summaries above clusters of memories, in up to two storeys.

Memories of one bucket are partitioned; a cluster that is small enough gets one summary above it
(topic -> facts), a larger one is cut into themes first, each with a summary of its own, and one summary
above those (topic -> concepts -> facts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runners.memory import rule_extractor as rules
from runners.memory.contract import Door
from runners.memory.extraction import Tally, extract, prompt
from runners.memory.memos_items import LONG_TERM, USER
from runners.memory.planar.tree_clusters import partition
from runners.memory.planar.tree_nodes import CONCEPT, TOPIC, Node, Tree
from runners.memory.vectors import embedded

THEMES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "clusters": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ids": {"type": "array", "items": {"type": "integer"}},
                    "theme": {"type": "string"},
                },
                "required": ["ids", "theme"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["clusters"],
    "additionalProperties": False,
}
SUMMARY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "key": {"type": "string"},
        "value": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "background": {"type": "string"},
    },
    "required": ["key", "value", "tags", "background"],
    "additionalProperties": False,
}
THEMES_PROMPT = """\
Group memories by theme. Each memory is given with its id. A group holds at least two memories that
belong to one topic, event or person; a memory is in one group at most, and may be in none.

1: Triathlon in Graz | The user signed up for the triathlon in Graz.
2: Sourdough | The user bakes on Sundays.
3: Suit for cold water | Cold water needs a 3 mm suit.

{"clusters": [{"ids": [1, 3], "theme": "Preparing for the triathlon"}]}"""
SUMMARY_PROMPT = """\
Write one memory that stands above the memories given: a short title (key), a paragraph that says what
they have in common and keeps every name, number and date (value), two to five lower-case keywords
(tags), and one sentence on how they hang together (background). Add nothing that they do not say.

- Triathlon in Graz | The user signed up for the triathlon in Graz in June.
- Suit for cold water | The assistant said that cold water needs a 3 mm suit.

{"key": "Preparing for the triathlon", "value": "The user signed up for the triathlon in Graz in June and \
was told that cold water needs a 3 mm suit.", "tags": ["triathlon", "swimming"], "background": "The suit \
is for the swim of the triathlon."}"""


@dataclass(frozen=True, slots=True)
class Sizes:
    """When and how finely memories are grouped."""

    least_nodes: int = 10
    """A bucket with fewer memories is left alone."""
    cluster_least: int = 10
    cluster_most: int = 20
    flat_most: int = 10
    """Up to here a cluster gets one summary; a larger one is cut into themes."""
    theme_least: int = 3
    """Smaller clusters and themes are noise and get no summary."""


@dataclass(frozen=True, slots=True)
class _Summary:
    key: str
    value: str
    tags: tuple[str, ...]


class Reorganiser:
    """Builds the storeys above a filled tree; asks a model, or works by rule."""

    def __init__(self, door: Door, *, extractor: str, sizes: Sizes, max_tokens: int) -> None:
        self._door = door
        self._by_rule = extractor == rules.NAME
        self._sizes = sizes
        self._max_tokens = max_tokens
        self.tally = Tally()

    async def run(self, tree: Tree) -> None:
        """Long-term memory first, then user memory."""
        for scope in (LONG_TERM, USER):
            nodes = tree.nodes(scope)
            if len(nodes) < self._sizes.least_nodes:
                continue
            rows = np.stack([node.row for node in nodes])
            groups = partition(rows, least=self._sizes.cluster_least, most=self._sizes.cluster_most)
            for members in groups:
                await self._cluster(tree, scope, [nodes[i] for i in members])

    async def _cluster(self, tree: Tree, scope: str, nodes: list[Node]) -> None:
        if len(nodes) <= self._sizes.theme_least:
            return
        if len(nodes) <= self._sizes.flat_most:
            await self._parent(tree, scope, TOPIC, nodes, nodes)
            return
        parents: list[Node] = []
        for theme in await self._themes(nodes):
            if len(theme) >= self._sizes.theme_least:
                parent = await self._parent(tree, scope, CONCEPT, theme, theme)
                parents += [parent] if parent else []
        if parents:
            await self._parent(tree, scope, TOPIC, parents, nodes)

    async def _parent(
        self, tree: Tree, scope: str, level: str, children: list[Node], told: list[Node]
    ) -> Node | None:
        """A summary of the nodes `told` above `children`; None where the model gave none."""
        summary = await self._summary(told)
        if summary is None:
            return None
        (row,) = await embedded(self._door, [summary.value], phase="ingest")
        return tree.add_parent(
            scope, level, summary.key, summary.value, summary.tags, children, row
        )

    async def _themes(self, nodes: list[Node]) -> list[list[Node]]:
        """Groups of nodes of one theme; a node is in the first group that names it."""
        if self._by_rule:
            rows = np.stack([node.row for node in nodes])
            most = max(self._sizes.flat_most // 2, self._sizes.theme_least)
            groups = partition(rows, least=self._sizes.theme_least, most=most)
            return [[nodes[i] for i in members] for members in groups]
        lines = [f"{i}: {node.key} | {node.value}" for i, node in enumerate(nodes, 1)]
        found = await extract(
            self._door, prompt(THEMES_PROMPT, "\n".join(lines)), THEMES,
            phase="ingest", max_tokens=self._max_tokens,
        )  # fmt: skip
        self.tally.add(found)
        taken: set[int] = set()
        themes: list[list[Node]] = []
        for cluster in found.value["clusters"] if found.usable else []:
            ids = [i for i in dict.fromkeys(cluster["ids"]) if 1 <= i <= len(nodes)]
            fresh = [i for i in ids if i not in taken]
            taken.update(fresh)
            themes.append([nodes[i - 1] for i in fresh])
        return themes

    async def _summary(self, nodes: Sequence[Node]) -> _Summary | None:
        if self._by_rule:
            key, value, tags = rules.summary([node.value for node in nodes])
            return _Summary(key, value, tuple(tags))
        lines = [f"- {node.key} | {node.value}" for node in nodes]
        found = await extract(
            self._door, prompt(SUMMARY_PROMPT, "\n".join(lines)), SUMMARY,
            phase="ingest", max_tokens=self._max_tokens,
        )  # fmt: skip
        self.tally.add(found)
        if not found.usable or not found.value["value"].strip():
            return None
        named = dict.fromkeys(tag.strip().lower() for tag in found.value["tags"] if tag.strip())
        return _Summary(found.value["key"].strip(), found.value["value"].strip(), tuple(named))
