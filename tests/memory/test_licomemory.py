"""LiCoMemory on worked examples: merging, both ranks, session scores, what is shown and paid for."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import Turn
from runners.memory.contract import MemoryError_, SessionText
from runners.memory.hierarchical import dialogue_extraction, session_summary
from runners.memory.hierarchical.cognigraph import MERGE_AT, EntityIndex
from runners.memory.hierarchical.dialogue_extraction import Entity
from runners.memory.hierarchical.licomemory import LiCoMemory
from runners.memory.hierarchical.licomemory_search import LicoView
from runners.memory.hierarchical.session_summary import short_date
from runners.memory.hierarchical.triple_ranks import (
    cogni_rank,
    days_between,
    entity_bonus,
    entity_scores,
    session_score,
    simple_rank,
)
from runners.models.scripted_door import Messages, ScriptedDoor
from runners.sessions import session_sha
from tests.memory.sessions import haystack, session, tokens

NOW = "2024-03-31"
DATES = ["2024-03-01T10:00", "2024-03-21T09:30", "2024-03-30"]
QUESTION = "What did my sister give me?"


def entity(name: str, kind: str) -> dict[str, str]:
    return {"name": name, "type": kind}


def relation(source: str, name: str, target: str, strength: int = 5) -> dict[str, Any]:
    return {"source": source, "name": name, "target": target, "strength": strength}


SAID: dict[str, dict[str, Any]] = {
    "My sister gave me a kettle.": {
        "entities": [entity("User", "person"), entity("Sister", "person"), entity("Kettle", "object")],
        "relations": [relation("Sister", "gave to user", "Kettle", 9)],
    },
    "My sister moved to Oslo.": {
        "entities": [entity("Sister", "person"), entity("Oslo", "location")],
        "relations": [relation("Sister", "moved to", "Oslo", 99)],
    },
    "The kettle my sister gave me is red.": {
        "entities": [entity("sister", "person"), entity("Kettle", "object")],
        "relations": [relation("sister", "Gave to user", "Kettle"), relation("Kettle", "is", "Red")],
    },
}  # fmt: skip
KEYS = {"My sister gave": ["Kettle"], "My sister moved": ["Oslo"], "The kettle": []}
SESSIONS = [session(text) for text in SAID]

VECTORS = {
    QUESTION: [1.0, 0, 0, 0, 0], "Sister": [0, 1.0, 0, 0, 0], "sister": [0, 1.0, 0, 0, 0],
    "Kettle": [0.6, 0, 0.8, 0, 0], "Oslo": [0, 0, 0, 1.0, 0], "User": [0, 0, 0, 0, 1.0],
    "Red": [0, 0, 0, -1.0, 0],
    "Sister gave to user Kettle": [0.8, 0.6, 0, 0, 0], "Sister moved to Oslo": [0, 0.6, 0, 0.8, 0],
    "sister Gave to user Kettle": [0.8, 0.6, 0, 0, 0], "Kettle is Red": [0.6, 0, 0, -0.8, 0],
    "kettle": [0, 0.6, 0.8, 0, 0], "oslo": [0, 0, 0, 1.0, 0],
    "march 1st": [0, 0, 0, 0, 1.0], "march 21st": [0, 0, 0, 0, 1.0], "march 30th": [0, 0, 0, 0, 1.0],
}  # fmt: skip


def model(messages: Messages, schema: Any) -> Any:
    said = str(messages[-1]["content"])
    if schema is dialogue_extraction.ENTITIES:
        assert f"Date of the question: {NOW}" in said
        return {"entities": [entity("Sister", "person")]}
    for text, graph in SAID.items():
        if text in said:
            if schema is dialogue_extraction.GRAPH:
                return graph
            (keys,) = [keys for start, keys in KEYS.items() if start in said]
            return {"keys": keys, "themes": [{"title": "Talk", "summary": f"About: {text}"}]}
    raise AssertionError(said)


async def opened(
    door: ScriptedDoor, now: str | None = NOW, **options: Any
) -> tuple[LicoView, list[str]]:
    system = LiCoMemory(**options)
    artifacts = {one.sha: await system.prepare(one, door) for one in SESSIONS}
    texts = {one.sha: one for one in SESSIONS}
    view = await system.open(haystack(SESSIONS, DATES), artifacts, texts, now, door)
    door.phase = "search"
    return view, tokens(SESSIONS)


async def test_the_graph_of_three_sessions_by_hand() -> None:
    view, known = await opened(ScriptedDoor(model, vectors=VECTORS))
    graph = view.graph
    assert [(n.name, n.type) for n in graph.nodes] == [
        ("User", "person"), ("Sister", "person"), ("Kettle", "object"), ("Oslo", "location"),
        ("Red", "unknown"),
    ]  # fmt: skip
    # A user without a relation is no part of the graph; a triple said twice has two sources.
    assert [graph.nodes[at].name for at in graph.linked] == ["Sister", "Kettle", "Oslo", "Red"]
    assert [graph.words(t) for t in graph.triples] == [
        "(Sister, gave to user, Kettle)", "(Sister, moved to, Oslo)", "(Kettle, is, Red)",
    ]  # fmt: skip
    assert [[s.token for s in t.said] for t in graph.triples] == [
        [known[0], known[2]], [known[1]], [known[2]],
    ]  # fmt: skip
    assert [t.strength for t in graph.triples] == [9, 10, 5]


async def test_a_search_by_hand_with_simple_rank() -> None:
    view, known = await opened(ScriptedDoor(model, vectors=VECTORS))
    result = await view.call("memory_search", {"query": QUESTION})
    # Session scores: means of the best cosines of Sister with the keys (kettle .6, oslo 0) and the
    # short date (0): .3, 0 and 0. The newest session of the first triple is the third.
    assert view.session_scores(np.array([VECTORS["Sister"]], np.float32)) == [0.3, 0, 0]
    assert result.data["triples"] == [
        ["(Sister, gave to user, Kettle)", 0.64], ["(Kettle, is, Red)", 0.48],
        ["(Sister, moved to, Oslo)", 0.0],
    ]  # fmt: skip
    assert result.data["entities"] == ["Sister"] and result.data["candidates"] == 3
    summary, *exchanges = result.hits
    assert (summary.ref, summary.sources, summary.score) == (
        f"summary-{known[0]}",
        (known[0],),
        0.3,
    )
    assert summary.text == (
        "[2024-03-01] Keys: March 1st, Kettle\nTalk: About: My sister gave me a kettle."
    )
    assert [(h.ref, h.score, h.first, h.last) for h in exchanges] == [
        (known[0], 0.64, 0, 0), (known[2], 0.64, 0, 0), (known[1], 0.0, 0, 0),
    ]  # fmt: skip
    assert result.text is not None
    assert result.text.startswith(
        "Known relations: (Sister, gave to user, Kettle); (Kettle, is, Red); "
    )
    assert f"[3] {known[2]} · 2024-03-30\nuser: The kettle my sister" in result.text
    assert result.text.count("\n\n") == len(result.hits)


async def test_the_papers_rank_prefers_what_is_near_in_time() -> None:
    view, known = await opened(ScriptedDoor(model, vectors=VECTORS), rank="cogni", summaries=0)
    result = await view.call("memory_search", {"query": QUESTION})
    # Days to the question: 1 (newest source), 1 and 10; their median is 1.
    near, far = exp(-1.0), exp(-(10**0.1))
    scores = dict(result.data["triples"])
    assert scores == pytest.approx(
        {
            "(Sister, gave to user, Kettle)": (0.8 * 0.8 + 0.2 * 0.01) * near,
            "(Kettle, is, Red)": (0.8 * 0.6 + 0.2 * 0.01) * near,
            "(Sister, moved to, Oslo)": 0.2 * 0.01 * far,
        },
        abs=1e-6,
    )
    assert [hit.ref for hit in result.hits] == [known[0], known[2], known[1]]
    assert LiCoMemory(rank="cogni", summaries=0).info.form == "verbatim"
    assert LiCoMemory().info.form == "derived"


async def test_nearest_entities_bound_the_triples() -> None:
    view, known = await opened(ScriptedDoor(model, vectors=VECTORS), entities=1, summaries=0)
    result = await view.call("memory_search", {"query": QUESTION})
    # Sister alone: 0.7 x 1 + 0.3 for the type. What touches only Kettle is out of reach.
    assert [words for words, _ in result.data["triples"]] == [
        "(Sister, gave to user, Kettle)", "(Sister, moved to, Oslo)",
    ]  # fmt: skip
    one = await view.call("memory_search", {"query": QUESTION, "k": 1})
    assert [hit.ref for hit in one.hits] == [known[0]] and one.k_effective == 1
    fewest, _ = await opened(ScriptedDoor(model, vectors=VECTORS), triples=1, summaries=0)
    assert len((await fewest.call("memory_search", {"query": QUESTION})).hits) == 2


async def test_an_unreadable_question_is_searched_by_its_words() -> None:
    def silent(messages: Messages, schema: Any) -> Any:
        return "?" if schema is dialogue_extraction.ENTITIES else model(messages, schema)

    door = ScriptedDoor(silent, vectors=VECTORS | {"give": [0, 0, 0, 0, 0.1]})
    view, known = await opened(door)
    before = len(door.embedded)
    result = await view.call("memory_search", {"query": QUESTION})
    assert result.data["question"] == "unreadable" and result.data["entities"] == []
    # The question itself and those of its words that could be a key.
    assert door.embedded[before:] == [QUESTION, "sister", "give"]
    assert result.hits[0].ref == f"summary-{known[0]}"


async def test_unreadable_sessions_leave_a_summary_or_nothing() -> None:
    def mute(messages: Messages, schema: Any) -> Any:
        if schema is dialogue_extraction.GRAPH:
            return ""
        return model(messages, schema)

    view, _ = await opened(ScriptedDoor(mute, vectors=VECTORS))
    result = await view.call("memory_search", {"query": QUESTION})
    assert [hit.ref[:8] for hit in result.hits] == ["summary-"] and result.text is None
    assert result.data["extractions_unreadable"] == 3


async def test_calls_are_those_declared() -> None:
    door = ScriptedDoor(model, vectors=VECTORS)
    system = LiCoMemory()
    assert system.expected_calls(SESSIONS[0])["prepare"] == {"complete": (2, 4), "embed": (0, 1)}
    await system.prepare(SESSIONS[0], door)
    assert door.counts == {("ingest", "complete"): 2, ("ingest", "embed"): 1}
    await system.prepare(session(""), None)
    with pytest.raises(MemoryError_, match="no way to reach"):
        await system.prepare(SESSIONS[0], None)
    view, _ = await opened(door)
    assert door.counts["ingest", "embed"] == 1 + 3 + 1, "each session, and the haystack's dates"
    before = door.counts.copy()
    await view.call("memory_search", {"query": QUESTION})
    await view.rank(QUESTION, 5)
    assert door.counts - before == {("search", "complete"): 1, ("search", "embed"): 1}
    rules = LiCoMemory(extractor="rules")
    assert rules.expected_calls(SESSIONS[0])["prepare"]["complete"] == (0, 0)
    assert "llm" not in rules.info.needs


async def test_a_long_session_is_summarised_part_by_part() -> None:
    def parts(messages: Messages, schema: Any) -> Any:
        if schema is dialogue_extraction.GRAPH:
            return {"entities": [], "relations": []}
        said = str(messages[-1]["content"])
        if "part two" in said:
            assert '"keys": ["one"]' in said and "part one" not in said.partition("Next part:")[2]
            return {
                "keys": ["one", "two", "3", "4", "5"],
                "themes": [{"title": "B", "summary": "b"}],
            }
        return {"keys": ["one"], "themes": [{"title": "A", "summary": "a"}]}

    turns = (Turn("user", "This is part one. " * 4), Turn("assistant", "This is part two. " * 4))
    system = LiCoMemory(part_tokens=24)
    door = ScriptedDoor(parts)
    long = SessionText(session_sha(turns), turns)
    prepared = await system.prepare(long, door)
    assert prepared.summary.keys == ("one", "two", "3", "4"), "five keys, the date being one"
    assert prepared.summary.themes == (("B", "b"),)
    asked = [one for one in door.asked if one.schema is session_summary.SUMMARY]
    expected = system.expected_calls(long)["prepare"]["complete"]
    assert len(asked) == 2 and expected == (len(door.asked), 2 * len(door.asked))


def test_names_merge_by_words_within_a_type() -> None:
    index = EntityIndex(MERGE_AT)
    long = "The Annual Lisbon Jazz Festival For Amateurs"
    first = [index.add(Entity(name, "event")) for name in (long, "Red Bridge")]
    assert first == [0, 1]
    assert index.find(Entity("red bridge", "location")) == 1, "the same name, whatever its type"
    assert index.find(Entity("bridge Red", "event")) == 1
    assert index.find(Entity("bridge Red", "location")) is None
    assert index.find(Entity("Annual Lisbon Jazz Festival For Amateurs", "event")) == 0  # 6 / 7
    assert index.find(Entity("Lisbon Jazz Festival For Amateurs", "event")) is None  # 5 / 7
    assert index.find(Entity(f"{long} Only", "event")) == 0  # 7 / 8


@given(
    st.lists(
        st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=9).map(" ".join),
        max_size=12,
    ),
    st.sampled_from([0.5, 0.85, 1.0]),
)
def test_merging_finds_what_comparing_with_all_would_find(names: list[str], at: float) -> None:
    index = EntityIndex(at)
    kept: list[str] = []
    for name in names:
        words = set(name.split())
        alike = [
            i
            for i, other in enumerate(kept)
            if len(words & set(other.split())) >= at * len(words | set(other.split()))
        ]
        found = index.find(Entity(name, "object"))
        assert found == (kept.index(name) if name in kept else min(alike, default=None))
        if found is None:
            assert index.add(Entity(name, "object")) == len(kept)
            kept.append(name)


def test_both_ranks_by_hand() -> None:
    assert simple_rank([0.5, 0.25], [0.2, 1.0], 0.2) == pytest.approx([0.44, 0.4])
    # Gaps 0, 4 and 100 days, median 4: weights exp(-0), exp(-1) and exp(-25^0.1).
    ranked = cogni_rank([0.5, 0.5, 0.5], [0.0, 0.4, 0.4], [0, 4, 100], 0.2, 0.1)
    assert ranked == pytest.approx([0.402, 0.48 * exp(-1), 0.48 * exp(-(25**0.1))])
    # A median below a day counts as one.
    assert cogni_rank([1.0], [0.0], [0.0], 0.0, 0.1) == [1.0]
    assert cogni_rank([], [], [], 0.2, 0.1) == []
    assert days_between("2024-03-01T23:59", "2024-02-28") == 2
    assert days_between(None, "2024-02-28") == 0 == days_between("soon", "2024-02-28")


def test_scores_of_entities_and_sessions_by_hand() -> None:
    rows = np.array([[1, 0], [0, 1]], np.float32)
    asked = np.array([[0.6, 0.8], [1, 0]], np.float32)
    scores = entity_scores(rows, ["person", "object"], asked, ["question", "object"])
    assert scores == pytest.approx([0.7, max(0.7 * 0.8, 0.3)])
    assert [entity_bonus({7: 0, 9: 1}, *ends) for ends in ((9, 7), (9, 3), (3, 4))] == [
        1,
        0.5,
        1 / 3,
    ]
    keys = np.array([[1, 0], [0, 1]], np.float32)
    # Cosines .6, .8, 1 and 0: the best three.
    assert session_score(asked, keys) == pytest.approx(0.8)
    assert session_score(asked, keys[:0]) == 0 == session_score(asked[:0], keys)


def test_short_dates() -> None:
    days = {"2023-05-04T10:00": "May 4th", "2023-01-01": "January 1st", "2023-12-22": "December 22nd",
            "2023-03-03": "March 3rd", "2023-11-11": "November 11th", "2023-10-13": "October 13th"}  # fmt: skip
    assert {day: short_date(day) for day in days} == days
    assert short_date("") is None and short_date("yesterday") is None


@pytest.mark.parametrize(
    "options",
    [{"mode": "never"}, {"rank": "best"}, {"extractor": "x"}, {"summaries": -1}, {"merge_at": 0},
     {"merge_at": 2}, {"triples": 0}, {"summary_weight": 1.5}, {"rerank_k": "x"}, {"part_tokens": 3}],
)  # fmt: skip
def test_settings_without_meaning_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        LiCoMemory(**options)
