"""A process of its own that streams events to a driver: `driver_worker.py ADDRESS NUMBER EPISODES STEPS`."""

from __future__ import annotations

import asyncio
import sys

from memtui.store.driver import RemoteSink
from tests.store import store_events as make


async def main(address: str, number: int, episodes: int, steps: int) -> None:
    """Run some episodes at once, as an engine's worker would."""

    async def one(sink: RemoteSink, n: int) -> None:
        uid, id_ = f"w{number}-{n}", make.episode_id(repeat=number * 1000 + n)
        await sink.emit(make.started(uid, id_))
        for seq in range(1, steps + 1):
            await sink.emit(make.step(uid, seq, text=f"{number} {n} {seq}"))
            if seq % 7 == 0:
                await asyncio.sleep(0)
        await sink.emit(make.finished(uid, id_, facts=make.facts(steps)))
        await sink.commit()

    async with RemoteSink(address) as sink:
        await asyncio.gather(*[one(sink, n) for n in range(episodes)])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
