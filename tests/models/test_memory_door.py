"""The door of a memory system: counted per phase and owner, priced, parsed; and its scripted twin."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from memtui.errors import UserError
from memtui.model import Usage
from runners.memory.contract import Door
from runners.models.chat import ChatReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.memory_door import MemoryDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.scripted_door import ScriptedDoor, word_vector
from runners.models.settings import ModelSettings, Price
from runners.models.structured import read_structured

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
USER = [{"role": "user", "content": "Ana moved to Lisbon."}]


class _Vectors:
    """An embedder that takes seven tokens a call."""

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        return [word_vector(t) for t in texts], Usage(prompt=7, completion=0, cost=0.0, calls=1)


def _door(client: ScriptedClient, price: Price | None = None) -> MemoryDoor:
    models = ModelDoor(client, {"m": ModelSettings(price=price)})
    return MemoryDoor(models, _Vectors(), "artifact:x", "m", seed=5)


async def test_a_call_that_is_given_up_is_counted_with_the_attempts_that_were_made() -> None:
    failing: list[Entry] = [ModelError(ErrorKind.SERVER, "oops"), ChatReply("late")]
    for phase in ("ingest", "search"):
        models = ModelDoor(ScriptedClient(failing, delay=0.2), {"m": ModelSettings(retries=3)})
        door = MemoryDoor(models, _Vectors(), "artifact:x", "m", phase=phase)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await door.complete(USER)
        given_up = door.meter.take(phase)
        assert given_up is not None and door.counts == {(phase, "complete"): 1}
        paid = given_up.paid.total()
        assert (paid.calls, paid.prompt, paid.cost) == (1, None, None), "what it took is unknown"
        assert paid.attempts >= 1
    waiting = ModelDoor(ScriptedClient(["x"], delay=9.0), {"m": ModelSettings(concurrency=1)})
    first, second = (MemoryDoor(waiting, None, "artifact:x", "m") for _ in range(2))
    tasks = [asyncio.create_task(one.complete(USER)) for one in (first, second)]
    await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert first.meter.take("ingest") is not None
    assert second.meter.take("ingest") is None, "nobody was asked on its account"


async def test_calls_are_counted_and_paid_per_phase() -> None:
    reply = ChatReply('{"facts": ["a"]}', prompt=100, cached=40, completion=10)
    client = ScriptedClient([reply])
    door = _door(client, price=Price(1.0, 2.0, 0.1))
    one = await door.complete(USER, schema=SCHEMA)
    await door.complete(USER, phase="search")
    await door.embed(["a", "b"])
    assert one.parsed == {"facts": ["a"]}
    assert door.counts == {
        ("ingest", "complete"): 1,
        ("search", "complete"): 1,
        ("ingest", "embed"): 1,
    }
    ingest = door.meter.take("ingest")
    assert ingest is not None
    paid = ingest.paid.total()
    assert (paid.prompt, paid.calls) == (107, 2)
    assert paid.cost == pytest.approx((60 * 1.0 + 40 * 0.1 + 10 * 2.0) / 1e6)
    assert door.meter.take("ingest") is None
    sent = client.requests[0]
    assert (sent.owner, sent.phase, sent.seed) == ("artifact:x", "ingest", 5)
    assert sent.response_format is not None


async def test_unknown_usage_stays_unknown() -> None:
    door = _door(ScriptedClient(["hello"]))
    await door.complete(USER)
    tally = door.meter.take("ingest")
    assert tally is not None
    assert tally.paid.total().prompt is None
    assert tally.paid.total().cost is None


async def test_a_run_without_a_memory_model_says_what_to_set() -> None:
    door = MemoryDoor(None, None, "artifact:x", None)
    with pytest.raises(UserError, match="memory ="):
        await door.complete(USER)
    with pytest.raises(UserError, match="embedder"):
        await door.embed(["a"])


async def test_an_unknown_phase_is_refused() -> None:
    door = _door(ScriptedClient(["x"]))
    with pytest.raises(ValueError, match="ingest or search"):
        await door.complete(USER, phase="answer")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"facts": []}', {"facts": []}),
        ('```json\n{"facts": ["x"]}\n```', {"facts": ["x"]}),
        ('Sure: {"facts": ["x"]} done', {"facts": ["x"]}),
        ('{"other": 1}', None),
        ('["facts"]', None),
        ("nothing", None),
        ("", None),
    ],
)
def test_a_structured_reply_is_read_or_is_none(text: str, value: object) -> None:
    assert read_structured(text, SCHEMA) == value


async def test_the_scripted_door_plays_its_script_and_counts() -> None:
    door: Door = ScriptedDoor([{"facts": ["x"]}, "no json", ValueError("down")])
    assert (await door.complete(USER, schema=SCHEMA)).parsed == {"facts": ["x"]}
    assert (await door.complete(USER, schema=SCHEMA, phase="search")).parsed is None
    with pytest.raises(ValueError, match="down"):
        await door.complete(USER)
    with pytest.raises(AssertionError, match="completion 4"):
        await door.complete(USER)
    assert isinstance(door, ScriptedDoor)
    assert door.counts["search", "complete"] == 1
    assert door.asked[0].text == "Ana moved to Lisbon."


async def test_a_scripted_door_may_answer_by_rule_and_name_vectors() -> None:
    door = ScriptedDoor(
        lambda messages, schema: {"facts": [messages[0]["content"]]},
        vectors={"a": [1.0, 0.0]},
        alternatives=[("yes", -0.1), ("no", -2.0)],
    )
    assert (await door.complete(USER, schema=SCHEMA)).parsed == {"facts": [USER[0]["content"]]}
    assert (await door.complete(USER, logprobs=1)).alternatives == (("yes", -0.1),)
    assert list((await door.embed(["a", "b"]))[0]) == [1.0, 0.0]


async def test_alternatives_reach_the_system() -> None:
    client = ScriptedClient([ChatReply("yes", alternatives=(("yes", -0.2), ("no", -1.7)))])
    door = _door(client)
    assert (await door.complete(USER, logprobs=2)).alternatives[0] == ("yes", -0.2)
    request: ModelRequest = client.requests[0]
    assert request.extra == {"logprobs": True, "top_logprobs": 2}


async def test_the_longest_reply_is_the_models_setting() -> None:
    client = ScriptedClient(["x"])
    models = ModelDoor(client, {"m": ModelSettings(max_tokens=50)})
    for name, asked, sent in (
        ("m", None, 50),
        ("m", 80, 50),
        ("m", 20, 20),
        ("other", None, None),
        ("local/x", None, 1024),
        ("local/x", 16_000, 1024),
    ):
        await MemoryDoor(models, None, "artifact:x", name).complete(USER, max_tokens=asked)
        assert client.requests[-1].max_tokens == sent
