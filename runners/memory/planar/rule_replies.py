"""A language model by rule: reads the prompts of the planar systems and replies as they ask."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memtui.model import Turn
from runners.memory import rule_extractor as rules

_LINE = re.compile(r"^(user|assistant|system): ", re.M)


def turns_of(text: str) -> list[Turn]:
    """The turns of a conversation as it stands in a prompt."""
    said = text.partition("Conversation:\n")[2]
    marks = [*_LINE.finditer(said)]
    if not marks or marks[0].start():
        # A part of a long turn: nothing says whose.
        return [Turn("user", said)]
    ends = [*(m.start() for m in marks[1:]), len(said)]
    return [Turn(m[1], said[m.end() : end].strip()) for m, end in zip(marks, ends, strict=True)]


def statements(text: str) -> list[str]:
    """What a model would have written down, without the speaker."""
    return [one.text.partition(": ")[2] for one in rules.facts(turns_of(text))]


def reply(messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None) -> Any:
    """A value that keeps the schema, from the last message."""
    asked = str(messages[-1]["content"])
    fields = set((schema or {})["properties"])
    if fields == {"facts"}:
        return {"facts": statements(asked)}
    if fields == {"memory list", "summary"}:
        items = [
            {
                "key": rules.title(text),
                "memory_type": "UserMemory"
                if rules.is_about_the_speaker(text)
                else "LongTermMemory",
                "value": text,
                "tags": rules.keywords(text),
            }
            for text in statements(asked)
        ]
        return {"memory list": items, "summary": ""}
    if fields == {"memory"} and asked.startswith("Conversation:"):
        return {"memory": [{"text": t, "attributed_to": "user"} for t in statements(asked)]}
    if fields == {"memory"}:
        return {"memory": decisions(asked)}
    if "rephrased_instruction" in fields:
        question = asked.partition("Question: ")[2].partition("\nMemories: ")[0]
        found = rules.keywords(question)
        return {
            "keys": found, "tags": found, "goal_type": "retrieval",
            "rephrased_instruction": question, "memories": [f"The user said: {question}"],
        }  # fmt: skip
    if fields == {"clusters"}:
        ids = [int(line.partition(":")[0]) for line in asked.splitlines()]
        return {"clusters": [{"ids": ids[i : i + 3], "theme": ""} for i in range(0, len(ids), 3)]}
    if "background" in fields:
        values = [line.partition(" | ")[2] for line in asked.splitlines()]
        key, value, tags = rules.summary(values)
        return {"key": key, "value": value, "tags": tags, "background": ""}
    raise AssertionError(f"a prompt nobody expected: {asked[:200]!r}")


def decisions(asked: str) -> list[dict[str, str]]:
    """Update decisions for all new facts of a prompt."""
    stored_line, new_line = asked.splitlines()
    stored = json.loads(stored_line.partition(": ")[2])
    found = []
    for fact in json.loads(new_line.partition(": ")[2]):
        event, at = rules.decide(fact, [one["text"] for one in stored])
        number = "new" if at is None else stored[at]["id"]
        found.append({"id": number, "text": fact, "event": event})
    return found
