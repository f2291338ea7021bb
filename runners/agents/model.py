"""The model agent: a tool-calling or constrained-JSON loop over the metered door.

One `act` is one decision of the model. Everything it wrote is kept raw; what it meant is read beside it,
and whatever cannot be read is a named problem of that step, never an exception or an empty query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memtui.errors import UserError
from memtui.model import EndReason, Usage
from runners.agents.contract import Action, Brief, Call, Observation
from runners.agents.model_options import ModelOptions
from runners.agents.parse import extract_answer, extract_json, parse_arguments, split_thinking
from runners.agents.prompts import action_schema, fill, openai_tools, system_text
from runners.judges.abstention import abstains
from runners.models.chat import Message, ModelReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ModelError
from runners.usage import UsageTotal

_UNANSWERED = "Not executed."


class ModelAgent:
    """An agent whose decisions a language model makes. Options: see `ModelOptions`."""

    def __init__(
        self, options: Mapping[str, Any], door: ModelDoor | Callable[[], ModelDoor] | None = None
    ) -> None:
        self.options = ModelOptions.read(options)
        if door is None:
            door = ModelDoor()
        self.door = door if isinstance(door, ModelDoor) else door()

    @property
    def name(self) -> str:
        """The name in arm keys when no label is given."""
        return "model"

    @property
    def config(self) -> dict[str, Any]:
        """Every option in effect, the texts and their hash included."""
        return self.options.config()

    @property
    def note(self) -> str:
        """Names the model: results say something about it as much as about the memory."""
        return f"model agent: {self.options.model}"

    def start(self, brief: Brief) -> ModelSession:
        """Begin an episode."""
        if brief.context is None and not brief.tools:
            raise UserError(
                "the model agent needs tools to call or a context to read; it was given neither"
            )
        return ModelSession(self.options, self.door, brief)


class ModelSession:
    """One episode: the conversation so far, and how many decisions it took."""

    def __init__(self, options: ModelOptions, door: ModelDoor, brief: Brief) -> None:
        self._options = options
        self._door = door
        self._brief = brief
        self._json = options.mode == "json" and brief.context is None
        self._messages: list[Message] = []
        self._pending: list[ToolRequest] = []
        """Tool calls of the last reply that still need their results."""
        self._steps = 0

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        """Ask the model for its next decision, or for its answer."""
        added = self._take_in(observations, must_answer=must_answer)
        if self._steps >= self._options.max_steps and not must_answer:
            return Action(end=EndReason.STEP_CAP, messages=tuple(added))
        self._steps += 1
        totals = UsageTotal()
        reply = await self._ask(added, totals, must_answer=must_answer)
        if isinstance(reply, Action):
            return reply
        action = self._read(reply, must_answer=must_answer)
        repairs = 0
        while action is None and repairs < self._options.repairs:
            repairs += 1
            self._add(added, {"role": "user", "content": self._options.texts["repair"]})
            again = await self._ask(added, totals, must_answer=must_answer)
            if isinstance(again, Action):
                return again
            reply = again
            action = self._read(reply, must_answer=must_answer)
        if action is None:
            action = self._unreadable(reply)
        usage = totals.total()
        data = {**_settings_data(reply), **action.data}
        if repairs:
            data["repairs"] = repairs
        return replace(
            action, usage=usage, attempts=usage.attempts, messages=tuple(added), data=data
        )

    async def _ask(
        self, added: list[Message], totals: UsageTotal, *, must_answer: bool
    ) -> ModelReply | Action:
        """One model call; an Action when it failed in a way that ends the episode here."""
        try:
            reply = await self._door.complete(self._request(must_answer=must_answer))
        except ModelError as error:
            totals.add(Usage(calls=1, attempts=error.attempts))
            usage = totals.total()
            return Action(
                end=error.end_reason,
                usage=usage,
                attempts=usage.attempts,
                messages=tuple(added),
                raw=str(error),
                data={"model_error": error.kind.value, "status": error.status},
            )
        totals.add(reply.usage)
        reply = replace(reply, tool_calls=_with_ids(reply.tool_calls, self._steps))
        self._add(added, _as_message(reply))
        return reply

    def _request(self, *, must_answer: bool) -> ModelRequest:
        o, brief = self._options, self._brief
        tools = () if self._json or brief.context is not None else openai_tools(brief.tools)
        schema = None
        if self._json and o.constrain:
            schema = action_schema(
                brief.tools,
                answer_only=must_answer,
                separate=o.separate,
                may_answer=not o.search_first or self._steps > 1,
            )
        return ModelRequest(
            o.model,
            tuple(self._messages),
            tools=tools,
            # The tools stay listed: some providers refuse a conversation with calls but no tools.
            tool_choice="none" if tools and must_answer else None,
            response_format=schema,
            temperature=o.temperature,
            top_p=o.top_p,
            seed=None if o.seed is None else o.seed + brief.repeat,
            max_tokens=o.max_tokens,
            timeout=o.timeout,
            extra=o.extra,
            phase="answer",
            repeat=brief.repeat,
        )

    # What the model is told

    def _take_in(self, observations: Sequence[Observation], *, must_answer: bool) -> list[Message]:
        """Append what is new to the conversation; returns just that."""
        added: list[Message] = []
        if not self._messages:
            self._open(added)
        if self._json:
            for o in observations:
                self._add(added, {"role": "user", "content": self._observed(o)})
        else:
            self._results(added, observations)
        if must_answer:
            self._add(added, {"role": "user", "content": self._options.texts["must_answer"]})
        return added

    def _open(self, added: list[Message]) -> None:
        texts, brief = self._options.texts, self._brief
        name = "context" if brief.context is not None else "json" if self._json else "tools"
        self._add(added, {"role": "system", "content": system_text(texts, name, brief)})
        values = {"question": brief.question}
        if brief.context is not None:
            values["context"] = brief.context.text
        text = texts["question" if brief.context is None else "with_context"]
        self._add(added, {"role": "user", "content": fill(text, values)})

    def _results(self, added: list[Message], observations: Sequence[Observation]) -> None:
        """One tool message per call of the last reply, in its order; providers insist on all of them."""
        by_id = {o.call_id: o for o in observations}
        for call in self._pending:
            found = by_id.get(call.id)
            content = found.text if found is not None else _UNANSWERED
            self._add(added, {"role": "tool", "tool_call_id": call.id, "content": content})
        if not self._pending:
            for o in observations:
                self._add(added, {"role": "user", "content": self._observed(o)})
        self._pending = []

    def _observed(self, o: Observation) -> str:
        values = {"tool": o.tool, "text": o.text, "question": self._brief.question}
        return fill(self._options.texts["observation"], values)

    def _add(self, added: list[Message], message: Message) -> None:
        self._messages.append(message)
        added.append(message)

    # What the model said

    def _read(self, reply: ModelReply, *, must_answer: bool) -> Action | None:
        """The decision in a reply; None when it should be asked again for a readable one."""
        text = reply.text or ""
        thought = split_thinking(text)
        reasoning = "\n".join(t for t in (reply.reasoning, thought.thinking) if t)
        raw = _raw(reply)
        if reply.tool_calls and not must_answer:
            self._pending = list(reply.tool_calls)
            data: dict[str, Any] = {"said": thought.rest} if thought.rest else {}
            calls = tuple(self._call(c) for c in reply.tool_calls)
            return Action(calls=calls, reasoning=reasoning, raw=raw, data=data)
        if not thought.closed or not thought.rest:
            end = _why_empty(reply, cut=not thought.closed)
            return Action(end=end, reasoning=reasoning, raw=raw, answer_raw=text or None)
        if self._json:
            action = self._read_json(reply, thought.rest, must_answer=must_answer)
        else:
            action = self._read_text(thought.rest, must_answer=must_answer)
        return None if action is None else replace(action, reasoning=reasoning, raw=raw)

    def _call(self, call: ToolRequest) -> Call:
        spec = next((t for t in self._brief.tools if t.name == call.name), None)
        if spec is None:
            parsed = parse_arguments(call.arguments, required=False)
            return Call(call.name, parsed.value, parsed.raw, "unknown_tool", call.id)
        parsed = parse_arguments(call.arguments, required=bool(spec.parameters.get("required")))
        return Call(call.name, parsed.value, parsed.raw, parsed.problem, call.id)

    def _read_text(self, text: str, *, must_answer: bool) -> Action:
        """Prose is the answer, unless it is a tool call that a small model wrote out as JSON."""
        if not must_answer and self._brief.context is None:
            value, how = extract_json(text)
            if isinstance(value, dict) and how in ("whole", "fenced"):
                name = value.get("name") or value.get("tool")
                args = value.get("arguments", value.get("parameters"))
                if isinstance(name, str) and any(t.name == name for t in self._brief.tools):
                    call = self._call(ToolRequest(name, args))
                    return Action(calls=(call,), data={"call_written_as_text": True})
        return self._answer(text, extract_answer(text))

    def _read_json(self, reply: ModelReply, text: str, *, must_answer: bool) -> Action | None:
        value, how = extract_json(text)
        if not isinstance(value, dict):
            if how == "truncated" or reply.finish == "length":
                return Action(end=EndReason.TRUNCATED, answer_raw=text)
            return None
        data: dict[str, Any] = {} if how == "whole" else {"json_found": how}
        action = value.get("action")
        answer = value.get("answer")
        if must_answer or action == "answer" or (action is None and isinstance(answer, str)):
            if isinstance(answer, (int, float)) and not isinstance(answer, bool):
                answer = json.dumps(answer)
            if not isinstance(answer, str) or not answer.strip():
                return Action(end=EndReason.EMPTY, answer_raw=text, data=data)
            return replace(self._answer(text, answer.strip()), data=data)
        return Action(calls=(self._json_call(value, text),), data=data)

    def _json_call(self, value: dict[str, Any], raw: str) -> Call:
        name = value.get("action")
        if not isinstance(name, str):
            only = self._brief.tools[0].name if len(self._brief.tools) == 1 else ""
            name = only if name is None else str(name)
        spec = next((t for t in self._brief.tools if t.name == name), None)
        nested = value.get("args", value.get("arguments"))
        given = nested if isinstance(nested, dict) else value
        if spec is None:
            return Call(name, None, raw, "unknown_tool")
        known = spec.parameters.get("properties", {})
        required = spec.parameters.get("required", ())
        args = {
            k: v
            for k, v in given.items()
            if k in known and not (k not in required and v in (None, ""))
        }
        return Call(name, args, raw)

    def _answer(self, raw: str, answer: str) -> Action:
        return Action(answer=answer, answer_raw=raw, abstained=abstains(answer))

    def _unreadable(self, reply: ModelReply) -> Action:
        """JSON was asked for and none came: what the model wrote is taken as its answer, and marked so."""
        text = split_thinking(reply.text or "").rest
        action = self._answer(text, extract_answer(text))
        return replace(action, raw=_raw(reply), data={"json_found": "none"})


def _why_empty(reply: ModelReply, *, cut: bool) -> EndReason:
    if reply.finish == "content_filter":
        return EndReason.FILTERED
    if reply.finish == "length" or cut:
        return EndReason.TRUNCATED
    return EndReason.EMPTY


def _with_ids(calls: tuple[ToolRequest, ...], step: int) -> tuple[ToolRequest, ...]:
    """Every call with an id of its own: some servers send none, or the same one twice."""
    seen: set[str] = set()
    out = []
    for n, call in enumerate(calls, 1):
        id = call.id if call.id and call.id not in seen else f"call_{step}_{n}"
        seen.add(id)
        out.append(replace(call, id=id))
    return tuple(out)


def _raw(reply: ModelReply) -> str:
    """The reply as it came: its text, and its tool calls beside it."""
    if not reply.tool_calls:
        return reply.text or ""
    calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in reply.tool_calls]
    return json.dumps({"content": reply.text, "tool_calls": calls}, ensure_ascii=False, default=str)


def _as_message(reply: ModelReply) -> Message:
    """The reply as a message of the conversation; reasoning is not sent back."""
    message: Message = {"role": "assistant", "content": reply.text or ""}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": _sendable(c.arguments)},
            }
            for c in reply.tool_calls
        ]
    return message


def _sendable(arguments: Any) -> str:
    """Arguments a provider accepts back: broken ones would make it refuse the whole conversation."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, default=str)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps({"unparsable": text})
    return text


def _settings_data(reply: ModelReply) -> dict[str, Any]:
    """Requested and effective settings, the provider's own name for the model, the finish reason."""
    data: dict[str, Any] = {"model": reply.model, "finish": reply.finish}
    data["requested"] = dict(reply.requested)
    if dict(reply.effective) != dict(reply.requested):
        data["effective"] = dict(reply.effective)
    if reply.usage.reasoning is not None:
        data["reasoning_tokens"] = reply.usage.reasoning
    return data
