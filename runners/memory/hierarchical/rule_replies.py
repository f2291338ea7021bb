"""A language model that follows rules: it answers the graph systems' prompts in their own schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from runners.memory.hierarchical import dialogue_extraction, passages, recognition, session_summary
from runners.memory.hierarchical.rule_triples import sentence_triples, typed_entities
from runners.memory.rule_extractor import keywords
from runners.models.scripted_door import Messages


def rule_model(messages: Messages, schema: Mapping[str, Any] | None) -> Any:
    """The reply to the last message, as its schema wants it."""
    said = str(messages[-1]["content"])
    if schema is passages.ENTITIES:
        return {"named_entities": keywords(said, 8)}
    if schema is passages.TRIPLES:
        passage = said.removeprefix("Passage:\n").partition("\n\nNamed entities:")[0]
        return {"triples": sentence_triples(passage)}
    if schema is recognition.FACTS:
        return {"fact": json.loads(said.partition("\nFacts: ")[2])["fact"][:2]}
    if schema is dialogue_extraction.GRAPH:
        return {
            "entities": [{"name": n, "type": kind} for n, kind in typed_entities(said)],
            "relations": [
                {"source": s, "name": p, "target": o, "strength": 5}
                for s, p, o in sentence_triples(said)
            ],
        }
    if schema is dialogue_extraction.ENTITIES:
        question = said.partition("\nQuestion: ")[2]
        return {"entities": [{"name": n, "type": kind} for n, kind in typed_entities(question)]}
    if schema is session_summary.SUMMARY:
        told = said.partition("Next part:\n")[2] or said
        return {"keys": keywords(told), "themes": [{"title": "Talk", "summary": told[:400]}]}
    raise AssertionError(f"nobody asks for {schema}")
