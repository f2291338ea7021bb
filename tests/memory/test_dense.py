"""Dense and hybrid: windows, pooling, what is kept on disk, and how two rankings become one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from runners.memory.flat.dense import OVERLAP, WINDOW, Dense
from runners.memory.flat.hybrid import RRF_K, Hybrid, fuse
from runners.memory.flat.search import best
from runners.memory.flat.windows import windows
from tests.memory.fake_minilm import FakeMiniLM
from tests.memory.sessions import opened, session, tokens

LIMIT = WINDOW - 2


@given(
    lengths=st.lists(st.integers(0, 90), max_size=12),
    size=st.integers(5, 30),
    overlap=st.integers(0, 4),
)
def test_windows_hold_every_piece_and_keep_turns_whole(
    lengths: list[int], size: int, overlap: int
) -> None:
    turns = [[100 * t + i for i in range(n)] for t, n in enumerate(lengths)]
    cut = list(windows(turns, size, overlap))
    assert all(0 < len(w.pieces) <= size for w in cut)
    fresh = [piece for w in cut for piece in w.pieces[len(w.pieces) - w.fresh :]]
    assert fresh == [piece for turn in turns for piece in turn]
    for turn in turns:
        if 0 < len(turn) <= size:
            assert sum(turn[0] in w.pieces for w in cut) == 1
            assert any(set(turn) <= set(w.pieces) for w in cut)


async def test_a_session_scores_as_its_best_window(fake_minilm: FakeMiniLM) -> None:
    filler = " ".join(f"filler{i}" for i in range(LIMIT - 1))
    long = session(filler, "a needle in here", filler)
    other = session("something else entirely")
    view = await opened(Dense(), [other, long])
    result = await view.call("memory_search", {"query": "needle"})
    assert [hit.ref for hit in result.hits] == tokens([other, long])[::-1]
    assert max(fake_minilm.windows) <= LIMIT and result.data == {}
    alone = await opened(Dense(cache=False), [session("a needle in here")])
    # The needle's turn is a window of its own here, the speaker's name included.
    assert result.hits[0].score == pytest.approx((await alone.scores("needle"))[0], abs=1e-6)


async def test_what_was_not_read_is_reported(fake_minilm: FakeMiniLM) -> None:
    words = [f"w{i}" for i in range(3 * LIMIT)]
    system = Dense(max_windows=1)
    view = await opened(system, [session(" ".join(words)), session("short")])
    pieces = 1 + len(words) + 2
    assert system.truncated_share == view.truncated_share == pytest.approx(1 - (LIMIT + 2) / pieces)
    assert (await view.call("memory_search", {"query": "w1"})).data == {
        "truncated_share": view.truncated_share
    }
    long_query = " ".join(words[: LIMIT + 7])
    assert (await view.call("memory_search", {"query": long_query})).data["query_pieces_cut"] == 7
    assert Dense().truncated_share is None
    whole = await opened(Dense(), [session(" ".join(words))])
    assert whole.truncated_share == 0 and OVERLAP < LIMIT


async def test_a_content_is_embedded_once_and_kept_for_the_next_run(
    fake_minilm: FakeMiniLM, tmp_path: Path
) -> None:
    sessions = [session(f"topic number {i}", "reply") for i in range(5)]
    first = Dense()
    for _ in range(2):
        view = await opened(first, sessions)
    await asyncio.gather(*(first.prepare(sessions[0], None) for _ in range(5)))
    assert (first.preparations, first.embedded, len(fake_minilm.windows)) == (5, 5, 5)
    again = Dense()
    kept = await opened(again, sessions)
    assert (again.preparations, again.embedded, len(fake_minilm.windows)) == (5, 0, 5)
    assert np.array_equal(await view.scores("topic"), await kept.scores("topic"))
    other = Dense(granularity="turn")
    await opened(other, sessions)
    assert other.embedded == 5, "another setting has other vectors"


async def test_a_damaged_vector_is_computed_again(fake_minilm: FakeMiniLM, tmp_path: Path) -> None:
    sessions = [session(f"topic number {i}") for i in range(3)]
    before = await (await opened(Dense(), sessions)).scores("topic number 1")
    files = sorted(p for p in (tmp_path / "home" / "cache").rglob("*") if p.is_file())
    assert len(files) == 3
    files[0].write_bytes(files[0].read_bytes()[:-5])
    files[1].write_bytes(b"")
    system = Dense()
    after = await (await opened(system, sessions)).scores("topic number 1")
    assert system.embedded == 2 and np.array_equal(before, after)


async def test_turns_score_on_their_own(fake_minilm: FakeMiniLM) -> None:
    one, two = session("red apples", "", "green pears"), session("blue plums")
    view = await opened(Dense(granularity="turn"), [one, two])
    hits = (await view.call("memory_search", {"query": "green pears"})).hits
    assert (hits[0].ref, hits[0].first, hits[0].last) == (tokens([one, two])[0], 2, 2)
    # An empty turn still carries its speaker's name, as everywhere.
    assert len(hits) == 4


async def test_without_weights_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    system = Hybrid()
    assert system.info.needs == ("model:minilm",)
    with pytest.raises(UserError, match="memtui models install minilm"):
        await system.prepare(session("text"), None)


@given(st.permutations(range(8)), st.permutations(range(8)), st.integers(0, 8))
def test_fusion_is_the_sum_of_reciprocal_ranks(one: list[int], two: list[int], held: int) -> None:
    fused = fuse([one[:held], two], 8, RRF_K)
    for block in range(8):
        expected = 1 / (60 + two.index(block) + 1)
        if block in one[:held]:
            expected += 1 / (60 + one.index(block) + 1)
        assert fused[block] == pytest.approx(expected, abs=1e-12)
    assert np.isneginf(fuse([[0]], 2, RRF_K)).tolist() == [False, True]


async def test_hybrid_finds_what_either_of_the_two_finds(fake_minilm: FakeMiniLM) -> None:
    sessions = [session(text) for text in ("alpha beta", "gamma delta", "beta beta", "epsilon")]
    hybrid = await opened(Hybrid(), sessions)
    lexical, dense = hybrid._lexical, hybrid._dense
    rankings = [best(await v.scores("beta gamma")) for v in (lexical, dense)]
    expected = fuse(rankings, 4, RRF_K)
    assert np.array_equal(await hybrid.scores("beta gamma"), expected)
    result = await hybrid.call("memory_search", {"query": "beta gamma", "k": 2})
    assert [h.ref for h in result.hits] == [tokens(sessions)[i] for i in best(expected, 2)]
    assert len(rankings[0]) == 3 and len(rankings[1]) == 4


@pytest.mark.parametrize(
    ("make", "options"),
    [(Dense, {"max_windows": 0}), (Dense, {"max_windows": True}), (Dense, {"granularity": "word"}),
     (Hybrid, {"rrf_k": -1}), (Hybrid, {"rrf_k": 1.5}), (Hybrid, {"b": 3})],
)  # fmt: skip
def test_settings_without_meaning_are_refused(
    make: type[Dense] | type[Hybrid], options: dict[str, object]
) -> None:
    with pytest.raises(UserError):
        make(**options)  # type: ignore[arg-type]  # the wrong types are the point
