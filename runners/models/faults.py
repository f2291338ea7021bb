"""Faults on purpose: what a provider may do to a run, on a seeded schedule, for tests and drills.

A fault depends on the seed, the request and the number of the attempt, never on the order in which
requests come: the same drill is the same drill. Storms go by the count of attempts, since that is what
a rate limit does. Recordings lie above: what was recorded suffers no faults.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from memtui.errors import UserError
from runners.models.chat import ChatClient, ChatReply, ModelRequest
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.settings import ModelSettings, Price, check_keys


@dataclass(frozen=True, slots=True)
class FaultSchedule:
    """Shares (0 to 1) of attempts that go wrong, and rate-limit storms."""

    seed: int = 1
    rate_limited: float = 0.0
    """Answered with 429."""
    server: float = 0.0
    """Answered with 500."""
    disconnect: float = 0.0
    """The connection breaks."""
    stall: float = 0.0
    """Nothing comes for `stall_s` seconds; a shorter timeout of the model cuts it off."""
    stall_s: float = 30.0
    malformed: float = 0.0
    """The reply is no chat completion."""
    garbled: float = 0.0
    """A reply comes, its text cut off in the middle though it says `stop`."""
    storm_every: int = 0
    """After so many attempts a storm begins; 0 for none."""
    storm_length: int = 10
    """Attempts that a storm answers with 429."""
    retry_after: float | None = None
    """Seconds that a 429 asks to wait."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], where: str) -> FaultSchedule:
        """Read a configuration table; UserError for an unknown key or an impossible value."""
        check_keys(options, [f.name for f in fields(cls)], where)
        for key, value in options.items():
            if key == "retry_after" and value is None:
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            whole = key in ("seed", "storm_every", "storm_length")
            if not number or not math.isfinite(value) or value < 0 or (whole and value % 1):
                raise UserError(f"{where}: {key} must be a number from 0 up, not {value!r}")
        made = cls(**options)
        if sum(share for _, share in made.shares()) > 1:
            raise UserError(f"{where}: the shares of faults add up to more than 1")
        return made

    def shares(self) -> tuple[tuple[str, float], ...]:
        """The kinds of fault with their shares."""
        return (
            ("rate_limited", self.rate_limited),
            ("server", self.server),
            ("disconnect", self.disconnect),
            ("stall", self.stall),
            ("malformed", self.malformed),
            ("garbled", self.garbled),
        )

    def fault(self, digest: str, attempt: int) -> str | None:
        """The fault of a request's attempt (from 1), or None."""
        drawn = random.Random(f"{self.seed}:{digest}:{attempt}").random()
        for kind, share in self.shares():
            if drawn < share:
                return kind
            drawn -= share
        return None

    def in_storm(self, number: int) -> bool:
        """Is the client's attempt `number` (from 1) within a storm?"""
        if not self.storm_every or not self.storm_length:
            return False
        return (number - 1) % (self.storm_every + self.storm_length) >= self.storm_every


class FaultyClient:
    """A client that suffers faults on their way to another one. `injected` counts them by kind."""

    def __init__(
        self,
        client: ChatClient,
        schedule: FaultSchedule,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.injected: Counter[str] = Counter()
        self._client = client
        self._schedule = schedule
        self._sleep = sleep
        self._attempts: Counter[str] = Counter()
        self._number = 0

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        """One attempt, or what became of it."""
        digest = request.digest()
        self._attempts[digest] += 1
        self._number += 1
        fault = self._schedule.fault(digest, self._attempts[digest])
        if self._schedule.in_storm(self._number):
            fault = "rate_limited"
        if fault is not None:
            self.injected[fault] += 1
        if fault == "garbled":
            return _cut(await self._client.chat(request, settings))
        if fault == "stall":
            await self._stall(request, settings)
        elif fault is not None:
            raise self._error(fault, request)
        return await self._client.chat(request, settings)

    async def _stall(self, request: ModelRequest, settings: ModelSettings) -> None:
        limit = request.timeout or settings.timeout
        await self._sleep(min(self._schedule.stall_s, limit))
        if self._schedule.stall_s >= limit:
            raise ModelError(
                ErrorKind.TIMEOUT, f"no reply within {limit:g} s (injected)", model=request.model
            )

    def _error(self, fault: str, request: ModelRequest) -> ModelError:
        kind, status, text = {
            "rate_limited": (ErrorKind.RATE_LIMITED, 429, "too many requests"),
            "server": (ErrorKind.SERVER, 500, "internal server error"),
            "disconnect": (ErrorKind.CONNECTION, None, "the connection was reset"),
            "malformed": (ErrorKind.MALFORMED, None, "the reply holds no choices"),
        }[fault]
        wait = self._schedule.retry_after if fault == "rate_limited" else None
        return ModelError(
            kind, f"{text} (injected)", model=request.model, status=status, retry_after=wait
        )

    def price(self, model: str) -> Price | None:
        """The price the other client knows."""
        known = getattr(self._client, "price", None)
        found: Price | None = known(model) if known is not None else None
        return found

    async def close(self) -> None:
        """Close the other client."""
        await self._client.close()


def _cut(reply: ChatReply) -> ChatReply:
    """The reply with half its text, and half of each tool call's arguments."""
    text = None if reply.text is None else reply.text[: len(reply.text) // 2]
    calls = tuple(
        replace(c, arguments=c.arguments[: len(c.arguments) // 2])
        if isinstance(c.arguments, str)
        else c
        for c in reply.tool_calls
    )
    return replace(reply, text=text, tool_calls=calls)
