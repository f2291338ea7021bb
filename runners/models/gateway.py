"""The door as an OpenAI-compatible server on 127.0.0.1, for memory packages that bring their own client.

`/v1/chat/completions` (tools, response formats, streaming), `/v1/embeddings`, `/v1/models`. The API key
says for whom a request is and in which phase; any other key is refused. Behind it is a `MemoryDoor`:
what a package asks is limited, retried, recorded and counted like everything else.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from memtui.errors import UserError
from runners.models.chat import ModelReply
from runners.models.gateway_http import (
    BODY_LIMIT,
    HttpError,
    HttpReply,
    HttpRequest,
    LoopbackServer,
    json_reply,
)
from runners.models.gateway_replies import (
    completion_body,
    completion_stream,
    embeddings_body,
    model_body,
)
from runners.models.memory_door import PHASES
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError

EMBEDDER = "all-MiniLM-L6-v2"
"""Name of the local embedder for those who have to give one."""

_PASSED = (
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "reasoning_effort",
    "logprobs",
    "top_logprobs",
    "seed",
)
"""Parameters handed to the model as they are."""
_READ = (
    "model",
    "messages",
    "tools",
    "tool_choice",
    "response_format",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stream",
    "stream_options",
    "n",
)
_IGNORED = ("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key")
"""Parameters that change no reply."""

_STATUS = {
    ErrorKind.RATE_LIMITED: (429, "rate_limit_exceeded"),
    ErrorKind.TIMEOUT: (504, "timeout"),
    ErrorKind.CONTEXT_OVERFLOW: (400, "context_length_exceeded"),
    ErrorKind.FILTERED: (400, "content_filter"),
    ErrorKind.BAD_REQUEST: (400, "invalid_request"),
}


class Servable(Protocol):
    """What the gateway asks of a door: a `MemoryDoor`, or whoever stands before one."""

    @property
    def model(self) -> str | None: ...

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        phase: str | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: Any = None,
        response_format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> ModelReply: ...

    async def embed(
        self, texts: Sequence[str], *, phase: str | None = None
    ) -> Sequence[Sequence[float]]: ...


@dataclass(slots=True)
class _Holder:
    """For whom a key stands."""

    door: Servable
    phase: str | None
    calls: int = 0


class Gateway:
    """Serves doors by key. `base_url` is what a client is configured with.

    `aliases` maps further model names a package insists on to the one there is (`EMBEDDER` or any
    other word for the language model). `max_calls` is the most a key may ask before it is moved or
    issued anew: the end of a package that loops.
    """

    def __init__(
        self,
        *,
        aliases: Mapping[str, str] | None = None,
        max_calls: int | None = None,
        body_limit: int = BODY_LIMIT,
    ) -> None:
        self._aliases = dict(aliases or {})
        self._max_calls = max_calls
        self._holders: dict[str, _Holder] = {}
        self._http = LoopbackServer(self._handle, body_limit=body_limit)
        self.refused = 0
        """Requests without a key that stands for anybody."""

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:<port>/v1`, once started."""
        return f"http://127.0.0.1:{self._http.port}/v1"

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        await self._http.start()

    async def close(self) -> None:
        """Stop, and cancel what is under way."""
        await self._http.close()
        self._holders.clear()

    async def __aenter__(self) -> Gateway:
        await self.start()
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.close()

    def issue(self, door: Servable, phase: str | None = None) -> str:
        """A new key for a door and a phase; None takes the phase the door is in at each request."""
        key = f"memtui-{secrets.token_hex(16)}"
        self.assign(key, door, phase)
        return key

    def assign(self, key: str, door: Servable, phase: str | None = None) -> None:
        """Let a key stand for another door from now on: a worker keeps the key it was started with."""
        if phase is not None and phase not in PHASES:
            raise ValueError(f"a key's phase is ingest or search, not {phase!r}")
        self._holders[key] = _Holder(door, phase)

    def revoke(self, key: str) -> None:
        """Refuse a key from now on."""
        self._holders.pop(key, None)

    # -- requests --------------------------------------------------------------------------------

    async def _handle(self, request: HttpRequest) -> HttpReply:
        self._from_here(request)
        holder = self._holder(request)
        what = (request.method, request.path.rstrip("/"))
        if what == ("POST", "/v1/chat/completions"):
            return await self._chat(holder, _json(request))
        if what == ("POST", "/v1/embeddings"):
            return await self._embeddings(holder, _json(request))
        if request.method == "GET" and what[1].startswith("/v1/models"):
            return self._models(holder, what[1].removeprefix("/v1/models").strip("/"))
        raise HttpError(404, f"{request.method} {request.path} is not served here", "not_found")

    def _from_here(self, request: HttpRequest) -> None:
        """Refuse what a web page could send by way of a name that resolves to this machine."""
        host = request.headers.get("host", "").partition(":")[0].lower()
        if host not in ("127.0.0.1", "localhost"):
            raise HttpError(403, "this server answers its own machine only", "forbidden")

    def _holder(self, request: HttpRequest) -> _Holder:
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        holder = self._holders.get(key.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            self.refused += 1
            raise HttpError(401, "this key stands for nobody", "invalid_api_key")
        return holder

    def _count(self, holder: _Holder) -> None:
        holder.calls += 1
        if self._max_calls is not None and holder.calls > self._max_calls:
            raise HttpError(429, f"more than {self._max_calls} calls with one key", "call_limit")

    def _named(self, asked: Any, wanted: str) -> None:
        if not isinstance(asked, str) or not asked:
            raise HttpError(400, "`model` is missing")
        if asked != wanted and self._aliases.get(asked) != wanted:
            raise HttpError(
                404, f"there is no model {asked!r} here, only {wanted}", "model_not_found"
            )

    async def _chat(self, holder: _Holder, body: dict[str, Any]) -> HttpReply:
        model = holder.door.model
        if model is None:
            raise HttpError(404, "the run names no language model", "model_not_found")
        asked = str(body.get("model", ""))
        self._named(asked, model)
        _check(body)
        self._count(holder)
        extra = {key: body[key] for key in _PASSED if body.get(key) is not None}
        try:
            reply = await holder.door.ask(
                body["messages"],
                phase=holder.phase,
                tools=body.get("tools") or (),
                tool_choice=body.get("tool_choice"),
                response_format=body.get("response_format"),
                max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
                temperature=body.get("temperature"),
                top_p=body.get("top_p"),
                extra=extra,
            )
        except (ModelError, UserError) as error:
            raise _failed(error) from error
        digest = hashlib.sha256(orjson.dumps(body)).hexdigest()[:24]
        id = f"chatcmpl-{digest}"
        if body.get("stream"):
            options = body.get("stream_options") or {}
            with_usage = bool(options.get("include_usage"))
            events = completion_stream(reply, id, asked, with_usage=with_usage)
            return HttpReply(200, headers={"content-type": "text/event-stream"}, stream=events)
        return json_reply(completion_body(reply, id, asked, logprobs=bool(body.get("logprobs"))))

    async def _embeddings(self, holder: _Holder, body: dict[str, Any]) -> HttpReply:
        self._named(body.get("model"), EMBEDDER)
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise HttpError(400, "`input` must be a text or a list of texts")
        self._count(holder)
        try:
            vectors = await holder.door.embed(texts, phase=holder.phase)
        except UserError as error:
            raise _failed(error) from error
        wanted = body.get("dimensions")
        if wanted is not None and vectors and wanted != len(vectors[0]):
            raise HttpError(400, f"vectors have {len(vectors[0])} dimensions, not {wanted}")
        as_base64 = body.get("encoding_format") == "base64"
        return json_reply(embeddings_body(vectors, str(body["model"]), as_base64=as_base64))

    def _models(self, holder: _Holder, name: str) -> HttpReply:
        names = [n for n in (holder.door.model, EMBEDDER) if n is not None]
        if not name:
            return json_reply({"object": "list", "data": [model_body(n) for n in names]})
        if name not in names:
            raise HttpError(404, f"there is no model {name!r} here", "model_not_found")
        return json_reply(model_body(name))


def _json(request: HttpRequest) -> dict[str, Any]:
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise HttpError(400, f"the body is no JSON: {error}") from None
    if not isinstance(body, dict):
        raise HttpError(400, "the body is no JSON object")
    return body


def _check(body: Mapping[str, Any]) -> None:
    """Refuse what would be ignored silently."""
    for key in body:
        if key not in _READ and key not in _PASSED and key not in _IGNORED:
            raise HttpError(400, f"the parameter {key!r} is not supported here")
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise HttpError(400, "`messages` must be a list of objects")
    if body.get("n") not in (None, 1):
        raise HttpError(400, "one choice is given; n must be 1")
    if not isinstance(body.get("tools") or [], list):
        raise HttpError(400, "`tools` must be a list")


def _failed(error: ModelError | UserError) -> HttpError:
    """The door's failure as a status. It has tried again already; the client is told not to."""
    if isinstance(error, ModelAccessError):
        return HttpError(502, str(error), error.kind.value)
    if isinstance(error, ModelError):
        status, code = _STATUS.get(error.kind, (502, error.kind.value))
        return HttpError(status, str(error), code, retry_after=error.retry_after)
    return HttpError(500, str(error), "configuration")
