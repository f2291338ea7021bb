"""The gateway as packages meet it: OpenAI's own client and litellm, keys, limits, loopback only."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from memtui.model import Usage
from runners.memory.network_guard import no_network
from runners.models.chat import ChatReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.gateway import EMBEDDER, Gateway
from runners.models.memory_door import MemoryDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.scripted_door import word_vector
from runners.models.settings import ModelSettings

openai = pytest.importorskip("openai", reason="the peer is OpenAI's client")

MODEL = "openai/some-model"
USER = [{"role": "user", "content": "Where does Ana live?"}]
TOOLS = [
    {
        "type": "function",
        "function": {"name": "add", "description": "", "parameters": {"type": "object"}},
    }
]
KNOWN = ChatReply("In Lisbon.", prompt=12, cached=4, completion=3)


class _Vectors:
    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        return [word_vector(t) for t in texts], Usage(calls=1, cost=0.0)


class Peer:
    """A gateway with one door behind it, and a client that knows its key."""

    def __init__(self, script: list[Entry], **options: Any) -> None:
        self.client = ScriptedClient(script)
        models = ModelDoor(self.client, {MODEL: ModelSettings(retries=0)})
        self.door = MemoryDoor(models, _Vectors(), "artifact:x", MODEL, seed=3)
        self.gateway = Gateway(**options)

    async def __aenter__(self) -> Peer:
        await self.gateway.start()
        self.key = self.gateway.issue(self.door)
        self.openai = openai.AsyncOpenAI(
            api_key=self.key, base_url=self.gateway.base_url, max_retries=2
        )
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.openai.close()
        await self.gateway.close()

    async def chat(self, **options: Any) -> Any:
        return await self.openai.chat.completions.create(model=MODEL, messages=USER, **options)


async def test_a_completion_is_counted_for_the_owner_of_the_key() -> None:
    async with Peer([KNOWN]) as peer:
        reply = await peer.chat(temperature=0, max_tokens=20)
        assert reply.choices[0].message.content == "In Lisbon."
        assert (reply.usage.prompt_tokens, reply.usage.total_tokens) == (12, 15)
        assert reply.usage.prompt_tokens_details.cached_tokens == 4
        search = peer.gateway.issue(peer.door, "search")
        await peer.openai.with_options(api_key=search).chat.completions.create(
            model=MODEL, messages=USER
        )
        assert peer.door.counts == {("ingest", "complete"): 1, ("search", "complete"): 1}
        sent = peer.client.requests[0]
        assert (sent.owner, sent.phase, sent.max_tokens) == ("artifact:x", "ingest", 20)
        assert peer.client.requests[1].phase == "search"


async def test_unknown_usage_stays_unknown() -> None:
    async with Peer(["text"]) as peer:
        assert (await peer.chat()).usage is None
        tally = peer.door.meter.take("ingest")
        assert tally is not None
        assert tally.paid.total().prompt is None


async def test_tools_schemas_and_parameters_pass() -> None:
    call = ToolRequest("add", '{"fact": "x"}', "c7")
    async with Peer([ChatReply(None, "tool_calls", (call,))]) as peer:
        schema = {"name": "s", "strict": True, "schema": {"type": "object"}}
        reply = await peer.chat(
            tools=TOOLS,
            tool_choice="auto",
            response_format={"type": "json_schema", "json_schema": schema},
            stop=["\n"],
            seed=9,
        )
        said = reply.choices[0].message.tool_calls[0]
        assert (said.id, said.function.name, said.function.arguments) == (
            "c7",
            "add",
            '{"fact": "x"}',
        )
        assert reply.choices[0].finish_reason == "tool_calls"
        sent = peer.client.requests[0]
        assert sent.tools[0]["function"]["name"] == "add"
        assert sent.response_format == {"type": "json_schema", "json_schema": schema}
        assert sent.extra == {"stop": ["\n"], "seed": 9}


async def test_streaming_gives_the_same_text_calls_and_usage() -> None:
    long = "A fact about Ana, who lives in Lisbon. " * 10
    call = ToolRequest("add", '{"fact": "x"}', "c7")
    reply = ChatReply(long, "tool_calls", (call,), prompt=5, completion=80)
    async with Peer([reply]) as peer:
        text, arguments, finish = "", "", None
        usage: Any = None
        stream = await peer.chat(stream=True, stream_options={"include_usage": True})
        pieces = 0
        async for chunk in stream:
            pieces += 1
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
                for piece in choice.delta.tool_calls or ():
                    arguments += piece.function.arguments
        assert (text, arguments, finish) == (long, '{"fact": "x"}', "tool_calls")
        assert pieces > 5
        assert usage.completion_tokens == 80


async def test_embeddings_in_both_encodings() -> None:
    async with Peer([KNOWN]) as peer:
        for encoding in ({}, {"encoding_format": "float"}):
            made = await peer.openai.embeddings.create(
                model=EMBEDDER, input=["tea with milk", "x"], **encoding
            )
            assert made.data[0].embedding == pytest.approx(word_vector("tea with milk"), abs=1e-6)
            assert made.data[1].index == 1
        one = await peer.openai.embeddings.create(model=EMBEDDER, input="tea")
        assert len(one.data) == 1
        assert peer.door.counts["ingest", "embed"] == 3


async def test_models_are_listed() -> None:
    async with Peer([KNOWN]) as peer:
        assert [m.id async for m in peer.openai.models.list()] == [MODEL, EMBEDDER]
        assert (await peer.openai.models.retrieve(MODEL)).id == MODEL


async def test_any_other_key_is_refused() -> None:
    async with Peer([KNOWN]) as peer:
        for key in ("sk-other", peer.key + "x", "memtui-"):
            with pytest.raises(openai.AuthenticationError):
                await peer.openai.with_options(api_key=key).chat.completions.create(
                    model=MODEL, messages=USER
                )
        peer.gateway.revoke(peer.key)
        with pytest.raises(openai.AuthenticationError):
            await peer.chat()
        assert peer.gateway.refused == 4
        assert peer.client.requests == []


async def test_a_key_can_be_moved_to_another_door() -> None:
    async with Peer([KNOWN]) as peer:
        await peer.chat()
        other = MemoryDoor(peer.door.models, None, "state:y", MODEL)
        peer.gateway.assign(peer.key, other, "search")
        await peer.chat()
        assert peer.client.requests[1].owner == "state:y"
        assert other.counts["search", "complete"] == 1


@pytest.mark.parametrize(
    ("error", "status", "raised"),
    [
        (ModelError(ErrorKind.RATE_LIMITED, "slow", retry_after=3.0), 429, "RateLimitError"),
        (ModelError(ErrorKind.CONTEXT_OVERFLOW, "long"), 400, "BadRequestError"),
        (ModelError(ErrorKind.FILTERED, "no"), 400, "BadRequestError"),
        (ModelError(ErrorKind.TIMEOUT, "late"), 504, "InternalServerError"),
        (ModelError(ErrorKind.SERVER, "oops"), 502, "InternalServerError"),
        (ModelError(ErrorKind.AUTH, "key"), 502, "InternalServerError"),
    ],
)
async def test_failures_are_told_once_and_remembered(
    error: ModelError, status: int, raised: str
) -> None:
    async with Peer([error]) as peer:
        with pytest.raises(openai.APIStatusError) as caught:
            await peer.chat()
        assert type(caught.value).__name__ == raised
        assert caught.value.status_code == status
        # The client would have tried twice more: the door's retries are the only ones.
        assert len(peer.client.requests) == 1
        assert peer.door.failure is not None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"n": 2}, "n must be 1"),
        ({"extra_body": {"best_of": 3}}, "best_of"),
        ({"extra_body": {"messages": "hello"}}, "messages"),
    ],
)
async def test_what_would_be_ignored_is_refused(options: dict[str, Any], why: str) -> None:
    async with Peer([KNOWN]) as peer:
        with pytest.raises(openai.BadRequestError, match=why):
            await peer.chat(**options)


async def test_other_model_names_need_an_alias() -> None:
    async with Peer([KNOWN], aliases={"gpt-nano": MODEL}) as peer:
        made = await peer.openai.chat.completions.create(model="gpt-nano", messages=USER)
        assert made.model == "gpt-nano"
        with pytest.raises(openai.NotFoundError, match="gpt-mini"):
            await peer.openai.chat.completions.create(model="gpt-mini", messages=USER)


async def test_limits_hold() -> None:
    async with Peer([KNOWN], max_calls=2, body_limit=4_000) as peer:
        await peer.chat()
        await peer.chat()
        with pytest.raises(openai.RateLimitError, match="more than 2 calls"):
            await peer.chat()
        peer.gateway.assign(peer.key, peer.door)
        await peer.chat()
        with pytest.raises(openai.APIStatusError) as caught:
            await peer.openai.chat.completions.create(
                model=MODEL, messages=[{"role": "user", "content": "x" * 5_000}]
            )
        assert caught.value.status_code == 413


async def test_a_client_that_leaves_takes_its_request_along() -> None:
    cancelled = asyncio.Event()

    class Slow(ScriptedClient):
        async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return KNOWN

    async with Peer([]) as peer:
        peer.door.models = ModelDoor(Slow([]), {})
        with pytest.raises(openai.APITimeoutError):
            await peer.openai.with_options(timeout=0.2, max_retries=0).chat.completions.create(
                model=MODEL, messages=USER
            )
        async with asyncio.timeout(10):
            await cancelled.wait()


async def _raw(peer: Peer, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", peer.gateway._http.port)
    writer.write(text)
    writer.write_eof()
    said = await reader.read()
    writer.close()
    return said


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with Peer([KNOWN]) as made:
        yield made


async def test_odd_requests_get_a_clear_answer(peer: Peer) -> None:
    auth = f"Host: 127.0.0.1:1\r\nAuthorization: Bearer {peer.key}\r\n".encode()
    for text, status in (
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /v1/other HTTP/1.1\r\n" + auth + b"\r\n", b"404"),
        (b"POST /v1/embeddings HTTP/1.1\r\n" + auth + b"Content-Length: 3\r\n\r\n{x}", b"400"),
        (b"POST /v1/embeddings HTTP/1.1\r\n" + auth + b"Content-Length: -3\r\n\r\n", b"400"),
        (b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403"),
        (b"GET /v1/models HTTP/1.1\r\nHost: localhost:1\r\n\r\n", b"401"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"431"),
    ):
        assert (await _raw(peer, text)).split(b" ")[1] == status, text[:40]


async def test_a_body_in_chunks_is_read(peer: Peer) -> None:
    body = json.dumps({"model": EMBEDDER, "input": "tea"}).encode()
    head = (
        f"POST /v1/embeddings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {peer.key}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    pieces = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (body[:7], body[7:]))
    assert b" 200 " in await _raw(peer, head + pieces + b"0\r\n\r\n")


async def test_nothing_but_loopback_is_listened_on(peer: Peer) -> None:
    server = peer.gateway._http._server
    assert server is not None
    assert {s.getsockname()[0] for s in server.sockets} == {"127.0.0.1"}
    assert {s.family for s in server.sockets} == {socket.AF_INET}


async def test_litellm_as_the_peer_looks_up_no_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("litellm", reason="the peer is litellm")
    from runners.models.litellm_client import LiteLLMClient

    looked_up: list[str] = []
    real = socket.getaddrinfo

    def recorded(host: Any, *args: Any, **options: Any) -> Any:
        looked_up.append(str(host))
        return real(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", recorded)
    async with Peer([KNOWN]) as peer:
        monkeypatch.setenv("PEER_KEY", peer.key)
        settings = ModelSettings(api_base=peer.gateway.base_url, api_key_env="PEER_KEY")
        client = LiteLLMClient()
        request = ModelRequest(
            f"openai/{MODEL}", tuple(USER), temperature=0.0, max_tokens=9, tools=tuple(TOOLS)
        )
        reply = await client.chat(request, settings)
        await client.close()
    assert (reply.text, reply.prompt, reply.cached, reply.completion) == ("In Lisbon.", 12, 4, 3)
    assert set(looked_up) <= {"127.0.0.1", "localhost"}


async def test_the_guard_sees_names_that_are_looked_up() -> None:
    with no_network() as tried, pytest.raises(OSError):
        socket.getaddrinfo("example.org", 443)
    assert tried
