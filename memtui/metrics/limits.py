"""What a run's configuration says about its limits, wherever the harness that wrote it put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEPTH = 4


def call_cap(config: Mapping[str, Any]) -> int | None:
    """The safety cap on memory calls: the first integer `call_cap` in a nested configuration.

    A lower `step_cap` beside it is the cap instead: an episode that is stopped after so many decisions
    may have made no more than one call with each. R is right-censored there, so rates at B >= cap are
    not reported. None where the run names none.
    """
    return _find(config, DEPTH)


def _find(config: Mapping[str, Any], depth: int) -> int | None:
    caps = [config.get("call_cap"), config.get("step_cap")]
    known = [cap for cap in caps if isinstance(cap, int) and not isinstance(cap, bool)]
    if caps[0] in known:
        return min(known)
    if depth:
        for value in config.values():
            if isinstance(value, Mapping) and (deeper := _find(value, depth - 1)) is not None:
                return deeper
    return None


def is_context_arm(config: Mapping[str, Any]) -> bool:
    """Whether an arm's memory system offers no tools: it gives its context at once, and R = 0."""
    return config.get("tools") == []
