"""What a call costs at the door beside the model: in process, from recordings, over the loopback gateway.

Run from the repository: `python benchmarks/bench_door.py [--quick]`. The model behind the door answers at
once, so that all that is left is overhead. Beside each figure stands a bare litellm call with a mock
reply, which is what a program without a door would do. CPU is this process's; over loopback it is client
and server together, and the smallest of several rounds, since other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runners.models.chat import ChatReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.gateway import Gateway
from runners.models.litellm_client import load_litellm
from runners.models.memory_door import MemoryDoor
from runners.models.recordings import CacheMode, Recordings
from runners.models.settings import ModelSettings, Price

ROUNDS = 5
MODEL = "openai/bench"
IN_PROCESS_CPU_MS = 0.2
LOOPBACK_MS = 3.0
PASSAGES = "\n".join(
    f"[{n}] The user spoke about tea, trains and a dog, part {n}." for n in range(40)
)
MESSAGES = [
    {"role": "system", "content": "Extract facts from the passages. Reply with JSON."},
    {"role": "user", "content": PASSAGES},
]
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
REPLY = json.dumps({"facts": [f"the user likes tea number {n}" for n in range(8)]})


class AtOnce:
    """A model that takes no time."""

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        return ChatReply(REPLY, prompt=700, cached=0, completion=90, effective={"temperature": 0})

    async def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one call, the best of several rounds."""

    cpu: float
    wall: float


async def cost_of(call: Callable[[int], Awaitable[Any]], calls: int) -> Cost:
    """The smallest mean of `ROUNDS` rounds; calls are numbered on, none is made twice."""
    number = 0
    cpu, wall = [], []
    for _ in range(ROUNDS + 1):
        gc.collect()
        cpu_start, start = time.process_time(), time.perf_counter()
        for _ in range(calls):
            number += 1
            await call(number)
        cpu.append((time.process_time() - cpu_start) * 1e3 / calls)
        wall.append((time.perf_counter() - start) * 1e3 / calls)
    # The first round warms up.
    return Cost(min(cpu[1:]), min(wall[1:]))


def numbered(number: int) -> list[dict[str, str]]:
    """Messages that differ from call to call, as they do in a run."""
    return [*MESSAGES, {"role": "user", "content": f"Session {number}."}]


def door(recordings: Recordings | None = None) -> MemoryDoor:
    """A memory system's door to a model that takes no time, with every limit switched on."""
    settings = ModelSettings(
        concurrency=8, rpm=10**9, tpm=10**12, retries=4, price=Price(1.0, 2.0, 0.1)
    )
    models = ModelDoor(AtOnce(), {MODEL: settings}, recordings=recordings)
    return MemoryDoor(models, None, "artifact:bench", MODEL, seed=1)


async def in_process(calls: int) -> Cost:
    """A completion through the door, limits, prices and counts included."""
    one = door()
    return await cost_of(lambda n: one.complete(numbered(n), schema=SCHEMA), calls)


async def recording(calls: int, path: Path) -> Cost:
    """The same, each reply written to the recordings."""
    one = door(Recordings(path, CacheMode.RECORD))
    return await cost_of(lambda n: one.complete(numbered(n), schema=SCHEMA), calls)


async def replayed(calls: int, path: Path) -> Cost:
    """The same, each reply found in the recordings."""
    one = door(Recordings(path, CacheMode.REPLAY))
    return await cost_of(lambda n: one.complete(numbered(n), schema=SCHEMA), calls)


class Connection:
    """A client with one open connection and nothing else: what it costs is the gateway's cost."""

    def __init__(self, gateway: Gateway, key: str) -> None:
        self._port = int(gateway.base_url.rpartition(":")[2].partition("/")[0])
        self._head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\nContent-Length: "
        )

    async def __aenter__(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *args: object) -> None:
        self._writer.close()

    async def call(self, number: int) -> dict[str, Any]:
        """One completion; the parsed body."""
        form = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
        body = json.dumps(
            {"model": MODEL, "messages": numbered(number), "response_format": form}
        ).encode()
        self._writer.write(self._head.encode() + f"{len(body)}\r\n\r\n".encode() + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        said: dict[str, Any] = json.loads(await self._reader.readexactly(length))
        assert said["choices"][0]["message"]["content"] == REPLY
        return said


async def over_loopback(calls: int) -> Cost:
    """A completion over the gateway by a client of one socket."""
    async with Gateway() as gateway:
        key = gateway.issue(door())
        async with Connection(gateway, key) as connection:
            return await cost_of(connection.call, calls)


async def over_loopback_openai(calls: int) -> Cost:
    """The same by OpenAI's client, which most packages bring."""
    import openai

    async with Gateway() as gateway:
        client = openai.AsyncOpenAI(api_key=gateway.issue(door()), base_url=gateway.base_url)

        async def call(number: int) -> None:
            messages: Any = numbered(number)
            await client.chat.completions.create(model=MODEL, messages=messages)

        try:
            return await cost_of(call, calls)
        finally:
            await client.close()


async def bare_litellm(calls: int) -> Cost:
    """litellm with a mock reply: no network, no limits, no counts."""
    litellm = load_litellm()

    async def call(number: int) -> None:
        await litellm.acompletion(
            model=MODEL, messages=numbered(number), mock_response=REPLY, api_key="none"
        )

    return await cost_of(call, calls)


async def measure(calls: int) -> list[tuple[str, Cost, str]]:
    """All rows: what, cost, target."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.jsonl"
        return [
            ("door, in process", await in_process(calls), f"<= {IN_PROCESS_CPU_MS} CPU-ms"),
            ("door, recording", await recording(calls, path), ""),
            ("door, replaying", await replayed(calls, path), ""),
            ("gateway, one socket", await over_loopback(calls), f"<= {LOOPBACK_MS:g} ms"),
            ("gateway, OpenAI's client", await over_loopback_openai(max(calls // 4, 10)), ""),
            ("peer: litellm, mock reply", await bare_litellm(max(calls // 4, 10)), ""),
        ]


def main() -> int:
    """Print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer calls")
    args = parser.parse_args()
    rows = asyncio.run(measure(100 if args.quick else 400))
    peer = rows[-1][1]
    print(f"{'a call':<28}{'CPU-ms':>8}{'ms':>8}{'of the peer':>13}  target")
    for what, cost, target in rows:
        print(f"{what:<28}{cost.cpu:>8.3f}{cost.wall:>8.3f}{cost.cpu / peer.cpu:>12.2f}x  {target}")
    known = {what: cost for what, cost, _ in rows}
    met = (
        known["door, in process"].cpu <= IN_PROCESS_CPU_MS
        and known["gateway, one socket"].wall <= LOOPBACK_MS
    )
    spread = statistics.mean(cost.wall - cost.cpu for _, cost, _ in rows)
    print(
        f"targets {'met' if met else 'MISSED'}; other work took {spread:.2f} ms a call on average"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
