"""Who plays the language model while a system is checked: so that the conformance suite needs none."""

from __future__ import annotations

from runners.memory.contract import MemorySystem, Rehearsing
from runners.memory.hierarchical.rule_replies import rule_model
from runners.memory.planar.rule_replies import reply
from runners.models.scripted_door import Responder

OWN: dict[str, Responder] = {
    "memos-text": reply,
    "mem0-v1": reply,
    "mem0-v2": reply,
    "memos-tree": reply,
    "hipporag2": rule_model,
    "licomemory": rule_model,
}
"""By the name of a system of ours: rules that read its prompts and reply as they ask."""


def responder_of(system: MemorySystem) -> Responder | None:
    """What replies to the system's completions; None where nobody does, and every reply is empty."""
    if isinstance(system, Rehearsing):
        return system.rehearse
    return OWN.get(system.info.name)
