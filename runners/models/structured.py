"""A reply to a request with a JSON schema: the raw text, and the value where there is a usable one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.model import Usage
from runners.agents.parse import extract_json
from runners.memory.contract import Completion

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def read_structured(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON value of a reply, or None.

    Think blocks, a fence around everything and words before an object are looked past; the outermost
    type and the required fields must be the schema's. What lies deeper is the reader's to check.
    """
    value, _ = extract_json(text)
    wanted = _TYPES.get(str(schema.get("type", "")))
    if value is None or (wanted is not None and not isinstance(value, wanted)):
        return None
    if isinstance(value, dict) and not all(key in value for key in schema.get("required", ())):
        return None
    return value


def completion(
    text: str | None,
    schema: Mapping[str, Any] | None,
    usage: Usage | None = None,
    finish: str | None = "stop",
    alternatives: tuple[tuple[str, float], ...] = (),
) -> Completion:
    """A reply as a memory system gets it."""
    raw = text or ""
    parsed = read_structured(raw, schema) if schema is not None else None
    return Completion(raw, parsed, usage or Usage(), finish, alternatives)


def json_schema_format(schema: Mapping[str, Any], name: str = "reply") -> dict[str, Any]:
    """A schema as the `response_format` of an OpenAI-compatible server."""
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": True, "schema": dict(schema)},
    }
