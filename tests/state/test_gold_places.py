"""Where evidence stands at a call, and whether the answer's words stand outside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.report.step_record import cut_words, decision_sections, request_sections
from memtui.state.answer_elsewhere import (
    Elsewhere,
    Place,
    answer_elsewhere,
    answer_pattern,
    elsewhere_words,
)
from memtui.state.gold_places import gold_places, nearest_query
from memtui.state.trajectory import Trajectory, read_trajectory
from memtui.store.reader import RunReader, open_run
from tests.ui.make_run import Story, write


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    path: Path = tmp_path_factory.mktemp("run") / "a.memtui"
    return open_run(asyncio.run(write(path, Story(items=6))))


@pytest.fixture(scope="module")
def episodes(reader: RunReader) -> list[Trajectory]:
    found = [read_trajectory(reader, number) for number in reader.episode_ids()]
    return [one for one in found if one is not None and one.detail.row.done]


def test_every_gold_unit_has_a_place_at_every_call(episodes: list[Trajectory]) -> None:
    returned = missing = 0
    for found in episodes:
        for index, stop in enumerate(found.stops):
            places = gold_places(found, index)
            if stop.step.kind not in ("memory_call", "context"):
                assert places == []
                continue
            ranks = dict(stop.step.gold_ranks)
            assert {p.unit: p.rank for p in places if p.rank is not None} == ranks
            for place in places:
                assert place.in_history is True
                returned += place.rank is not None
                missing += place.rank is None
                assert place.rank is None or "rank" in place.words
    assert returned and missing


def test_evidence_is_named_by_the_data_set_with_turn_and_date(episodes: list[Trajectory]) -> None:
    places = [place for found in episodes for place in gold_places(found, 0)]
    assert places
    for place in places:
        session, turn = place.unit.split(":")
        assert place.name.endswith(f" t{int(turn) + 1}") and session not in place.name
        assert place.day is not None and place.day in place.full_name
    strange = replace(places[0], raw="D6:4", name="conv-44/session_6 t4", day="2023-05-01")
    assert strange.full_name == "conv-44/session_6 t4 (D6:4, 2023-05-01)"


def test_a_session_has_the_date_it_had_in_this_history(episodes: list[Trajectory]) -> None:
    found = episodes[0]
    token = next(iter(found.reachable or ()))
    assert found.dates[token] and found.date_of(token, None) == found.dates[token]
    assert replace(found, dates={}).date_of(token, None) is None


def test_a_recorded_ranking_says_how_deep_it_lies(episodes: list[Trajectory]) -> None:
    found = next(t for t in episodes if any(p.rank is None for p in gold_places(t, 0)))
    place = next(p for p in gold_places(found, 0) if p.rank is None)
    session = place.unit.partition(":")[0]
    for ranks, words in (
        ({session: 37}, "not returned; its session ranks 37 of 50"),
        ({}, "not returned, nor among the first 50 ranked"),
    ):
        step = replace(found.stops[0].step, data={"ranked": 50, "gold_session_ranks": ranks})
        stops = (replace(found.stops[0], step=step), *found.stops[1:])
        deep = gold_places(replace(found, stops=stops), 0)
        assert next(p for p in deep if p.unit == place.unit).words == words
    gone = gold_places(replace(found, reachable=frozenset()), 0)
    assert next(p for p in gone if p.unit == place.unit).words == "not in this history"
    hostile = replace(found.stops[0].step, data={"ranked": "x", "gold_session_ranks": [1]})
    stops = (replace(found.stops[0], step=hostile), *found.stops[1:])
    assert all(p.session_rank is None for p in gold_places(replace(found, stops=stops), 0))


def test_the_nearest_query_is_an_earlier_one(episodes: list[Trajectory]) -> None:
    seen = 0
    for found in episodes:
        for index, stop in enumerate(found.stops):
            near = nearest_query(found, index)
            if near is not None and stop.call_no is not None:
                assert near[0] < stop.call_no
                seen += 1
    assert seen


@pytest.mark.parametrize(
    ("answer", "text", "there"),
    [
        ("Canon EOS", "my old canon  eos broke", True),
        ("May 7", "on May 70 we", False),
        ("$93", "a fee of $93 a month", True),
        ("7:50 pm.", "it starts at 7:50 PM sharp", True),
        ("a.c", "abc", False),
    ],
)
def test_words_are_compared_whole_and_literally(answer: str, text: str, there: bool) -> None:
    pattern = answer_pattern(answer)
    assert pattern is not None and bool(pattern.search(text)) is there


@pytest.mark.parametrize("answer", ["", " ", "x", "y" * 500, "."])
def test_some_answers_are_not_looked_for(answer: str) -> None:
    assert answer_pattern(answer) is None


def test_places_outside_the_evidence_are_found_and_capped(
    reader: RunReader, episodes: list[Trajectory]
) -> None:
    found = next(
        t for t in episodes if t.detail.item.answerable and (t.detail.row.scale or 0) >= 100
    )
    item, detail = found.detail.item, found.detail
    haystack = reader.haystack(detail.row.haystack_id or 0)
    assert haystack is not None
    evidence = {e.session for e in item.evidence}
    fillers = [t for t, _, _ in haystack.positions if t not in evidence]
    said = reader.sessions(fillers[:1])[fillers[0]].turns[0].text.split()
    words = " ".join(said[:4])
    seen = answer_elsewhere(reader, replace(detail, item=replace(item, gold=words)))
    assert seen is not None and seen.holding >= 1 and seen.whole
    assert all(place.session not in evidence for place in seen.places)
    none = answer_elsewhere(reader, replace(detail, item=replace(item, gold="no such words here")))
    assert none is not None and not none.holding and none.looked == len(fillers)
    assert answer_elsewhere(reader, replace(detail, item=replace(item, answerable=False))) is None
    stopped = answer_elsewhere(
        reader, replace(detail, item=replace(item, gold=words)), stop=lambda: True
    )
    assert stopped is not None and stopped.looked == 0 and not stopped.whole


def test_the_sentence_names_what_was_looked_through() -> None:
    dates = ("2023-05-20T10:02", None, None, None)
    places = tuple(Place(f"t{n}", f"s{n}", date, n) for n, date in enumerate(dates))
    assert "s0 t1 (2023-05-20), s1 t2, s2 t3 and 1 more" in elsewhere_words(
        Elsewhere("x", places, 4, 9, 9)
    )
    assert "(the first 5 of 9 looked at)" in elsewhere_words(Elsewhere("x", (), 0, 5, 9))
    assert elsewhere_words(None) == ""


def test_the_record_of_a_call_and_of_its_decision(episodes: list[Trajectory]) -> None:
    found = next(t for t in episodes if t.calls > 1)
    index = next(at for at, stop in enumerate(found.stops) if stop.is_call and stop.call_no == 2)
    request = dict(request_sections(found, index, None))
    assert request["raw request"].startswith('{"query"')
    assert request["nearest earlier query"].partition(";")[2].startswith(" call 1: ")
    assert "asked for 8" in request["blocks"] and "took" in request["used"]
    stop, before = found.stops[index], found.stops[index - 1]
    decision = dict(decision_sections(stop, [{"role": "user", "content": "more"}], before))
    assert decision["message 1 of 1 added"] == "user: more"
    assert decision["raw reply"] and decision["reasoning"]
    lost = sum(not view.hit.shown for view in before.hits)
    assert bool(cut_words(before)) is bool(lost)
