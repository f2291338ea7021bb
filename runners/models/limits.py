"""Limits of one model: calls at once, requests and tokens a minute, and pauses a provider asks for."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from time import monotonic
from typing import Any

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

_MINUTE = 60.0


class ModelLimiter:
    """Admits attempts in order of arrival; a cancelled waiter or caller gives its place back.

    A 429 pauses the whole model, not one call: the others would only run into it as well.
    """

    def __init__(
        self,
        concurrency: int | None = None,
        rpm: int | None = None,
        tpm: int | None = None,
        *,
        clock: Clock = monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.concurrency = concurrency
        self.rpm = rpm
        self.tpm = tpm
        self.in_flight = 0
        self.waiting = 0
        self.retrying = 0
        self.paused_until = 0.0
        self._clock = clock
        self._sleep = sleep
        self._slots = asyncio.Semaphore(concurrency) if concurrency else None
        self._turn = asyncio.Lock()
        self._starts: deque[float] = deque()
        self._spent: deque[list[float]] = deque()

    @contextlib.asynccontextmanager
    async def admit(self, estimate: int) -> AsyncIterator[Callable[[int | None], None]]:
        """Wait for a place and hold it; yields a function that settles the tokens really used.

        `estimate` is the number of tokens the attempt is expected to take; an attempt larger than
        the whole limit waits for an empty minute and then goes.
        """
        self.waiting += 1
        try:
            if self._slots is not None:
                await self._slots.acquire()
            try:
                entry = await self._rate(estimate)
            except BaseException:
                if self._slots is not None:
                    self._slots.release()
                raise
        finally:
            self.waiting -= 1

        def settle(tokens: int | None) -> None:
            if tokens is not None and entry is not None:
                entry[1] = float(tokens)

        self.in_flight += 1
        try:
            yield settle
        finally:
            self.in_flight -= 1
            if self._slots is not None:
                self._slots.release()

    def pause(self, seconds: float) -> None:
        """Start no attempt for that long."""
        self.paused_until = max(self.paused_until, self._clock() + seconds)

    async def back_off(self, seconds: float) -> None:
        """Wait between two attempts of one call; shown as retrying, holds no place."""
        self.retrying += 1
        try:
            await self._sleep(seconds)
        finally:
            self.retrying -= 1

    async def _rate(self, estimate: int) -> list[float] | None:
        # The lock makes the queue fair: whoever came first is admitted first.
        async with self._turn:
            while (wait := self._wait(estimate)) > 0:
                await self._sleep(wait)
            now = self._clock()
            if self.rpm is not None:
                self._starts.append(now)
            if self.tpm is None:
                return None
            entry = [now, float(estimate)]
            self._spent.append(entry)
            return entry

    def _wait(self, estimate: int) -> float:
        now = self._clock()
        wait = max(0.0, self.paused_until - now)
        self._forget(now)
        if self.rpm is not None and len(self._starts) >= self.rpm:
            wait = max(wait, self._starts[len(self._starts) - self.rpm] + _MINUTE - now)
        if self.tpm is not None and self._spent:
            over = sum(tokens for _, tokens in self._spent) + estimate - self.tpm
            for at, tokens in self._spent:
                if over <= 0:
                    break
                wait = max(wait, at + _MINUTE - now)
                over -= tokens
        return wait

    def _forget(self, now: float) -> None:
        """Drop what is older than a minute."""
        while self._starts and self._starts[0] <= now - _MINUTE:
            self._starts.popleft()
        while self._spent and self._spent[0][0] <= now - _MINUTE:
            self._spent.popleft()

    def snapshot(self) -> dict[str, Any]:
        """What is going on, for the heartbeat: counts, limits, what the last minute used of them, and
        seconds of pause left."""
        now = self._clock()
        self._forget(now)
        out: dict[str, Any] = {
            "in_flight": self.in_flight,
            "waiting": self.waiting,
            "retrying": self.retrying,
            "paused_s": round(max(0.0, self.paused_until - now), 3),
        }
        for key in ("concurrency", "rpm", "tpm"):
            if (value := getattr(self, key)) is not None:
                out[key] = value
        if self.rpm is not None:
            out["rpm_used"] = len(self._starts)
        if self.tpm is not None:
            out["tpm_used"] = round(sum(tokens for _, tokens in self._spent))
        return out
