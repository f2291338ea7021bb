"""What a model wrote, parsed beside the raw text: a failed parse is a status, never an exception."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_THINK_OPEN = re.compile(r"\A\s*<(think|thinking|reasoning)>", re.I)
_THINK_TAG = re.compile(r"<(think|thinking|reasoning)>", re.I)
_FENCED = re.compile(r"\A```[\w-]*[ \t]*\n?(.*?)\n?```\Z", re.S)
_ANSWER_LINE = re.compile(
    r"^[ \t]*(?:\*\*|__)?(?:final answer|answer)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*",
    re.I | re.M,
)
_CANDIDATES = 50
"""Opening braces looked at before a text is given up as holding no JSON."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A reply cut into its leading think block and the rest."""

    thinking: str
    rest: str
    closed: bool
    """False when a think block was opened and never closed: the reply was cut off."""


def split_thinking(text: str) -> Thought:
    """Cut off leading `<think>` blocks. An unclosed one takes everything: there is no answer."""
    thoughts: list[str] = []
    rest = text
    while m := _THINK_OPEN.match(rest):
        end = re.search(rf"</{m.group(1)}>", rest[m.end() :], re.I)
        if end is None:
            return Thought("\n".join([*thoughts, rest[m.end() :]]).strip(), "", False)
        thoughts.append(rest[m.end() : m.end() + end.start()])
        rest = rest[m.end() + end.end() :]
    closing = re.match(r"\A(.*?)</think>", rest, re.S | re.I)
    if closing and not _THINK_TAG.search(closing[1]) and not _inside_string(closing[1]):
        # Some templates open the block in the prompt: only its end is in the reply.
        thoughts.append(closing[1])
        rest = rest[closing.end() :]
    return Thought("\n".join(t.strip() for t in thoughts if t.strip()), rest.strip(), True)


def _inside_string(before: str) -> bool:
    """Would a tag after `before` stand inside a JSON string?"""
    return before.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 1


def extract_json(text: str) -> tuple[Any, str]:
    """The JSON value of a reply, and how it was found; (None, `none` or `truncated`) without one.

    Tried in this order: the whole text (`whole`); without its think block; inside a fence that wraps
    everything (`fenced`); the first object that can be read from a brace on (`embedded`). A fence
    inside a string value is therefore never taken for a wrapper.
    """
    found = _loads(text)
    if found is not None:
        return found[0], "whole"
    thought = split_thinking(text)
    if not thought.closed:
        return None, "truncated"
    rest = thought.rest
    if not rest:
        return None, "none"
    found = _loads(rest)
    if found is not None:
        return found[0], "whole"
    fenced = _FENCED.match(rest)
    if fenced and (found := _loads(fenced.group(1))) is not None:
        return found[0], "fenced"
    return _embedded(rest)


def _loads(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text.strip()),)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str) -> tuple[Any, str]:
    decoder = json.JSONDecoder()
    open_brace = False
    for m in list(re.finditer(r"\{", text))[:_CANDIDATES]:
        try:
            value, _ = decoder.raw_decode(text, m.start())
        except RecursionError:
            continue
        except json.JSONDecodeError as error:
            # An object that runs to the end of the text was cut off, not malformed.
            open_brace = (
                open_brace or error.pos >= len(text.rstrip()) - 1 or "Unterminated" in error.msg
            )
            continue
        if isinstance(value, dict):
            return value, "embedded"
    return None, "truncated" if open_brace else "none"


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a tool call: what came, and what it could be read as."""

    raw: str
    value: dict[str, Any] | None
    problem: str = ""
    """Why `value` is None, in words the model can act on."""


def parse_arguments(raw: Any, *, required: bool) -> Arguments:
    """Read the arguments of a tool call.

    Nothing at all (`""`, None) means `{}` for a tool without required fields only; a list, a number or
    broken JSON is never turned into an empty query. `required`: the tool has required fields.
    """
    if isinstance(raw, dict):
        return Arguments(json.dumps(raw, ensure_ascii=False, default=str), raw)
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        text = "" if raw is None else raw
        if required:
            return Arguments(text, None, "the arguments are missing")
        return Arguments(text, {})
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
        return Arguments(text, None, f"the arguments are not valid JSON ({detail})")
    if isinstance(value, str):  # JSON inside a JSON string, as some servers send it
        inner = _loads(value)
        value = inner[0] if inner is not None else value
    if not isinstance(value, dict):
        return Arguments(text, None, "the arguments must be a JSON object")
    return Arguments(text, value)


def extract_answer(text: str) -> str:
    """The answer within a reply: what follows the last `Answer:` line, else the reply without thoughts.

    The raw reply is kept beside it by the caller.
    """
    rest = split_thinking(text).rest
    fenced = _FENCED.match(rest)
    if fenced and fenced.group(1).strip():
        rest = fenced.group(1).strip()
    marks = list(_ANSWER_LINE.finditer(rest))
    if marks:
        after = rest[marks[-1].end() :].strip()
        if after:
            return after.strip("*_ ").strip()
    return rest.strip()
