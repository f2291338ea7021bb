"""BM25: the published formula, this haystack's statistics only, every session prepared once."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import Turn
from runners.memory.contract import Haystack, MemoryError_, Position, SessionText
from runners.memory.flat.bm25 import BM25, BM25View
from runners.memory.flat.words import words
from runners.sessions import opaque_token, render_session, render_turn, session_sha

bm25s = pytest.importorskip("bm25s")

VOCABULARY = [f"w{i}" for i in range(40)]


def session(*texts: str, role: str = "user") -> SessionText:
    turns = tuple(Turn(role, text) for text in texts)
    return SessionText(session_sha(turns), turns)


def haystack(*sessions: SessionText) -> Haystack:
    return Haystack(
        "h",
        tuple(Position(opaque_token(str(i), s.sha), s.sha, None) for i, s in enumerate(sessions)),
    )


async def opened(system: BM25, *sessions: SessionText) -> BM25View:
    artifacts = {s.sha: await system.prepare(s, None) for s in sessions}
    texts = {s.sha: s for s in sessions}
    return await system.open(haystack(*sessions), artifacts, texts, None, None)


def by_package(
    blocks: list[list[str]], query: list[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    peer.index(blocks, show_progress=False)
    scores: np.ndarray[tuple[int], np.dtype[np.float64]] = peer.get_scores(query)
    return scores


@settings(max_examples=40, deadline=None)
@given(
    blocks=st.lists(
        st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=60), min_size=1, max_size=12
    ),
    query=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12),
)
def test_scores_are_those_of_the_lucene_variant(blocks: list[list[str]], query: list[str]) -> None:
    async def ours() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        view = await opened(BM25(), *(session(" ".join(b), role="") for b in blocks))
        return await view.scores(" ".join(query))

    scores = asyncio.run(ours())
    np.testing.assert_allclose(
        np.where(np.isfinite(scores), scores, 0), by_package(blocks, query), atol=1e-6, rtol=0
    )


async def test_turns_are_scored_as_blocks_of_their_own() -> None:
    rng = random.Random(3)
    sessions = [
        session(*(" ".join(rng.choices(VOCABULARY, k=20)) for _ in range(rng.randint(1, 5))))
        for _ in range(6)
    ]
    view = await opened(BM25(granularity="turn"), *sessions)
    result = await view.call("memory_search", {"query": "w1 w2 w3"})
    blocks = [words(render_turn(turn)) for s in sessions for turn in s.turns]
    expected = sorted(by_package(blocks, ["w1", "w2", "w3"]), reverse=True)[: len(result.hits)]
    np.testing.assert_allclose([h.score for h in result.hits if h.score], expected, atol=1e-6)
    places = [(h.ref, h.first, h.last) for h in result.hits]
    assert len(set(places)) == len(places) and all(first == last for _, first, last in places)
    texts = {p.token: s for p, s in zip(haystack(*sessions).positions, sessions, strict=True)}
    for hit in result.hits:
        assert hit.first is not None
        assert {"w1", "w2", "w3"} & set(words(texts[hit.ref].turns[hit.first].text))


async def test_sessions_outside_the_haystack_are_not_felt() -> None:
    """Document frequency, mean length and N are this haystack's, whatever else was prepared."""
    rng = random.Random(5)
    pool = [session(" ".join(rng.choices(VOCABULARY, k=rng.randint(5, 80)))) for _ in range(30)]
    shared = BM25()
    await opened(shared, *pool)
    for size in (1, 4, 17):
        inside = rng.sample(pool, size)
        view = await opened(shared, *inside)
        scratch = await opened(BM25(), *inside)
        assert np.array_equal(await view.scores("w1 w7 w9"), await scratch.scores("w1 w7 w9"))


async def test_a_session_is_prepared_once_however_many_haystacks_hold_it() -> None:
    system = BM25()
    pool = [session(f"alpha number {i}") for i in range(20)]
    for size in (1, 5, 20, 20):
        await opened(system, *pool[:size])
    assert system.preparations == 20


async def test_equal_scores_are_ordered_by_position() -> None:
    twins = [session(f"same words here {name}") for name in ("a", "b", "c", "d")]
    view = await opened(BM25(), *twins)
    result = await view.call("memory_search", {"query": "same words"})
    assert [h.ref for h in result.hits] == [p.token for p in haystack(*twins).positions]


async def test_a_block_without_any_word_of_the_query_is_no_hit() -> None:
    view = await opened(BM25(), session("apples and pears"), session("trains"))
    assert [h.ref for h in (await view.call("memory_search", {"query": "pears"})).hits] == [
        haystack(session("apples and pears")).positions[0].token
    ]
    assert (await view.call("memory_search", {"query": "zebra"})).hits == ()


async def test_k_is_the_configurations_and_what_was_used_is_reported() -> None:
    view = await opened(BM25(k=3), *(session(f"word {i}") for i in range(9)))
    for asked, used in ((None, 3), (2, 2), (99, 3), (0, 3), (-1, 3), ("7", 3), (True, 3)):
        args = {"query": "word"} if asked is None else {"query": "word", "k": asked}
        result = await view.call("memory_search", args)
        assert (len(result.hits), result.k_effective) == (used, used)


async def test_the_rank_of_a_session_is_that_of_its_best_turn() -> None:
    sessions = [session("cat", "dog"), session("cat cat cat", "cat"), session("bird")]
    view = await opened(BM25(granularity="turn"), *sessions)
    tokens = [p.token for p in haystack(*sessions).positions]
    assert await view.rank("cat", 10) == (tokens[1], tokens[0])
    assert await view.rank("cat", 1) == (tokens[1],)


async def test_a_session_that_was_never_prepared_is_named() -> None:
    system, known, unknown = BM25(), session("known"), session("unknown")
    artifacts = {known.sha: await system.prepare(known, None)}
    texts = {s.sha: s for s in (known, unknown)}
    with pytest.raises(MemoryError_, match="1 of 2 sessions"):
        await system.open(haystack(known, unknown), artifacts, texts, None, None)


async def test_a_closed_view_and_an_unknown_tool_are_refused() -> None:
    view = await opened(BM25(), session("text"))
    with pytest.raises(MemoryError_, match="memory_search"):
        await view.call("memory_get", {"query": "text"})
    await view.close()
    with pytest.raises(MemoryError_, match="closed"):
        await view.call("memory_search", {"query": "text"})


@pytest.mark.parametrize(
    "options",
    [{"k": 0}, {"k": True}, {"k1": -1}, {"b": 2}, {"b": float("nan")}, {"granularity": "x"}],
)
def test_settings_without_meaning_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UserError):
        BM25(**options)  # type: ignore[arg-type]  # the wrong types are the point


def test_words_of_any_script() -> None:
    assert words("Don't panic: 20.04, a_b C++ 100%") == [
        "don", "t", "panic", "20", "04", "a", "b", "c", "100",
    ]  # fmt: skip
    assert words("我喜欢猫 and ｃａｔｓ Straße") == [
        "我",
        "喜",
        "欢",
        "猫",
        "and",
        "cats",
        "strasse",
    ]
    assert words("") == words(' "(-*) ') == []
    assert words(render_session((Turn("Ann", "Hi", "a dog"),))) == [
        "ann",
        "hi",
        "image",
        "a",
        "dog",
    ]
