"""MemOS on worked examples: buckets, what a question is after, both recalls, the storeys above."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from runners.memory.contract import MemorySystem, SessionText
from runners.memory.flat.memos_text import MemosText
from runners.memory.memos_items import LONG_TERM, USER, Item
from runners.memory.planar.memos_tree import MemosTree
from runners.memory.planar.tree_clusters import kmeans, partition
from runners.memory.planar.tree_nodes import CONCEPT, FACT, TOPIC, WORKING, Node, Tree
from runners.memory.planar.tree_reorganiser import Reorganiser, Sizes
from runners.memory.planar.tree_search import (
    Goal,
    fast_goal,
    graph_recall,
    rerank,
    vector_recall,
)
from runners.memory.provenance import Source
from runners.models.scripted_door import Reply, ScriptedDoor
from tests.memory.sessions import haystack, session

E = np.eye(4, dtype=np.float32)


def item(value: str, key: str = "", kind: str = LONG_TERM, tags: tuple[str, ...] = ()) -> Item:
    return Item(key or value, kind, value, tags, 0, 0)


def origin(place: int) -> Source:
    return Source(place, f"t{place}", f"2024-01-{place + 1:02}", 0, 1)


def node(number: int, value: str, row: Any, **more: Any) -> Node:
    return Node(
        number, more.pop("key", value), value, more.pop("tags", ()), (origin(number),), row, **more
    )


def tree(working: int = 2, long_term: int = 3, user: int = 2) -> Tree:
    return Tree({WORKING: working, LONG_TERM: long_term, USER: user})


def values(tree: Tree, scope: str) -> list[str]:
    return [n.value for n in tree.nodes(scope)]


def test_a_full_bucket_loses_its_oldest() -> None:
    filled = tree()
    for place, text in enumerate("abcd"):
        filled.add(item(text), origin(place), E[0])
    filled.add(item("e", kind=USER), origin(4), E[1])
    assert values(filled, LONG_TERM) == ["b", "c", "d"] and values(filled, USER) == ["e"]
    assert values(filled, WORKING) == ["d", "e"], "the newest of all kinds"
    assert filled.evicted == 1 and len(filled) == 4
    filled.add(item("b"), origin(5), E[0])
    assert [s.token for s in filled.nodes(LONG_TERM)[0].sources] == ["t1", "t5"], (
        "joined, not added"
    )
    filled.add(item("a"), origin(6), E[0])
    assert values(filled, LONG_TERM) == ["c", "d", "a"], "what was forgotten may be learned again"


def test_graph_recall_wants_a_title_or_two_tags() -> None:
    nodes = [
        node(0, "v0", E[0], key="Tom the cat", tags=("pets",)),
        node(1, "v1", E[0], key="Garden", tags=("pets", "cats", "green")),
        node(2, "v2", E[0], key="Tom", tags=("pets",)),
    ]
    goal = Goal("q", frozenset({"tom the cat"}), frozenset({"pets", "cats"}))
    assert [n.number for n in graph_recall(nodes, goal)] == [0, 1]
    assert graph_recall(nodes, Goal("q", frozenset(), frozenset({"pets"}))) == []
    fast = fast_goal("Where is Tom the cat?")
    assert fast.tags == {"tom", "cat"} and fast.keys == {"tom", "cat", "where is tom the cat?"}
    assert [n.number for n in graph_recall(nodes, fast)] == [2]


def test_vector_recall_takes_the_nearest_of_every_expansion_once() -> None:
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1], [0.6, 0.8]], np.float32)
    nodes = [node(i, f"v{i}", row) for i, row in enumerate(rows)]
    found = vector_recall(nodes, rows, np.array([[1, 0], [0.8, 0.6]], np.float32), 2)
    assert [n.number for n in found] == [0, 1, 3], "best cosines 1, 1, .96"
    assert vector_recall(nodes, rows, np.zeros((0, 2), np.float32), 2) == []
    assert vector_recall([], np.zeros((0, 0), np.float32), rows, 2) == []


def test_reranking_weighs_levels_and_shows_equal_texts_once() -> None:
    found = [
        node(3, "topic", E[0] * 0.9, level=TOPIC),
        node(0, "fact", E[0]),
        node(1, "fact", E[0]),
        node(2, "far", E[1]),
    ]
    even = dict.fromkeys((TOPIC, CONCEPT, FACT), 1.0)
    ranked = rerank(found, E[0], even)
    assert [(n.number, round(s, 3)) for n, s in ranked] == [(0, 1.0), (3, 0.9), (2, 0.0)]
    assert [n.number for n, _ in rerank(found, E[0], even | {TOPIC: 1.2})] == [3, 0, 2]
    assert rerank([], E[0], even) == []


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 5), st.sampled_from([(10, 20), (3, 6), (1, 2)]))
def test_partitions_hold_everybody_once_and_keep_their_size(
    n: int, seed: int, sizes: tuple[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    if n % 3 == 0:
        rows[:] = rows[:1]  # all alike
    groups = partition(rows, least=sizes[0], most=sizes[1])
    assert sorted(i for group in groups for i in group) == list(range(n))
    assert all(len(group) <= sizes[1] for group in groups)
    assert groups == partition(rows, least=sizes[0], most=sizes[1])


def test_kmeans_finds_what_is_apart() -> None:
    rng = np.random.default_rng(1)
    rows = np.repeat(E[:3], 5, axis=0) + rng.normal(0, 0.05, (15, 4)).astype(np.float32)
    labels = kmeans(rows, 3)
    groups = [set(labels[i : i + 5].tolist()) for i in (0, 5, 10)]
    assert all(len(g) == 1 for g in groups) and len(set().union(*groups)) == 3
    assert partition(rows, least=2, most=5) == [list(range(i, i + 5)) for i in (0, 5, 10)]


def memory(value: str, key: str, *tags: str, kind: str = LONG_TERM) -> dict[str, Any]:
    return {"key": key, "memory_type": kind, "value": value, "tags": list(tags)}


def extraction(*memories: dict[str, Any]) -> Reply:
    return {"memory list": list(memories), "summary": "…"}


SESSIONS = [session("one"), session("two"), session("three")]
DATES: list[str | None] = ["2024-01-01", "2024-01-02", None]


async def opened(
    system: MemorySystem, door: ScriptedDoor, sessions: list[SessionText] = SESSIONS
) -> tuple[Any, list[str]]:
    artifacts = {s.sha: await system.prepare(s, door) for s in sessions}
    hay = haystack(sessions, DATES[: len(sessions)])
    view = await system.open(hay, artifacts, {s.sha: s for s in sessions}, None, door)
    return view, [p.token for p in hay.positions]


EXTRACTIONS = [
    extraction(
        memory("Tom ran away", "Tom the cat", "Pets ", "cats"), memory("Rex barks", "Rex", "pets")
    ),
    extraction(memory("I like tea", "Tea", "drinks", kind=USER)),
    extraction(memory("Tom ran away", "Tom again", "x"), memory(" ", "nothing")),
]


async def test_text_memories_are_searched_by_cosine_and_keep_all_sources() -> None:
    door = ScriptedDoor(EXTRACTIONS)
    view, (one, _two, three) = await opened(MemosText(), door)
    result = await view.call("memory_search", {"query": "Tom ran away", "k": 2})
    assert (result.hits[0].text, result.hits[0].sources) == ("Tom ran away", (one, three))
    assert result.k_effective == 2 and len(result.hits) == 2
    assert await view.rank("Tom ran away", 2) == (one, three)
    assert door.counts == {
        ("ingest", "complete"): 3, ("ingest", "embed"): 3, ("search", "embed"): 1,
    }  # fmt: skip


async def test_a_fine_search_follows_the_model_and_a_fast_one_the_words() -> None:
    goal = {
        "keys": ["tom the CAT"], "tags": ["pets"], "goal_type": "retrieval",
        "rephrased_instruction": "What became of Tom?", "memories": ["The cat is gone", "Rex barks"],
    }  # fmt: skip
    # The question is far from everything; one expected statement is what Rex's memory says.
    vectors = {
        "Tom ran away": E[1], "Rex barks": E[2], "I like tea": E[3],
        "And then?": E[0], "What became of Tom?": 0.8 * E[0] + 0.6 * E[1], "The cat is gone": E[0],
    }  # fmt: skip
    vectors_by_text = {text: row.tolist() for text, row in vectors.items()}
    door = ScriptedDoor([*EXTRACTIONS, goal, "?", "??"], vectors=vectors_by_text)
    view, (one, _, three) = await opened(MemosTree(k=1, working=1), door)
    result = await view.call("memory_search", {"query": "And then?"})
    assert [(h.ref, h.text, h.sources) for h in result.hits] == [
        ("fact-1", "Tom ran away", (one, three))
    ]
    assert result.data == {"goal": goal} and result.hits[0].score == 0.6
    assert door.embedded[-3:] == ["What became of Tom?", "The cat is gone", "Rex barks"]
    assert "Question: And then?" in door.asked[3].text and "I like tea" in door.asked[3].text
    unread = await view.call("memory_search", {"query": "And then?"})
    assert unread.data["goal"] == {"unreadable": "the reply holds no JSON"}
    assert len(unread.hits) == 1 and door.counts["search", "complete"] == 3
    fast, _ = await opened(MemosTree(search="fast"), ScriptedDoor(EXTRACTIONS))
    found = await fast.call("memory_search", {"query": "Rex"})
    assert found.hits[0].text == "Rex barks" and "goal" not in found.data


async def test_eviction_is_reported_and_forgotten_sessions_are_not_found() -> None:
    door = ScriptedDoor()
    sessions = [
        session(f"The number {word} is painted on the door.") for word in ("nine", "six", "two")
    ]
    view, tokens = await opened(
        MemosTree(extractor="rules", long_term=1, user=1, working=1), door, sessions
    )
    result = await view.call("memory_search", {"query": "number nine painted door"})
    assert [h.sources for h in result.hits] == [(tokens[2],)] and result.data == {"evicted": 2}


def summary(key: str, value: str) -> Reply:
    return {"key": key, "value": value, "tags": ["T "], "background": "b"}


async def test_the_reorganiser_builds_topics_over_concepts_over_facts() -> None:
    filled = tree(working=20, long_term=50)
    for i in range(12):
        filled.add(item(f"v{i}", key=f"k{i}"), origin(i), E[i // 6])
    door = ScriptedDoor(
        [
            {"clusters": [{"ids": [1, 2, 3, 99], "theme": ""}, {"ids": [3, 4], "theme": ""},
                          {"ids": [7, 8, 9], "theme": ""}]},
            summary("first", "about 1 to 3"), summary("second", "about 7 to 9"), summary("all", "of it all"),
        ]
    )  # fmt: skip
    reorganiser = Reorganiser(door, extractor="model", sizes=Sizes(), max_tokens=99)
    await reorganiser.run(filled)
    first, second, top = filled.nodes(LONG_TERM)[12:]
    assert (first.level, first.children, first.value) == (CONCEPT, (0, 1, 2), "about 1 to 3")
    assert (second.level, second.children) == (CONCEPT, (6, 7, 8)) and first.tags == ("t",)
    assert (top.level, top.children) == (TOPIC, (first.number, second.number))
    assert [s.place for s in top.sources] == [0, 1, 2, 6, 7, 8], "what its children came from"
    assert top.name == "topic-15" and values(filled, WORKING) == [f"v{i}" for i in range(12)]
    assert "1: k0 | v0" in door.asked[0].text and "- k11 | v11" in door.asked[3].text
    assert door.counts == {("ingest", "complete"): 4, ("ingest", "embed"): 3}


async def test_small_clusters_get_one_summary_and_few_memories_none() -> None:
    filled = tree(long_term=50)
    for i in range(10):
        filled.add(item(f"v{i}"), origin(i), E[0])
    door = ScriptedDoor([summary("one", "for all ten")])
    await Reorganiser(door, extractor="model", sizes=Sizes(), max_tokens=99).run(filled)
    (parent,) = filled.nodes(LONG_TERM)[10:]
    assert (parent.level, len(parent.children)) == (TOPIC, 10)
    few = tree(long_term=50)
    for i in range(9):
        few.add(item(f"v{i}"), origin(i), E[0])
    await Reorganiser(ScriptedDoor(), extractor="model", sizes=Sizes(), max_tokens=9).run(few)
    assert len(few.nodes(LONG_TERM)) == 9
    mute = ScriptedDoor(lambda messages, schema: "no")
    silent = Reorganiser(mute, extractor="model", sizes=Sizes(), max_tokens=9)
    again = tree(long_term=50)
    for i in range(12):
        again.add(item(f"v{i}"), origin(i), E[0])
    await silent.run(again)
    assert len(again.nodes(LONG_TERM)) == 12 and silent.tally.unreadable == 1


async def test_summaries_are_found_with_the_sessions_below_them() -> None:
    door = ScriptedDoor()
    words = ("nine", "six", "two", "ten", "four", "one", "seven", "eight", "five", "three")
    sessions = [session(f"The number {word} is painted on the door.") for word in words]
    system = MemosTree(extractor="rules", reorganise=True)
    artifacts = {s.sha: await system.prepare(s, door) for s in sessions}
    hay = haystack(sessions)
    view = await system.open(hay, artifacts, {s.sha: s for s in sessions}, None, door)
    result = await view.call("memory_search", {"query": "number painted door"})
    (topic,) = [h for h in result.hits if h.ref.startswith("topic")]
    assert set(topic.sources) == {p.token for p in hay.positions} and topic.first is None
    assert door.counts["ingest", "complete"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"search": "slow"}, "search must be one of fast, fine"),
        ({"reorganise": 1}, "reorganise must be true or false"),
        ({"cluster_least": 15}, "more than half of cluster_most"),
        ({"user": 0}, "user must be"),
        ({"topic_weight": -1.0}, "topic_weight must be"),
    ],
)
def test_settings_are_checked_and_stored(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        MemosTree(**options)
    config = MemosTree(extractor="rules", long_term=9000).info.config
    assert config["buckets"] == {WORKING: 20, LONG_TERM: 9000, USER: 480}
    assert config["search"] == "fast", "by rule there is no model to say what a question is after"
