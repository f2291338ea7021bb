"""OpenClaw's search on worked examples: legs, decay, marginal relevance, files, snippets."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import Turn
from runners.memory.contract import MemoryError_, SessionText
from runners.memory.flat.openclaw import OpenClaw, snippet
from runners.memory.flat.openclaw_files import DailyFiles, session_lines
from runners.memory.flat.openclaw_rank import (
    age_days,
    decay,
    jaccard,
    marginal_relevance,
    merge_legs,
    text_scores,
)
from runners.models.scripted_door import ScriptedDoor
from tests.memory.sessions import haystack, session

NONE = -np.inf


def test_legs_are_squeezed_weighted_and_merged() -> None:
    assert text_scores(np.array([3.0, 0.0, NONE])).tolist() == [0.75, 0.0, 0.0]
    vector = np.array([0.9, 0.5, 0.2, NONE])
    text = np.array([NONE, 0.5, 0.75, 0.8])
    weights: dict[str, Any] = {"vector_weight": 0.7, "text_weight": 0.3}
    merged = merge_legs(vector, text, candidates=4, **weights)
    assert merged == pytest.approx([0.63, 0.35 + 0.15, 0.14 + 0.225, 0.24])
    # Two candidates per leg: blocks 0, 1 by vector and 3, 2 by words; nothing from the other leg.
    merged = merge_legs(vector, text, candidates=2, **weights)
    assert merged == pytest.approx([0.63, 0.35, 0.225, 0.24])
    merged = merge_legs(vector, text, candidates=1, **weights)
    assert merged[0] == pytest.approx(0.63) and merged[3] == pytest.approx(0.24)
    assert merged[1] == merged[2] == NONE


def test_a_score_halves_with_each_half_life() -> None:
    assert age_days("2024-03-01T23:00", "2024-03-31T12:00") == 30.5
    assert age_days("2024-03-09", "2024-03-01T12:00") == 0.0
    assert age_days(None, "2024-03-01") is age_days("2024-03-01", None) is None
    assert age_days("soon", "2024-03-01") is None
    assert decay(30.0, 30.0) == pytest.approx(0.5) and decay(90.0, 30.0) == pytest.approx(0.125)
    assert decay(None, 30.0) == decay(1000.0, 0.0) == 1.0 and decay(0.0, 30.0) == 1.0


def test_marginal_relevance_prefers_what_is_new() -> None:
    words = [frozenset("abcd"), frozenset("abcd"), frozenset("wxyz")]
    # Stretched relevance 1, .8, 0. After the first: .7*.8 - .3*1 = .26 against .7*0 - 0 = 0.
    order = list(marginal_relevance(np.array([1.0, 0.9, 0.5]), words, 0.7))
    assert [i for i, _ in order] == [0, 1, 2]
    assert [s for _, s in order] == pytest.approx([0.7, 0.26, 0.0])
    # With more weight on what is new the copy comes last: .4*.8 - .6*1 < 0.
    assert [i for i, _ in marginal_relevance(np.array([1.0, 0.9, 0.5]), words, 0.4)] == [0, 2, 1]
    assert [i for i, _ in marginal_relevance(np.array([0.5, 0.5]), words[:2], 0.7)] == [0, 1]
    assert list(marginal_relevance(np.zeros(0), [], 0.7)) == []
    assert jaccard(frozenset("ab"), [frozenset("bc"), frozenset()]).tolist() == [1 / 3, 0.0]
    assert jaccard(frozenset(), [frozenset()]).tolist() == [1.0]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=12, max_size=12),
    st.floats(0, 1),
)
def test_marginal_relevance_takes_each_once_and_never_rises(
    scores: list[float], words: list[frozenset[str]], trade: float
) -> None:
    ranked = np.array(sorted(scores, reverse=True))
    order = list(marginal_relevance(ranked, words[: len(scores)], trade))
    assert sorted(i for i, _ in order) == list(range(len(scores)))
    taken = [s for _, s in order]
    assert all(a >= b - 1e-8 for a, b in itertools.pairwise(taken))
    assert order[0][0] == 0


def test_files_hold_a_day_each_and_lines_are_found_again() -> None:
    sessions = [session("one\ntwo", "three"), session("four"), session("five")]
    hay = haystack(sessions, ["2024-03-01T09:00", "2024-03-01T18:00", None])
    files = DailyFiles(hay, [session_lines(s.turns) for s in sessions])
    tokens = [p.token for p in hay.positions]
    assert files.paths == ["memory/2024-03-01.md"] * 2 + ["memory/undated.md"]
    assert files.starts == [1, 5, 1]
    found = files.read("memory/2024-03-01.md", 3, 3)
    assert found is not None and found.text == "user: three\n\nuser: four"
    assert [(h.ref, h.first, h.last, h.text) for h in found.hits] == [
        (tokens[0], 1, 1, None),
        (tokens[1], 0, 0, None),
    ]
    part = files.read("memory/2024-03-01.md", 2, 1)
    assert part is not None and part.hits[0].text == "two" and part.hits[0].last == 0
    empty = files.read("memory/undated.md", 9, 5)
    assert empty is not None and not empty.hits and files.read("MEMORY.md", 1, 9) is None


def test_snippets_end_with_a_line_and_only_a_long_line_is_cut() -> None:
    lines = session_lines([Turn("user", "a" * 30), Turn("user", "b" * 30), Turn("user", "c")])
    text = "\n".join(lines.lines)
    assert snippet(lines, 0, 2, text, 200) == (text, 2)
    assert snippet(lines, 0, 2, text, 75) == ("\n".join(lines.lines[:2]), 1)
    assert snippet(lines, 0, 2, text, 20) == (text[:20], 0)


async def opened(
    system: OpenClaw, sessions: list[SessionText], dates: list[str | None], now: str | None
) -> Any:
    door = ScriptedDoor()
    artifacts = {s.sha: await system.prepare(s, door) for s in sessions}
    texts = {s.sha: s for s in sessions}
    return await system.open(haystack(sessions, dates), artifacts, texts, now, door)


def refs(result: Any, sessions: list[SessionText]) -> list[int]:
    tokens = [p.token for p in haystack(sessions).positions]
    return [tokens.index(hit.ref) for hit in result.hits]


OLD_AND_NEW = [
    session("The greyhound is called Biscuit today."),
    session("The greyhound is called Rex today."),
    session("Rain fell on the allotment."),
]


async def test_age_counts_against_the_date_of_the_question() -> None:
    dates: list[str | None] = ["2024-01-01", "2024-03-01", "2024-03-01"]
    query = {"query": "greyhound is called"}
    lately = await opened(OpenClaw(), OLD_AND_NEW, dates, "2024-03-02T09:00")
    assert refs(await lately.call("memory_search", query), OLD_AND_NEW) == [1]
    undated = await opened(OpenClaw(), OLD_AND_NEW, dates, None)
    assert refs(await undated.call("memory_search", query), OLD_AND_NEW) == [0, 1]
    ageless = await opened(OpenClaw(half_life_days=0), OLD_AND_NEW, dates, "2024-03-02T09:00")
    assert refs(await ageless.call("memory_search", query), OLD_AND_NEW) == [0, 1]
    # Years later nothing reaches the least score: what holds a word of the query survives.
    late = await opened(OpenClaw(), OLD_AND_NEW, dates, "2029-03-02T09:00")
    result = await late.call("memory_search", query)
    assert refs(result, OLD_AND_NEW) == [1, 0] and max(result.data["merged_scores"]) < 0.35


async def test_what_is_shown_names_lines_that_can_be_read() -> None:
    view = await opened(OpenClaw(), OLD_AND_NEW, ["2024-03-01"] * 3, "2024-03-02")
    result = await view.call("memory_search", {"query": "greyhound is called Rex"})
    assert "memory/2024-03-01.md#L3-L3 (score " in result.text and "Biscuit" not in result.text[:80]
    lines = await view.call("memory_get", {"path": "memory/2024-03-01.md", "from": 3, "lines": 1})
    assert lines.text == "user: The greyhound is called Rex today."
    assert refs(lines, OLD_AND_NEW) == [1] and lines.hits[0].score is None
    for args in (
        {"path": "../../etc/passwd"},
        {"path": ""},
        {"path": "memory/2024-03-01.md", "from": 99},
    ):
        nothing = await view.call("memory_get", args)
        assert not nothing.hits and nothing.text
    await view.close()
    with pytest.raises(MemoryError_, match="closed"):
        await view.call("memory_get", {"path": "memory/2024-03-01.md"})


async def test_one_embedding_per_session_and_one_per_search() -> None:
    system, door = OpenClaw(), ScriptedDoor()
    for one in (*OLD_AND_NEW, *OLD_AND_NEW):
        await system.prepare(one, door)
    assert door.counts == {("ingest", "embed"): 3}
    view = await opened(system, OLD_AND_NEW, ["2024-03-01"] * 3, None)
    await view.call("memory_search", {"query": "rain"})
    assert view._door.counts == {("search", "embed"): 1}


def test_settings_are_stored_and_checked() -> None:
    system = OpenClaw(mode="loop", half_life_days=7.0)
    assert system.info.mode == system.info.config["mode"] == "loop"
    assert "again" in system.tools()[0].description
    assert (
        "Call it once" in OpenClaw().tools()[0].description
        and OpenClaw().info.mode == "single_shot"
    )
    assert OpenClaw(tool_text="Look it up.").tools()[0].description == "Look it up."
    for options in ({"mode": "often"}, {"mmr_lambda": 2.0}, {"k": 0}, {"chunk_tokens": 1}):
        with pytest.raises(UserError):
            OpenClaw(**options)
    assert math.isclose(OpenClaw().info.config["vector_weight"], 0.7)
