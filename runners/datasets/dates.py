"""Dates of the data sets, read into ISO 8601 to the minute; what cannot be read is None, never today.

`1:56 pm on 8 May, 2023` is LoCoMo's form (github.com/snap-research/locomo), `2023/05/30 (Tue) 21:56`
LongMemEval's (github.com/xiaowu0162/LongMemEval). Month and weekday names are compared with a table
and not with the locale, so a file reads the same on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_LOCOMO = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})", re.IGNORECASE
)
_LONGMEMEVAL = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2})(?:\s*\(([a-z]+)\))?(?:\s+(\d{1,2}):(\d{2})(?::\d{2})?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadDate:
    """A date as read: `iso` is None where it cannot be, `weekday_ok` False where the name is wrong."""

    iso: str | None
    weekday_ok: bool = True


def read_date(value: object) -> ReadDate:
    """Reads LoCoMo's, LongMemEval's or ISO form; anything else, empty text and None give None.

    An offset of an ISO date is dropped without shifting the clock: the data sets give local times.
    """
    if not isinstance(value, str):
        return ReadDate(None)
    text = value.strip()
    if match := _LOCOMO.fullmatch(text):
        hour, minute, half, day, month, year = match.groups()
        if month.lower() not in MONTHS or not 1 <= int(hour) <= 12:
            return ReadDate(None)
        clock = int(hour) % 12 + (12 if half.lower() == "p" else 0)
        number = MONTHS.index(month.lower()) + 1
        return ReadDate(_iso(int(year), number, int(day), clock, int(minute)))
    if match := _LONGMEMEVAL.fullmatch(text):
        year, month, day, weekday, hour, minute = match.groups()
        iso = _iso(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
        if iso is None or weekday is None:
            return ReadDate(iso)
        actual = WEEKDAYS[datetime.fromisoformat(iso).weekday()]
        return ReadDate(iso, weekday_ok=weekday.lower()[:3] == actual)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ReadDate(None)
    return ReadDate(moment.replace(tzinfo=None).isoformat(timespec="minutes"))


def iso_date(value: object) -> str | None:
    """The ISO form of a date, or None."""
    return read_date(value).iso


def _iso(year: int, month: int, day: int, hour: int, minute: int) -> str | None:
    """ISO 8601 to the minute; None for a date that does not exist, such as 30 February."""
    try:
        moment = datetime(year, month, day, hour, minute)  # noqa: DTZ001 - local, as the data say
    except ValueError:
        return None
    return moment.isoformat(timespec="minutes")
