"""What is going on in a run that is being written: progress, work in flight, the latest endings.

The heartbeat's snapshot is what the driving process says; it is read tolerantly, because a newer or
foreign driver may say more, less or something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.store.records import EpisodeRow, EventRow, HeartbeatRow, Progress

FEED = 12
"""Endings kept for the feed."""


@dataclass(frozen=True, slots=True)
class InFlight:
    """One episode being worked on."""

    arm: str
    item: str
    scale: float | None
    doing: str
    seconds: float | None
    calls: int | None


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and how much of it is used."""

    name: str
    used: float | None
    limit: float | None


@dataclass(frozen=True, slots=True)
class Dock:
    """What the overview shows while a run goes on."""

    state: str
    age: float | None
    """Seconds since the last sign of life; None when there was none yet."""
    done: int
    planned: int
    running: int
    per_minute: float | None
    eta_seconds: float | None
    paced: float | None
    """Episodes per second the run is held to; None at full speed."""
    retries: int
    tokens: float | None
    cost: float | None
    """Dollars of this sitting; None where a part of it is unknown."""
    known_cost: float | None
    in_flight_total: int
    in_flight: tuple[InFlight, ...]
    """The ones that the driver names; there may be more."""
    limits: tuple[Limit, ...]
    errors: tuple[tuple[str, int], ...]
    """Errors by kind as the driver counts them, else warnings and errors of the log; most first."""
    last_log: EventRow | None
    feed: tuple[EpisodeRow, ...]
    """Latest endings, newest first."""


def build_dock(
    state: str,
    age: float | None,
    progress: Progress,
    heartbeat: HeartbeatRow | None,
    events: Sequence[EventRow],
    feed: Sequence[EpisodeRow],
) -> Dock:
    """The dock at a moment."""
    snapshot = {} if heartbeat is None else heartbeat.snapshot
    per_minute = _rate(feed, snapshot)
    left = max(0, progress.planned - progress.done)
    eta = _number(snapshot.get("eta_s"))
    if eta is None and per_minute:
        eta = left / per_minute * 60
    troubles = {
        _text(kind): int(count)
        for kind, count in _mapping(snapshot.get("errors")).items()
        if _number(count)
    }
    told = bool(troubles)
    last: EventRow | None = None
    for event in events:
        if event.level in ("warning", "error", "critical"):
            if not told:
                troubles[event.kind] = troubles.get(event.kind, 0) + 1
            last = event
    return Dock(
        state=state,
        age=age,
        done=progress.done,
        planned=progress.planned,
        running=progress.running,
        per_minute=per_minute,
        eta_seconds=eta,
        paced=_number(snapshot.get("pace")),
        retries=int(_number(snapshot.get("retries")) or 0),
        tokens=_number(snapshot.get("tokens")),
        cost=_number(snapshot.get("cost")),
        known_cost=_number(snapshot.get("known_cost")),
        in_flight_total=int(_number(snapshot.get("in_flight_total")) or 0),
        in_flight=tuple(_in_flight(snapshot.get("in_flight"))),
        limits=tuple(_limits(snapshot.get("limits"))),
        errors=tuple(sorted(troubles.items(), key=lambda kind: (-kind[1], kind[0]))),
        last_log=last,
        feed=tuple(feed[:FEED]),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _rate(feed: Sequence[EpisodeRow], snapshot: Mapping[str, Any]) -> float | None:
    """Endings per minute: what the driver says, else over the latest endings."""
    for key in ("episodes_per_minute", "per_minute"):
        if (said := _number(snapshot.get(key))) is not None:
            return said
    if (said := _number(snapshot.get("rate"))) is not None:
        return said * 60  # the driver's rate is in episodes per second
    times = []
    for row in feed:
        try:
            times.append(datetime.fromisoformat(row.finished_at or ""))
        except ValueError:
            continue
    if len(times) < 3:
        return None
    span = (max(times) - min(times)).total_seconds()
    return (len(times) - 1) / span * 60 if span > 0 else None


def _in_flight(found: object) -> list[InFlight]:
    if not isinstance(found, list):
        return []
    flights = []
    for one in found:
        if not isinstance(one, dict):
            continue
        calls = _number(one.get("calls"))
        flights.append(
            InFlight(
                arm=_text(one.get("arm")),
                item=_text(one.get("item")),
                scale=_number(one.get("scale")),
                doing=_text(one.get("doing")) or _text(one.get("phase")),
                seconds=_first(one, "seconds", "since_s", "for_s", "age_s"),
                calls=None if calls is None else int(calls),
            )
        )
    return flights


def _first(one: Mapping[str, Any], *keys: str) -> float | None:
    for key in keys:
        if (value := _number(one.get(key))) is not None:
            return value
    return None


def _limits(found: object) -> list[Limit]:
    if not isinstance(found, list):
        return []
    return [
        Limit(
            f"{_text(one.get('kind'))} {_text(one.get('name'))}".strip(),
            _number(one.get("used")),
            _number(one.get("limit")),
        )
        for one in found
        if isinstance(one, dict)
    ]
