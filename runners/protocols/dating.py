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

BALANCED = "balanced"
NATURAL = "natural"
POLICIES = (BALANCED, NATURAL)

LOWEST, HIGHEST = 0.05, 0.95
"""Bounds of the evidence's age percentile: beyond them the fillers would span decades or minutes."""
DEFAULT_SPAN = timedelta(days=365)
MIN_SPAN = timedelta(days=1)
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - data sets give local dates without an offset


def unit(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone: sha256, the same in every Python."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def read_iso(date: str | None) -> datetime | None:
    """A stored ISO date without offset as a datetime; None stays None, unreadable is None."""
    if not date:
        return None
    try:
        return datetime.fromisoformat(date).replace(tzinfo=None)
    except ValueError:
        return None


def iso(moment: datetime) -> str:
    """A datetime as ISO 8601 to the minute, the precision of the data sets."""
    return moment.isoformat(timespec="minutes")


@dataclass(frozen=True, slots=True)
class Timeline:
    """The time frame of one question: age `u` in [0, 1) to a moment, 0 oldest.

    Piecewise linear: `u` below `pivot_at` falls between `start` and `pivot`, the rest between `pivot`
    and `end`. With `start` on the straight line through both, it is one linear span.
    """

    start: datetime
    pivot: datetime
    pivot_at: float
    end: datetime
    dated: bool = True
    """False: nothing about this question is dated, so positions get an order but no dates."""

    def moment(self, u: float) -> datetime:
        """The moment of age `u`, cut to the minute."""
        if u < self.pivot_at:
            exact = self.start + (self.pivot - self.start) * (u / self.pivot_at)
        else:
            exact = self.pivot + (self.end - self.pivot) * (
                (u - self.pivot_at) / (1 - self.pivot_at)
            )
        return exact.replace(second=0, microsecond=0)


def balanced_timeline(
    seed: int,
    question: str,
    evidence: Sequence[datetime],
    question_date: datetime | None,
    latest: datetime | None = None,
) -> Timeline:
    """The span [t0, question date) with t0 so that the evidence's mean date is at a drawn percentile.

    `latest` is the newest date of the item's own history: it ends the span where the question has no
    date. Evidence that is not older than the question (it occurs) cannot be surrounded by fillers
    without dating these after the question; then the span is the year before the question.
    """
    at = LOWEST + (HIGHEST - LOWEST) * unit(seed, "percentile", question)
    end = question_date
    if end is None:
        known = [*evidence, *([latest] if latest else [])]
        end = max(known) + timedelta(days=1) if known else None
    if end is None:
        return _plain(_EPOCH - DEFAULT_SPAN, _EPOCH, at, dated=False)
    if not evidence:
        return _plain(end - DEFAULT_SPAN, end, at)
    pivot = evidence[0] + sum((e - evidence[0] for e in evidence), timedelta()) / len(evidence)
    if pivot >= end:
        return _plain(end - DEFAULT_SPAN, end, at)
    before = max((end - pivot) * (at / (1 - at)), MIN_SPAN)
    return Timeline(pivot - min(before, pivot - datetime.min), pivot, at, end)  # noqa: DTZ901


def natural_timeline(
    own: Sequence[datetime], question_date: datetime | None, fallback: Timeline
) -> Timeline:
    """The span of the item's own history, for fillers that are not part of it.

    `fallback` is used where the data set gives no own fillers to take a span from.
    """
    if not own:
        return fallback
    start = min(own)
    end = question_date if question_date is not None else max(own) + timedelta(days=1)
    return _plain(start, end, 0.5) if end - start >= MIN_SPAN else fallback


def _plain(start: datetime, end: datetime, at: float, *, dated: bool = True) -> Timeline:
    """One linear span from start to end."""
    return Timeline(start, start + (end - start) * at, at, end, dated)
