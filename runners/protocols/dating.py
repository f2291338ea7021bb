"""Where in time the sessions of a haystack stand: dates are metadata of a position, never text.

Two named policies, both seeded and the same at every rung (docs/adding-a-benchmark.md):

`balanced`  evidence keeps its dates; the ages of the fillers are spread so that the evidence sits at
            an age percentile drawn uniformly per question. Without this, fillers tend to be older than
            the evidence and a memory that merely prefers recent sessions looks good.
`natural`   sessions keep the dates of the data set's own haystack where it gives them; fillers from
            elsewhere, whose clock is another, are spread over the span of that haystack.

A filler is never dated after the question. A date that is not known stays unknown: such a session
gets a place in the order, but no date.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

BALANCED = "balanced"
NATURAL = "natural"
POLICIES = (BALANCED, NATURAL)

LOWEST, HIGHEST = 0.05, 0.95
"""Bounds of the evidence's age percentile: beyond them the fillers would span decades or minutes."""

DAY = 24 * 60
DEFAULT_SPAN = 365 * DAY
MIN_SPAN = DAY

_ZERO = datetime.min  # noqa: DTZ901 - data sets give local dates without an offset
_UNDATED = 1_051_898_400
"""A minute (1 January 2001) to order by where nothing at all is dated; it is never printed."""


def unit(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone: sha256, the same in every Python."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


@lru_cache(maxsize=1 << 16)
def minute_of(date: str | None) -> int | None:
    """Minutes from 0001-01-01 to a stored ISO date; None for None and for what cannot be read."""
    if not date:
        return None
    try:
        moment = datetime.fromisoformat(date).replace(tzinfo=None)
    except ValueError:
        return None
    return (moment - _ZERO) // timedelta(minutes=1)


def iso(minute: int) -> str:
    """A minute as ISO 8601 to the minute, the precision of the data sets."""
    return (_ZERO + timedelta(minutes=minute)).isoformat(timespec="minutes")


@dataclass(frozen=True, slots=True)
class Timeline:
    """The time frame of one question, in minutes: age `u` in [0, 1) to a minute, 0 oldest.

    Piecewise linear: `u` below `pivot_at` falls between `start` and `pivot`, the rest between `pivot`
    and `end`. With `start` on the straight line through both, it is one linear span.
    """

    start: int
    pivot: int
    pivot_at: float
    end: int
    dated: bool = True
    """False: nothing about this question is dated, so positions get an order but no dates."""

    def minute(self, u: float) -> int:
        """The minute of age `u`."""
        if u < self.pivot_at:
            return self.start + int((self.pivot - self.start) * (u / self.pivot_at))
        late = (u - self.pivot_at) / (1 - self.pivot_at)
        return self.pivot + int((self.end - self.pivot) * late)


def balanced_timeline(
    seed: int,
    question: str,
    evidence: Sequence[int],
    question_date: int | None,
    latest: int | None = None,
) -> Timeline:
    """The span [t0, question date) with t0 so that the evidence's mean date is at a drawn percentile.

    Dates are minutes. `latest` is the newest date of the item's own history: it ends the span where
    the question has no date. Evidence that is not older than the question (it occurs) cannot be
    surrounded by fillers without dating these after the question; then the span is the year before
    the question.
    """
    at = LOWEST + (HIGHEST - LOWEST) * unit(seed, "percentile", question)
    end = question_date
    if end is None:
        known = [*evidence, *([latest] if latest is not None else [])]
        end = max(known) + DAY if known else None
    if end is None:
        return _plain(_UNDATED - DEFAULT_SPAN, _UNDATED, at, dated=False)
    if not evidence:
        return _plain(end - DEFAULT_SPAN, end, at)
    pivot = sum(evidence) // len(evidence)
    if pivot >= end:
        return _plain(end - DEFAULT_SPAN, end, at)
    before = max(int((end - pivot) * at / (1 - at)), MIN_SPAN)
    return Timeline(max(pivot - before, 0), pivot, at, end)


def natural_timeline(own: Sequence[int], question_date: int | None, fallback: Timeline) -> Timeline:
    """The span of the item's own history, for fillers that are not part of it.

    `fallback` is used where the data set gives no own fillers to take a span from.
    """
    if not own:
        return fallback
    start = min(own)
    end = question_date if question_date is not None else max(own) + DAY
    return _plain(start, end, 0.5) if end - start >= MIN_SPAN else fallback


def _plain(start: int, end: int, at: float, *, dated: bool = True) -> Timeline:
    """One linear span from start to end."""
    start = max(start, 0)
    return Timeline(start, start + int((end - start) * at), at, end, dated)
