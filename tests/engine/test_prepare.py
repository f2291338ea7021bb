"""Preparation: once per content, whoever asks; failures are tried again only where that can help."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from memtui.model import EndReason, Turn
from memtui.store.events import LedgerEvent
from runners.engine.prepare import Preparation
from runners.failures import ProviderError, end_reason_of
from runners.memory.contract import SessionText
from tests.engine.scripted import ListMemory, ListSink

TEXTS = {sha: SessionText(sha, (Turn("user", sha),)) for sha in ("a", "b", "c", "d")}


@dataclass
class Fragile(ListMemory):
    """Fails on some sessions: `errors` are raised one by one."""

    asked: Counter[str] = field(default_factory=Counter)
    errors: dict[str, list[BaseException]] = field(default_factory=dict)
    slow: float = 0.0

    async def prepare(self, session: SessionText, door: Any) -> Any:
        self.asked[session.sha] += 1
        await asyncio.sleep(self.slow)
        if self.errors.get(session.sha):
            raise self.errors[session.sha].pop(0)
        return await super().prepare(session, door)


def some(*shas: str) -> dict[str, SessionText]:
    return {sha: TEXTS[sha] for sha in shas}


async def test_once_per_content_however_many_ask_at_once() -> None:
    memory, sink = Fragile(slow=0.001), ListSink()
    preparation = Preparation("m", memory, sink)
    await asyncio.gather(*(preparation.ensure(some("a", "b", "c")) for _ in range(10)))
    await preparation.ensure(some("c", "d"))
    assert memory.asked == Counter("abcd")
    assert preparation.prepared == 4
    assert [event.owner for event in sink.of(LedgerEvent)] == [f"artifact:m:{s}" for s in "abcd"]
    assert set(preparation.artifacts(some("a", "d"))) == {"a", "d"}


async def test_a_provider_that_recovers_leaves_no_gap() -> None:
    memory = Fragile(errors={"b": [ProviderError("429")] * 3})
    preparation = Preparation("m", memory, ListSink())
    for _ in range(3):
        with pytest.raises(ProviderError):
            await preparation.ensure(some("a", "b"))
    await preparation.ensure(some("a", "b"))
    assert memory.asked == {"a": 1, "b": 4}


async def test_a_session_the_system_fails_on_is_given_up() -> None:
    memory = Fragile(errors={"b": [ValueError("bad text")] * 9})
    preparation = Preparation("m", memory, ListSink())
    for _ in range(5):
        with pytest.raises(ValueError, match="bad text"):
            await preparation.ensure(some("a", "b"))
    assert memory.asked == {"a": 1, "b": 2}


async def test_a_session_that_hangs_times_out() -> None:
    preparation = Preparation("m", Fragile(slow=60.0), ListSink(), seconds=0.01)
    with pytest.raises(TimeoutError) as failed:
        await preparation.ensure(some("a"))
    assert end_reason_of(failed.value) is EndReason.TIMEOUT


async def test_who_is_cancelled_takes_nobody_along() -> None:
    memory = Fragile(slow=0.05)
    preparation = Preparation("m", memory, ListSink())
    first = asyncio.create_task(preparation.ensure(some("a", "b")))
    second = asyncio.create_task(preparation.ensure(some("b")))
    await asyncio.sleep(0.01)
    first.cancel()
    await second
    assert memory.asked["b"] == 1 and preparation.artifacts(some("b"))
    await preparation.close()


async def test_closing_stops_what_nobody_waits_for() -> None:
    preparation = Preparation("m", Fragile(slow=60.0), ListSink())
    waiting = asyncio.create_task(preparation.ensure(some("a")))
    await asyncio.sleep(0)
    await preparation.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
