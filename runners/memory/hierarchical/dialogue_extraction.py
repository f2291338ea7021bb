"""LiCoMemory's extraction: typed entities and relations of an exchange, and entities of a question.

The release asks for lines of `("entity"|name|type)` and reads what it recognises; here the same things
are asked for as JSON. The worked examples in the prompts are invented.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt
from runners.memory.hierarchical.rule_triples import sentence_triples, typed_entities

TYPES = ("person", "time", "organization", "location", "event", "concept", "object")
UNKNOWN = "unknown"
"""Type of an entity that only a relation names."""

_ENTITY = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "type": {"type": "string", "enum": list(TYPES)}},
    "required": ["name", "type"],
    "additionalProperties": False,
}
GRAPH = {
    "type": "object",
    "properties": {
        "entities": {"type": "array", "items": _ENTITY},
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "source": {"type": "string"},
                    "target": {"type": "string"},
                    "name": {"type": "string"},
                    "strength": {"type": "integer"},
                },
                "required": ["source", "target", "name", "strength"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
ENTITIES = {
    "type": "object",
    "properties": {"entities": {"type": "array", "items": _ENTITY}},
    "required": ["entities"],
    "additionalProperties": False,
}

_KINDS = f"Types: {', '.join(TYPES)}."

_EXAMPLE = {
    "entities": [
        {"name": "User", "type": "person"},
        {"name": "Assistant", "type": "person"},
        {"name": "Casa Azul", "type": "organization"},
        {"name": "Porto", "type": "location"},
        {"name": "May 2021", "type": "time"},
        {"name": "Cello", "type": "object"},
    ],
    "relations": [
        {"source": "User", "target": "Casa Azul", "name": "works at", "strength": 10},
        {"source": "User", "target": "Porto", "name": "moved to", "strength": 9},
        {"source": "User", "target": "May 2021", "name": "moved in", "strength": 7},
        {"source": "Assistant", "target": "Cello", "name": "asked about", "strength": 4},
    ],
}

_READ_DIALOGUE = f"""\
Read an exchange of a conversation and extract a graph from it.
1. Entities with a name, in its original form and capitalised, and a type. {_KINDS} The speakers are
always among them; times and dates are entities of type time.
2. Relations between two of these entities that are clearly related: source, target, a short name that
says how, and a strength from 1 to 10. What says something about a person and their preferences
matters most and is strongest.
Reply with JSON: {{"entities": [...], "relations": [...]}}.

user: I moved to Porto in May 2021 to work at Casa Azul.
assistant: Porto is lovely. Do you still play the cello there?

{json.dumps(_EXAMPLE)}"""

_READ_QUESTION = f"""\
Extract the entities of a question that a user asks an assistant: a name, capitalised, and a type.
{_KINDS} "I", "me" and "my" are User, "you" and "your" are Assistant. Resolve what depends on the date
of the question (yesterday, last May) and give the result as an entity of type time.
Reply with JSON: {{"entities": [...]}}.

Date of the question: 2022-05-12
Question: Who gave me a stand mixer last year?

{{"entities": [{{"name": "User", "type": "person"}}, {{"name": "Stand Mixer", "type": "object"}}, \
{{"name": "2021", "type": "time"}}]}}"""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that is spoken of."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Relation:
    """How two entities are related, by their names."""

    source: str
    name: str
    target: str
    strength: int

    @property
    def text(self) -> str:
        """The triple as it is embedded."""
        return f"{self.source} {self.name} {self.target}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn pair and the graph of what it says."""

    first: int
    last: int
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


def exchange(
    first: int, last: int, entities: Iterable[Entity], relations: Iterable[Relation]
) -> Exchange:
    """An exchange whose relations name entities: those not listed are added, with no known type."""
    kept = [r for r in relations if r.source.strip() and r.target.strip() and r.name.strip()]
    listed = {e.name: e for e in entities if e.name.strip()}
    for relation in kept:
        for name in (relation.source, relation.target):
            listed.setdefault(name, Entity(name, UNKNOWN))
    return Exchange(first, last, tuple(listed.values()), tuple(kept))


async def read_exchange(
    door: Door, text: str, first: int, last: int, *, max_tokens: int, attempts: int
) -> tuple[Exchange, Extracted]:
    """The graph of one exchange by a language model: one completion."""
    found = await extract(
        door,
        prompt(_READ_DIALOGUE, text),
        GRAPH,
        phase="ingest",
        max_tokens=max_tokens,
        attempts=attempts,
    )
    if not found.usable:
        return Exchange(first, last, (), ()), found
    entities = (Entity(e["name"], e["type"]) for e in found.value["entities"])
    relations = (
        Relation(r["source"], r["name"], r["target"], min(max(r["strength"], 1), 10))
        for r in found.value["relations"]
    )
    return exchange(first, last, entities, relations), found


def exchange_by_rule(text: str, first: int, last: int) -> Exchange:
    """The graph of one exchange without a model."""
    relations = [Relation(s, p, o, 5) for s, p, o in sentence_triples(text) if p]
    entities = [Entity(name, kind) for name, kind in typed_entities(text)]
    return exchange(first, last, entities, relations)


async def read_question(
    door: Door, question: str, now: str | None, *, max_tokens: int, attempts: int
) -> tuple[list[Entity], Extracted]:
    """Entities of a question asked at `now`: one completion; none where the reply is unreadable."""
    found = await extract(
        door,
        prompt(_READ_QUESTION, f"Date of the question: {now or 'unknown'}\nQuestion: {question}"),
        ENTITIES,
        phase="search",
        max_tokens=max_tokens,
        attempts=attempts,
    )
    raw = found.value["entities"] if found.usable else []
    named = {e["name"]: Entity(e["name"], e["type"]) for e in raw if e["name"].strip()}
    return list(named.values()), found
