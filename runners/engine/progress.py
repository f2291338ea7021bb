"""Where a run stands: counts, what is under way, rates. The heartbeat and the command line show it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from memtui.model import EndReason, Label, Usage
from runners.engine.executor import Job
from runners.episode_end import Finished
from runners.trajectory import Activity
from runners.usage import UsageTotal

WINDOW_S = 60.0
"""Rates and the estimated time are taken over this many seconds."""
MOST_SHOWN = 64
"""Episodes under way that a snapshot names."""


@dataclass(slots=True)
class InFlight:
    """One episode that is running."""

    job: Job
    activity: Activity


@dataclass
class Progress:
    """Counts of one sitting over those of earlier ones."""

    planned: int
    done_before: int = 0
    done: int = 0
    """Episodes that ended and count, in this sitting."""
    ends: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    usage: UsageTotal = field(default_factory=UsageTotal)
    retries: int = 0
    in_flight: dict[str, InFlight] = field(default_factory=dict)
    started_at: float = field(default_factory=monotonic)
    _finished_at: deque[float] = field(default_factory=deque)

    @property
    def pending(self) -> int:
        """Episodes that have not ended."""
        return max(0, self.planned - self.done_before - self.done)

    def started(self, job: Job) -> Activity:
        """An episode starts; returns what it reports its work to."""
        activity = Activity()
        self.in_flight[job.uid] = InFlight(job, activity)
        return activity

    def ended(self, job: Job, finished: Finished | None) -> None:
        """An episode ended; None when it was cut off without a row of its own."""
        self.in_flight.pop(job.uid, None)
        if finished is None:
            return
        self.ends[finished.reason.value] += 1
        self.usage.add(finished.usage)
        for _, verdict in finished.verdicts:
            self.usage.add(verdict.usage)
        self.retries += max(0, finished.usage.attempts - finished.usage.calls)
        if finished.verdicts:
            self.labels[finished.verdicts[0][1].label.value] += 1
        if finished.error:
            kind = finished.error.split(":", 2)
            self.errors[":".join(kind[:2])] += 1
        if finished.counts:
            self.done += 1
            self._finished_at.append(monotonic())

    def spent(self, usage: Usage) -> None:
        """Something was paid outside of episodes: for preparing sessions, for opening a history."""
        self.usage.add(usage)
        self.retries += max(0, usage.attempts - usage.calls)

    def rate(self) -> float | None:
        """Episodes per second over the last minute; None before the first one ended."""
        now = monotonic()
        while self._finished_at and self._finished_at[0] < now - WINDOW_S:
            self._finished_at.popleft()
        span = min(WINDOW_S, now - self.started_at)
        return len(self._finished_at) / span if self._finished_at and span > 0 else None

    def eta_s(self) -> float | None:
        """Seconds until everything has run at the present rate; None when that is unknown."""
        rate = self.rate()
        return self.pending / rate if rate else None

    def snapshot(self) -> dict[str, Any]:
        """Plain data for the heartbeat."""
        now = monotonic()
        rate, eta = self.rate(), self.eta_s()
        usage = self.usage.total()
        return {
            "planned": self.planned,
            "done": self.done_before + self.done,
            "done_now": self.done,
            "pending": self.pending,
            "ends": dict(self.ends),
            "labels": dict(self.labels),
            "errors": dict(self.errors.most_common(8)),
            "excluded": self.ends[EndReason.PROVIDER_ERROR.value],
            "unknown_verdicts": self.labels[Label.UNKNOWN.value],
            "retries": self.retries,
            "tokens": self.usage.known_tokens,
            "cost": usage.cost,
            "known_cost": round(self.usage.known_cost, 6),
            "elapsed_s": round(now - self.started_at, 1),
            "rate": None if rate is None else round(rate, 3),
            "eta_s": None if eta is None else round(eta, 1),
            "in_flight": [
                {
                    "uid": uid,
                    "arm": flight.job.id.arm,
                    "item": flight.job.id.item,
                    "scale": flight.job.spec.scale,
                    "seed": flight.job.spec.ladder_seed,
                    "repeat": flight.job.id.repeat,
                    "doing": flight.activity.doing,
                    "calls": flight.activity.calls,
                    "for_s": round(now - flight.activity.since, 1),
                    "age_s": round(now - flight.activity.started, 1),
                }
                for uid, flight in list(self.in_flight.items())[:MOST_SHOWN]
            ],
            "in_flight_total": len(self.in_flight),
        }
