"""Numbers with a unit of measure, frequencies and times of day, in one base unit per dimension."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from runners.judges.folding import Raw
from runners.judges.numerals import number_at


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured amount: `value` in the base unit of `dimension`, `written` as it stood."""

    dimension: str
    """`span` (seconds), `months`, `money:usd`, `share` (percent), `length` (m), `weight` (g), …"""
    value: float
    written: float
    unit: str


_UNITS: dict[str, tuple[str, float, str]] = {}


def _unit(dimension: str, factor: float, canonical: str, *spellings: str) -> None:
    for s in (canonical, *spellings):
        _UNITS[s] = (dimension, factor, canonical)


_unit("span", 1, "second", "seconds", "sec", "secs")
_unit("span", 60, "minute", "minutes", "min", "mins")
_unit("span", 3_600, "hour", "hours", "hr", "hrs")
_unit("span", 86_400, "day", "days")
_unit("span", 604_800, "week", "weeks", "wk", "wks")
_unit("span", 1_209_600, "fortnight", "fortnights")
_unit("months", 1, "month", "months")
_unit("months", 12, "year", "years", "yr", "yrs")
_unit("months", 120, "decade", "decades")
_unit("money:usd", 1, "dollar", "dollars", "usd", "bucks")
_unit("money:usd", 0.01, "cent", "cents")
_unit("money:eur", 1, "euro", "euros", "eur")
_unit("money:gbp", 1, "gbp", "quid")
_unit("share", 1, "percent", "percentage", "%")
_unit("data", 1e6, "mb", "megabyte", "megabytes")
_unit("data", 1e9, "gb", "gigabyte", "gigabytes")
_unit("data", 1e12, "tb", "terabyte", "terabytes")
_unit("speed", 1, "mbps")
_unit("speed", 1_000, "gbps")
_unit("length", 1, "meter", "meters", "metre", "metres", "m")
_unit("length", 1_000, "kilometer", "kilometers", "kilometre", "kilometres", "km", "kms")
_unit("length", 0.01, "centimeter", "centimeters", "cm")
_unit("length", 0.001, "millimeter", "millimeters", "mm")
_unit("length", 1_609.344, "mile", "miles", "mi")
_unit("length", 0.3048, "foot", "feet", "ft")
_unit("length", 0.0254, "inch", "inches")
_unit("weight", 453.59237, "pound", "pounds", "lb", "lbs")
_unit("weight", 1_000, "kilogram", "kilograms", "kilo", "kilos", "kg", "kgs")
_unit("weight", 28.349523125, "ounce", "ounces", "oz")
_unit("weight", 1, "gram", "grams", "g")

_CURRENCY = {"$": "money:usd", "€": "money:eur", "£": "money:gbp"}
_CURRENCY_NAME = {"money:usd": "dollar", "money:eur": "euro", "money:gbp": "gbp"}
_GLUED_ONLY = {"m", "g", "mi", "kilo", "min"}
_PERIODS = {"day": "day", "week": "week", "month": "month", "year": "year", "hour": "hour"}
_ADVERBS = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
    "hourly": "hour",
    "fortnightly": "fortnight",
}
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}


def unit_dimension(word: str) -> str | None:
    """The dimension of a unit word (`weeks` -> `span`), None when it is no unit of measure."""
    found = _UNITS.get(word)
    return None if found is None or word in _GLUED_ONLY else found[0]


def as_quantity(number: float, unit_word: str) -> Quantity | None:
    """A bare number read with the unit a question asks for ("how many weeks …")."""
    found = _UNITS.get(unit_word)
    if found is None:
        return None
    return Quantity(found[0], number * found[1], number, found[2])


def quantity_at(toks: Sequence[Raw], i: int) -> tuple[Quantity, int] | None:
    """Read a quantity at `i`, compound ones included (`1 year and 5 months`, `an hour and a half`)."""
    got = _single(toks, i)
    if got is None:
        return None
    q, j = got
    while True:
        k = j
        while k < len(toks) and toks[k].text in ("and", ","):
            k += 1
        if _word(toks, j, "and") and _word(toks, j + 1, "a") and _word(toks, j + 2, "half"):
            half = _UNITS[q.unit][1] / 2
            q, j = Quantity(q.dimension, q.value + half, q.written + 0.5, q.unit), j + 3
            continue
        more = _single(toks, k)
        if more is None or more[0].dimension != q.dimension or q.dimension.startswith("money"):
            return q, j
        if _UNITS[more[0].unit][1] >= _UNITS[q.unit][1]:  # "2 weeks and 4 weeks" are two amounts
            return q, j
        total = q.value + more[0].value
        # A bare number may state a compound amount in its smallest unit only ("17" for 1 year 5 months).
        written = total / _UNITS[more[0].unit][1]
        q, j = Quantity(q.dimension, total, written, more[0].unit), more[1]


def _single(toks: Sequence[Raw], i: int) -> tuple[Quantity, int] | None:
    if i >= len(toks):
        return None
    t = toks[i]
    if t.text in _CURRENCY:
        num = number_at(toks, i + 1)
        if num is None:
            return None
        value, j = num
        if j < len(toks) and toks[j].text in ("dollar", "dollars", "usd"):
            j += 1
        dimension = _CURRENCY[t.text]
        return Quantity(dimension, value, value, _CURRENCY_NAME[dimension]), j
    if t.text == "half" and i + 2 < len(toks) and toks[i + 1].text in ("a", "an"):
        return _with_unit(toks, i + 2, 0.5)
    num = number_at(toks, i)
    if num is not None:
        return _with_unit(toks, num[1], num[0])
    if t.text in ("a", "an"):
        unit = toks[i + 1].text if i + 1 < len(toks) else ""
        if unit in (
            "second",
            "minute",
            "hour",
            "day",
            "week",
            "fortnight",
            "month",
            "year",
            "decade",
            "mile",
            "dollar",
        ):
            return _with_unit(toks, i + 1, 1.0)
    return None


def _with_unit(toks: Sequence[Raw], j: int, value: float) -> tuple[Quantity, int] | None:
    if j < len(toks) and toks[j].text == "-":
        j += 1
    if j >= len(toks):
        return None
    word = toks[j].text
    found = _UNITS.get(word)
    if found is None or (word in _GLUED_ONLY and word != "min" and not toks[j].glued):
        return None
    dimension, factor, name = found
    return Quantity(dimension, value * factor, value, name), j + 1


def clock_at(toks: Sequence[Raw], i: int) -> tuple[tuple[int, bool], int] | None:
    """Read a time of day: ((minutes after midnight, am/pm known), next position), or None."""
    if i >= len(toks):
        return None
    if toks[i].text in ("noon", "midday"):
        return (720, True), i + 1
    if toks[i].text == "midnight":
        return (0, True), i + 1
    spelt = _past_or_to(toks, i) or _dotted(toks, i)
    if spelt is not None:
        return spelt
    num = number_at(toks, i)
    if num is None or num[0] != int(num[0]) or not 0 <= num[0] <= 24:
        return None
    hour, j = int(num[0]), num[1]
    minute, has_minutes = 0, False
    if _word(toks, j, ":") and j + 1 < len(toks) and toks[j].glued and len(toks[j + 1].text) == 2:
        if not toks[j + 1].text.isdigit() or int(toks[j + 1].text) > 59:
            return None
        minute, has_minutes, j = int(toks[j + 1].text), True, j + 2
    half, j = _meridiem(toks, j)
    if half is None and not has_minutes:
        return None
    if half == "clock":
        return (hour * 60 + minute, False), j
    if half is None:
        return (hour * 60 + minute, hour > 12 or hour == 0), j
    if hour > 12:
        return None
    return ((hour % 12 + (12 if half == "pm" else 0)) * 60 + minute, True), j


def _past_or_to(toks: Sequence[Raw], i: int) -> tuple[tuple[int, bool], int] | None:
    """`half past six`, `quarter to nine in the evening`."""
    if toks[i].text not in ("half", "quarter") or i + 2 >= len(toks):
        return None
    side = toks[i + 1].text
    hour = number_at(toks, i + 2)
    if side not in ("past", "to") or hour is None or not 1 <= hour[0] <= 12 or hour[0] % 1:
        return None
    shift = (30 if toks[i].text == "half" else 15) * (1 if side == "past" else -1)
    half, j = _meridiem(toks, hour[1])
    base = int(hour[0]) % 12 * 60 + (720 if half == "pm" else 0)
    return ((base + shift) % 1440, half in ("am", "pm")), j


def _dotted(toks: Sequence[Raw], i: int) -> tuple[tuple[int, bool], int] | None:
    """`7.30 am`: a dot between hour and minutes, where the half of the day makes it a time."""
    if toks[i].kind != "n" or not re.fullmatch(r"\d{1,2}\.[0-5]\d", toks[i].text):
        return None
    half, j = _meridiem(toks, i + 1)
    hour, minute = (int(p) for p in toks[i].text.split("."))
    if half not in ("am", "pm") or hour > 12:
        return None
    return ((hour % 12 + (12 if half == "pm" else 0)) * 60 + minute, True), j


def _meridiem(toks: Sequence[Raw], j: int) -> tuple[str | None, int]:
    """`am`, `p.m.`, `in the evening`, `o'clock` after an hour."""
    if j < len(toks) and toks[j].text in ("am", "pm"):
        return toks[j].text, j + 1
    if _word(toks, j, "o") and _word(toks, j + 1, "clock"):
        half, k = _meridiem(toks, j + 2)
        return (half or "clock"), k
    if j + 2 < len(toks) and toks[j].text == "in" and toks[j + 1].text == "the":
        part = toks[j + 2].text
        if part == "morning":
            return "am", j + 3
        if part in ("afternoon", "evening"):
            return "pm", j + 3
    if _word(toks, j, "at") and _word(toks, j + 1, "night"):
        return "pm", j + 2
    return None, j


def stopwatch_at(toks: Sequence[Raw], i: int) -> tuple[Quantity, int] | None:
    """Read `25:50` (no time of day) as 25 minutes and 50 seconds."""
    if (
        i + 2 < len(toks)
        and toks[i].text.isdigit()
        and toks[i + 1].text == ":"
        and toks[i + 1].glued
    ):
        sec = toks[i + 2].text
        if sec.isdigit() and len(sec) == 2 and int(sec) < 60 and int(toks[i].text) > 24:
            total = int(toks[i].text) * 60 + int(sec)
            return Quantity("span", float(total), float(total), "second"), i + 3
    return None


def frequency_at(toks: Sequence[Raw], i: int) -> tuple[tuple[str, float], int] | None:
    """Read a frequency as (period, times per period): `three times a week`, `every other day`, `weekly`."""
    if i >= len(toks):
        return None
    t = toks[i].text
    if t in _ADVERBS:
        period = _ADVERBS[t]
        return (("2 week", 1.0) if period == "fortnight" else (period, 1.0)), i + 1
    if t in ("every", "each"):
        if _word(toks, i + 1, "other") and i + 2 < len(toks) and toks[i + 2].text in _PERIODS:
            return (f"2 {toks[i + 2].text}", 1.0), i + 3
        if i + 1 < len(toks) and toks[i + 1].text in _PERIODS:
            return (toks[i + 1].text, 1.0), i + 2
        num = number_at(toks, i + 1)
        if num is not None and num[1] < len(toks) and toks[num[1]].text.rstrip("s") in _PERIODS:
            return (f"{num[0]:g} {toks[num[1]].text.rstrip('s')}", 1.0), num[1] + 1
        return None
    count, j = _count_of_times(toks, i)
    if count is None or j + 1 >= len(toks) or toks[j].text not in ("a", "per", "each", "every"):
        return None
    if _word(toks, j, "every") and _word(toks, j + 1, "other") and j + 2 < len(toks):
        if toks[j + 2].text in _PERIODS:
            return (f"2 {toks[j + 2].text}", count), j + 3
        return None
    if toks[j + 1].text in _PERIODS:
        return (toks[j + 1].text, count), j + 2
    return None


def _count_of_times(toks: Sequence[Raw], i: int) -> tuple[float | None, int]:
    if toks[i].text in _TIMES:
        return _TIMES[toks[i].text], i + 1
    num = number_at(toks, i)
    if num is None:
        return None, i
    value, j = num
    if j < len(toks) and toks[j].text in ("time", "times", "x"):
        return value, j + 1
    return None, i


def _word(toks: Sequence[Raw], i: int, word: str) -> bool:
    return 0 <= i < len(toks) and toks[i].text == word
