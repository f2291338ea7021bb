"""HTTP/1.1 on loopback, as much of it as an API for one machine needs: asyncio streams, no library.

Keep-alive, bodies by length or in chunks, replies whole or streamed. A client that goes away while it
waits takes its request with it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import unquote

import orjson

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 32 * 1024 * 1024
IDLE_S = 120.0
"""A connection without a request for this long is closed."""
_WATCH_S = 0.5


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpReply:
    """One reply; with `stream` the body is sent in chunks as it comes."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: AsyncIterator[bytes] | None = None


class HttpError(Exception):
    """A request that is answered with an error and nothing else."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str = "invalid_request",
        *,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after

    def reply(self) -> HttpReply:
        """In the form OpenAI's clients read; they are told not to try again, the door has."""
        body = {"error": {"message": str(self), "type": "invalid_request_error", "code": self.code}}
        headers = {"x-should-retry": "false"}
        if self.retry_after is not None:
            headers["retry-after"] = f"{self.retry_after:g}"
        return json_reply(body, self.status, headers)


Handler = Callable[[HttpRequest], Awaitable[HttpReply]]


def json_reply(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpReply:
    """A JSON document."""
    return HttpReply(
        status, orjson.dumps(value), {"content-type": "application/json", **(headers or {})}
    )


class LoopbackServer:
    """Serves `handler` on a free port of 127.0.0.1; nothing else can reach it."""

    def __init__(self, handler: Handler, *, body_limit: int = BODY_LIMIT) -> None:
        self._handler = handler
        self._body_limit = body_limit
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=HEAD_LIMIT)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._server is None:
            return
        self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            pass
        except asyncio.CancelledError:
            # The server closes; asyncio's own streams would report the cancellation as a fault.
            pass
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its reply; False when the connection ends with it."""
        try:
            async with asyncio.timeout(IDLE_S):
                request = await self._read(reader)
        except HttpError as error:
            await self._write(writer, error.reply(), keep=False)
            return False
        if request is None:
            return False
        keep = request.headers.get("connection", "").lower() != "close"
        work = asyncio.create_task(self._answer(request))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=_WATCH_S)
                if not work.done() and reader.at_eof():
                    return False
            await self._write(writer, work.result(), keep=keep)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        return keep

    async def _answer(self, request: HttpRequest) -> HttpReply:
        try:
            return await self._handler(request)
        except HttpError as error:
            return error.reply()
        except Exception as error:  # a fault here must not look like a hang to the client
            return HttpError(500, f"{type(error).__name__}: {error}", "internal").reply()

    async def _read(self, reader: asyncio.StreamReader) -> HttpRequest | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial.strip():
                raise HttpError(400, "the request ends within its head") from None
            return None
        except asyncio.LimitOverrunError:
            raise HttpError(431, "the request's head is too large") from None
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise HttpError(400, "this is no HTTP/1 request")
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip()
        if "100-continue" in headers.get("expect", "").lower():
            raise HttpError(417, "send the body without asking")
        return HttpRequest(
            parts[0],
            unquote(parts[1].partition("?")[0]),
            headers,
            await self._body(reader, headers),
        )

    async def _body(self, reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunks(reader)
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise HttpError(400, "content-length is no number")
        if int(length) > self._body_limit:
            raise HttpError(413, f"a body of more than {self._body_limit} bytes", "too_large")
        return await reader.readexactly(int(length))

    async def _chunks(self, reader: asyncio.StreamReader) -> bytes:
        body = bytearray()
        while True:
            line = (await reader.readuntil(b"\r\n")).split(b";")[0].strip()
            try:
                size = int(line, 16)
            except ValueError:
                raise HttpError(400, "a chunk has no size") from None
            if size < 0 or len(body) + size > self._body_limit:
                raise HttpError(413, f"a body of more than {self._body_limit} bytes", "too_large")
            body += await reader.readexactly(size)
            await reader.readuntil(b"\r\n")
            if not size:
                return bytes(body)

    async def _write(self, writer: asyncio.StreamWriter, reply: HttpReply, *, keep: bool) -> None:
        headers = dict(reply.headers)
        headers["connection"] = "keep-alive" if keep else "close"
        if reply.stream is None:
            headers["content-length"] = str(len(reply.body))
        else:
            headers["transfer-encoding"] = "chunked"
        phrase = HTTPStatus(reply.status).phrase
        lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + reply.body)
        if reply.stream is not None:
            async for piece in reply.stream:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
        await writer.drain()
