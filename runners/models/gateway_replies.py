"""OpenAI's JSON for what the gateway says: completions, whole and streamed, embeddings, models.

Forms: platform.openai.com/docs/api-reference (chat, chat-streaming, embeddings, models). What is not
known is left out or null; no count is made up.
"""

from __future__ import annotations

import base64
import struct
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson

from memtui.model import Usage
from runners.models.chat import ModelReply

PIECE = 64
"""Characters of one piece of a streamed reply. The door hands over whole replies."""


def completion_body(reply: ModelReply, id: str, model: str, *, logprobs: bool) -> dict[str, Any]:
    """A `chat.completion`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply)
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": reply.finish,
        "logprobs": _logprobs(reply) if logprobs else None,
    }
    return {
        "id": id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "usage": usage_body(reply.usage),
    }


async def completion_stream(
    reply: ModelReply, id: str, model: str, *, with_usage: bool
) -> AsyncIterator[bytes]:
    """The same as server-sent events: role, text in pieces, tool calls, finish, usage, `[DONE]`."""
    head = {
        "id": id,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": model,
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**head, "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    text = reply.text or ""
    for start in range(0, len(text), PIECE):
        yield chunk({"content": text[start : start + PIECE]})
    for index, call in enumerate(_tool_calls(reply)):
        yield chunk({"tool_calls": [{"index": index, **call}]})
    yield chunk({}, reply.finish or "stop")
    if with_usage:
        yield _event({**head, "choices": [], "usage": usage_body(reply.usage)})
    yield b"data: [DONE]\n\n"


def _event(value: object) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _tool_calls(reply: ModelReply) -> list[dict[str, Any]]:
    calls = []
    for number, call in enumerate(reply.tool_calls):
        arguments = call.arguments
        if not isinstance(arguments, str):
            arguments = orjson.dumps(arguments).decode()
        calls.append(
            {
                "id": call.id or f"call_{number}",
                "type": "function",
                "function": {"name": call.name, "arguments": arguments},
            }
        )
    return calls


def _logprobs(reply: ModelReply) -> dict[str, Any] | None:
    if not reply.alternatives:
        return None
    top = [{"token": t, "logprob": p, "bytes": None} for t, p in reply.alternatives]
    return {"content": [{**top[0], "top_logprobs": top}]}


def usage_body(usage: Usage) -> dict[str, Any] | None:
    """Token counts, or null where the provider gave none."""
    if usage.prompt is None or usage.completion is None:
        return None
    body: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
    }
    if usage.cached is not None:
        body["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    if usage.reasoning is not None:
        body["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return body


def embeddings_body(
    vectors: Sequence[Sequence[float]], model: str, *, as_base64: bool
) -> dict[str, Any]:
    """A list of embeddings, as numbers or as base64 of little-endian float32."""

    def written(vector: Sequence[float]) -> object:
        if not as_base64:
            return list(vector)
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()

    return {
        "object": "list",
        "model": model,
        "data": [
            {"object": "embedding", "index": i, "embedding": written(v)}
            for i, v in enumerate(vectors)
        ],
        # An embedder in this process takes no tokens of anybody's.
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


def model_body(name: str) -> dict[str, Any]:
    """One entry of `/v1/models`."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "memtui"}
