"""A run that goes on: what its driver says once a second, and a writer that says it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.model import EndReason, EpisodeId, Facts
from memtui.store.events import EpisodeFinished, EpisodeStarted, HeartbeatEvent
from memtui.store.writer import RunWriter
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, at, declare, run_one

GOING_ON = Story(name="live", state="running", items=4, arms=ARMS[:4], scales=(0.0, 100.0, 400.0))


def flight(number: int, doing: str, for_s: float, age_s: float, calls: int = 0) -> dict[str, Any]:
    """One episode under way, as the driver names it."""
    memory, agent, _, _ = GOING_ON.arms[number % len(GOING_ON.arms)]
    return {
        "uid": f"u{number}", "arm": f"{memory}/{agent}", "item": f"q{number:03d}",
        "scale": (0.0, 100.0, 400.0)[number % 3], "seed": 1, "repeat": 0, "doing": doing,
        "calls": calls, "for_s": for_s, "age_s": age_s,
    }  # fmt: skip


BUSY: dict[str, Any] = {
    "rate": 0.6, "eta_s": 740.0, "retries": 7, "tokens": 1_240_000, "known_cost": 0.42,
    "cost": 0.42, "late_s": 0.1, "doing": "running", "errors": {"provider: 503": 3},
    "in_flight_total": 5,
    "in_flight": [
        flight(1, "deciding", 3.2, 41.0, 3), flight(2, "searching", 0.4, 12.5, 1),
        flight(3, "judging", 1.1, 9.0, 2), flight(4, "opening haystack", 0.8, 0.8),
        flight(5, "deciding", 18.0, 22.0, 1),
    ],
    "limits": [{"kind": "memory", "name": "bm25", "used": 2, "limit": 8}],
    "models": {
        "models": {
            "qwen": {"in_flight": 3, "waiting": 2, "retrying": 1, "paused_s": 4.0,
                     "concurrency": 3, "rpm": 60, "rpm_used": 60, "tpm": 90000, "tpm_used": 12400}
        },
        "calls": [
            {"model": "qwen", "owner": "episode:u5", "phase": "search", "state": "retrying",
             "attempt": 2, "seconds": 18.0, "reason": "rate_limited", "retry_in": 2.1},
            {"model": "qwen", "owner": "episode:u1", "phase": "agent", "state": "calling",
             "attempt": 1, "seconds": 3.1},
        ],
    },
}  # fmt: skip
"""A snapshot with everything in it."""


def ago(seconds: float) -> str:
    """The moment that many seconds before now."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


async def beat(sink: RunWriter, snapshot: dict[str, Any], *, age: float = 0.0) -> None:
    """Say that the driver is alive, or was `age` seconds ago."""
    await sink.emit(HeartbeatEvent(ago(age), 4711, "host", snapshot))
    await sink.commit()


async def broken(sink: RunWriter, story: Story, count: int) -> None:
    """Episodes that a broken memory system ends one like the other: what no sound run has."""
    memory, agent, _, _ = story.arms[0]
    key, item = f"{memory}/{agent}", question(0)[0].key
    for number in range(count):
        uid = f"broken {number}"
        episode = EpisodeId(key, item, "scale=0|seed=1", 500 + number, 1)
        await sink.emit(EpisodeStarted(episode, uid, None, 0.0, at(3_000 + number)))
        end, facts = EndReason.MEMORY_ERROR, Facts(1, 0, None, None, 2, 0, 0, 1)
        await sink.emit(
            EpisodeFinished(uid, episode, end, facts, "×", at(3_001 + number), error="KeyError: 1")
        )
    await sink.commit()


@asynccontextmanager
async def going_on(path: Path, story: Story = GOING_ON) -> AsyncIterator[RunWriter]:
    """A writer that has written half of the story and goes on."""
    async with RunWriter(path) as sink:
        asked = await declare(sink, replace(story))
        clock = 0
        for item, sessions in asked[: len(asked) // 2]:
            for scale in story.scales:
                for arm in story.arms:
                    await run_one(sink, story, arm, scale, item, sessions, clock)
                    clock += 1
        await beat(sink, BUSY)
        yield sink
