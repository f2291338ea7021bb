"""Add up usage of leaf model calls without turning "unknown" into zero."""

from __future__ import annotations

from memtui.model import Usage


class UsageTotal:
    """Sum of the usages added: a field is None once any model call in the sum left it unknown.

    A usage without calls says that no model was asked: what it leaves open is nothing, not unknown.
    An extractive agent costs 0 tokens, which is known.
    """

    __slots__ = ("_attempts", "_calls", "_cost", "_known_cost", "_known_tokens", "_tokens")

    def __init__(self) -> None:
        self._tokens: list[int | None] = [0, 0, 0, 0]
        self._cost: float | None = 0.0
        self._calls = 0
        self._attempts = 0
        self._known_tokens = 0
        self._known_cost = 0.0

    def add(self, usage: Usage | None) -> None:
        """Add one call's usage; None means that no model was asked."""
        if usage is None:
            return
        values = (usage.prompt, usage.cached, usage.completion, usage.reasoning)
        if not usage.calls and not usage.attempts and all(v is None for v in values):
            return
        asked_nobody = not usage.calls and not usage.attempts
        tokens = self._tokens
        for place, value in enumerate(values):
            if asked_nobody and value is None:
                continue
            held = tokens[place]
            tokens[place] = None if held is None or value is None else held + value
        cost = 0.0 if asked_nobody and usage.cost is None else usage.cost
        self._cost = None if self._cost is None or cost is None else self._cost + cost
        self._known_tokens += (usage.prompt or 0) + (usage.completion or 0)
        self._known_cost += cost or 0.0
        self._calls += usage.calls
        self._attempts += usage.attempts

    @property
    def known_tokens(self) -> int:
        """Prompt and completion tokens as far as they are known: what a cap is compared with."""
        return self._known_tokens

    @property
    def known_cost(self) -> float:
        """US dollars as far as they are known."""
        return self._known_cost

    def total(self) -> Usage:
        """The sum as a value."""
        prompt, cached, completion, reasoning = self._tokens
        return Usage(
            prompt=prompt,
            cached=cached,
            completion=completion,
            reasoning=reasoning,
            cost=self._cost,
            calls=self._calls,
            attempts=self._attempts,
        )


def as_if_cold(usage: Usage) -> Usage:
    """The same calls without any provider cache: all prompt tokens uncached.

    The cost is known only where nothing was cached; what a cached token would have cost depends on a
    price table that the usage does not carry.
    """
    if not usage.cached:
        return usage
    return Usage(
        prompt=usage.prompt,
        cached=0,
        completion=usage.completion,
        reasoning=usage.reasoning,
        cost=None,
        calls=usage.calls,
        attempts=usage.attempts,
    )
