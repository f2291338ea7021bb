"""Writes as fast as it can and says what was acknowledged, until it is killed: `kill_writer.py FILE ROUND`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from memtui.store.writer import RunWriter
from tests.store import store_events as make


def say(line: str) -> None:
    """One whole line at once: a killed process leaves no half of it."""
    os.write(1, f"{line}\n".encode())


async def main(path: Path, round_: int) -> None:
    """Eight episodes at a time, for ever; each line on stdout is an acknowledged episode."""
    async with RunWriter(path) as sink:
        for event in make.opening(planned=1_000_000):
            await sink.emit(event)
        await sink.commit()
        say("ready")

        async def work(task: int) -> None:
            n = 0
            while True:
                n += 1
                uid, id_ = (
                    f"{round_}-{task}-{n}",
                    make.episode_id(repeat=(round_ * 8 + task) * 10**6 + n),
                )
                await sink.emit(make.started(uid, id_))
                for seq in range(1, 6):
                    await sink.emit(make.step(uid, seq, messages=({"content": uid * 50},)))
                    await asyncio.sleep(0.001)
                await sink.emit(make.finished(uid, id_, facts=make.facts(5)))
                await sink.commit()
                say(uid)

        await asyncio.gather(*[work(task) for task in range(8)])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
