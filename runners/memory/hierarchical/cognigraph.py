"""LiCoMemory's CogniGraph over one haystack: entities, the triples between them, and session keys.

Built in the order of the haystack, oldest first: an entity merges into the first one that is already
there and has the same name, or, of the same type, nearly the same words (Jaccard of 0.85, as in the
release); an identical triple gains a source. Everything keeps the exchanges it was said in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from runners.memory.contract import Haystack
from runners.memory.extraction import Tally
from runners.memory.hierarchical.dialogue_extraction import UNKNOWN, Entity, Exchange
from runners.memory.hierarchical.session_summary import Summary
from runners.memory.provenance import Source, source
from runners.memory.vectors import Vectors, stacked

MERGE_AT = 0.85


@dataclass(frozen=True, slots=True)
class LicoSession:
    """What one session's content gives, whatever haystack it lies in."""

    exchanges: tuple[Exchange, ...]
    summary: Summary
    turns: int
    names: tuple[str, ...]
    name_rows: Vectors
    triples: tuple[str, ...]
    """Texts of the relations, as they were said."""
    triple_rows: Vectors
    key_rows: Vectors
    """One per key of the summary."""
    tally: Tally


@dataclass(slots=True)
class Triple:
    """A relation between two entities of the graph, and where it was said."""

    source: int
    name: str
    target: int
    row: int
    """Row of its vector: that of the words it was first said in."""
    strength: int
    said: list[Source] = field(default_factory=list)
    """Exchanges, oldest first."""


@dataclass(slots=True)
class Node:
    """An entity of the graph."""

    name: str
    type: str
    row: int
    triples: list[int] = field(default_factory=list)


class EntityIndex:
    """Finds the entity that a name merges into, without comparing it to all others."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._by_name: dict[str, int] = {}
        self._by_words: dict[tuple[str, frozenset[str]], int] = {}
        self._with_word: dict[tuple[str, str], list[int]] = {}
        self._words: list[frozenset[str]] = []

    def find(self, entity: Entity) -> int | None:
        """The first entity there is that this one is the same as; None for a new one."""
        lowered = entity.name.lower()
        if (same := self._by_name.get(lowered)) is not None:
            return same
        words = frozenset(lowered.split())
        alike = {
            at
            for word in words
            for at in self._with_word.get((entity.type, word), ())
            if len(words & self._words[at]) >= self._threshold * len(words | self._words[at])
        }
        if (same := self._by_words.get((entity.type, words))) is not None:
            alike.add(same)
        return min(alike, default=None)

    def add(self, entity: Entity) -> int:
        """Number of a new entity."""
        lowered = entity.name.lower()
        words = frozenset(lowered.split())
        number = len(self._words)
        self._by_name[lowered] = number
        self._by_words.setdefault((entity.type, words), number)
        self._words.append(words)
        # A name of fewer words has none that is nearly the same without being the same.
        if len(words) >= self._threshold * (len(words) + 1):
            for word in words:
                self._with_word.setdefault((entity.type, word), []).append(number)
        return number

    def alias(self, name: str, number: int) -> None:
        """From now on the name means this entity."""
        self._by_name.setdefault(name.lower(), number)


class CogniGraph:
    """The graph and the session keys of one haystack."""

    def __init__(
        self, haystack: Haystack, sessions: Sequence[LicoSession], merge_at: float = MERGE_AT
    ) -> None:
        self.nodes: list[Node] = []
        self.triples: list[Triple] = []
        self._index = EntityIndex(merge_at)
        self._triple_at: dict[tuple[int, str, int], int] = {}
        names, triples = 0, 0
        for place, (position, session) in enumerate(zip(haystack.positions, sessions, strict=True)):
            name_row = {name: names + at for at, name in enumerate(session.names)}
            triple_row = {text: triples + at for at, text in enumerate(session.triples)}
            for one in session.exchanges:
                here = source(place, position, one.first, one.last)
                self._add(one, here, name_row, triple_row)
            names += len(session.names)
            triples += len(session.triples)
        # Only what has a relation is part of the graph, as in the release.
        self.linked = [at for at, node in enumerate(self.nodes) if node.triples]
        name_rows = stacked([session.name_rows for session in sessions])
        triple_rows = stacked([session.triple_rows for session in sessions])
        self.node_rows = _picked(name_rows, [self.nodes[at].row for at in self.linked])
        self.triple_rows = _picked(triple_rows, [triple.row for triple in self.triples])

    def _add(
        self, one: Exchange, here: Source, name_row: dict[str, int], triple_row: dict[str, int]
    ) -> None:
        number: dict[str, int] = {}
        for entity in one.entities:
            found = self._index.find(entity)
            if found is None:
                found = self._index.add(entity)
                self.nodes.append(Node(entity.name, entity.type, name_row[entity.name]))
            else:
                self._index.alias(entity.name, found)
                if self.nodes[found].type == UNKNOWN:
                    self.nodes[found].type = entity.type
            number[entity.name] = found
        for relation in one.relations:
            ends = number[relation.source], number[relation.target]
            key = (ends[0], relation.name.lower(), ends[1])
            at = self._triple_at.get(key)
            if at is None:
                at = self._triple_at[key] = len(self.triples)
                row = triple_row[relation.text]
                self.triples.append(Triple(ends[0], relation.name, ends[1], row, 0))
                for end in dict.fromkeys(ends):
                    self.nodes[end].triples.append(at)
            triple = self.triples[at]
            triple.strength = max(triple.strength, relation.strength)
            if here not in triple.said:
                triple.said.append(here)

    def words(self, triple: Triple) -> str:
        """The triple as it is shown to a model."""
        ends = self.nodes[triple.source].name, self.nodes[triple.target].name
        return f"({ends[0]}, {triple.name}, {ends[1]})"


def _picked(rows: Vectors, numbers: Sequence[int]) -> Vectors:
    return rows[np.asarray(numbers, np.intp)] if numbers else rows[:0]
