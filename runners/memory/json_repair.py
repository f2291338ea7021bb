"""Reading the JSON a model was asked for: strictly first, then by repairs that are named and counted."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runners.agents.parse import extract_json, split_thinking

_CLOSERS = {"{": "}", "[": "]"}
_COMMA_BEFORE_CLOSER = re.compile(r",\s*(?=[}\]])")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool, "null": type(None),
}  # fmt: skip


class Misfit(ValueError):
    """The value is not what the schema asks for; the message says where and why, for the model."""


@dataclass(slots=True)
class Fitted:
    """A value that keeps its schema, and what had to be done to it."""

    value: Any
    repairs: list[str] = field(default_factory=list)
    """Names of what was repaired: `thoughts`, `fenced`, `embedded`, `wrapped`, `mended`, `truncated`, `coerced`."""
    dropped: int = 0
    """List elements and optional fields left out because they did not fit."""


def read_json(text: str, schema: Mapping[str, Any]) -> Fitted:
    """The value of a reply that was asked to keep `schema`; `Misfit` where none can be read.

    What can be repaired: thoughts and fences around the value, words around an object, a bare list
    where an object with one list was asked for, a comma too many, Python's quotes and names, a reply
    that was cut off (complete list elements are kept), numbers written as text and the reverse. Of a
    list, the elements that do not fit are left out and counted. Nothing is made up: a missing required
    field is a misfit.
    """
    value, how = _loose(text, schema.get("type") == "array")
    fitted = Fitted(None)
    if how:
        fitted.repairs.append(how)
    wanted = _only_list(schema)
    if wanted and isinstance(value, list):
        value = {wanted: value}
        fitted.repairs.append("wrapped")
    fitted.value = _fit(value, schema, "the reply", fitted)
    fitted.repairs = list(dict.fromkeys(fitted.repairs))
    return fitted


def _only_list(schema: Mapping[str, Any]) -> str | None:
    """The one list field of an object schema."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    lists = [name for name, inner in properties.items() if inner.get("type") == "array"]
    required = schema.get("required", list(properties))
    return lists[0] if len(lists) == 1 and list(required) == lists else None


def _loose(text: str, array: bool) -> tuple[Any, str]:
    try:
        return json.loads(text), ""
    except (ValueError, RecursionError):
        pass
    rest = split_thinking(text).rest
    start = _start(rest)
    if start is None:
        raise Misfit("the reply holds no JSON")
    if not array and rest[start] == "{":
        value, how = extract_json(text)
        if value is not None:
            return value, "thoughts" if how == "whole" else how
    body = rest[start:]
    try:
        value, _ = json.JSONDecoder().raw_decode(body)
        return value, "embedded"
    except (ValueError, RecursionError):
        pass
    for candidate, name in mendings(body):
        try:
            return json.loads(candidate), name
        except (ValueError, RecursionError):
            continue
    try:
        value = ast.literal_eval(body.strip().rstrip("`").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise Misfit("the reply is not valid JSON") from None
    return value, "mended"


def _start(text: str) -> int | None:
    found = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    return min(found, default=None)


def mendings(text: str) -> list[tuple[str, str]]:
    """Possible readings of broken JSON with the name of the repair, the least bold first."""
    ends: list[tuple[int, str]] = []
    stack: list[str] = []
    in_string = escaped = False
    closed_at: int | None = None
    for at, sign in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                in_string = False
        elif sign == '"':
            in_string = True
        elif sign in _CLOSERS:
            stack.append(_CLOSERS[sign])
        elif sign in "}]":
            if not stack or stack.pop() != sign:
                break
            if not stack:
                closed_at = at + 1
                break
            # After a complete element everything still open can be closed.
            ends.append((at + 1, "".join(reversed(stack))))
        elif sign == "," and stack and stack[-1] == "]":
            ends.append((at, "".join(reversed(stack))))
    if closed_at is not None:
        return [(_COMMA_BEFORE_CLOSER.sub("", text[:closed_at]), "mended")]
    return [
        (_COMMA_BEFORE_CLOSER.sub("", text[:end] + closers), "truncated")
        for end, closers in reversed(ends[-8:])
    ]


def _fit(value: Any, schema: Mapping[str, Any], where: str, found: Fitted) -> Any:
    kind = schema.get("type")
    if isinstance(kind, str) and not _is(value, kind):
        value = _coerced(value, kind, where)
        found.repairs.append("coerced")
    if "enum" in schema and value not in schema["enum"]:
        folded = {str(one).casefold(): one for one in schema["enum"]}
        if str(value).strip().casefold() not in folded:
            raise Misfit(f"{where} must be one of {', '.join(map(str, schema['enum']))}")
        value = folded[str(value).strip().casefold()]
        found.repairs.append("coerced")
    if isinstance(value, dict):
        return _fit_object(value, schema, where, found)
    if isinstance(value, list):
        return _fit_list(value, schema, where, found)
    return value


def _fit_object(
    value: dict[str, Any], schema: Mapping[str, Any], where: str, found: Fitted
) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    for name in required:
        if name not in value:
            raise Misfit(f"{where} lacks the field {name!r}")
    kept: dict[str, Any] = {}
    for name, inner in value.items():
        if name not in properties:
            if schema.get("additionalProperties", True):
                kept[name] = inner
            continue
        try:
            kept[name] = _fit(inner, properties[name], f"{where}, field {name!r},", found)
        except Misfit:
            if name in required:
                raise
            found.dropped += 1
    return kept


def _fit_list(value: list[Any], schema: Mapping[str, Any], where: str, found: Fitted) -> list[Any]:
    inner = schema.get("items")
    if inner is None:
        return value
    kept = []
    last: Misfit | None = None
    for number, element in enumerate(value, 1):
        try:
            kept.append(_fit(element, inner, f"{where} element {number}", found))
        except Misfit as misfit:
            found.dropped += 1
            last = misfit
    if last is not None and not kept:
        # A list in which nothing is usable is not an empty list.
        raise last
    most = schema.get("maxItems")
    if most is not None and len(kept) > most:
        found.dropped += len(kept) - most
        kept = kept[:most]
    return kept


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return kind not in _TYPES or isinstance(value, _TYPES[kind])


def _coerced(value: Any, kind: str, where: str) -> Any:
    """Numbers as text and the reverse, one value where a list of one is meant; else `Misfit`."""
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if kind == "string" and plain:
        return str(value)
    if kind == "array" and isinstance(value, str) and value.strip():
        return [value]
    if kind in ("integer", "number") and plain:
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if kind == "number" and number == number:
            return number
        if number == number and number.is_integer():
            return int(number)
    if kind == "boolean" and str(value).strip().casefold() in ("true", "false", "yes", "no"):
        return str(value).strip().casefold() in ("true", "yes")
    raise Misfit(f"{where} must be of type {kind}, not {type(value).__name__}")
