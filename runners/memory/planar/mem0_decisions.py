"""Mem0's update phase: what new facts do to the memories they resemble."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.memory import rule_extractor as rules
from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt

EVENTS = ("ADD", "UPDATE", "DELETE", "NONE")

DECISIONS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memory": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "text": {"type": "string"},
                    "event": {"type": "string", "enum": list(EVENTS)},
                },
                "required": ["id", "text", "event"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["memory"],
    "additionalProperties": False,
}

DECIDE_PROMPT = """\
You keep a memory of facts up to date. You are given stored memories, each with an id, and new facts.
Decide for every new fact what it does to the memory:
- ADD: it says something that no stored memory says. Give it the id "new".
- UPDATE: a stored memory is about the same thing, and the fact says more or says it otherwise. Give the
  id of that memory, and as text the fact with what is still true of the memory.
- DELETE: the fact contradicts a stored memory, or says that it is over. Give the id and text of that
  memory. If the fact itself is worth keeping, ADD it as well.
- NONE: a stored memory already says the same. Give the id and text of that memory.
Only use ids that are given. Stored memories that no new fact concerns need not be listed.

Stored memories: [{"id": "0", "text": "Mara likes pizza"}, {"id": "1", "text": "Mara has a cat"}]
New facts: ["Mara likes pizza with olives", "Mara has a sister", "Mara's cat died"]

{"memory": [{"id": "0", "text": "Mara likes pizza with olives", "event": "UPDATE"}, {"id": "new", \
"text": "Mara has a sister", "event": "ADD"}, {"id": "1", "text": "Mara has a cat", "event": "DELETE"}, \
{"id": "new", "text": "Mara's cat died", "event": "ADD"}]}"""


@dataclass(frozen=True, slots=True)
class Decision:
    """One event: `memory` is the index of the memory concerned (None for ADD), `fact` of the fact
    that gave rise to it (None where a model's text fits none)."""

    event: str
    memory: int | None
    text: str
    fact: int | None


@dataclass(frozen=True, slots=True)
class Decided:
    """The events of one `add` in order, and how many of a model's had to be refused."""

    decisions: tuple[Decision, ...]
    refused: int = 0
    extracted: Extracted | None = None


def decide_by_rule(
    facts: Sequence[str], similar: Sequence[Sequence[int]], stored: Mapping[int, str]
) -> Decided:
    """Each fact against the memories like it, by `rule_extractor.decide`."""
    decisions = []
    for number, (fact, near) in enumerate(zip(facts, similar, strict=True)):
        event, at = rules.decide(fact, [stored[index] for index in near])
        memory = None if at is None else near[at]
        decisions.append(Decision(event, memory, fact, number))
    return Decided(tuple(decisions))


async def decide_by_model(
    door: Door,
    facts: Sequence[str],
    similar: Sequence[Sequence[int]],
    stored: Mapping[int, str],
    *,
    max_tokens: int,
) -> Decided:
    """One completion (two where it has to be repaired) for all facts of an `add`.

    The model sees small numbers for ids, as in the release, which keeps it from inventing long ones.
    """
    near = list(dict.fromkeys(index for line in similar for index in line))
    shown = [{"id": str(number), "text": stored[index]} for number, index in enumerate(near)]
    found = await extract(
        door,
        prompt(
            DECIDE_PROMPT,
            f"Stored memories: {json.dumps(shown, ensure_ascii=False)}\n"
            f"New facts: {json.dumps(list(facts), ensure_ascii=False)}",
        ),
        DECISIONS,
        phase="ingest",
        max_tokens=max_tokens,
    )
    if not found.usable:
        return Decided((), extracted=found)
    return _read(found, facts, near)


def _read(found: Extracted, facts: Sequence[str], near: Sequence[int]) -> Decided:
    decisions: list[Decision] = []
    refused = 0
    for one in found.value["memory"]:
        event, text = one["event"], one["text"].strip()
        known = one["id"].strip().isdigit() and int(one["id"]) < len(near)
        if event == "NONE":
            continue
        if event == "ADD" and text:
            decisions.append(Decision(event, None, text, origin(text, facts)))
        elif event != "ADD" and known and (text or event == "DELETE"):
            # A deletion names the text of what is deleted: it says nothing about which fact did it.
            fact = origin(text, facts) if event == "UPDATE" else None
            decisions.append(Decision(event, near[int(one["id"])], text, fact))
        else:
            refused += 1
    return Decided(tuple(decisions), refused, found)


def origin(text: str, facts: Sequence[str]) -> int | None:
    """The fact that a model's text comes from: the same one, else the one with most words in common."""
    if text in facts:
        return list(facts).index(text)
    shared = [rules.overlap(text, fact) for fact in facts]
    best = max(range(len(facts)), key=lambda i: (shared[i], -i), default=None)
    return best if best is not None and shared[best] > 0 else None
