"""When to try a model call again, and how long to wait: exponential, jittered, seeded."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from runners.models.model_errors import TRANSIENT, ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits of `base * 2**n` seconds up to `cap`, half of it jittered; a server's Retry-After wins.

    Equal jitter as in "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): half the wait is
    kept so that a busy server is never asked again at once.
    """

    base: float = 0.5
    cap: float = 60.0
    longest: float = 600.0
    """A server that asks for a longer pause than this is given up."""

    def wait(self, error: ModelError, failed: int, retries: int, seed: str) -> float | None:
        """Seconds before the next attempt after `failed` attempts; None to give up.

        `seed` makes the jitter reproducible: the same request waits the same times.
        """
        if error.kind not in TRANSIENT or failed > retries:
            return None
        asked = error.retry_after
        if asked is not None and asked > self.longest:
            return None
        full = min(self.cap, self.base * 2.0 ** (failed - 1))
        jitter = random.Random(f"{seed}:{failed}").random()
        wait = full / 2 + jitter * full / 2
        if asked is None:
            return wait
        # A little jitter on top, so that all waiters do not come back in the same instant.
        return asked + jitter * min(1.0, 0.1 * asked + 0.05)


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header: a number, or an HTTP date (RFC 9110, 10.2.3); None if neither."""
    if value is None:
        return None
    text = value.strip()
    try:
        seconds = float(text)
        return seconds if 0 <= seconds < float("inf") else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
