"""What a language model might reply to each package: its own prompt in, memories of its form out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runners.models.scripted_door import Messages, Reply, Responder


def _text(messages: Messages) -> str:
    return "\n".join(str(message.get("content") or "") for message in messages)


def mem0_2(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    """Every message of the batch is a memory, as it stands."""
    new = _text(messages).rsplit("## New Messages\n", 1)[-1].split("\n\n## Observation Date")[0]
    said = [line.partition(": ")[2] for line in new.splitlines() if ": " in line]
    return {"memory": [{"text": text} for text in said]}


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


REPLIES: dict[str, Responder] = {"pkg:mem0-2": mem0_2, "pkg:graphiti": graphiti}
