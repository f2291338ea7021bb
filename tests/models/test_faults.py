"""Faults on purpose: the same drill every time, and a door that comes through it."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.errors import UserError
from runners.models.chat import ChatReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.faults import FaultSchedule, FaultyClient
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import ScriptedClient
from runners.models.settings import ModelSettings


def asked(number: int) -> ModelRequest:
    return ModelRequest("m", ({"role": "user", "content": f"question {number}"},))


async def outcomes(schedule: FaultSchedule, order: list[int]) -> dict[int, str]:
    client = FaultyClient(ScriptedClient(["x"]), schedule)
    found = {}
    for number in order:
        try:
            await client.chat(asked(number), ModelSettings())
            found[number] = "ok"
        except ModelError as error:
            found[number] = error.kind.value
    return found


async def test_a_drill_does_not_depend_on_the_order_of_requests() -> None:
    schedule = FaultSchedule(seed=4, rate_limited=0.2, server=0.2, disconnect=0.2, malformed=0.2)
    forward = await outcomes(schedule, list(range(60)))
    assert forward == await outcomes(schedule, list(reversed(range(60))))
    assert set(forward.values()) == {
        "ok",
        "rate_limited",
        "server",
        "connection",
        "malformed",
    }
    assert forward != await outcomes(FaultSchedule(seed=5, rate_limited=0.8), list(range(60)))


async def test_the_door_comes_through_and_counts_attempts() -> None:
    async def no_wait(seconds: float) -> None:
        pass

    client = FaultyClient(ScriptedClient(["x"]), FaultSchedule(rate_limited=0.3, server=0.2))
    door = ModelDoor(client, {"m": ModelSettings(retries=20)}, sleep=no_wait)
    attempts = [(await door.complete(asked(n))).attempts for n in range(40)]
    assert sum(attempts) == 40 + client.injected.total()
    assert client.injected["rate_limited"] > 5
    assert client.injected["server"] > 3


async def test_storms_come_and_go() -> None:
    client = FaultyClient(
        ScriptedClient(["x"]), FaultSchedule(storm_every=5, storm_length=3, retry_after=2.0)
    )
    weather = ""
    for number in range(16):
        try:
            await client.chat(asked(number), ModelSettings())
            weather += "."
        except ModelError as error:
            assert error.retry_after == 2.0
            weather += "!"
    assert weather == ".....!!!.....!!!"


async def test_a_stall_is_cut_off_by_the_models_timeout() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    client = FaultyClient(
        ScriptedClient(["x"]), FaultSchedule(stall=1.0, stall_s=30.0), sleep=sleep
    )
    with pytest.raises(ModelError) as caught:
        await client.chat(asked(1), ModelSettings(timeout=10.0))
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert (await client.chat(asked(1), ModelSettings(timeout=60.0))).text == "x"
    assert slept == [10.0, 30.0]


async def test_garbled_replies_are_cut_in_the_middle() -> None:
    reply = ChatReply('{"facts": ["a"]}', "stop", (ToolRequest("add", '{"a": 1}', "c"),))
    client = FaultyClient(ScriptedClient([reply]), FaultSchedule(garbled=1.0))
    cut = await client.chat(asked(1), ModelSettings())
    assert cut.text == '{"facts"'
    assert cut.tool_calls[0].arguments == '{"a"'
    assert cut.finish == "stop"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rate_limit": 0.1}, "did you mean rate_limited"),
        ({"server": -0.1}, "server must be a number"),
        ({"server": True}, "server must be a number"),
        ({"storm_every": 1.5}, "storm_every must be"),
        ({"server": 0.6, "stall": 0.6}, "more than 1"),
    ],
)
def test_an_impossible_schedule_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError, match=why):
        FaultSchedule.from_options(options, "models.faults")
