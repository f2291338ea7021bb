"""OpenIE in two steps, as HippoRAG does it: the entities of a passage, then triples between them.

Content-pure: a passage is an exchange of one session without its date. The worked example in the
prompts is invented.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from runners.memory.chunking import Chunk
from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt

Triple = tuple[str, str, str]
"""Subject, predicate, object as normalised phrases."""

CALLS_PER_PASSAGE = 2
"""Completions, when every reply can be read at once."""

_NO_WORD = re.compile(r"[^\w ]|_")
_SPACES = re.compile(r"\s+")

ENTITIES = {
    "type": "object",
    "properties": {"named_entities": {"type": "array", "items": {"type": "string"}}},
    "required": ["named_entities"],
    "additionalProperties": False,
}
TRIPLES = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 3,
                "maxItems": 3,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}

_EXAMPLE = """\
user: I moved to Porto in May 2021 to work at Casa Azul, a tile workshop that Ana Reis founded.
assistant: Porto is lovely. Do you still play the cello there?
user: Yes, in the amateur orchestra of the Clube Fenianos."""
_EXAMPLE_ENTITIES = [
    "user", "Porto", "May 2021", "Casa Azul", "tile workshop", "Ana Reis", "cello",
    "Clube Fenianos",
]  # fmt: skip
_EXAMPLE_TRIPLES = [
    ["user", "moved to", "Porto"],
    ["user", "moved in", "May 2021"],
    ["user", "works at", "Casa Azul"],
    ["Casa Azul", "is", "tile workshop"],
    ["Ana Reis", "founded", "Casa Azul"],
    ["user", "plays", "cello"],
    ["user", "plays in the orchestra of", "Clube Fenianos"],
]

_FIND_ENTITIES = f"""\
Extract the named entities from the passage: people (the speakers included), places, organisations,
things, works, dates and amounts. Reply with JSON: {{"named_entities": [...]}}.

Passage:
{_EXAMPLE}

{json.dumps({"named_entities": _EXAMPLE_ENTITIES})}"""

_FIND_TRIPLES = f"""\
Write what the passage says as triples of subject, predicate and object. Each triple holds at least
one, better two, of the named entities given. Put the name in the place of a pronoun. Reply with JSON:
{{"triples": [[subject, predicate, object], ...]}}.

Passage:
{_EXAMPLE}

Named entities: {json.dumps(_EXAMPLE_ENTITIES)}

{json.dumps({"triples": _EXAMPLE_TRIPLES})}"""


@dataclass(frozen=True, slots=True)
class Passage:
    """An exchange of a session and what it says."""

    first: int
    last: int
    triples: tuple[Triple, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """Subjects and objects of the triples, each once, in order."""
        return tuple(dict.fromkeys(end for s, _, o in self.triples for end in (s, o)))


def phrase(text: str) -> str:
    """A phrase as a node is named: lower case, letters and digits of any script, single spaces."""
    return _SPACES.sub(" ", _NO_WORD.sub(" ", text.lower())).strip()


def triple(raw: list[str] | tuple[str, ...]) -> Triple | None:
    """A raw triple normalised; None where it has not three parts, or its ends are empty."""
    if len(raw) != 3:
        return None
    subject, predicate, object_ = map(phrase, raw)
    return (subject, predicate, object_) if subject and object_ else None


def triples(raw: list[list[str]]) -> tuple[Triple, ...]:
    """All usable triples, in order; a repeated one counts again, as in the release."""
    return tuple(one for one in map(triple, raw) if one is not None)


async def read_passage(
    door: Door, chunk: Chunk, *, max_tokens: int, attempts: int
) -> tuple[Passage, list[Extracted]]:
    """The triples of a passage by a language model, and what became of the requests.

    Where the entities cannot be read the triples are asked for without them; where the triples cannot
    be read the passage has none, and is found by its own vector alone.
    """
    entities = await extract(
        door,
        prompt(_FIND_ENTITIES, f"Passage:\n{chunk.text}"),
        ENTITIES,
        phase="ingest",
        max_tokens=max_tokens,
        attempts=attempts,
    )
    named = list(dict.fromkeys(entities.value["named_entities"])) if entities.usable else []
    found = await extract(
        door,
        prompt(
            _FIND_TRIPLES,
            f"Passage:\n{chunk.text}\n\nNamed entities: {json.dumps(named, ensure_ascii=False)}",
        ),
        TRIPLES,
        phase="ingest",
        max_tokens=max_tokens,
        attempts=attempts,
    )
    said = triples(found.value["triples"]) if found.usable else ()
    return Passage(chunk.first, chunk.last, said), [entities, found]
