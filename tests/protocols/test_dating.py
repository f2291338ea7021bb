"""Dates of fillers: the evidence sits at a drawn percentile, nothing is dated after the question."""

from __future__ import annotations

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.protocols.dating import (
    DAY,
    HIGHEST,
    LOWEST,
    balanced_timeline,
    iso,
    minute_of,
    natural_timeline,
    unit,
)
from runners.protocols.ladder import Ladder
from runners.protocols.pool import SessionPool
from tests.protocols.made_up import dataset, item, session


def at(text: str) -> int:
    minute = minute_of(text)
    assert minute is not None
    return minute


@given(st.integers(0, 3 * 10**9 // 2))
def test_minutes_read_back(minute: int) -> None:
    assert minute_of(iso(minute)) == minute


@pytest.mark.parametrize("text", [None, "", "soon", "2024-13-01"])
def test_unknown_stays_unknown(text: str | None) -> None:
    assert minute_of(text) is None


@given(st.integers(0, 99), st.text(max_size=5))
def test_units_are_below_one_and_depend_on_their_parts(seed: int, name: str) -> None:
    value = unit(seed, "age", name)
    assert 0 <= value < 1
    assert value == unit(seed, "age", name)
    assert value != unit(seed + 1, "age", name)


def test_units_are_the_same_in_every_python() -> None:
    assert unit(1, "age", "s1") == pytest.approx(0.185935845856, abs=1e-11)
    assert unit(7, "percentile", "ö") == pytest.approx(0.474931739067, abs=1e-11)


@given(
    seed=st.integers(0, 9),
    days=st.floats(0.001, 400),
    u=st.floats(0, 1, exclude_max=True),
)
def test_ages_fall_into_the_span(seed: int, days: float, u: float) -> None:
    asked = at("2024-06-01T12:00")
    evidence = asked - max(int(days * DAY), 1)
    frame = balanced_timeline(seed, "q", [evidence], asked)
    assert LOWEST <= frame.pivot_at <= HIGHEST
    minute = frame.minute(u)
    assert frame.start <= minute <= frame.end == asked
    assert (minute < evidence) if u < frame.pivot_at else (minute >= evidence)


@given(seed=st.integers(0, 9), days=st.floats(30, 400))
def test_a_usual_span_is_one_straight_line(seed: int, days: float) -> None:
    asked = at("2024-06-01T12:00")
    frame = balanced_timeline(seed, "q", [asked - int(days * DAY)], asked)
    for u in (0.0, 0.2, 0.5, 0.8, 0.99):
        straight = frame.start + (frame.end - frame.start) * u
        assert abs(frame.minute(u) - straight) <= 3


def test_late_evidence_does_not_push_fillers_into_the_future() -> None:
    asked = at("2024-06-01T08:00")
    frame = balanced_timeline(1, "q", [at("2024-06-01T20:00")], asked)
    assert frame.end == asked
    assert frame.minute(0.999) <= asked


def test_a_question_without_a_date_ends_after_its_history() -> None:
    newest = at("2024-03-10T10:00")
    frame = balanced_timeline(1, "q", [at("2024-03-01T10:00")], None, newest)
    assert frame.end == newest + DAY


def test_nothing_dated_gives_an_order_and_no_dates() -> None:
    sessions = [session("gold", "kiln", None), *(session(f"s{n}", f"t{n}", None) for n in range(5))]
    one = item("q", ["gold"], date=None)
    ladder = Ladder(SessionPool(dataset([one], sessions)), seed=1)
    rung = ladder.rung(one, ladder.draw(one, 5))
    assert [place.date for place in rung.places] == [None] * 6


def test_undated_evidence_keeps_its_place_without_a_date() -> None:
    sessions = [session("gold", "kiln", None), *(session(f"s{n}", f"t{n}") for n in range(20))]
    one = item("q", ["gold"])
    ladder = Ladder(SessionPool(dataset([one], sessions)), seed=1)
    rung = ladder.rung(one, ladder.draw(one, 20))
    assert [p.date for p in rung.places if p.role == "evidence"] == [None]
    assert sum(p.date is not None for p in rung.places) == 20


def test_the_evidence_of_many_questions_is_of_every_age() -> None:
    """Under a naive rule it would be newer than nearly all fillers; balanced is uniform."""
    sessions = [
        session("gold", "kiln", "2024-05-25T10:00"),
        *(session(f"s{n}", f"talk {n}", "2024-05-20T10:00") for n in range(100)),
    ]
    items = [item(f"q{n}", ["gold"]) for n in range(80)]
    ladder = Ladder(SessionPool(dataset(items, sessions)), seed=1)
    ages = []
    for one in items:
        age = ladder.rung(one, ladder.draw(one, 100)).evidence_age
        assert age is not None
        ages.append(age)
    assert 0.4 < mean(ages) < 0.6
    assert min(ages) < 0.15
    assert max(ages) > 0.85
    assert sum(age > 0.9 for age in ages) < 16, "no crowd of newest evidence"


def test_natural_keeps_own_dates_and_spreads_strangers_over_the_span() -> None:
    sessions = [
        session("gold", "kiln", "2024-03-10T10:00"),
        session("own", "tea", "2024-01-05T10:00"),
        *(session(f"s{n}", f"talk {n}", "1999-01-01T10:00") for n in range(30)),
    ]
    one = item("q", ["gold"], own=["own", "gold"])
    ladder = Ladder(SessionPool(dataset([one], sessions)), seed=1, date_policy="natural")
    rung = ladder.rung(one, ladder.draw(one, 31))
    dates = {place.session.id: place.date for place in rung.places}
    assert (dates["gold"], dates["own"]) == ("2024-03-10T10:00", "2024-01-05T10:00")
    strangers = [dates[f"s{n}"] or "" for n in range(30)]
    assert "2024-01-05" <= min(strangers) <= max(strangers) < "2024-06-01T12:00"
    assert rung.redated == 30
    balanced = Ladder(SessionPool(dataset([one], sessions)), seed=1)
    assert balanced.rung(one, balanced.draw(one, 31)).redated == 31


def test_natural_without_own_fillers_falls_back() -> None:
    frame = balanced_timeline(1, "q", [at("2024-05-01T10:00")], at("2024-06-01T10:00"))
    assert natural_timeline([], at("2024-06-01T10:00"), frame) is frame
