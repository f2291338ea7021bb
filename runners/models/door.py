"""The metered door: the one way to a language model. Limits, retries, usage and cost are kept here.

Attempts are counted (retries + 1), never hidden in a library; unknown usage stays None; a failure that
every further call would share (key, name, credit) stops the run early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from time import monotonic, perf_counter
from typing import Any, Protocol, runtime_checkable

from memtui.model import Usage
from runners.models.chat import Attempts, ChatClient, ChatReply, ModelReply, ModelRequest
from runners.models.limits import Clock, ModelLimiter, Sleep
from runners.models.meter import CHARGED
from runners.models.model_errors import FATAL, ErrorKind, ModelAccessError, ModelError
from runners.models.prices import LOCAL_PREFIX, cost, price_of
from runners.models.recordings import Recordings
from runners.models.retry import RetryPolicy
from runners.models.settings import ModelSettings, Price
from runners.usage import as_if_cold

_CHARS_PER_TOKEN = 4
LOCAL_REPLY_TOKENS = 1024


@runtime_checkable
class _Priced(Protocol):
    def price(self, model: str) -> Price | None: ...


class ModelDoor:
    """Async access to models by name; safe to share between tasks of one event loop.

    `models` gives the settings of single models, `default` those of all others. `seed` makes the
    jitter of retries reproducible.
    """

    def __init__(
        self,
        client: ChatClient | None = None,
        models: Mapping[str, ModelSettings] | None = None,
        *,
        default: ModelSettings | None = None,
        policy: RetryPolicy | None = None,
        seed: int = 0,
        clock: Clock = monotonic,
        sleep: Sleep = asyncio.sleep,
        recordings: Recordings | None = None,
    ) -> None:
        if client is None:
            from runners.models.clients import Clients

            client = Clients()
        self._client = client
        self._models = dict(models or {})
        self._default = default or ModelSettings()
        self._policy = policy or RetryPolicy()
        self._seed = seed
        self._clock = clock
        self._sleep = sleep
        self._limiters: dict[str, ModelLimiter] = {}
        self.recordings = recordings
        self._flights: dict[int, dict[str, Any]] = {}
        self._next_flight = 0
        self.fatal: ModelAccessError | None = None
        """The first failure that no further call can survive; an engine looks at it and stops."""

    def settings(self, model: str) -> ModelSettings:
        """The settings a model is called with."""
        settings = self._models.get(model, self._default)
        if model.startswith(LOCAL_PREFIX):
            # One slot on one machine: what waits, waits here, where no timeout counts it. A small
            # model that repeats itself would hold the slot until its window is full.
            settings = replace(
                settings,
                concurrency=settings.concurrency or 1,
                max_tokens=settings.max_tokens or LOCAL_REPLY_TOKENS,
            )
        return settings

    async def complete(self, request: ModelRequest, attempts: Attempts | None = None) -> ModelReply:
        """A recorded reply, or a model's, asked within its limits and again where that can help.

        Raises `ModelError` (with `attempts` and an `end_reason`) when it fails for good,
        `ModelAccessError` when the key, the name or the credit is at fault. Who counts for itself and may
        give the call up hands in `attempts`.
        """
        attempts = attempts or Attempts()
        most = self.settings(request.model).max_tokens
        if most is not None and (request.max_tokens is None or request.max_tokens > most):
            request = replace(request, max_tokens=most)
        # A memory system's door has an owner of its own and counts for itself.
        meter = None if request.owner else CHARGED.get()
        try:
            reply = await self._recorded(request, attempts)
        except asyncio.CancelledError:
            if meter is not None and attempts.made:
                # The provider was asked, and nobody waited for what it took.
                meter.add(request.phase, "complete", Usage(calls=1, attempts=attempts.made))
            raise
        except ModelError as error:
            if meter is not None:
                meter.add(request.phase, "complete", Usage(calls=1, attempts=error.attempts))
            raise
        if meter is not None:
            usage, wall_ms = reply.usage, reply.wall_ms
            meter.add(
                request.phase, "complete", usage, paid=reply.paid, cold=reply.cold, wall_ms=wall_ms
            )
        return reply

    async def _recorded(self, request: ModelRequest, made: Attempts) -> ModelReply:
        recordings = self.recordings
        if recordings is None:
            return await self._asked(request, made)
        key = request.digest()
        async with recordings.turn(key):
            known = recordings.find(key, request)
            if known is not None:
                return replace(known, cold=self._cold(known.usage, request))
            try:
                reply = await self._asked(request, made)
            except ModelError as error:
                recordings.keep_failure(key, request, error)
                raise
            recordings.keep(key, request, reply)
            return reply

    async def _asked(self, request: ModelRequest, made: Attempts) -> ModelReply:
        settings = self.settings(request.model)
        limiter = self._limiter(request.model, settings)
        started = perf_counter()
        flight = self._take_off(request)
        attempts = 0
        try:
            while True:
                attempts += 1
                flight["attempt"] = attempts
                try:
                    reply = await self._attempt(request, settings, limiter, flight, made)
                    break
                except ModelError as error:
                    await self._again(error, attempts, request, settings, limiter, flight)
        finally:
            self._flights.pop(flight["key"], None)
        wall_ms = (perf_counter() - started) * 1000.0
        return self._metered(reply, request, attempts, wall_ms)

    async def _attempt(
        self,
        request: ModelRequest,
        settings: ModelSettings,
        limiter: ModelLimiter,
        flight: dict[str, Any],
        made: Attempts,
    ) -> ChatReply:
        flight["state"] = "waiting"
        async with limiter.admit(_estimate(request)) as settle:
            flight["state"] = "calling"
            made.made += 1
            reply = await self._client.chat(request, settings)
            known = (reply.prompt, reply.completion)
            settle(None if None in known else sum(v or 0 for v in known))
            return reply

    async def _again(
        self,
        error: ModelError,
        attempts: int,
        request: ModelRequest,
        settings: ModelSettings,
        limiter: ModelLimiter,
        flight: dict[str, Any],
    ) -> None:
        """Wait for the next attempt, or raise what there is no next attempt for."""
        if error.kind in FATAL:
            access = ModelAccessError(
                _advice(error, request.model), kind=error.kind, attempts=attempts
            )
            self.fatal = self.fatal or access
            raise access from error
        seed = f"{self._seed}:{request.digest()}"
        wait = self._policy.wait(error, attempts, settings.retries, seed)
        if wait is None:
            error.attempts = attempts
            raise error
        if error.kind is ErrorKind.RATE_LIMITED and error.retry_after is not None:
            limiter.pause(error.retry_after)
        flight.update(state="retrying", reason=error.kind.value, until=self._clock() + wait)
        await limiter.back_off(wait)

    def _metered(
        self,
        reply: ChatReply,
        request: ModelRequest,
        attempts: int,
        wall_ms: float,
    ) -> ModelReply:
        price = self._price(request)
        usage = Usage(
            prompt=reply.prompt,
            cached=reply.cached,
            completion=reply.completion,
            reasoning=reply.reasoning_tokens,
            cost=cost(price, reply.prompt, reply.completion, reply.cached),
            calls=1,
            attempts=attempts,
        )
        return ModelReply(
            text=reply.text,
            finish=reply.finish,
            tool_calls=reply.tool_calls,
            reasoning=reply.reasoning,
            model=reply.model or request.model,
            usage=usage,
            attempts=attempts,
            wall_ms=wall_ms,
            requested=request.settings(),
            effective=dict(reply.effective),
            alternatives=reply.alternatives,
            cold=self._cold(usage, request),
        )

    def _price(self, request: ModelRequest) -> Price | None:
        fallback = self._client.price if isinstance(self._client, _Priced) else None
        return price_of(request.model, self.settings(request.model), fallback)

    def _cold(self, usage: Usage, request: ModelRequest) -> Usage:
        """The same call without the provider's cache."""
        cold = as_if_cold(usage)
        if not usage.cached:
            return cold
        full = cost(self._price(request), usage.prompt, usage.completion, 0)
        return replace(cold, cost=full)

    def _limiter(self, model: str, settings: ModelSettings) -> ModelLimiter:
        if model not in self._limiters:
            self._limiters[model] = ModelLimiter(
                settings.concurrency,
                settings.rpm,
                settings.tpm,
                clock=self._clock,
                sleep=self._sleep,
            )
        return self._limiters[model]

    def _take_off(self, request: ModelRequest) -> dict[str, Any]:
        self._next_flight += 1
        charged = CHARGED.get()
        owner = request.owner or ("" if charged is None else charged.owner)
        flight: dict[str, Any] = {
            "key": self._next_flight,
            "model": request.model,
            "owner": owner,
            "phase": request.phase,
            "since": self._clock(),
            "state": "waiting",
            "attempt": 0,
        }
        self._flights[self._next_flight] = flight
        return flight

    def snapshot(self) -> dict[str, Any]:
        """Limits and calls in flight, for the heartbeat: JSON values, durations in seconds.

        `models`: per model the counts of `ModelLimiter.snapshot`; `calls`: oldest first, each with
        model, owner, phase, state, attempt, seconds so far, and for retries the reason and the
        seconds left.
        """
        now = self._clock()
        calls = []
        for flight in self._flights.values():
            row = {k: flight[k] for k in ("model", "owner", "phase", "state", "attempt")}
            row["seconds"] = round(now - flight["since"], 3)
            if flight["state"] == "retrying":
                row["reason"] = flight["reason"]
                row["retry_in"] = round(max(0.0, flight["until"] - now), 3)
            calls.append(row)
        models = {name: limiter.snapshot() for name, limiter in sorted(self._limiters.items())}
        out: dict[str, Any] = {"models": models, "calls": calls}
        if self.recordings is not None:
            recordings = self.recordings
            out["recordings"] = {"hits": recordings.hits, "misses": recordings.misses}
        return out

    async def close(self) -> None:
        """Close the client's connections and the recordings."""
        await self._client.close()
        if self.recordings is not None:
            self.recordings.close()


def _estimate(request: ModelRequest) -> int:
    """Tokens an attempt may take, before it is known: four characters a token, and the whole reply."""
    characters = sum(len(str(m.get("content") or "")) for m in request.messages)
    return characters // _CHARS_PER_TOKEN + (request.max_tokens or 0)


def _advice(error: ModelError, model: str) -> str:
    what = {
        ErrorKind.AUTH: "the provider refuses the key: set or correct it",
        ErrorKind.NOT_FOUND: "the provider does not know this model: check its name",
        ErrorKind.QUOTA: "credit or quota is used up: top it up or choose another model",
    }[error.kind]
    message = str(error).removeprefix(f"{model}: ")
    return f"model {model!r} cannot be used: {what} ({message})"
