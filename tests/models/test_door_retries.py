"""The door counts attempts, waits as it is told and names what went wrong."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import EndReason
from runners.failures import end_reason_of
from runners.models.chat import ChatReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import FATAL, TRANSIENT, ErrorKind, ModelAccessError, ModelError
from runners.models.retry import RetryPolicy, parse_retry_after
from runners.models.scripted import Entry, ScriptedClient
from runners.models.settings import ModelSettings, Price

ASK = ModelRequest("m", ({"role": "user", "content": "hi"},), temperature=0.0, seed=1)


class Waits:
    """A sleep that remembers, and moves its clock instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.now = 0.0

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def clock(self) -> float:
        return self.now


def door(script: list[Entry], waits: Waits, **settings: object) -> tuple[ModelDoor, ScriptedClient]:
    client = ScriptedClient(script)
    models = {"m": ModelSettings.from_options(settings, "models.m")}
    return ModelDoor(client, models, clock=waits.clock, sleep=waits), client


@pytest.mark.parametrize("retries", [0, 1, 2])
async def test_attempts_are_retries_plus_one(retries: int) -> None:
    waits = Waits()
    d, client = door([ModelError(ErrorKind.SERVER, "down")], waits, retries=retries)
    with pytest.raises(ModelError) as caught:
        await d.complete(ASK)
    assert len(client.requests) == retries + 1 == caught.value.attempts
    assert len(waits.seconds) == retries
    assert end_reason_of(caught.value) is EndReason.PROVIDER_ERROR


async def test_a_retried_call_reports_all_its_attempts() -> None:
    waits = Waits()
    busy = ModelError(ErrorKind.RATE_LIMITED, "busy", retry_after=7.0)
    d, _ = door([busy, busy, "fine"], waits)
    reply = await d.complete(ASK)
    assert (reply.text, reply.attempts, reply.usage.attempts, reply.usage.calls) == (
        "fine",
        3,
        3,
        1,
    )
    assert len(waits.seconds) == 2 and all(7.0 <= w <= 8.0 for w in waits.seconds)


async def test_a_429_pauses_the_whole_model() -> None:
    waits = Waits()
    busy = ModelError(ErrorKind.RATE_LIMITED, "busy", retry_after=30.0)
    d, client = door([busy, "fine"], waits, concurrency=1)
    other = ModelRequest("m", ({"role": "user", "content": "another"},))
    starts: list[float] = []

    async def ask(request: ModelRequest) -> None:
        await d.complete(request)
        starts.append(waits.now)

    await asyncio.gather(ask(ASK), ask(other))
    assert len(client.requests) == 3
    assert all(at >= 30.0 for at in starts)
    assert d.snapshot()["models"]["m"]["paused_s"] == 0.0


@pytest.mark.parametrize("kind", sorted(FATAL))
async def test_what_every_call_shares_stops_the_run(kind: ErrorKind) -> None:
    d, client = door([ModelError(kind, "no")], Waits())
    with pytest.raises(UserError, match="'m' cannot be used") as caught:
        await d.complete(ASK)
    assert isinstance(caught.value, ModelAccessError)
    assert len(client.requests) == 1
    assert d.fatal is caught.value and caught.value.exit_code == 2


@pytest.mark.parametrize("kind", sorted(set(ErrorKind) - FATAL - TRANSIENT))
async def test_what_cannot_get_better_is_asked_once(kind: ErrorKind) -> None:
    d, client = door([ModelError(kind, "no")], Waits())
    with pytest.raises(ModelError) as caught:
        await d.complete(ASK)
    assert len(client.requests) == 1 and d.fatal is None
    expected = {
        ErrorKind.CONTEXT_OVERFLOW: EndReason.CONTEXT_OVERFLOW,
        ErrorKind.FILTERED: EndReason.FILTERED,
    }
    assert end_reason_of(caught.value) is expected.get(kind, EndReason.PROVIDER_ERROR)


async def test_a_pause_longer_than_the_policy_allows_is_not_waited_for() -> None:
    waits = Waits()
    d, client = door([ModelError(ErrorKind.RATE_LIMITED, "busy", retry_after=86_400.0)], waits)
    with pytest.raises(ModelError):
        await d.complete(ASK)
    assert len(client.requests) == 1 and not waits.seconds


async def test_waits_double_and_are_the_same_for_the_same_seed() -> None:
    runs = []
    for _ in range(2):
        waits = Waits()
        d, _ = door([ModelError(ErrorKind.SERVER, "down")], waits, retries=4)
        with pytest.raises(ModelError):
            await d.complete(ASK)
        runs.append(waits.seconds)
    assert runs[0] == runs[1]
    for n, wait in enumerate(runs[0]):
        assert 0.25 * 2**n <= wait <= 0.5 * 2**n


@given(
    failed=st.integers(1, 40),
    retries=st.integers(0, 40),
    asked=st.none() | st.floats(0, 600),
    kind=st.sampled_from(sorted(ErrorKind)),
)
def test_waits_are_bounded(failed: int, retries: int, asked: float | None, kind: ErrorKind) -> None:
    error = ModelError(kind, "x", retry_after=asked)
    wait = RetryPolicy().wait(error, failed, retries, "s")
    if kind not in TRANSIENT or failed > retries:
        assert wait is None
    else:
        assert wait is not None and wait >= (asked or 0.0) and wait <= max(61.0, (asked or 0) + 1.0)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Mon, 01 Jan 2024 00:00:30 GMT", 30.0),
        ("Sun, 31 Dec 2023 00:00:00 GMT", 0.0),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, datetime(2024, 1, 1, tzinfo=UTC)) == seconds


async def test_a_cancelled_call_gives_its_place_back() -> None:
    client = ScriptedClient(["one"], delay=30.0)
    d = ModelDoor(client, {"m": ModelSettings(concurrency=1)})
    first = asyncio.create_task(d.complete(ASK))
    second = asyncio.create_task(d.complete(ASK))
    await asyncio.sleep(0.01)
    snap = d.snapshot()
    assert snap["models"]["m"]["in_flight"] == 1 and snap["models"]["m"]["waiting"] == 1
    assert [c["state"] for c in snap["calls"]] == ["calling", "waiting"]
    for task in (first, second):
        task.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    snap = d.snapshot()
    assert snap["calls"] == []
    assert snap["models"]["m"]["in_flight"] == snap["models"]["m"]["waiting"] == 0
    client.delay = 0.0
    assert (await d.complete(ASK)).text == "one"


async def test_the_snapshot_says_who_waits_for_what() -> None:
    gate = asyncio.Event()

    async def hold(_: float) -> None:
        await gate.wait()

    client = ScriptedClient([ModelError(ErrorKind.TIMEOUT, "slow"), "ok"])
    d = ModelDoor(client, clock=lambda: 5.0, sleep=hold)
    request = ModelRequest("m", ASK.messages, owner="episode:u1", phase="judge")
    task = asyncio.create_task(d.complete(request))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    (call,) = d.snapshot()["calls"]
    assert call["owner"] == "episode:u1" and call["phase"] == "judge"
    assert call["state"] == "retrying" and call["reason"] == "timeout" and call["retry_in"] > 0
    gate.set()
    assert (await task).attempts == 2


async def test_unknown_usage_and_unknown_cost_stay_unknown() -> None:
    free = {"input": 0, "output": 0}
    rows: list[tuple[ChatReply, dict[str, object], float | None]] = [
        (ChatReply("x"), {}, None),
        (ChatReply("x", prompt=10, completion=5), {}, None),
        (ChatReply("x", prompt=10, completion=5), {"price": free}, 0.0),
        (ChatReply("x"), {"price": free}, 0.0),
        (ChatReply("x", prompt=10), {"price": {"input": 1, "output": 2}}, None),
        (ChatReply("x", prompt=10, completion=5), {"price": {"input": 1, "output": 2}}, 20e-6),
        (
            ChatReply("x", prompt=10, completion=5, cached=4, reasoning_tokens=5),
            {"price": {"input": 1, "output": 2, "cache_read": 0.5}},
            18e-6,
        ),
        (
            ChatReply("x", prompt=10, completion=5, cached=4),
            {"price": {"input": 1, "output": 2}},
            None,
        ),
    ]
    for answer, settings, cost in rows:
        d, _ = door([answer], Waits(), **settings)
        usage = (await d.complete(ASK)).usage
        assert (usage.prompt, usage.completion) == (answer.prompt, answer.completion)
        assert usage.cost == (pytest.approx(cost) if cost is not None else None)


def test_settings_are_checked() -> None:
    good = ModelSettings.from_options({"rpm": 10, "price": {"input": 1, "output": 0}}, "models.m")
    assert good.price == Price(1.0, 0.0, None, "configuration")
    for options, message in (
        ({"concurency": 2}, "did you mean concurrency"),
        ({"rpm": 0}, "at least 1"),
        ({"retries": -1}, "at least 0"),
        ({"retries": True}, "whole number"),
        ({"timeout": "5"}, "must be a number"),
        ({"timeout": 0}, "above 0"),
        ({"price": {"inputs": 1}}, "did you mean input"),
        ({"price": {"input": -1}}, "below 0"),
    ):
        with pytest.raises(UserError, match=message):
            ModelSettings.from_options(options, "models.m")


def test_the_digest_tells_repeats_and_settings_apart() -> None:
    base = ModelRequest("m", ASK.messages)
    others = [
        ModelRequest("m", ASK.messages, repeat=1),
        ModelRequest("m", ASK.messages, temperature=0.1),
        ModelRequest("n", ASK.messages),
        ModelRequest("m", ASK.messages, response_format={"type": "json_object"}),
    ]
    assert len({r.digest() for r in [base, *others]}) == 5
    assert base.digest() == ModelRequest("m", ASK.messages, owner="x", phase="judge").digest()


async def test_the_snapshot_says_what_the_last_minute_used_of_the_limits() -> None:
    now = [5.0]
    client = ScriptedClient(["one", "two"])
    d = ModelDoor(client, {"m": ModelSettings(rpm=10, tpm=10_000)}, clock=lambda: now[0])
    await d.complete(ASK)
    load = d.snapshot()["models"]["m"]
    assert load["rpm_used"] == 1 and load["tpm_used"] >= 0
    now[0] += 61.0
    load = d.snapshot()["models"]["m"]
    assert load["rpm_used"] == 0 and load["tpm_used"] == 0
