"""Every gold of the synthetic set is worked out again from its whole haystack, by other means."""

from __future__ import annotations

import re
from datetime import date

import pytest

from runners.datasets.contract import DataSet, SourceItem, SourceSession
from runners.datasets.synthetic import load
from runners.normalise import normalise
from runners.sessions import render_session
from tests.datasets import synthetic_grammar as grammar

SPLITS = ("test", "tune")
SEEDS = (7, 8)
RUBRIC = "single-session-preference"


@pytest.fixture(scope="module", params=[(s, n) for s in SPLITS for n in SEEDS], ids=str)
def data(request: pytest.FixtureRequest) -> DataSet:
    split, seed = request.param
    return load(seed=seed, split=split)


_STATED: dict[str, list[grammar.Fact]] = {}


def stated(session: SourceSession) -> list[grammar.Fact]:
    """The facts of a session, parsed once."""
    if session.sha not in _STATED:
        told = date.fromisoformat((session.date or "")[:10])
        _STATED[session.sha] = [f for t in session.turns for f in grammar.facts(t.text, told)]
    return _STATED[session.sha]


def everyday(data: DataSet) -> list[SourceSession]:
    return [session for session in data.sessions.values() if session.pool in data.pools]


def own(data: DataSet, item: SourceItem) -> list[SourceSession]:
    return [data.sessions[key] for key in item.own]


def test_every_gold_follows_from_its_whole_haystack(data: DataSet) -> None:
    around = [fact for session in everyday(data) for fact in stated(session)]
    checked = 0
    for item in data.items:
        if item.qtype == RUBRIC:
            continue
        facts = [fact for session in own(data, item) for fact in stated(session)] + around
        derived = grammar.derive(item.question, facts)
        if not item.answerable:
            assert derived is None, (item.key, derived)
        elif "names" in item.meta["kind"]:
            assert derived == " and ".join(sorted((item.gold or "").split(" and "))), item.key
        else:
            assert derived == item.gold, (item.key, item.question)
        checked += 1
    assert checked == 62


def test_no_filler_states_anything_of_the_users_own(data: DataSet) -> None:
    for session in everyday(data):
        assert stated(session) == [], session.id


def test_the_evidence_turn_is_the_one_that_states_the_fact(data: DataSet) -> None:
    for item in data.items:
        for evidence in item.evidence:
            assert evidence.session_id is not None
            session = data.sessions[evidence.session_id]
            assert item.key in session.evidence_for
            if evidence.turn is None:
                assert not item.answerable
                continue
            if item.qtype == RUBRIC:
                continue
            told = date(2024, 1, 1)
            turns = [i for i, turn in enumerate(session.turns) if [*grammar.facts(turn.text, told)]]
            assert turns == [evidence.turn], (item.key, turns)
            speaker = "assistant" if item.qtype == "single-session-assistant" else "user"
            assert session.turns[evidence.turn].role == speaker


VALUES = {
    "price": r"\$\d",
    "fee": r"\$\d",
    "start": r"\d+:\d\d",
    "best": r"\d+:\d\d",
    "ride": r"\d+ minutes",
    "minutes": r"\d+ minutes",
    "count": r"\b\d+\b",
    "progress": r"\b\d+\b",
    "weekday": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    "event": r"yesterday|days ago|last \w+day",
    "paint": r"\b(?:red|blue|green|yellow|orange|purple|pink|brown|black|white|gray|plum|ivory)\b",
}
"""What a value of a kind looks like, whatever the sentence around it."""

SOMEBODY_ELSE = re.compile(
    r"^(?:My|Our) (?:sister|cousin|aunt|neighbor|flatmate|colleague|friend|brother|uncle|niece|landlord|"
    r"nephew|classmate|partner|trainer)\b|^[A-Z]\w+ (?:from work|next door|from the village)\b"
)


def test_no_sentence_of_a_filler_puts_a_value_beside_the_users_thing(data: DataSet) -> None:
    """By shape alone: a value and the thing in one sentence only ever concern somebody else."""
    about: list[tuple[str, str, str]] = []
    for item in data.items:
        if item.qtype == RUBRIC:
            continue
        kind, thing, second, _ = grammar.asked(item.question)
        shape = VALUES.get({"total": "price", "order": "event", "between": "event"}.get(kind, kind))
        if shape is not None:
            names = [name for name in (thing, second) if name]
            names += [grammar.ALIASES[name] for name in names if name in grammar.ALIASES]
            about += [(item.key, name.lower(), shape) for name in names]
    near = 0
    for session in everyday(data):
        for turn in session.turns:
            for sentence in re.split(r"(?<=[.!?]) ", turn.text):
                for key, name, shape in about:
                    if name in sentence.lower() and re.search(shape, sentence):
                        assert SOMEBODY_ELSE.search(sentence), (key, session.id, sentence)
                        near += 1
    assert near > 50  # or the check would have nothing to look at


def test_enough_fillers_remain_for_every_question(data: DataSet) -> None:
    texts = [f" {normalise(render_session(session.turns))} " for session in everyday(data)]
    for item in data.items:
        gold = normalise(item.gold or "")
        clean = sum(f" {gold} " not in text for text in texts) if len(gold) >= 4 else len(texts)
        assert clean >= 400, (item.key, item.gold, clean)


def test_contradictions_stay_in_a_pool_of_their_own(data: DataSet) -> None:
    pool = [s for s in data.sessions.values() if s.pool == "contradictions"]
    assert len(pool) >= 20
    assert "contradictions" not in data.pools
    items = {item.key: item for item in data.items}
    for session in pool:
        (tag,) = session.tags
        item = items[tag.removeprefix("contradicts:")]
        facts = [fact for other in own(data, item) for fact in stated(other)]
        # The same question over a haystack with this session has no longer the same answer.
        try:
            derived = grammar.derive(item.question, facts + stated(session))
        except AssertionError:
            continue
        assert derived != item.gold, item.key
