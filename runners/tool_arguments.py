"""Check the arguments of a memory call against the tool's JSON schema before the system sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runners.memory.contract import ToolSpec

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


def argument_problem(tool: ToolSpec, args: Mapping[str, Any]) -> str:
    """What is wrong with `args`, in words the agent can act on; empty when they are usable.

    Checks required fields, the type of every declared field and `enum`: what a system may rely on.
    Undeclared fields pass, as JSON schema has it.
    """
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    for name in tool.parameters.get("required", ()):
        if name not in args:
            return f"missing argument {name!r}"
    for name, value in args.items():
        schema = properties.get(name)
        if not schema:
            continue
        wanted = schema.get("type")
        if isinstance(wanted, str) and not _is(value, wanted):
            return f"argument {name!r} must be of type {wanted}, not {type(value).__name__}"
        if "enum" in schema and value not in schema["enum"]:
            return f"argument {name!r} must be one of {schema['enum']}"
    return ""


def _is(value: object, wanted: str) -> bool:
    types = _TYPES.get(wanted)
    if types is None:
        return True
    if isinstance(value, bool) and wanted != "boolean":
        # bool is an int to Python, not to JSON.
        return False
    return isinstance(value, types)


def query_of(args: Mapping[str, Any] | None, raw: str) -> str:
    """The query of a call as a reader would name it: `query`, else its first text argument."""
    if not args:
        return raw
    query = args.get("query")
    if isinstance(query, str):
        return query
    return next((value for value in args.values() if isinstance(value, str)), raw)
