"""Dates, numbers and amounts: read the same in every form people write them in."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.judges.dates import DateSpan
from runners.judges.folding import stem
from runners.judges.lexer import Tok, lex
from runners.judges.quantities import Quantity

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety"


def only(text: str, anchor: date | None = None) -> Tok:
    kept = [t for t in lex(text, anchor) if t.kind not in ("sep", "word")]
    assert len(kept) == 1, (text, kept)
    return kept[0]


def span(text: str, anchor: date | None = None) -> tuple[str, str]:
    key = only(text, anchor).key
    assert isinstance(key, DateSpan)
    return key.first.isoformat(), key.last.isoformat()


@given(day=st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_form_of_a_day_is_that_day(day: date) -> None:
    month, iso = MONTHS[day.month - 1], day.isoformat()
    end = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th") if day.day // 10 != 1 else "th"
    for text in (
        f"{day.day} {month} {day.year}",
        f"{day.day} {month}, {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day}{end} {day.year}",
        f"on the {day.day}{end} of {month}, {day.year}.",
        f"{month[:3]} {day.day}, {day.year}",
        iso,
        f"{day.year}/{day.month:02}/{day.day:02}",
        f"{day.month}/{day.day}/{day.year}",
        f"It was on {day:%A}, {month} {day.day}, {day.year}",
    ):
        assert span(text) == (iso, iso), text


@given(day=st.dates(date(1950, 1, 1), date(2050, 12, 31)), weekday=st.integers(0, 6))
def test_the_weekday_before_and_after(day: date, weekday: int) -> None:
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[weekday]
    first, last = span(f"the {name} before {day.isoformat()}")
    found = date.fromisoformat(first)
    assert first == last and found.weekday() == weekday and 1 <= (day - found).days <= 7
    found = date.fromisoformat(span(f"{name} after {day.isoformat()}")[0])
    assert found.weekday() == weekday and 1 <= (found - day).days <= 7
    first, last = span(f"the weekend before {day.isoformat()}")
    saturday = date.fromisoformat(first)
    assert saturday.weekday() == 5 and 1 <= (day - saturday).days <= 7
    assert date.fromisoformat(last) == saturday + timedelta(1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("May 2023", "2023-05-01", "2023-05-31"),
        ("February, 2024", "2024-02-01", "2024-02-29"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("late August 2023", "2023-08-21", "2023-08-31"),
        ("mid-June 2023", "2023-06-11", "2023-06-20"),
        ("the end of October 2023", "2023-10-21", "2023-10-31"),
        ("early 2022", "2022-01-01", "2022-04-30"),
        ("the summer of 2022", "2022-06-01", "2022-08-31"),
        ("winter 2022", "2022-12-01", "2023-02-28"),
        ("first week of June 2023", "2023-06-01", "2023-06-07"),
        ("last week of May 2023", "2023-05-25", "2023-05-31"),
        ("first weekend of August 2023", "2023-08-05", "2023-08-06"),
        ("the week of 23 August 2023", "2023-08-21", "2023-08-27"),
        ("The week before 9 June 2023", "2023-05-29", "2023-06-08"),
        ("Two weeks before 11 August 2023", "2023-07-25", "2023-07-31"),
        ("3 days before 11 August 2023", "2023-08-08", "2023-08-08"),
        ("a few days before May 24, 2023", "2023-05-18", "2023-05-22"),
        ("between 26 March and 20 April 2023", "2023-03-26", "2023-04-20"),
        ("November 5-6, 2022", "2022-11-05", "2022-11-06"),
        ("14September, 2022", "2022-09-14", "2022-09-14"),
        ("13/05/2023", "2023-05-13", "2023-05-13"),
    ],
)
def test_spans(text: str, first: str, last: str) -> None:
    assert span(text) == (first, last)


def test_words_from_the_questions_date() -> None:
    anchor = date(2023, 5, 21)
    assert span("yesterday", anchor)[0] == "2023-05-20"
    assert span("two weeks ago", anchor)[0] == "2023-05-07"
    assert span("last Friday", anchor)[0] == "2023-05-19"
    assert all(t.kind == "word" for t in lex("yesterday"))


def test_what_is_no_date() -> None:
    for text in (
        "She may go",
        "they march on",
        "$2000",
        "2000 dollars",
        "30 February 2023 ".strip(),
    ):
        assert not any(
            t.kind == "date" and t.key.grain == "day"
            for t in lex(text)
            if isinstance(t.key, DateSpan)
        )
    assert only("2000 dollars").kind == "qty"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seventeen", 17),
        ("twenty-five", 25),
        ("twenty five", 25),
        ("one hundred and five", 105),
        ("two thousand three hundred", 2300),
        ("1,300", 1300),
        ("5k", 5000),
        ("a dozen", 12),
        ("twice", 2),
        ("3.5", 3.5),
        ("400 thousand", 400_000),
        ("two and a half", 2.5),
    ],
)
def test_numbers(text: str, value: float) -> None:
    token = only(text)
    assert (token.kind, token.key) == ("num", value)


@given(n=st.integers(0, 99))
def test_number_words(n: int) -> None:
    ones, tens = ONES.split(" "), TENS.split(" ")
    word = ones[n] if n < 20 else tens[n // 10] + (f"-{ones[n % 10]}" if n % 10 else "")
    assert only(word).key == float(n)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("14 days", "two weeks"),
        ("a fortnight", "2 weeks"),
        ("1 year and 5 months", "17 months"),
        ("a year and a half", "18 months"),
        ("an hour and a half", "90 minutes"),
        ("two and a half hours", "150 min"),
        ("half an hour", "30 minutes"),
        ("31 minutes and 20 seconds", "31:20"),
        ("$5,850", "5850 dollars"),
        ("40%", "forty percent"),
        ("16GB", "16 gigabytes"),
        ("2 km", "2,000 meters"),
        ("a decade", "10 years"),
    ],
)
def test_equal_amounts(a: str, b: str) -> None:
    x, y = only(a).key, only(b).key
    assert isinstance(x, Quantity) and isinstance(y, Quantity)
    assert x.dimension == y.dimension and x.value == pytest.approx(y.value)


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("6:30 pm", 1110),
        ("18:30", 1110),
        ("7 am", 420),
        ("7.30 a.m.", 450),
        ("half past six in the morning", 390),
        ("quarter to nine in the evening", 1245),
        ("noon", 720),
        ("12 am", 0),
        ("9 o'clock in the morning", 540),
    ],
)
def test_clock(text: str, minute: int) -> None:
    token = only(text)
    assert token.kind == "time" and isinstance(token.key, tuple) and token.key[0] == minute


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("three times a week", "3x per week"),
        ("every week", "once a week"),
        ("weekly", "every week"),
        ("every other week", "every two weeks"),
        ("daily", "once a day"),
    ],
)
def test_frequencies(a: str, b: str) -> None:
    assert only(a).kind == only(b).kind == "freq"
    assert only(a).key == only(b).key


@given(text=st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Any text at all, and nothing is read out of blanks."""
    assert isinstance(lex(text, date(2024, 2, 29)), tuple)
    assert text.strip() or lex(text) == ()


def test_the_stem_is_weak_on_purpose() -> None:
    assert stem("dogs") == stem("dog") and stem("planting") == stem("planted")
    assert stem("psychology") != stem("psychologist")
    assert stem("bus") == "bus" and stem("glass") == "glass"
