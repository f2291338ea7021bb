"""Limits per model: calls at once, requests and tokens a minute, in order of arrival."""

from __future__ import annotations

import asyncio

import pytest

from runners.models.limits import ModelLimiter


class Time:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def limiter(time: Time, **limits: int) -> ModelLimiter:
    return ModelLimiter(**limits, clock=time, sleep=time.sleep)


async def test_requests_per_minute_slide() -> None:
    time = Time()
    limit = limiter(time, rpm=3)
    starts = []
    for _ in range(8):
        async with limit.admit(1):
            starts.append(time.now)
        time.now += 1.0
    assert starts[:3] == [0.0, 1.0, 2.0]
    for i in range(3, 8):
        assert starts[i] - starts[i - 3] >= 60.0


async def test_tokens_per_minute_use_what_was_really_spent() -> None:
    time = Time()
    limit = limiter(time, tpm=100)
    async with limit.admit(90) as settle:
        settle(10)
    async with limit.admit(80):
        assert time.now == 0.0
    async with limit.admit(20):
        assert time.now >= 60.0


async def test_a_request_larger_than_the_limit_waits_for_an_empty_minute_and_goes() -> None:
    time = Time()
    limit = limiter(time, tpm=100)
    async with limit.admit(50):
        pass
    async with limit.admit(1000):
        assert time.now >= 60.0


async def test_unknown_usage_keeps_the_estimate() -> None:
    time = Time()
    limit = limiter(time, tpm=100)
    async with limit.admit(90) as settle:
        settle(None)
    async with limit.admit(20):
        assert time.now >= 60.0


@pytest.mark.parametrize("size", [1, 2, 5])
async def test_never_more_at_once_than_allowed(size: int) -> None:
    limit = ModelLimiter(size)
    most = 0
    order: list[int] = []

    async def work(n: int) -> None:
        nonlocal most
        async with limit.admit(1):
            order.append(n)
            most = max(most, limit.in_flight)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(n) for n in range(20)))
    assert most == size
    assert order == sorted(order)
    assert limit.in_flight == limit.waiting == 0


async def test_a_pause_holds_everybody_back() -> None:
    time = Time()
    limit = limiter(time)
    limit.pause(12.0)
    limit.pause(5.0)
    async with limit.admit(1):
        assert time.now == pytest.approx(12.0)


async def test_cancelled_waiters_leave_no_trace() -> None:
    limit = ModelLimiter(1)
    async with limit.admit(1):
        waiters = [asyncio.create_task(_hold(limit)) for _ in range(3)]
        await asyncio.sleep(0)
        assert limit.snapshot()["waiting"] == 3
        for task in waiters:
            task.cancel()
        await asyncio.gather(*waiters, return_exceptions=True)
        assert limit.snapshot()["waiting"] == 0
    async with limit.admit(1):
        assert limit.in_flight == 1


async def _hold(limit: ModelLimiter) -> None:
    async with limit.admit(1):
        await asyncio.sleep(60)
