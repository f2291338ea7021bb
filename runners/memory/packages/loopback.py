"""A system's door as an OpenAI-compatible server on 127.0.0.1: how a package reaches the models.

Every request becomes a call of the door, which counts it for its owner and phase, limits it, records
it and may replay it. One server serves one view; a request with another key than the view's is
refused. Spoken are `/v1/chat/completions` (with `response_format`), `/v1/embeddings` and `/v1/models`.
"""

from __future__ import annotations

import array
import asyncio
import base64
import contextlib
import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from memtui.model import Usage
from runners.memory.contract import Door

CHAT_MODEL = "memory-model"
EMBED_MODEL = "memory-embedder"
"""Names a package is given: which model stands behind them is the run's affair."""
_BODY_LIMIT = 64 << 20


class LoopbackDoor:
    """Serves one door until it is closed. `failure` keeps the first exception of the door.

    A package may swallow a failed request; whose failure it was is known here.
    """

    def __init__(self, door: Door) -> None:
        self.key = f"sk-{secrets.token_hex(16)}"
        self.base_url = ""
        self.failure: Exception | None = None
        self.door = door
        self._server: asyncio.Server | None = None
        self._calls: set[asyncio.Task[Any]] = set()

    async def start(self) -> LoopbackDoor:
        """Listen on a free port of the loopback."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    def close(self) -> None:
        """Stop listening and drop what is under way. Idempotent, from any thread that ends the loop."""
        server, self._server = self._server, None
        for call in self._calls:
            call.cancel()
        if server is not None:
            # The loop that served may be gone already.
            with contextlib.suppress(RuntimeError):
                server.close()

    @property
    def waiting(self) -> bool:
        """Whether a model is being asked at this moment."""
        return bool(self._calls)

    async def give_up(self) -> BaseException | None:
        """Cancel what is under way; the cancellation as it came back out of the door."""
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        return next((one for one in found if isinstance(one, BaseException)), None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled only when the loop itself ends: nobody is left to be told.
        with contextlib.suppress(
            ConnectionError, asyncio.IncompleteReadError, ValueError, asyncio.CancelledError
        ):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {
                    name.strip().lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in head[1:])
                }
                size = int(headers.get("content-length", "0"))
                if size > _BODY_LIMIT:
                    break
                body = await reader.readexactly(size)
                status, reply = await self._respond(head[0], headers, body)
                payload = json.dumps(reply).encode("ascii")
                writer.write(
                    f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}\r\n"
                    "Content-Type: application/json\r\n"
                    # The door has tried as often as the run allows.
                    "x-should-retry: false\r\n"
                    f"Content-Length: {len(payload)}\r\n\r\n".encode("ascii")
                    + payload
                )
                await writer.drain()
        writer.close()

    async def _respond(
        self, request: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, Any]]:
        if headers.get("authorization") != f"Bearer {self.key}":
            return 401, _error("this key is not the view's", "invalid_api_key")
        path = request.split(" ")[1] if request.count(" ") >= 2 else ""
        if path == "/v1/models":
            names = (CHAT_MODEL, EMBED_MODEL)
            return 200, {"object": "list", "data": [{"id": n, "object": "model"} for n in names]}
        answer = {"/v1/chat/completions": self._chat, "/v1/embeddings": self._embed}.get(path)
        if answer is None:
            return 404, _error(f"{path} is not served", "not_found")
        try:
            asked = json.loads(body)
        except ValueError as error:
            return 400, _error(f"the body is not JSON: {error}", "invalid_request")
        call = asyncio.ensure_future(answer(asked))
        self._calls.add(call)
        try:
            return 200, await call
        except _Unusable as error:
            return 400, _error(str(error), "invalid_request")
        except Exception as error:
            self.failure = self.failure or error
            return 503, _error(f"{type(error).__name__}: {error}", "door_failed")
        finally:
            self._calls.discard(call)

    async def _chat(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        messages = asked.get("messages")
        if not isinstance(messages, list) or not messages:
            raise _Unusable("messages are missing")
        if asked.get("stream") or asked.get("tools"):
            raise _Unusable("neither streaming nor tools are served to memory packages")
        limit = asked.get("max_completion_tokens") or asked.get("max_tokens")
        reply = await self.door.complete(
            [_plain(message) for message in messages],
            schema=_schema(asked.get("response_format")),
            max_tokens=limit if isinstance(limit, int) else None,
            temperature=float(asked.get("temperature") or 0.0),
            logprobs=int(asked.get("top_logprobs") or 0) if asked.get("logprobs") else 0,
        )
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": reply.finish or "stop",
            "message": {"role": "assistant", "content": reply.text},
        }
        if reply.alternatives:
            best = [{"token": t, "logprob": p, "bytes": None} for t, p in reply.alternatives]
            choice["logprobs"] = {"content": [{**best[0], "top_logprobs": best}]}
        found = {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 0,
            "model": str(asked.get("model") or CHAT_MODEL),
            "choices": [choice],
        }
        return found if reply.usage.prompt is None else {**found, "usage": _usage(reply.usage)}

    async def _embed(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        texts = asked.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise _Unusable("input must be a text or a list of texts")
        vectors = await self.door.embed(texts)
        packed = asked.get("encoding_format") == "base64"
        return {
            "object": "list",
            "model": str(asked.get("model") or EMBED_MODEL),
            "data": [
                {
                    "object": "embedding",
                    "index": i,
                    "embedding": _base64(vector) if packed else [float(x) for x in vector],
                }
                for i, vector in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": 0, "total_tokens": 0},
        }


class _Unusable(Exception):
    """The request is not one that is served; the message says why."""


def _plain(message: Any) -> dict[str, str]:
    """A message as role and text; parts that are no text are left out."""
    if not isinstance(message, dict):
        raise _Unusable("a message is not an object")
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return {"role": str(message.get("role", "user")), "content": str(content or "")}


def _schema(response_format: Any) -> Mapping[str, Any] | None:
    if not isinstance(response_format, dict):
        return None
    if response_format.get("type") == "json_object":
        return {"type": "object"}
    found = response_format.get("json_schema") or {}
    return found.get("schema") if isinstance(found, dict) else None


def _usage(usage: Usage) -> dict[str, int]:
    prompt, completion = usage.prompt or 0, usage.completion or 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _base64(vector: Sequence[float]) -> str:
    floats = array.array("f", vector)
    if sys.byteorder == "big":
        floats.byteswap()
    return base64.b64encode(floats.tobytes()).decode("ascii")


def _error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message[:2000], "type": code, "code": code}}
