"""A small OpenAI-compatible server on 127.0.0.1 that answers from a script."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    """One scripted HTTP answer; `body` is JSON, or text sent as it is."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    stall: float = 0.0


class ChatServer:
    """Plays a script, then repeats its last answer; keeps every request body."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.seen: list[dict[str, Any]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [
                    line
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                ]
                size = int(lengths[0].split(b":")[1]) if lengths else 0
                body = await reader.readexactly(size)
                answer = self.script[min(len(self.seen), len(self.script) - 1)]
                self.seen.append(json.loads(body) if body else {})
                if answer.stall:
                    await asyncio.sleep(answer.stall)
                text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                lines = [f"HTTP/1.1 {answer.status} X", "Content-Type: application/json"]
                lines += [f"{k}: {v}" for k, v in answer.headers.items()]
                payload = text.encode()
                lines += [f"Content-Length: {len(payload)}", "", ""]
                writer.write("\r\n".join(lines).encode() + payload)
                await writer.drain()
        writer.close()


def completion(
    text: str | None = "hello", usage: dict[str, Any] | None = None, **message: Any
) -> Answer:
    """A well-formed completion; `finish` among the keywords sets the finish reason."""
    finish = message.pop("finish", "stop")
    body: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "local-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if usage is not None:
        body["usage"] = usage
    return Answer(body=body)


def failure(status: int, text: str = "nope", **headers: str) -> Answer:
    """An OpenAI-style error."""
    body = {"error": {"message": text, "type": "error", "code": None}}
    return Answer(status, body, {k.replace("_", "-"): v for k, v in headers.items()})


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[ChatServer]:
    """A running server; give it a script before the first request."""
    server = ChatServer()
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
