"""litellm against a local OpenAI-compatible server: what comes back, and what each fault becomes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from runners.models.chat import ModelReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError
from runners.models.retry import RetryPolicy
from runners.models.settings import ModelSettings, Price
from tests.models.local_server import Answer, ChatServer, completion, failure, serving

if importlib.util.find_spec("litellm") is None:
    pytest.skip("the llm extra is not installed", allow_module_level=True)

MODEL = "openai/local"
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


@pytest_asyncio.fixture
async def chat_server() -> AsyncIterator[ChatServer]:
    async with serving() as server:
        yield server


async def ask(
    server: ChatServer,
    *answers: Answer,
    seconds: float = 20.0,
    retries: int = 1,
    request: ModelRequest | None = None,
) -> ModelReply:
    server.script = list(answers)
    server.seen = []
    settings = ModelSettings(
        api_base=server.url, retries=retries, timeout=seconds, price=Price(1.0, 2.0, 0.5)
    )
    door = ModelDoor(models={MODEL: settings}, policy=RetryPolicy(base=0.01))
    try:
        return await door.complete(request or _request())
    finally:
        await door.close()


BASE = ModelRequest(
    MODEL, ({"role": "user", "content": "hi"},), temperature=0.0, seed=7, max_tokens=20
)


def _request(**more: Any) -> ModelRequest:
    return replace(BASE, **more)


@pytest.mark.slow
async def test_a_plain_reply_with_all_its_numbers(chat_server: ChatServer) -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 6,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    reply = await ask(chat_server, completion("hello", usage, reasoning_content="hmm"))
    assert (reply.text, reply.reasoning, reply.finish) == ("hello", "hmm", "stop")
    used = reply.usage
    assert (used.prompt, used.cached, used.completion, used.reasoning) == (10, 4, 6, 5)
    assert used.cost == pytest.approx((6 * 1 + 4 * 0.5 + 6 * 2) / 1e6)
    assert reply.effective == {"temperature": 0.0, "seed": 7, "max_tokens": 20}
    (sent,) = chat_server.seen
    assert (sent["model"], sent["seed"], sent["max_tokens"]) == ("local", 7, 20)


@pytest.mark.slow
async def test_missing_usage_is_unknown_not_zero(chat_server: ChatServer) -> None:
    reply = await ask(chat_server, completion("hello"))
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.cost) == (None, None, None)
    reply = await ask(chat_server, completion("hello", {"prompt_tokens": 10}))
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.cost) == (10, None, None)


@pytest.mark.slow
async def test_the_schema_reaches_the_server(chat_server: ChatServer) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "step", "schema": {"type": "object"}}}
    await ask(chat_server, completion("{}"), request=_request(response_format=schema))
    assert chat_server.seen[0]["response_format"] == schema


@pytest.mark.slow
async def test_a_broken_tool_call_arrives_as_it_was_written(chat_server: ChatServer) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "Par'},
    }
    answer = completion(None, finish="tool_calls", tool_calls=[call])
    reply = await ask(chat_server, answer, request=_request(tools=(TOOL,)))
    assert [(c.name, c.arguments, c.id) for c in reply.tool_calls] == [
        ("search", '{"query": "Par', "c1")
    ]
    assert reply.text is None


@pytest.mark.slow
async def test_retry_after_is_honoured_and_attempts_counted(chat_server: ChatServer) -> None:
    reply = await ask(chat_server, failure(429, "slow", Retry_After="0.2"), completion("after"))
    assert (reply.text, reply.attempts) == ("after", 2) and len(chat_server.seen) == 2
    assert reply.wall_ms >= 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "kind", "asked"),
    [
        (failure(429, "slow", Retry_After="0.05"), ErrorKind.RATE_LIMITED, 2),
        (failure(500), ErrorKind.SERVER, 2),
        (failure(503), ErrorKind.SERVER, 2),
        (Answer(body='{"choices": ['), ErrorKind.MALFORMED, 2),
        (Answer(body="<html>"), ErrorKind.MALFORMED, 2),
        (Answer(body={"choices": []}), ErrorKind.MALFORMED, 2),
        (failure(400, "maximum context length is 2048 tokens"), ErrorKind.CONTEXT_OVERFLOW, 1),
        (failure(400, "exceeds the available context size"), ErrorKind.CONTEXT_OVERFLOW, 1),
        (failure(400, "bad schema"), ErrorKind.BAD_REQUEST, 1),
        (failure(400, "content management policy"), ErrorKind.FILTERED, 1),
    ],
)
async def test_faults(chat_server: ChatServer, answer: Answer, kind: ErrorKind, asked: int) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(chat_server, answer)
    assert caught.value.kind is kind
    assert len(chat_server.seen) == asked == caught.value.attempts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (failure(401, "bad key"), ErrorKind.AUTH),
        (failure(403), ErrorKind.AUTH),
        (failure(404, "no such model"), ErrorKind.NOT_FOUND),
        (failure(402), ErrorKind.QUOTA),
        (failure(429, "insufficient_quota"), ErrorKind.QUOTA),
    ],
)
async def test_faults_that_stop_the_run(
    chat_server: ChatServer, answer: Answer, kind: ErrorKind
) -> None:
    with pytest.raises(ModelAccessError) as caught:
        await ask(chat_server, answer)
    assert caught.value.kind is kind and len(chat_server.seen) == 1


@pytest.mark.slow
async def test_a_stalling_server_times_out(chat_server: ChatServer) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(chat_server, Answer(body="{}", stall=5.0), seconds=0.2, retries=0)
    assert caught.value.kind is ErrorKind.TIMEOUT


@pytest.mark.slow
async def test_nobody_listens() -> None:
    settings = ModelSettings(api_base="http://127.0.0.1:9/v1", retries=0)
    door = ModelDoor(models={MODEL: settings})
    with pytest.raises(ModelError) as caught:
        await door.complete(_request())
    assert caught.value.kind is ErrorKind.CONNECTION
    await door.close()


async def test_a_key_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_OWN_KEY", raising=False)
    door = ModelDoor(models={MODEL: ModelSettings(api_key_env="MY_OWN_KEY")})
    with pytest.raises(ModelAccessError, match="MY_OWN_KEY is not set"):
        await door.complete(_request())
    await door.close()


def test_importing_the_door_does_not_import_litellm() -> None:
    code = (
        "import sys, runners.models.door, runners.models.litellm_client;"
        "runners.models.door.ModelDoor();"
        "print('litellm' in sys.modules, 'openai' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]
