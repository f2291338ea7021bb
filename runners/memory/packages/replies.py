"""What a language model might reply to each package: its own prompt in, memories of its form out."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from runners.models.scripted_door import Messages, Reply, Responder


def _text(messages: Messages) -> str:
    return "\n".join(str(message.get("content") or "") for message in messages)


def mem0_2(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    """Every message of the batch is a memory, as it stands."""
    new = _text(messages).rsplit("## New Messages\n", 1)[-1].split("\n\n## Observation Date")[0]
    return {"memory": [{"text": text} for text in _said(new)]}


def graphiti(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    """The speaker and each message are entities, and what was said is the fact between them."""
    fields = set((schema or {}).get("properties", {}))
    text = _text(messages)
    if fields == {"extracted_entities"}:
        said = _said(_tagged(text, "CURRENT MESSAGE") or _tagged(text, "CURRENT_MESSAGE"))
        names = ["speaker", *(_name(one) for one in said)]
        return {"extracted_entities": [{"name": n, "entity_type_id": 0} for n in names]}
    if fields == {"edges"}:
        said = _said(_tagged(text, "CURRENT MESSAGE") or _tagged(text, "CURRENT_MESSAGE"))
        return {"edges": [_edge(one) for one in said]}
    if fields == {"entity_resolutions"}:
        ids = range(text.count('"entity_type"') + text.count("'entity_type'"))
        return {
            "entity_resolutions": [{"id": i, "name": "", "duplicate_candidate_id": -1} for i in ids]
        }
    if fields == {"duplicate_facts", "contradicted_facts"}:
        return {"duplicate_facts": [], "contradicted_facts": []}
    if fields == {"timestamps"}:
        return {"timestamps": []}
    if fields == {"summaries"}:
        return {"summaries": []}
    return {"summary": "", "valid_at": None, "invalid_at": None}


def _tagged(text: str, tag: str) -> str:
    return text.rsplit(f"<{tag}>", 1)[-1].split(f"</{tag}>")[0] if f"<{tag}>" in text else ""


def _said(episode: str) -> list[str]:
    lines = (line.partition(": ")[2].strip() for line in episode.splitlines())
    return [line for line in lines if line]


def _name(said: str) -> str:
    return f"what was said: {said}"[:120]


def _edge(said: str) -> dict[str, Any]:
    return {
        "source_entity_name": "speaker",
        "target_entity_name": _name(said),
        "relation_type": "SAID",
        "fact": said,
    }


def mem0_1(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    """Every message is a fact, and every fact that is not known yet is added."""
    text = _text(messages)
    if "The new retrieved facts are mentioned" not in text:
        conversation = text.rsplit("Input:\n", 1)[-1]
        return {"facts": _said(conversation)}
    blocks = text.split("```")
    facts = ast.literal_eval(blocks[-2].strip())
    known = blocks[-4] if "Below is the current content" in text else ""
    new = [fact for fact in facts if repr(fact) not in known]
    return {"memory": [{"id": str(i), "text": t, "event": "ADD"} for i, t in enumerate(new, 100)]}


def memos_text(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    """Every message is an item, as it stands."""
    conversation = _text(messages).rsplit("Conversation:\n", 1)[-1].split("\n\nYour Output")[0]
    said = [_DATE.sub("", line.partition(":")[2]).strip() for line in conversation.splitlines()]
    return {
        "memory list": [
            {"key": text[:20], "memory_type": "UserMemory", "value": text, "tags": []}
            for text in said
            if text
        ],
        "summary": "",
    }


_DATE = re.compile(r"^\s*\[[^\]]*\]: ")

REPLIES: dict[str, Responder] = {
    "pkg:mem0-2": mem0_2,
    "pkg:mem0-1": mem0_1,
    "pkg:memos-text": memos_text,
    "pkg:graphiti": graphiti,
}
