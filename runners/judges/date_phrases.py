"""Phrases that name days through other dates: parts of a month, weeks, seasons, before and after, ago."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from runners.judges.dates import (
    WEEKDAYS,
    DateSpan,
    day_number,
    day_span,
    month_span,
    optional_year,
    simple_date,
)
from runners.judges.folding import Raw
from runners.judges.numerals import number_at, ordinal_at

_SEASONS = {
    "spring": (3, 5),
    "summer": (6, 8),
    "autumn": (9, 11),
    "fall": (9, 11),
    "winter": (12, 2),
}
_EARLY = ("early", "beginning", "start")
_MID = ("mid", "middle")
_LATE = ("late", "end")
_BEFORE = ("before", "prior", "preceding")
_AFTER = ("after", "following")
_UNIT_DAYS = {"day": 1, "days": 1, "week": 7, "weeks": 7}


def date_at(toks: Sequence[Raw], i: int, anchor: date | None = None) -> tuple[DateSpan, int] | None:
    """Read a date expression at position `i`; `anchor` is what `yesterday` and `ago` count from."""
    for read in (_between, _relative_to_date, _week_of_month, _part_of, _season, simple_date):
        got = read(toks, i)
        if got is not None:
            return got
    return None if anchor is None else _deictic(toks, i, anchor)


def _part_of(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`early August 2023`, `mid-June`, `the end of October 2023`, `late 2022`."""
    j = i + 1 if toks[i].text == "the" else i
    if j >= len(toks):
        return None
    word = toks[j].text
    if word not in _EARLY + _MID + _LATE:
        return None
    j += 1
    while j < len(toks) and toks[j].text in ("-", "of", "in", "to", "the"):
        j += 1
    got = simple_date(toks, j)
    if got is None or got[0].grain not in ("month", "year"):
        return None
    whole, end = got
    index = 0 if word in _EARLY else 1 if word in _MID else 2
    if whole.grain == "month":
        y, m = whole.first.year, whole.first.month
        first = date(y, m, (1, 11, 21)[index])
        last = (date(y, m, 10), date(y, m, 20), whole.last)[index]
    else:
        y = whole.first.year
        first = date(y, (1, 5, 9)[index], 1)
        last = (date(y, 4, 30), date(y, 8, 31), date(y, 12, 31))[index]
    return DateSpan(first, last, whole.has_year, "part"), end


def _season(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`summer 2022`, `the spring of 2023`; winter runs into the next year."""
    j = i + 1 if toks[i].text == "the" else i
    if j >= len(toks) or toks[j].text not in _SEASONS:
        return None
    year, end = optional_year(toks, j + 1)
    if year is None:
        return None
    a, b = _SEASONS[toks[j].text]
    last_year = year if b >= a else year + 1
    return DateSpan(date(year, a, 1), month_span(last_year, b).last, True, "season"), end


def _week_of_month(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`first week of June 2023`, `last weekend of August 2023`."""
    j = i + 1 if toks[i].text == "the" else i
    if j + 2 >= len(toks):
        return None
    if toks[j].text == "last":
        which, j = 0, j + 1
    else:
        got = ordinal_at(toks, j)
        if got is None or got[0] > 5:
            return None
        which, j = got
    unit = toks[j].text if j < len(toks) else ""
    if (
        unit not in ("week", "weekend")
        or j + 1 >= len(toks)
        or toks[j + 1].text not in ("of", "in")
    ):
        return None
    base = simple_date(toks, j + 2)
    if base is None or base[0].grain != "month":
        return None
    month, end = base
    if unit == "week":
        first = month.first + timedelta(7 * (which - 1)) if which else month.last - timedelta(6)
        return DateSpan(first, min(first + timedelta(6), month.last), month.has_year, "week"), end
    saturdays = [
        month.first + timedelta(k)
        for k in range((month.last - month.first).days + 1)
        if (month.first + timedelta(k)).weekday() == 5
    ]
    saturday = saturdays[which - 1] if which else saturdays[-1]
    return DateSpan(saturday, saturday + timedelta(1), month.has_year, "week"), end


def _between(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`between 26 March and 20 April 2023`, `between October 19 and 24, 2023`."""
    if toks[i].text not in ("between", "from"):
        return None
    a = simple_date(toks, i + 1) or _bare_day(toks, i + 1)
    if a is None or a[1] >= len(toks) or toks[a[1]].text not in ("and", "to", "-", "until"):
        return None
    b = simple_date(toks, a[1] + 1)
    if b is None and a[0].first.month:
        day = day_number(toks, a[1] + 1)
        if day is not None:
            year, end = optional_year(toks, day[1])
            span = day_span(year, a[0].first.month, day[0])
            b = None if span is None else (span, end)
    if b is None:
        return None
    first, last = a[0].first, b[0].last
    if b[0].has_year and not a[0].has_year:
        first = first.replace(year=last.year)
    if first > last:
        return None
    return DateSpan(first, last, b[0].has_year, "part"), b[1]


def _bare_day(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """The `19` of `between 19 and 24 October`: its month stands with the second date."""
    day = day_number(toks, i)
    if day is None or day[1] + 1 >= len(toks):
        return None
    later = simple_date(toks, day[1] + 1)
    if later is None or later[0].grain != "day":
        return None
    year = later[0].first.year if later[0].has_year else None
    span = day_span(year, later[0].first.month, day[0])
    return None if span is None else (span, day[1])


def _relative_to_date(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`the Friday before 15 July 2023`, `two weeks before …`, `the weekend of …`, `a week before …`."""
    j = i
    while j < len(toks) and toks[j].text in ("the", "a", "on"):
        j += 1
    if j >= len(toks) or (j > i and toks[i].text == "on" and j == i):
        return None
    count = 1.0
    if toks[j].text in ("few", "several", "last"):
        vague = toks[j].text != "last"
        j += 1
    else:
        vague = False
        num = number_at(toks, j)
        if num is not None:
            count, j = num
    if j + 1 >= len(toks):
        return None
    unit, side = toks[j].text, toks[j + 1].text
    known = (
        unit in WEEKDAYS or unit in _UNIT_DAYS or unit in ("weekend", "weekends", "month", "months")
    )
    if not known or side not in (*_BEFORE, *_AFTER, "of"):
        return None
    k = j + 2
    while k < len(toks) and toks[k].text in ("to", "the"):
        k += 1
    base = simple_date(toks, k)
    if base is None or count != int(count) or count > 400:
        return None
    span = _shift(base[0], unit, int(count), side, vague)
    return None if span is None else (span, base[1])


def _shift(base: DateSpan, unit: str, n: int, side: str, vague: bool) -> DateSpan | None:
    back = side in _BEFORE
    day = base.first if back else base.last
    if base.grain not in ("day", "month") or (side == "of" and base.grain != "day"):
        return None
    try:
        first, last = _shifted(day, unit, n, side, back, vague)
    except (OverflowError, ValueError):
        return None
    grain = "day" if first == last else "week"
    return DateSpan(first, last, base.has_year, grain)


def _shifted(day: date, unit: str, n: int, side: str, back: bool, vague: bool) -> tuple[date, date]:
    monday = day - timedelta(day.weekday())
    if side == "of":
        if unit.startswith("weekend"):
            return monday + timedelta(5), monday + timedelta(6)
        if unit in WEEKDAYS:
            d = monday + timedelta(WEEKDAYS[unit])
            return d, d
        return monday, monday + timedelta(6)
    if unit in WEEKDAYS:
        gap = (day.weekday() - WEEKDAYS[unit]) % 7 or 7
        d = day - timedelta(gap + 7 * (n - 1)) if back else day + timedelta((7 - gap) % 7 or 7)
        return d, d
    if unit.startswith("weekend"):
        gap = (day.weekday() - 5) % 7 or 7
        saturday = (
            day - timedelta(gap + 7 * (n - 1))
            if back
            else day + timedelta((5 - day.weekday()) % 7 or 7)
        )
        return saturday, saturday + timedelta(1)
    if unit in ("month", "months"):
        months = day.year * 12 + day.month - 1 - n if back else day.year * 12 + day.month - 1 + n
        span = month_span(months // 12, months % 12 + 1)
        return span.first, span.last
    step = _UNIT_DAYS[unit]
    sign = -1 if back else 1
    if vague:  # "a few days before" is two to six of them
        a, b = day + timedelta(sign * 2 * step), day + timedelta(sign * 6 * step)
        return min(a, b), max(a, b)
    if (
        step == 7 and n == 1
    ):  # "the week before": the seven days before, or the calendar week before
        if back:
            return min(day - timedelta(7), monday - timedelta(7)), day - timedelta(1)
        return day + timedelta(1), max(day + timedelta(7), monday + timedelta(13))
    d = day + timedelta(sign * n * step)
    return (d, d) if step == 1 else (d - timedelta(3), d + timedelta(3))


def _deictic(toks: Sequence[Raw], i: int, anchor: date) -> tuple[DateSpan, int] | None:
    """`yesterday`, `two days ago`, `last Friday`: counted from the question's own date."""
    t = toks[i].text
    fixed = {"today": 0, "yesterday": 1}
    if t in fixed:
        d = anchor - timedelta(fixed[t])
        return DateSpan(d, d, True, "day"), i + 1
    if t == "last" and i + 1 < len(toks):
        unit = toks[i + 1].text
        if unit in WEEKDAYS or unit in ("week", "weekend", "month"):
            first, last = _shifted(anchor, unit, 1, "before", True, False)
            return DateSpan(first, last, True, "day" if first == last else "week"), i + 2
        if unit == "year":
            y = anchor.year - 1
            return DateSpan(date(y, 1, 1), date(y, 12, 31), True, "year"), i + 2
    num = number_at(toks, i) or ((1.0, i + 1) if t in ("a", "an") else None)
    if num is not None and num[1] + 1 < len(toks) and toks[num[1] + 1].text == "ago":
        unit = toks[num[1]].text
        if unit in _UNIT_DAYS:
            try:
                d = anchor - timedelta(int(num[0]) * _UNIT_DAYS[unit])
            except OverflowError:
                return None
            return DateSpan(d, d, True, "day"), num[1] + 2
        if unit in ("month", "months"):
            try:
                first, last = _shifted(anchor, unit, int(num[0]), "before", True, False)
            except (OverflowError, ValueError):
                return None
            return DateSpan(first, last, True, "day" if first == last else "week"), num[1] + 2
    return None
