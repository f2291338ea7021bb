"""What is going on in a run that is being written: progress, work in flight, the latest endings.

The heartbeat's snapshot is what the driving process says; it is read tolerantly, because a newer or
foreign driver may say more, less or something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.metrics.alarm import Alarm
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeRow, EventRow, HeartbeatRow, Progress

LARGEST = 1e15
"""No count, rate or duration of a run comes near it; what does is no number of ours."""
DECISIONS = frozenset({"deciding", "answering"})
"""What the driver calls the agent's own part of an episode."""
FEED = 12
"""Endings kept for the feed."""
QUIET_AFTER = 5.0
"""Seconds without a heartbeat from which its age is said instead of rates that no longer hold."""


@dataclass(frozen=True, slots=True)
class InFlight:
    """One episode being worked on."""

    arm: str
    item: str
    scale: float | None
    doing: str
    seconds: float | None
    """For how long it has been doing that."""
    calls: int | None
    age: float | None = None
    """Seconds since it started."""
    held: str = ""
    """What its memory system's call to a model waits for."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and how much of it is used."""

    name: str
    used: float | None
    limit: float | None


@dataclass(frozen=True, slots=True)
class ModelLoad:
    """What a model is asked right now and in the last minute, beside its limits; None where unsaid."""

    name: str
    calling: int | None
    concurrency: int | None
    waiting: int | None
    """Calls that a limit holds back."""
    retrying: int | None
    paused_s: float | None
    """Seconds for which the provider asked for silence, still to go."""
    rpm: tuple[float | None, float] | None
    """Requests in the last minute, and the most that are allowed."""
    tpm: tuple[float | None, float] | None


@dataclass(frozen=True, slots=True)
class Outage:
    """A provider that keeps failing and is not asked for a while."""

    name: str
    wait_s: float | None
    given_up: bool


@dataclass(frozen=True, slots=True)
class Retry:
    """Calls that wait to be sent again: why, how many, and how soon the first of them."""

    reason: str
    count: int
    soonest_s: float | None


@dataclass(frozen=True, slots=True)
class Troubles:
    """What the ended episodes say is wrong: exclusions of those the filter leaves, alarms of the whole run."""

    excluded: tuple[tuple[str, int], ...] = ()
    """Episodes outside n by cause, most first."""
    alarms: tuple[Alarm, ...] = ()
    """Mixes of endings that no sound run has."""


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
    retries: int | None
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
    models: tuple[ModelLoad, ...] = ()
    outages: tuple[Outage, ...] = ()
    retrying: tuple[Retry, ...] = ()
    troubles: Troubles = Troubles()
    doing: str = ""
    """What the driver does before the first episode starts."""
    late: float | None = None
    """Seconds for which something kept the driver from its turn."""

    @property
    def longest_first(self) -> list[InFlight]:
        """The work in flight, what has been going on longest first."""
        return sorted(self.in_flight, key=lambda one: -(one.seconds or one.age or 0.0))

    @property
    def quiet(self) -> bool:
        """Whether the driver has been silent for so long that what it said last no longer holds."""
        return self.age is not None and self.age > QUIET_AFTER


def latest_endings(reader: RunReader) -> list[EpisodeRow]:
    """The episodes that ended last, newest first."""
    ids = reader.episode_ids("e.done=1", (), f"e.rev DESC LIMIT {FEED}")
    rows = reader.episode_rows(ids)
    return [rows[one] for one in ids if one in rows]


def build_dock(
    state: str,
    age: float | None,
    progress: Progress,
    heartbeat: HeartbeatRow | None,
    events: Sequence[EventRow],
    feed: Sequence[EpisodeRow],
    troubles: Troubles | None = None,
) -> Dock:
    """The dock at a moment."""
    snapshot = {} if heartbeat is None else heartbeat.snapshot
    per_minute = told_per_minute(snapshot)
    if per_minute is None:
        per_minute = _per_minute(feed)
    left = max(0, progress.planned - progress.done)
    eta = told_eta(snapshot)
    if eta is None and per_minute:
        eta = left / per_minute * 60
    kinds = {
        _text(kind): many
        for kind, count in _mapping(snapshot.get("errors")).items()
        if (many := _whole(count))
    }
    told = bool(kinds)
    last: EventRow | None = None
    for event in events:
        if event.level in ("warning", "error", "critical"):
            if not told:
                kinds[event.kind] = kinds.get(event.kind, 0) + 1
            last = event
    door = _mapping(snapshot.get("models"))
    in_flight = tuple(_in_flight(snapshot.get("in_flight"), door.get("calls")))
    return Dock(
        state=state,
        age=age,
        done=progress.done,
        planned=progress.planned,
        running=progress.running,
        per_minute=per_minute,
        eta_seconds=eta,
        paced=_number(snapshot.get("pace")),
        retries=_whole(snapshot.get("retries")),
        tokens=_number(snapshot.get("tokens")),
        cost=_number(snapshot.get("cost")),
        known_cost=_number(snapshot.get("known_cost")),
        in_flight_total=max(_whole(snapshot.get("in_flight_total")) or 0, len(in_flight)),
        in_flight=in_flight,
        limits=tuple(_limits(snapshot.get("limits"))),
        errors=tuple(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))),
        last_log=last,
        feed=tuple(feed[:FEED]),
        models=tuple(_models(door.get("models"))),
        outages=tuple(_outages(snapshot.get("limits"))),
        retrying=tuple(_retrying(door.get("calls"))),
        troubles=troubles or Troubles(),
        doing=_text(snapshot.get("doing")),
        late=_number(snapshot.get("late_s")),
    )


def _number(value: object) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return float(value) if -LARGEST < value < LARGEST else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def told_per_minute(snapshot: Mapping[str, Any]) -> float | None:
    """Endings per minute as the driver says; None where it does not."""
    for key in ("episodes_per_minute", "per_minute"):
        if (said := _number(snapshot.get(key))) is not None:
            return said
    if (said := _number(snapshot.get("rate"))) is not None:
        return said * 60  # the driver's rate is in episodes per second
    return None


def told_eta(snapshot: Mapping[str, Any]) -> float | None:
    """Seconds until the run ends as the driver says; None where it does not."""
    return _number(snapshot.get("eta_s"))


def _per_minute(feed: Sequence[EpisodeRow]) -> float | None:
    """Endings per minute over the latest ones."""
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


def _in_flight(found: object, calls: object) -> list[InFlight]:
    if not isinstance(found, list):
        return []
    held, asking = _held(calls), _asking(calls)
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
                doing=_doing(one, asking),
                seconds=_first(one, "seconds", "since_s", "for_s", "age_s"),
                calls=None if calls is None else int(calls),
                age=_number(one.get("age_s")),
                held=held.get(f"episode:{_text(one.get('uid'))}", ""),
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


def _doing(one: Mapping[str, Any], asking: Mapping[str, str]) -> str:
    """What the driver says; a decision that a model is asked for is called that."""
    said = _text(one.get("doing")) or _text(one.get("phase"))
    model = asking.get(f"episode:{_text(one.get('uid'))}")
    return f"asking {model}" if model and said in DECISIONS else said


def _asking(calls: object) -> dict[str, str]:
    """The model that an owner's call is with at the moment."""
    return {
        _text(one.get("owner")): _text(one.get("model"))
        for one in (calls if isinstance(calls, list) else [])
        if isinstance(one, dict) and one.get("state") == "calling"
    }


def _held(calls: object) -> dict[str, str]:
    """What the model calls of an owner wait for, where they wait."""
    held = {}
    for one in calls if isinstance(calls, list) else []:
        if not isinstance(one, dict):
            continue
        if one.get("state") == "retrying":
            held[_text(one.get("owner"))] = f"retry {_text(one.get('reason'))}"
        elif one.get("state") == "waiting":
            held[_text(one.get("owner"))] = "held by a limit"
    return held


def _models(found: object) -> list[ModelLoad]:
    loads = []
    for name, one in _mapping(found).items():
        said = _mapping(one)
        loads.append(
            ModelLoad(
                name=name,
                calling=_whole(said.get("in_flight")),
                concurrency=_whole(said.get("concurrency")),
                waiting=_whole(said.get("waiting")),
                retrying=_whole(said.get("retrying")),
                paused_s=_number(said.get("paused_s")),
                rpm=_of_limit(said, "rpm"),
                tpm=_of_limit(said, "tpm"),
            )
        )
    return loads


def _of_limit(said: Mapping[str, Any], name: str) -> tuple[float | None, float] | None:
    limit = _number(said.get(name))
    return None if limit is None else (_number(said.get(f"{name}_used")), limit)


def _outages(found: object) -> list[Outage]:
    if not isinstance(found, list):
        return []
    return [
        Outage(_text(one.get("name")), _number(one.get("wait_s")), one.get("given_up") is True)
        for one in found
        if isinstance(one, dict) and one.get("kind") == "outage"
    ]


def _retrying(found: object) -> list[Retry]:
    if not isinstance(found, list):
        return []
    waits: dict[str, list[float | None]] = {}
    for one in found:
        if isinstance(one, dict) and one.get("state") == "retrying":
            reason = _text(one.get("reason")) or "failed"
            waits.setdefault(reason, []).append(_number(one.get("retry_in")))
    return [
        Retry(reason, len(each), min((wait for wait in each if wait is not None), default=None))
        for reason, each in sorted(waits.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    ]


def _whole(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
