"""What both Mem0 systems read out of a session: facts, by a model or by rule, with their vectors.

Content-pure: neither the date nor what is already stored is shown to the extractor, so a session is
read once for all haystacks. A session longer than `piece_tokens` is read in pieces, each of which is
one `add` of Mem0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runners.memory import rule_extractor as rules
from runners.memory.chunking import Chunk, packed_turns
from runners.memory.contract import Door, SessionText
from runners.memory.extraction import Extracted, extract, prompt, require_door
from runners.memory.vectors import Vectors, embedded

PIECE_TOKENS = 2000

FACTS: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
ATTRIBUTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memory": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "attributed_to": {"type": "string"},
                },
                "required": ["text", "attributed_to"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["memory"],
    "additionalProperties": False,
}

FACTS_PROMPT = """\
You keep the personal memory of a user. Read the conversation and write down every fact that the user's
own messages tell: preferences, personal details, relationships, plans, events with their places and
dates, health, work, purchases, amounts. Take nothing from the assistant's messages. Where people with
names talk to each other, each of them is a user. Each fact is one short sentence that can be understood
alone: put names in the place of pronouns. Use the language of the conversation. Leave out greetings and
general knowledge. Where there is nothing, the list is empty.

Conversation:
user: Hi, I am Mara. Yesterday I met John at the Blue Door at 3 pm; he will repair my bike.
assistant: Nice to meet you, Mara!

{"facts": ["The user's name is Mara", "Mara met John at the Blue Door at 3 pm", "John will repair \
Mara's bike"]}"""

ATTRIBUTED_PROMPT = """\
You add to the long-term memory of an assistant. Read the conversation and write every new memory that
could help to answer a later question, from what any speaker said: facts, preferences, plans, events,
advice given, numbers and names. A memory is one self-contained sentence of at most 30 words; keep
names, amounts and dates as they were said. Nothing is ever changed or removed later, so say what was
true in this conversation. `attributed_to` is the speaker it comes from. Use the conversation's language.

Conversation:
user: I switched to the early shift at the bakery.
assistant: Then the 5:10 bus would suit you.

{"memory": [{"text": "The user switched to the early shift at the bakery", "attributed_to": "user"}, \
{"text": "The assistant suggested the 5:10 bus for the early shift", "attributed_to": "assistant"}]}"""


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement and the turns (0-based, inclusive) it was read from."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ReadSession:
    """What was read out of one session, piece by piece.

    `rows` has one vector per fact, in order; `extracted` is what became of the requests to a model.
    """

    pieces: tuple[tuple[Fact, ...], ...]
    rows: Vectors
    extracted: tuple[Extracted, ...] = ()

    @property
    def facts(self) -> list[Fact]:
        """All facts, in order."""
        return [fact for piece in self.pieces for fact in piece]


async def read_session(
    session: SessionText,
    door: Door | None,
    *,
    system: str,
    extractor: str,
    attributed: bool,
    piece_tokens: int,
    max_tokens: int,
) -> ReadSession:
    """The facts of a session: one completion per piece (two where it has to be repaired), one embedding.

    `attributed` asks for the later release's form. By rule there are no completions, and facts know
    their turn; a model's facts come from the turns of their piece.
    """
    asked = require_door(door, system)
    pieces: list[tuple[Fact, ...]] = []
    extracted: list[Extracted] = []
    if extractor == rules.NAME:
        # The first release's prompt keeps what users say of themselves, the later one what anybody says.
        skip = ("system",) if attributed else rules.USER_SIDE
        said = [Fact(one.text, one.turn, one.turn) for one in rules.facts(session.turns, skip)]
        pieces.append(tuple(said))
    else:
        for chunk in packed_turns(session.turns, piece_tokens):
            found = await _ask(asked, chunk, attributed, max_tokens)
            extracted.append(found)
            pieces.append(_facts_of(found.value, chunk, attributed))
    texts = [fact.text for piece in pieces for fact in piece]
    rows = await embedded(asked, texts, phase="ingest")
    return ReadSession(tuple(p for p in pieces if p), rows, tuple(extracted))


async def _ask(door: Door, chunk: Chunk, attributed: bool, max_tokens: int) -> Extracted:
    instructions, schema = (ATTRIBUTED_PROMPT, ATTRIBUTED) if attributed else (FACTS_PROMPT, FACTS)
    return await extract(
        door,
        prompt(instructions, f"Conversation:\n{chunk.text}"),
        schema,
        phase="ingest",
        max_tokens=max_tokens,
    )


def _facts_of(value: Mapping[str, Any] | None, chunk: Chunk, attributed: bool) -> tuple[Fact, ...]:
    if value is None:
        return ()
    texts = [one["text"] for one in value["memory"]] if attributed else value["facts"]
    kept = dict.fromkeys(text.strip() for text in texts if text.strip())
    return tuple(Fact(text, chunk.first, chunk.last) for text in kept)
