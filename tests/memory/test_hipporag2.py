"""HippoRAG 2 on worked examples: triples, edges, seeds, recognition, the walk, and what is paid for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memtui.errors import UserError
from runners.memory.contract import MemoryError_
from runners.memory.hierarchical import passages, recognition
from runners.memory.hierarchical.hippocampal_index import HippoIndex
from runners.memory.hierarchical.hipporag2 import HippoRAG2, HippoRAG2View
from runners.memory.hierarchical.passages import phrase
from runners.memory.hierarchical.recognition import mapped_back
from runners.memory.vectors import min_max
from runners.models.scripted_door import Messages, ScriptedDoor
from tests.memory.sessions import haystack, session, tokens

SAID = {
    "Ana founded Casa Azul.": [["Ana", "founded", "Casa Azul"]],
    "Casa Azul stands in Gaia.": [["Casa Azul", "stands in", "Gaia"]],
    "Tom repairs old bicycles.": [["Tom", "repairs", "bicycles"]],
    "Gaia's bridge is red.": [["Gaia", "has", "red bridge"]],
}
SESSIONS = [session(text) for text in SAID]
QUESTION = "Where is the house that Ana founded?"
AXES = 16


def axis(*numbers: int) -> list[float]:
    """A vector that points along the sum of some axes."""
    row = [0.0] * AXES
    for number in numbers:
        row[number] += 1.0
    return row


VECTORS = {
    "user: Ana founded Casa Azul.": axis(4, 5), "user: Casa Azul stands in Gaia.": axis(6),
    "user: Tom repairs old bicycles.": axis(4, 7, 7), "user: Gaia's bridge is red.": axis(8),
    "ana": axis(9), "casa azul": axis(10), "gaia": axis(11), "tom": axis(12),
    "bicycles": axis(13), "red bridge": axis(14),
    "ana founded casa azul": axis(0, 0, 0, 15), "casa azul stands in gaia": axis(0, 1),
    "tom repairs bicycles": axis(2), "gaia has red bridge": axis(3),
    QUESTION: axis(0, 4),
}  # fmt: skip


class Model:
    """Reads the script of triples; the filter's reply is set by each test."""

    def __init__(self, kept: Any = None) -> None:
        self.kept = kept if kept is not None else {"fact": []}

    def __call__(self, messages: Messages, schema: Any) -> Any:
        said = str(messages[-1]["content"])
        if schema is recognition.FACTS:
            return self.kept
        for text, triples in SAID.items():
            if text in said:
                return (
                    {"named_entities": [end for s, _, o in triples for end in (s, o)]}
                    if schema is passages.ENTITIES
                    else {"triples": triples}
                )
        raise AssertionError(said)


async def opened(
    door: ScriptedDoor, sessions: Any = None, **options: Any
) -> tuple[HippoRAG2View, list[str]]:
    chosen = SESSIONS if sessions is None else sessions
    system = HippoRAG2(**options)
    artifacts = {one.sha: await system.prepare(one, door) for one in chosen}
    texts = {one.sha: one for one in chosen}
    view = await system.open(haystack(chosen), artifacts, texts, None, door)
    door.phase = "search"
    return view, tokens(chosen)


async def asked(view: HippoRAG2View) -> tuple[list[str], dict[str, Any]]:
    result = await view.call("memory_search", {"query": QUESTION})
    return [hit.ref for hit in result.hits], result.data


async def test_the_graph_of_four_sessions_by_hand() -> None:
    view, _ = await opened(ScriptedDoor(Model(), vectors=VECTORS))
    index = view.index
    assert index.phrases == ["ana", "casa azul", "gaia", "tom", "bicycles", "red bridge"]
    edges = edges_of(index)
    assert edges == {
        ("ana", "casa azul"): 1, ("casa azul", "gaia"): 1, ("tom", "bicycles"): 1,
        ("gaia", "red bridge"): 1, ("ana", 0): 1, ("casa azul", 0): 1, ("casa azul", 1): 1,
        ("gaia", 1): 1, ("tom", 2): 1, ("bicycles", 2): 1, ("gaia", 3): 1, ("red bridge", 3): 1,
    }  # fmt: skip


def edges_of(index: HippoIndex) -> dict[tuple[Any, Any], float]:
    """Edges by the names of their ends; passages by their number."""
    graph, count = index.graph, len(index.phrases)
    bounds = np.append(graph.starts, len(graph.neighbours))
    names = [*index.phrases, *range(len(index.places))]
    found = {}
    for row, node in enumerate(graph.connected.tolist()):
        for entry in range(bounds[row], bounds[row + 1]):
            other = int(graph.connected[graph.neighbours[entry]])
            if node < other:
                found[names[node], names[other]] = round(float(graph.weights[entry]), 6)
    assert count <= graph.nodes
    return found


async def test_a_walk_finds_what_no_vector_is_near_to() -> None:
    kept = {"fact": [["Ana", "founded", "Casa Azul"]]}
    view, known = await opened(ScriptedDoor(Model(kept), vectors=VECTORS))
    found, data = await asked(view)
    # The second session says nothing like the question; one edge leads to it from a kept fact.
    assert found[:2] == [known[0], known[1]]
    assert data["ranking"] == "pagerank" and data["recognition"] == "kept"
    assert data["facts"] == [["ana", "founded", "casa azul"]]
    # ana is in one passage, casa azul in two: the fact's score (1 after stretching) is shared.
    assert data["seeds"] == {"ana": 1.0, "casa azul": 0.5}
    dense, other = await asked(
        (await opened(ScriptedDoor(Model({"fact": []}), vectors=VECTORS)))[0]
    )
    assert other["ranking"] == "dense" and other["recognition"] == "none"
    assert dense == [known[0], known[2], known[1], known[3]]


async def test_ranks_are_those_of_the_walk_by_hand() -> None:
    kept = {"fact": [["ana", "founded", "casa azul"]]}
    view, _ = await opened(ScriptedDoor(Model(kept), vectors=VECTORS))
    result = await view.call("memory_search", {"query": QUESTION})
    edges = edges_of(view.index)
    names: list[Any] = [*view.index.phrases, 0, 1, 2, 3]
    matrix = np.zeros((10, 10))
    for (one, other), weight in edges.items():
        a, b = names.index(one), names.index(other)
        matrix[a, b] = matrix[b, a] = weight
    # Cosines of the question with the passages, stretched to 0..1 and weighed by 0.05.
    dense = [1.0, 0.0, (1 / np.sqrt(10)) / (1 / 2), 0.0]
    reset = np.array([1.0, 0.5, 0, 0, 0, 0, *(0.05 * score for score in dense)])
    ranks = reset / reset.sum()
    start = ranks.copy()
    for _ in range(80):
        ranks = 0.5 * (matrix / matrix.sum(axis=0)) @ ranks + 0.5 * start
    by_passage = {p: hit.score for p, hit in zip((0, 1, 3, 2), result.hits, strict=True)}
    wanted = {p: ranks[6 + p] for p in range(4)}
    assert by_passage[0] == pytest.approx(wanted[0], abs=1e-5)
    assert [hit.score for hit in result.hits] == pytest.approx(
        sorted(wanted.values(), reverse=True), abs=1e-5
    )


@pytest.mark.parametrize("reply", ["I cannot say.", "", '{"facts": 3}'])
async def test_an_unreadable_filter_falls_back_to_dense(reply: str) -> None:
    door = ScriptedDoor(Model(reply), vectors=VECTORS)
    view, _ = await opened(door)
    found, data = await asked(view)
    assert data["recognition"] == "unreadable" and data["ranking"] == "dense"
    assert len(found) == 4 and door.counts["search", "complete"] == 2


async def test_unreadable_extraction_leaves_passages_to_their_vectors() -> None:
    door = ScriptedDoor(lambda messages, schema: "no JSON here", vectors=VECTORS)
    view, known = await opened(door)
    found, data = await asked(view)
    assert not view.index.facts and data["ranking"] == "dense" and "recognition" not in data
    assert (data["extractions"], data["extractions_unreadable"]) == (8, 8)
    assert found == [known[0], known[2], known[1], known[3]]
    assert door.counts["search", "complete"] == 0, "nothing to filter, nothing to pay"


async def test_without_a_filter_all_candidates_are_seeds() -> None:
    door = ScriptedDoor(Model(), vectors=VECTORS)
    view, _ = await opened(door, recognition="none", linking_top_k=2)
    _, data = await asked(view)
    assert data["candidates"] == [
        ["ana", "founded", "casa azul"],
        ["casa azul", "stands in", "gaia"],
    ]
    assert next(iter(data["seeds"])) == "ana" and len(data["seeds"]) == 2
    # casa azul is in both facts and in two passages: the mean of 1/2 and of its cosine's half.
    second = (1 / np.sqrt(2) * 1 / np.sqrt(2)) / (3 / np.sqrt(10) / np.sqrt(2))
    assert data["seeds"]["casa azul"] == pytest.approx((0.5 + second / 2) / 2, abs=1e-4)
    assert door.counts["search", "complete"] == 0


async def test_synonyms_are_joined_in_this_haystack_only() -> None:
    near = VECTORS | {"tom": axis(9, 9, 9, 12), "ana": axis(9, 9, 9, 9, 12)}
    view, _ = await opened(ScriptedDoor(Model(), vectors=near))
    cosine = 13 / np.sqrt(10 * 17)
    assert edges_of(view.index)["ana", "tom"] == pytest.approx(cosine, abs=1e-5)
    strict, _ = await opened(ScriptedDoor(Model(), vectors=near), synonymy=0.999)
    assert ("ana", "tom") not in edges_of(strict.index)
    doubled, _ = await opened(ScriptedDoor(Model(), vectors=near), relation_weight=2)
    edges = edges_of(doubled.index)
    assert edges["ana", "tom"] == pytest.approx(2 * cosine, abs=1e-5)
    assert edges["ana", "casa azul"] == 2 and edges["ana", 0] == 1
    part, _ = await opened(ScriptedDoor(Model(), vectors=near), SESSIONS[:2])
    assert part.index.phrases == ["ana", "casa azul", "gaia"]


async def test_calls_are_those_declared() -> None:
    door = ScriptedDoor(Model(), vectors=VECTORS)
    system = HippoRAG2()
    long = session(*SAID)
    assert system.expected_calls(long)["prepare"] == {"complete": (8, 16), "embed": (1, 1)}
    await system.prepare(long, door)
    assert door.counts == {("ingest", "complete"): 8, ("ingest", "embed"): 1}
    empty = session("", " ")
    assert system.expected_calls(empty)["prepare"] == {"complete": (0, 0), "embed": (0, 0)}
    await system.prepare(empty, None)
    view, _ = await opened(door)
    before = door.counts.copy()
    await asked(view)
    await view.rank(QUESTION, 3)
    spent = door.counts - before
    assert spent == {("search", "complete"): 1, ("search", "embed"): 1}
    await view.call("memory_search", {"query": "  "})
    assert door.counts - before == spent
    with pytest.raises(MemoryError_, match="no way to reach"):
        await system.prepare(long, None)


async def test_rank_is_known_for_the_latest_question_and_costs_nothing() -> None:
    view, known = await opened(ScriptedDoor(Model(), vectors=VECTORS))
    assert await view.rank(QUESTION, 3) is None
    await asked(view)
    assert await view.rank(QUESTION, 3) == (known[0], known[2], known[1])
    assert await view.rank("something else", 3) is None


def test_facts_come_back_from_a_model_that_rewords() -> None:
    candidates = [("ana", "founded", "casa azul"), ("tom", "repairs", "bicycles")]
    assert mapped_back([["Tom", "repaired", "bicycle"]], candidates) == (1,)
    assert mapped_back(
        [["ana", "founded", "casa azul"], ["Ana", "founds", "Casa Azul"]], candidates
    ) == (0,)
    assert mapped_back([["", " "], []], candidates) == ()


def test_phrases_keep_every_script() -> None:
    assert phrase("  Casa-Azul's (shop)_1! ") == "casa azul s shop 1"
    assert phrase("京都の拉面!") == "京都の拉面" and phrase("...") == ""
    assert passages.triples([["A", "b", "C"], ["a", "b"], ["!", "is", "x"], ["A", "", "c"]]) == (
        ("a", "b", "c"), ("a", "", "c"),
    )  # fmt: skip
    assert min_max(np.array([2.0, 2.0])).tolist() == [1, 1] and not len(min_max(np.zeros(0)))


@pytest.mark.parametrize(
    "options",
    [{"mode": "twice"}, {"tool_text": " "}, {"extractor": "magic"}, {"recognition": "rules"},
     {"damping": 1.0}, {"damping": True}, {"linking_top_k": 0}, {"synonymy": float("nan")},
     {"passage_node_weight": -1}, {"relation_weight": 0}, {"k": 0}, {"attempts": 0}],
)  # fmt: skip
def test_settings_without_meaning_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        HippoRAG2(**options)


def test_interaction_and_needs_are_part_of_the_configuration() -> None:
    default, loop = HippoRAG2(), HippoRAG2(mode="loop", tool_text="Look.")
    assert (
        default.info.mode == "single_shot" and "once per question" in default.tools()[0].description
    )
    assert loop.info.mode == "loop" and loop.tools()[0].description == "Look."
    assert (
        "llm" in default.info.needs
        and "llm" in HippoRAG2(extractor="rules", recognition="model").info.needs
    )
    rules = HippoRAG2(extractor="rules").info
    assert rules.config["recognition"] == "none" and "llm" not in rules.needs
