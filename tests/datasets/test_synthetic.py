"""Shape, seeds, splits and wording of the synthetic set."""

from __future__ import annotations

import time
from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import Turn
from runners.datasets.contract import DataSet
from runners.datasets.synthetic import FILLERS, load, wording_of
from runners.datasets.synthetic_items import visited
from runners.sessions import count_tokens, render_session, session_sha

TYPES = {
    "single-session-user": 18 + 5,
    "single-session-assistant": 9,
    "single-session-preference": 3,
    "knowledge-update": 10,
    "temporal-reasoning": 11,
    "multi-session": 9,
}


@pytest.fixture(scope="module")
def data() -> DataSet:
    return load()


def test_the_same_seed_gives_the_same_bytes(data: DataSet) -> None:
    # A changed digest means changed data: results before and after are not comparable.
    assert load().sha256 == data.sha256
    assert load(seed=8).sha256 != data.sha256
    assert load(split="tune").sha256 != data.sha256
    assert load(7, "test").items == data.items


def test_generation_is_quick() -> None:
    start = time.process_time()
    load(seed=11)
    assert time.process_time() - start < 1.5


def test_types_and_answerability(data: DataSet) -> None:
    assert Counter(item.qtype for item in data.items) == TYPES
    assert sum(not item.answerable for item in data.items) == 5
    assert len({item.key for item in data.items}) == len(data.items) == 65
    for item in data.items:
        assert 1 <= len(item.evidence) <= 3
        assert item.question.endswith("?")


def test_sessions_look_like_sessions(data: DataSet) -> None:
    sizes = []
    for session in data.sessions.values():
        assert 8 <= len(session.turns) <= 16
        assert [turn.role for turn in session.turns] == ["user", "assistant"] * (
            len(session.turns) // 2
        )
        text = render_session(session.turns)
        assert "{" not in text and "  " not in text
        for turn in session.turns:
            assert turn.text and turn.text[0].isalnum() | (turn.text[0] == '"')
        sizes.append(count_tokens(text))
        assert session.sha == session_sha(session.turns)
    assert min(sizes) >= 100 and max(sizes) <= 650
    assert sum(200 <= size <= 600 for size in sizes) >= 0.9 * len(sizes)


def test_pools_hold_what_a_ladder_needs(data: DataSet) -> None:
    pools = Counter(session.pool for session in data.sessions.values())
    assert pools["everyday"] == FILLERS == 450
    assert data.pools == ("everyday",)
    assert len({session.sha for session in data.sessions.values()}) == len(data.sessions)
    for session in data.sessions.values():
        assert bool(session.evidence_for) == (session.pool == "evidence")


def test_ids_say_nothing(data: DataSet) -> None:
    """Evidence is not recognizable by its id: its numbers are spread over all sessions."""
    numbers = [
        int(session.id.removeprefix("syn-s"))
        for session in data.sessions.values()
        if session.pool == "evidence"
    ]
    assert min(numbers) < 60 and max(numbers) > 500
    assert all("evid" not in key and "answer" not in key for key in data.sessions)


def test_questions_come_after_their_evidence(data: DataSet) -> None:
    for item in data.items:
        dates = [data.sessions[key].date or "" for key in item.own]
        assert max(dates) < (item.question_date or "")
        if item.qtype == "knowledge-update":
            assert dates == sorted(dates) and dates[0] != dates[1]


def test_near_misses_grow_with_the_crowd(data: DataSet) -> None:
    """A crowded question has more fillers that name its thing."""
    texts = [render_session(s.turns) for s in data.sessions.values() if s.pool == "everyday"]
    named: dict[str, list[int]] = {"low": [], "mid": [], "high": []}
    for item in data.items:
        if item.meta["kind"] in ("shop", "price", "paint", "start", "weekday", "keep", "fee"):
            thing = item.question.rstrip("?").split(" my ")[-1].split(" the ")[-1]
            thing = " ".join(thing.split()[:2]).removesuffix(" now").removesuffix(" start")
            named[item.meta["crowd"]].append(sum(thing in text for text in texts))
    means = {crowd: sum(counts) / len(counts) for crowd, counts in named.items()}
    assert 1 <= means["low"] < means["mid"] < means["high"]


def said(split: str) -> dict[str, set[str]]:
    """Everything a split may say, by sort."""
    wording, topics, glue = wording_of(split)
    kinds = wording.kinds.values()
    things = {t.name for k in kinds for t in k.things} | {t.alias for k in kinds for t in k.things}
    lines = {line for k in kinds for line in (*k.say, *k.new, *k.ask, *k.other, *k.aside)}
    for topic in topics.values():
        lines |= {*topic.openers, *topic.asks, *topic.tips, *topic.notes}
    for part in (glue.greetings, glue.thanks, glue.turns_aside, glue.leads, glue.tips):
        lines |= set(part)
    lines |= {*glue.endings, *glue.farewells}
    joint = wording.joint
    lines |= {*joint.bridge, *joint.total, *joint.names, *joint.order, *joint.between}
    lines |= {*joint.pair_say, *(w.say for w in wording.wishes), *(w.ask for w in wording.wishes)}
    values = {value for k in kinds if k.name not in ("weekday", "event") for value in k.values}
    subjects = {thing for topic in topics.values() for thing in topic.things}
    people = {*wording.people, *wording.kin}
    return {
        "things": (things | subjects) - {"", "person"},
        "values": values,
        "lines": lines,
        "people": people,
    }


def test_splits_share_nothing() -> None:
    test, tune = said("test"), said("tune")
    for sort, entries in test.items():
        assert entries and tune[sort], sort
        assert not entries & tune[sort], (sort, entries & tune[sort])


def test_no_session_text_is_shared_between_splits(data: DataSet) -> None:
    turns = {turn.text for s in data.sessions.values() for turn in s.turns}
    other = {turn.text for s in load(split="tune").sessions.values() for turn in s.turns}
    assert not turns & other


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(UserError, match="test and tune"):
        load(split="train")


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10_000))
def test_any_seed_gives_a_whole_data_set(seed: int) -> None:
    data = load(seed=seed)
    assert len(data.items) == 65
    assert all(isinstance(t, Turn) for s in data.sessions.values() for t in s.turns)


def test_last_monday_is_the_latest_monday_before() -> None:
    assert visited("last Monday", date(2024, 3, 11)) == date(2024, 3, 4)  # told on a Monday
    assert visited("last Monday", date(2024, 3, 12)) == date(2024, 3, 11)
    assert visited("yesterday", date(2024, 3, 1)) == date(2024, 2, 29)
    assert visited("three days ago", date(2024, 1, 2)) == date(2023, 12, 30)


def test_a_small_pool() -> None:
    whole, small = load(), load(fillers=20)
    pool = [s for s in small.sessions.values() if s.pool in small.pools]
    assert len(pool) == 20
    assert [item.question for item in small.items] == [item.question for item in whole.items]
    for options in ({"fillers": 0}, {"exchanges": True}):
        with pytest.raises(UserError, match="whole number"):
            load(**options)


@pytest.mark.parametrize("exchanges", [1, 2, 3])
def test_short_sessions_keep_what_they_say_about_a_question(exchanges: int) -> None:
    whole, short = load(fillers=40), load(fillers=40, exchanges=exchanges)
    before = {item.key: item for item in whole.items}
    for item in short.items:
        for new, old in zip(item.evidence, before[item.key].evidence, strict=True):
            assert new.session_id == old.session_id and new.session_id is not None
            if old.turn is not None and new.turn is not None:
                said = whole.sessions[new.session_id].turns[old.turn]
                assert short.sessions[new.session_id].turns[new.turn] == said
            else:
                assert old.turn is None and new.turn is None
    assert {len(session.turns) for session in short.sessions.values()} == {2 * exchanges}
    assert all(
        [t.role for t in session.turns] == ["user", "assistant"] * (len(session.turns) // 2)
        for session in short.sessions.values()
    )
