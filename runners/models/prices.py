"""Prices of models: the configuration's, else our dated table, else litellm's; unknown stays None."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from runners.models.settings import ModelSettings, Price

PriceSource = Callable[[str], Price | None]
"""Looks a model up by name; None when it does not know it."""

LOCAL_PREFIX = "local/"
"""Models on this machine; asking them costs nothing."""
FREE = Price(0.0, 0.0, 0.0, "this machine")
_HOSTED = ("openai/", "anthropic/")
"""Prefixes that litellm's names may leave out."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of our table: price and context window in tokens."""

    price: Price
    context: int | None


@cache
def table() -> dict[str, Listed]:
    """The table shipped with the package, by model name without `openai/` or `anthropic/`."""
    raw = json.loads((files("runners.models") / "prices.json").read_text(encoding="utf-8"))
    note = f"{raw['source']}, {raw['date']}"
    return {
        name: Listed(
            Price(row.get("input"), row.get("output"), row.get("cache_read"), note),
            row.get("context"),
        )
        for name, row in raw["models"].items()
    }


def listed(model: str) -> Listed | None:
    """Our table's line for a model, its provider prefix optional."""
    rows = table()
    if model in rows:
        return rows[model]
    for prefix in _HOSTED:
        if model.startswith(prefix):
            return rows.get(model.removeprefix(prefix))
    return None


def price_of(
    model: str, settings: ModelSettings, fallback: PriceSource | None = None
) -> Price | None:
    """The price of a model, or None.

    A model behind an `api_base` of its own has the price the configuration gives and no other: a
    local server may call its model by any name.
    """
    if settings.price is not None:
        return settings.price
    if settings.api_base is not None:
        return None
    if model.startswith(LOCAL_PREFIX):
        return FREE
    if (line := listed(model)) is not None:
        return line.price
    return fallback(model) if fallback is not None else None


def context_of(model: str, settings: ModelSettings) -> int | None:
    """The context window in tokens, or None where it is not known."""
    if settings.context is not None:
        return settings.context
    if settings.api_base is not None:
        return None
    line = listed(model)
    return line.context if line is not None else None


def cost(
    price: Price | None, prompt: int | None, completion: int | None, cached: int | None
) -> float | None:
    """US dollars of one call, or None as soon as a count or a price it needs is unknown.

    Reasoning tokens are part of the completion and are not counted again; cached tokens are part of
    the prompt and cost `cache_read`. A provider that reports no cached tokens charged none.
    """
    if price is None:
        return None
    total = 0.0
    from_cache = min(cached or 0, prompt or 0)
    fresh = None if prompt is None else prompt - from_cache
    # Cached tokens of a free model are free.
    cache_read = 0.0 if price.cache_read is None and price.input == 0 else price.cache_read
    for tokens, per_million in (
        (fresh, price.input),
        (from_cache, cache_read),
        (completion, price.output),
    ):
        if tokens == 0 or per_million == 0:
            continue
        if tokens is None or per_million is None:
            return None
        total += tokens * per_million / 1_000_000
    return total
