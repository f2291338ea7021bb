"""What both MemOS systems read out of a session: titled, typed and tagged memories with their vectors.

Content-pure: a session is read alone and without its date, once for all haystacks. The fields are those
of MemOS's `simple_struct` reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from runners.memory import rule_extractor as rules
from runners.memory.chunking import Chunk, packed_turns
from runners.memory.contract import Door, Haystack, SessionText
from runners.memory.extracting import Extracting
from runners.memory.extraction import Extracted, extract, prompt, require_door
from runners.memory.provenance import Source, source
from runners.memory.vectors import Vectors, embedded

PIECE_TOKENS = 2000
LONG_TERM, USER = "LongTermMemory", "UserMemory"

ITEMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memory list": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "key": {"type": "string"},
                    "memory_type": {"type": "string", "enum": [LONG_TERM, USER]},
                    "value": {"type": "string"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["key", "memory_type", "value", "tags"],
                "additionalProperties": False,
            },
        },
        "summary": {"type": "string"},
    },
    "required": ["memory list", "summary"],
    "additionalProperties": False,
}

READ_PROMPT = f"""\
Extract memories from a conversation: whatever the user would plausibly remember of it, their own
experiences, plans, decisions, opinions and possessions, and what the other side said that matters to
them. For each memory give
- key: a short title of its own,
- memory_type: "{USER}" for what the user is, has, likes or plans, "{LONG_TERM}" for everything else,
- value: one complete statement in the third person that can be understood alone, with names, places,
  amounts and times as they were said,
- tags: two to five lower-case keywords.
Then give a summary of at most 100 words. Write in the language of the conversation. Where there is
nothing to remember, the list is empty.

Conversation:
user: I signed up for the June triathlon in Graz, so I swim every morning now.
assistant: Good plan. Cold water needs a 3 mm suit.

{{"memory list": [{{"key": "Triathlon in Graz", "memory_type": "{USER}", "value": "The user signed up for \
the triathlon in Graz in June and swims every morning.", "tags": ["triathlon", "swimming", "graz"]}}, \
{{"key": "Suit for cold water", "memory_type": "{LONG_TERM}", "value": "The assistant said that cold \
water needs a 3 mm suit.", "tags": ["swimming", "equipment"]}}], "summary": "The user prepares for a \
triathlon in Graz and was told which suit to wear in cold water."}}"""


@dataclass(frozen=True, slots=True)
class Item:
    """One memory and the turns (0-based, inclusive) it was read from."""

    key: str
    memory_type: str
    value: str
    tags: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ItemSession:
    """The memories of one session; `rows` has the vector of each value, in order."""

    items: tuple[Item, ...]
    rows: Vectors
    extracted: tuple[Extracted, ...] = ()


class ReadsItems(Extracting[ItemSession]):
    """A system of these memories: whether they lie in a list or in a tree, sessions are read alike."""

    name: ClassVar[str]

    async def read(self, session: SessionText, door: Door | None) -> ItemSession:
        """The session's memories with their vectors."""
        return await read_items(
            session,
            door,
            system=self.name,
            extractor=self._extractor,
            piece_tokens=self._piece_tokens,
            max_tokens=self._max_tokens,
        )


def rules_skip(extractor: str) -> dict[str, list[str]]:
    """Whose statements do not count when memories are read by rule: part of the configuration.

    The prompt asks for what the user would remember; by rule that is what users say.
    """
    return {"rules_skip": list(rules.USER_SIDE)} if extractor == rules.NAME else {}


async def read_items(
    session: SessionText,
    door: Door | None,
    *,
    system: str,
    extractor: str,
    piece_tokens: int,
    max_tokens: int,
) -> ItemSession:
    """The memories of a session: one completion per piece (two where it is repaired), one embedding."""
    asked = require_door(door, system)
    items: list[Item] = []
    extracted: list[Extracted] = []
    if extractor == rules.NAME:
        items = [_item_by_rule(fact) for fact in rules.facts(session.turns, rules.USER_SIDE)]
    else:
        for chunk in packed_turns(session.turns, piece_tokens):
            found = await extract(
                asked,
                prompt(READ_PROMPT, f"Conversation:\n{chunk.text}"),
                ITEMS,
                phase="ingest",
                max_tokens=max_tokens,
            )
            extracted.append(found)
            items += _items_of(found.value, chunk)
    rows = await embedded(asked, [item.value for item in items], phase="ingest")
    return ItemSession(tuple(items), rows, tuple(extracted))


def _item_by_rule(fact: rules.Fact) -> Item:
    about_user = fact.text.startswith("user:") and rules.is_about_the_speaker(fact.text)
    return Item(
        rules.title(fact.text),
        USER if about_user else LONG_TERM,
        fact.text,
        tuple(rules.keywords(fact.text)),
        fact.turn,
        fact.turn,
    )


def _items_of(value: Mapping[str, Any] | None, chunk: Chunk) -> list[Item]:
    if value is None:
        return []
    found: dict[str, Item] = {}
    for one in value["memory list"]:
        text = one["value"].strip()
        if text:
            tags = dict.fromkeys(tag.strip().lower() for tag in one["tags"] if tag.strip())
            found.setdefault(
                text,
                Item(
                    one["key"].strip(), one["memory_type"], text, tuple(tags),
                    chunk.first, chunk.last,
                ),
            )  # fmt: skip
    return list(found.values())


def item_sources(haystack: Haystack, sessions: Sequence[ItemSession]) -> list[Source]:
    """The source of every item of every session, in order."""
    return [
        source(place, position, item.first, item.last)
        for place, (position, session) in enumerate(zip(haystack.positions, sessions, strict=True))
        for item in session.items
    ]
