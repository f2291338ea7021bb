"""Settings of one model: where it is, how much of it may be used at once, what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memtui.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; a part that is None is unknown, 0 is free."""

    input: float | None
    output: float | None
    cache_read: float | None = None
    source: str = ""
    """Where the price comes from, with its date."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How one model is reached and limited. None means: no limit, or the provider's default."""

    api_base: str | None = None
    """Base URL of an OpenAI-compatible server, e.g. `http://127.0.0.1:8811/v1`."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never stored."""
    concurrency: int | None = None
    rpm: int | None = None
    """Requests per minute."""
    tpm: int | None = None
    """Tokens per minute, prompt and completion."""
    timeout: float = 300.0
    """Seconds for one attempt."""
    retries: int = 4
    """Attempts after the first one; 0 asks once."""
    context: int | None = None
    """Context window in tokens."""
    max_tokens: int | None = None
    """Most tokens of one reply, whatever a request asks for. Local models: 1024 unless set."""
    price: Price | None = None
    threads: int | None = None
    """Threads of a model on this machine (`local/…`): 1 where anything else runs beside it."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], where: str) -> ModelSettings:
        """Read a configuration table; UserError for an unknown key or a value of the wrong kind.

        `price` is a table of `input`, `output`, `cache_read` in US dollars per million tokens.
        """
        check_keys(options, [f.name for f in fields(cls)], where)
        values = dict(options)
        for key in ("concurrency", "rpm", "tpm", "context", "max_tokens", "threads"):
            _whole(values, key, 1, where)
        _whole(values, "retries", 0, where)
        if "timeout" in values:
            values["timeout"] = _number(values["timeout"], "timeout", where)
            if values["timeout"] <= 0:
                raise UserError(f"{where}: timeout must be above 0 seconds")
        for key in ("api_base", "api_key_env"):
            if values.get(key) is not None and not isinstance(values[key], str):
                raise UserError(f"{where}: {key} must be text")
        if values.get("price") is not None:
            values["price"] = price_from_options(values["price"], f"{where}.price")
        return cls(**values)


def price_from_options(value: Any, where: str) -> Price:
    """Read a price table of the configuration."""
    if isinstance(value, Price):
        return value
    if not isinstance(value, Mapping):
        raise UserError(f"{where} must be a table with input, output and cache_read")
    check_keys(value, ["input", "output", "cache_read", "source"], where)
    parts = {
        key: None if value.get(key) is None else _number(value[key], key, where)
        for key in ("input", "output", "cache_read")
    }
    if any(p is not None and p < 0 for p in parts.values()):
        raise UserError(f"{where}: a price cannot be below 0")
    return Price(**parts, source=str(value.get("source", "configuration")))


def check_keys(given: Mapping[str, Any], known: list[str] | tuple[str, ...], where: str) -> None:
    """UserError naming the first unknown key and the nearest known one."""
    for key in given:
        if key in known:
            continue
        hint = did_you_mean(str(key), known)
        raise UserError(f"{where}: unknown option {str(key)!r}; {hint}")


def _whole(values: dict[str, Any], key: str, least: int, where: str) -> None:
    value = values.get(key)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserError(f"{where}: {key} must be a whole number of at least {least}")


def _number(value: Any, key: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UserError(f"{where}: {key} must be a number")
    return float(value)
