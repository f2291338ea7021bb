"""What a run's configuration says about its limits, wherever the harness that wrote it put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEPTH = 4


def call_cap(config: Mapping[str, Any]) -> int | None:
    """The safety cap on memory calls: the first integer `call_cap` in a nested configuration.

    R is right-censored there, so rates at B >= cap are not reported. None where the run names none.
    """
    return _find(config, DEPTH)


def _find(config: Mapping[str, Any], depth: int) -> int | None:
    found = config.get("call_cap")
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    if depth:
        for value in config.values():
            if isinstance(value, Mapping) and (deeper := _find(value, depth - 1)) is not None:
                return deeper
    return None


def is_context_arm(config: Mapping[str, Any]) -> bool:
    """Whether an arm's memory system offers no tools: it gives its context at once, and R = 0."""
    return config.get("tools") == []
