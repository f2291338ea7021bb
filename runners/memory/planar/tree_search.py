"""Searching MemOS's tree: what the question is after, recall by graph and by vector, one reranking."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runners.memory import rule_extractor as rules
from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt
from runners.memory.flat.search import best
from runners.memory.flat.words import words
from runners.memory.planar.tree_nodes import Node
from runners.memory.vectors import Vectors, cosines

GOAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "keys": {"type": "array", "items": {"type": "string"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "goal_type": {"type": "string"},
        "rephrased_instruction": {"type": "string"},
        "memories": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    },
    "required": ["keys", "tags", "goal_type", "rephrased_instruction", "memories"],
    "additionalProperties": False,
}

GOAL_PROMPT = """\
You prepare a search in a memory of titled, tagged statements. Given a question, and memories that may
have to do with it, give
- keys: titles that a useful memory may have,
- tags: lower-case keywords that a useful memory may carry,
- goal_type: "retrieval", "comparison", "counting", "time" or "other",
- rephrased_instruction: the question made complete, with nothing added that is not known,
- memories: two to five statements that would answer the question if they were stored.

Question: Which suit do I need for the swim?
Memories: ["The user signed up for the triathlon in Graz in June."]

{"keys": ["Suit for cold water", "Triathlon equipment"], "tags": ["swimming", "equipment", "triathlon"], \
"goal_type": "retrieval", "rephrased_instruction": "Which suit does the user need for the swim of the \
triathlon in Graz?", "memories": ["The user needs a neoprene suit for the triathlon.", "The assistant \
recommended a suit for cold water."]}"""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a question is after."""

    query: str
    keys: frozenset[str]
    """Titles, compared whole and lower-cased."""
    tags: frozenset[str]
    memories: tuple[str, ...] = ()
    """Statements searched for beside the query."""
    extracted: Extracted | None = None


def fast_goal(query: str) -> Goal:
    """The question itself: its content words serve as titles and tags. No model is asked."""
    found = frozenset(word for word in words(query) if word not in rules.STOP)
    return Goal(query, found | {query.strip().lower()}, found)


async def fine_goal(door: Door, query: str, near: Sequence[str], *, max_tokens: int) -> Goal:
    """One completion (two where it is repaired); what cannot be read is searched for fast."""
    found = await extract(
        door,
        prompt(
            GOAL_PROMPT,
            f"Question: {query}\nMemories: {json.dumps(list(near), ensure_ascii=False)}",
        ),
        GOAL,
        phase="search",
        max_tokens=max_tokens,
    )
    fast = fast_goal(query)
    if not found.usable:
        return Goal(fast.query, fast.keys, fast.tags, extracted=found)
    value = found.value
    return Goal(
        value["rephrased_instruction"].strip() or query,
        frozenset(key.strip().lower() for key in value["keys"]),
        frozenset(tag.strip().lower() for tag in value["tags"]),
        tuple(dict.fromkeys(text.strip() for text in value["memories"] if text.strip())),
        found,
    )


def graph_recall(nodes: Iterable[Node], goal: Goal) -> list[Node]:
    """Nodes whose title is one of the goal's, or that share two of its tags at least."""
    return [
        node
        for node in nodes
        if node.key.lower() in goal.keys or len(goal.tags.intersection(node.tags)) >= 2
    ]


def vector_recall(
    nodes: Sequence[Node], rows: Vectors, expansions: Vectors, most: int
) -> list[Node]:
    """The `most` nearest nodes of each expansion, each node once, by the best of its cosines."""
    if not len(nodes) or not len(expansions):
        return []
    scores = np.round((rows @ expansions.T).astype(np.float64), 6)
    found: dict[int, float] = {}
    for column in scores.T:
        for index in best(column, most).tolist():
            found[index] = max(found.get(index, -np.inf), float(column[index]))
    return [nodes[i] for i in sorted(found, key=lambda i: (-found[i], i))]


def rerank(
    found: Iterable[Node], query: Vectors, weights: Mapping[str, float]
) -> list[tuple[Node, float]]:
    """Nodes by cosine to the query times the weight of their level; equal values once, ties by age."""
    distinct = list({node.number: node for node in found}.values())
    if not distinct:
        return []
    similar = cosines(np.stack([node.row for node in distinct]), query)
    scored = [(n, float(s) * weights[n.level]) for n, s in zip(distinct, similar, strict=True)]
    scored.sort(key=lambda pair: (-pair[1], pair[0].number))
    seen: dict[str, tuple[Node, float]] = {}
    for node, score in scored:
        seen.setdefault(node.value, (node, score))
    return list(seen.values())
