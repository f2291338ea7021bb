"""Dates of both data sets become ISO; what cannot be read becomes None, never today."""

from __future__ import annotations

import locale
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.datasets.dates import MONTHS, WEEKDAYS, iso_date, read_date


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56"),
        ("12:05 am on 29 February, 2024", "2024-02-29T00:05"),
        ("12:00 pm on 1 January, 2024", "2024-01-01T12:00"),
        ("2023/05/30 (Tue) 21:56", "2023-05-30T21:56"),
        ("2023/05/30", "2023-05-30T00:00"),
        ("2024-06-01", "2024-06-01T00:00"),
        ("2024-06-01T10:15:30+02:00", "2024-06-01T10:15"),
        ("", None),
        ("yesterday", None),
        ("30 February, 2023", None),
        ("2023/02/30 (Thu) 10:00", None),
        ("13:00 pm on 8 May, 2023", None),
        ("1:56 pm on 8 Mai, 2023", None),
    ],
)
def test_known_forms(text: str, iso: str | None) -> None:
    assert iso_date(text) == iso


@pytest.mark.parametrize("value", [None, 2023, 20.5, [], {"date": "2023/05/30"}])
def test_what_is_no_text_is_no_date(value: object) -> None:
    assert read_date(value).iso is None


def test_a_wrong_weekday_is_told_and_the_date_kept() -> None:
    wrong = read_date("2023/05/30 (Mon) 21:56")
    assert (wrong.iso, wrong.weekday_ok) == ("2023-05-30T21:56", False)
    assert read_date("2023/05/30 (Tue) 21:56").weekday_ok


@given(st.datetimes(min_value=datetime.fromisoformat("1000-01-01")))
def test_both_forms_read_back(moment: datetime) -> None:
    minute = moment.isoformat(timespec="minutes")
    half = "am" if moment.hour < 12 else "pm"
    locomo = (
        f"{moment.hour % 12 or 12}:{moment.minute:02} {half} on {moment.day} "
        f"{MONTHS[moment.month - 1].capitalize()}, {moment.year}"
    )
    weekday = WEEKDAYS[moment.weekday()].capitalize()
    longmemeval = f"{moment:%Y/%m/%d} ({weekday}) {moment:%H:%M}"
    assert iso_date(locomo) == minute
    assert read_date(longmemeval) == read_date(minute)
    assert read_date(longmemeval).weekday_ok


@given(st.text())
def test_any_text_is_a_date_or_none(text: str) -> None:
    read = read_date(text)
    assert read.iso is None or datetime.fromisoformat(read.iso)


def test_the_locale_does_not_matter() -> None:
    before = locale.setlocale(locale.LC_TIME)
    try:
        locale.setlocale(locale.LC_TIME, "C")
        assert iso_date("1:56 pm on 8 May, 2023") == "2023-05-08T13:56"
    finally:
        locale.setlocale(locale.LC_TIME, before)
