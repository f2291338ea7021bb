"""Calendar dates as people write them, read as closed intervals of days.

Every form becomes an interval: `7 May 2023` one day, `May 2023` a month, `the week before 9 June 2023`
the seven days before, `late August 2023` the 21st to the 31st. An answer states a gold date when its
interval lies inside the gold's: more exact is right, vaguer is not.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from runners.judges.folding import Raw
from runners.judges.numerals import ordinal_at

_NO_YEAR = 2000
"""A leap year stands in where no year is given, so that 29 February can be held."""

# The misspellings occur in published golds.
MONTHS = {
    name: i
    for i, names in enumerate(
        (
            ("january", "jan", "janury", "januarty"),
            ("february", "feb", "feburary"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
WEEKDAYS = {
    name: i
    for i, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday", "wed"),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
}


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A closed interval of days; `has_year` False means month and day only (year 2000 stands in)."""

    first: date
    last: date
    has_year: bool
    grain: str
    """`day`, `part`, `week`, `month`, `season` or `year`: how it was written."""

    def states(self, gold: DateSpan) -> bool:
        """Does this (answer's) span state the gold span: lie inside it, year for year?"""
        if self.has_year and gold.has_year:
            return gold.first <= self.first and self.last <= gold.last
        if gold.has_year and (
            gold.grain in ("year", "season") or self.grain not in ("day", "month", "part")
        ):
            return False
        mine, theirs = self._yearless(), gold._yearless()
        return (
            mine is not None
            and theirs is not None
            and theirs[0] <= mine[0]
            and mine[1] <= theirs[1]
        )

    def _yearless(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        if self.first.year != self.last.year:
            return None
        return (self.first.month, self.first.day), (self.last.month, self.last.day)


def parse_iso(text: str | None) -> date | None:
    """The day of an ISO 8601 text, or None."""
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None


def day_span(year: int | None, month: int, day: int) -> DateSpan | None:
    try:
        d = date(year or _NO_YEAR, month, day)
    except ValueError:
        return None
    return DateSpan(d, d, year is not None, "day")


def month_span(year: int | None, month: int) -> DateSpan:
    y = year or _NO_YEAR
    return DateSpan(
        date(y, month, 1),
        date(y, month, calendar.monthrange(y, month)[1]),
        year is not None,
        "month",
    )


def _year_at(toks: Sequence[Raw], i: int) -> int | None:
    if i < len(toks) and toks[i].kind == "n" and len(toks[i].text) == 4 and toks[i].text.isdigit():
        year = int(toks[i].text)
        return year if 1900 <= year <= 2099 else None
    return None


def optional_year(toks: Sequence[Raw], j: int) -> tuple[int | None, int]:
    """An optional year after `,`, `.`, `of` or nothing."""
    k = j
    while k < len(toks) and k < j + 2 and toks[k].text in (",", ".", "of", "in"):
        k += 1
    year = _year_at(toks, k)
    return (year, k + 1) if year is not None else (None, j)


def day_number(toks: Sequence[Raw], i: int) -> tuple[int, int] | None:
    got = ordinal_at(toks, i)
    if got is None and i < len(toks) and toks[i].kind == "n" and toks[i].text.isdigit():
        got = int(toks[i].text), i + 1
    return got if got is not None and 1 <= got[0] <= 31 else None


def simple_date(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """`7 May 2023`, `May 7th, 2023`, `2023-05-07`, `05/07/2023`, `May 2023`, `2023`."""
    if i >= len(toks):
        return None
    t = toks[i]
    if t.text in WEEKDAYS:  # "Friday, May 7": the weekday adds nothing
        j = i + 1
        while j < len(toks) and toks[j].text in (",", "the", "."):
            j += 1
        got = simple_date(toks, j) if j < len(toks) and toks[j].text not in WEEKDAYS else None
        return got if got is not None and got[0].grain == "day" else None
    numeric = _numeric(toks, i)
    if numeric is not None:
        return numeric
    day = day_number(toks, i)
    if day is not None:
        j = day[1]
        while j < len(toks) and toks[j].text in ("of", "'"):
            j += 1
        if j < len(toks) and toks[j].text in MONTHS:
            year, end = optional_year(toks, j + 1)
            span = day_span(year, MONTHS[toks[j].text], day[0])
            if span is not None:
                return span, end
    if t.text in MONTHS:
        return _month_first(toks, i)
    year = _year_at(toks, i)
    if year is not None:
        return DateSpan(date(year, 1, 1), date(year, 12, 31), True, "year"), i + 1
    return None


def _month_first(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    month = MONTHS[toks[i].text]
    j = i + 1
    if j < len(toks) and toks[j].text == "the":
        j += 1
    day = day_number(toks, j)
    if day is not None and _year_at(toks, j) is None:
        last = None
        k = day[1]
        if k + 1 < len(toks) and toks[k].text in ("-", "to"):
            last = day_number(toks, k + 1)
        year, end = optional_year(toks, last[1] if last else day[1])
        first_span = day_span(year, month, day[0])
        last_span = day_span(year, month, last[0]) if last else first_span
        if first_span and last_span and first_span.first <= last_span.first:
            grain = "day" if last is None else "part"
            return DateSpan(first_span.first, last_span.last, year is not None, grain), end
    year, end = optional_year(toks, i + 1)
    if year is None and toks[i].text in ("may", "march", "mar") and not _month_context(toks, i):
        return None
    return month_span(year, month), end


def _month_context(toks: Sequence[Raw], i: int) -> bool:
    """`may` and `march` are months only after a preposition, alone, or in a list of months."""
    before = toks[i - 1].text if i else ""
    alone = len([t for t in toks if t.kind != "p"]) == 1
    return alone or before in (
        "in",
        "of",
        "since",
        "until",
        "by",
        "during",
        "last",
        "next",
        "this",
        "early",
        "mid",
        "late",
        "-",
        "between",
        "from",
    )


def _numeric(toks: Sequence[Raw], i: int) -> tuple[DateSpan, int] | None:
    """ISO and slashed dates; `a/b/yyyy` is read month first unless only day first is possible."""
    if (
        i + 2 >= len(toks)
        or toks[i].kind != "n"
        or toks[i + 1].text not in ("-", "/", ".")
        or not toks[i + 1].glued
    ):
        return None
    sep = toks[i + 1].text
    parts: list[str] = [toks[i].text]
    j = i + 1
    while (
        len(parts) < 3
        and j + 1 < len(toks)
        and toks[j].text == sep
        and toks[j].glued
        and toks[j + 1].kind == "n"
    ):
        parts.append(toks[j + 1].text)
        j += 2
    if not all(p.isdigit() for p in parts):
        return None
    nums = [int(p) for p in parts]
    if len(parts) == 3 and len(parts[0]) == 4:
        span = day_span(nums[0], nums[1], nums[2]) if 1 <= nums[1] <= 12 else None
    elif len(parts) == 3 and len(parts[2]) == 4:
        span = day_span(nums[2], nums[0], nums[1]) if nums[0] <= 12 else None
        if span is None and 1 <= nums[1] <= 12:
            span = day_span(nums[2], nums[1], nums[0])
    elif len(parts) == 2 and sep == "/" and 1 <= nums[0] <= 12 and 1 <= nums[1] <= 31:
        span = day_span(None, nums[0], nums[1])
    else:
        span = None
    return None if span is None else (span, j)
