"""Texts a model agent is given. They are configuration: each can be replaced, all are hashed and stored."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from runners.agents.contract import Brief
from runners.memory.contract import ToolSpec

DEFAULTS: dict[str, str] = {
    "tools": (
        "You answer a question about a user's past conversations. You do not know them; you can look"
        " things up in a memory of them with the tools below, as often as you need to, with different"
        " words when a search does not help. Each call returns at most {k} passages.\n"
        "{now}{budget}"
        "When you know the answer, reply with the answer alone: as short as possible, no explanation,"
        " no tool call. If the conversations do not tell, reply that there is not enough information.\n"
        "\nTools:\n{tools}"
    ),
    "json": (
        "You answer a question about a user's past conversations. You do not know them; you can look"
        " things up in a memory of them. Each call returns at most {k} passages.\n"
        "{now}{budget}"
        "Reply with one JSON object and nothing else. To look something up: {example}. To answer:"
        ' {{"action": "answer", "answer": "<the answer alone, as short as possible>"}}. If the'
        " conversations do not tell, answer that there is not enough information.\n"
        "\nActions:\n{tools}\n- answer: give the final answer"
    ),
    "context": (
        "You answer a question about a user's past conversations, which are given below.\n"
        "{now}"
        "Reply with the answer alone: as short as possible, no explanation. If the conversations do not"
        " tell, reply that there is not enough information."
    ),
    "now": "The question is asked on {now}.\n",
    "budget": "You may make at most {budget} calls in total; any further call is refused.\n",
    "question": "Question: {question}",
    "observation": "{tool}: {text}",
    "with_context": "{context}\n\nQuestion: {question}",
    "must_answer": (
        "No further calls are possible. Answer the question now with what you have, in as few words as"
        " possible. If it does not tell, say that there is not enough information."
    ),
    "repair": "That was not one JSON object of the form asked for. Reply again with the JSON object only.",
}
"""Every text by name; `{…}` marks what is filled in, `{{` and `}}` stand for braces."""

_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill a template in one pass: braces inside the values stay, unknown places stay as they are."""

    def put(m: re.Match[str]) -> str:
        if m.group() in ("{{", "}}"):
            return m.group()[0]
        return values.get(m.group(1), m.group())

    return _PLACE.sub(put, template)


def system_text(texts: Mapping[str, str], name: str, brief: Brief) -> str:
    """The system prompt of an episode: `name` is `tools`, `json` or `context`."""
    now = fill(texts["now"], {"now": brief.now}) if brief.now else ""
    budget = "" if brief.budget is None else fill(texts["budget"], {"budget": str(brief.budget)})
    values = {
        "k": str(brief.k),
        "now": now,
        "budget": budget,
        "tools": "\n".join(_described(tool) for tool in brief.tools),
        "example": _example(brief.tools),
    }
    return fill(texts[name], values)


def _described(tool: ToolSpec) -> str:
    names = ", ".join(tool.parameters.get("properties", {}))
    return f"- {tool.name}({names}): {tool.description}"


def _example(tools: tuple[ToolSpec, ...]) -> str:
    if not tools:
        return "{}"
    tool = tools[0]
    required = tool.parameters.get("required") or list(tool.parameters.get("properties", {}))[:1]
    return json.dumps({"action": tool.name, **{name: f"<{name}>" for name in required}})


def prompt_hash(texts: Mapping[str, str]) -> str:
    """12 hex digits that change with any text."""
    body = json.dumps(dict(sorted(texts.items())), ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def openai_tools(tools: tuple[ToolSpec, ...]) -> tuple[dict[str, Any], ...]:
    """Tool definitions in the OpenAI form."""
    return tuple(
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
        }
        for t in tools
    )


LONGEST_FIELD = 200
"""Characters of a text field in separate actions: a small model that rambles is stopped by the grammar."""


def action_schema(
    tools: tuple[ToolSpec, ...],
    *,
    answer_only: bool,
    separate: bool = False,
    may_answer: bool = True,
) -> dict[str, Any]:
    """The `response_format` of JSON mode.

    One flat object, so that small grammars can enforce it: every field is required (OpenAI's strict
    mode wants it), those an action does not use are empty or null. With `separate` one object per
    action instead, for servers that take alternatives: a small model fills every field it is shown.
    There, `may_answer` False leaves out the answer.
    """
    shown = () if answer_only else tools
    schema = _separate(shown, may_answer=may_answer) if separate else _flat(shown)
    return {
        "type": "json_schema",
        "json_schema": {"name": "action", "strict": True, "schema": schema},
    }


def _flat(tools: tuple[ToolSpec, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    properties["action"] = {"type": "string", "enum": [*(t.name for t in tools), "answer"]}
    for tool in tools:
        for name, schema in tool.parameters.get("properties", {}).items():
            properties.setdefault(name, _nullable(schema))
    properties["answer"] = {"type": "string"}
    return _object(properties)


def _separate(tools: tuple[ToolSpec, ...], *, may_answer: bool) -> dict[str, Any]:
    answer = _object({"action": {"const": "answer"}, "answer": _text({"type": "string"})})
    choices = [answer] if may_answer or not tools else []
    for tool in tools:
        fields = tool.parameters.get("properties", {})
        required = tool.parameters.get("required", list(fields)[:1])
        needed = {name: _text(schema) for name, schema in fields.items() if name in required}
        choices.append(_object({"action": {"const": tool.name}, **needed}))
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _text(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in schema.items() if k in ("type", "items", "enum")}
    if kept.get("type", "string") == "string" and "enum" not in kept:
        return {"type": "string", "maxLength": LONGEST_FIELD}
    return kept


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema.get("type", "string")
    if kind == "string" and "enum" not in schema:
        return {"type": "string"}
    kept = {k: v for k, v in schema.items() if k in ("items", "enum")}
    if "enum" in kept:
        kept["enum"] = [*kept["enum"], None]
    return {"type": [kind, "null"], **kept}
