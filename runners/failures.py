"""Whose failure it was: the one place where an exception becomes an end reason.

Provider and network failures are never the agent's (such an episode is excluded and asked again);
failures of the system under test always count. docs/metrics.md has the table.
"""

from __future__ import annotations

import traceback
from typing import ClassVar

from memtui.model import EndReason

ERROR_LIMIT = 2_000
"""Characters of an error message that are kept."""
TRACEBACK_LIMIT = 6_000
DOOR = "runners.models.door"
"""The module through which models are asked."""


class ProviderError(Exception):
    """A model or embedding provider, or the network, failed for good (retries are used up)."""

    end_reason: ClassVar[EndReason] = EndReason.PROVIDER_ERROR


class ContextOverflow(Exception):
    """The prompt does not fit the model's context window: the system under test asked too much."""

    end_reason: ClassVar[EndReason] = EndReason.CONTEXT_OVERFLOW


def end_reason_of(error: BaseException) -> EndReason:
    """The end reason of an episode that `error` ended.

    An exception class may name its own with an attribute `end_reason`, so that a door to models of
    somebody else's can say "this was the provider". `TimeoutError` is a hang of the system under
    test, unless the time ran out while it waited for a model; everything else is a crash of it.
    """
    named = getattr(error, "end_reason", None)
    if isinstance(named, EndReason):
        return named
    if isinstance(error, TimeoutError):
        return EndReason.PROVIDER_ERROR if waited_for_model(error) else EndReason.TIMEOUT
    return EndReason.MEMORY_ERROR


def waited_for_model(error: BaseException) -> bool:
    """True when the work that `error` cut off stood inside the door to the models.

    A rate limit that outlasts the agent's own time limit is the provider's failure. Whoever is waited
    for is at the inner end of the traceback of the cancellation.
    """
    seen: BaseException | None = error
    while seen is not None:
        frames = seen.__traceback__
        while frames is not None:
            if str(frames.tb_frame.f_globals.get("__name__", "")).startswith(DOOR):
                return True
            frames = frames.tb_next
        seen = seen.__cause__ or seen.__context__
    return False


def describe(error: BaseException) -> str:
    """One line: the kind of error and its message, cut to `ERROR_LIMIT` characters."""
    message = " ".join(str(error).split())
    line = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return line if len(line) <= ERROR_LIMIT else line[: ERROR_LIMIT - 1] + "…"


def trace_of(error: BaseException) -> str:
    """The end of the traceback: what the author of a failing system needs to see."""
    text = "".join(traceback.format_exception(error))
    return text if len(text) <= TRACEBACK_LIMIT else "…" + text[-TRACEBACK_LIMIT:]
