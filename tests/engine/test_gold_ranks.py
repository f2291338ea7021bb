"""The rank of the evidence beyond what a call returned: asked without gold, matched beside the record."""

from __future__ import annotations

import asyncio
from typing import Any

from runners.gold_ranks import gold_ranks
from runners.memory.contract import CallResult
from tests.engine.played import Played, check_record
from tests.engine.scripted import ITEM, ScriptedView, answer, search

GOLD = tuple(e.session for e in ITEM.evidence if e.session is not None)


class Ranking(ScriptedView):
    """Ranks the same sessions for every query, or fails."""

    ranking: tuple[str, ...] | BaseException | None = ("a", "b", GOLD[0], "c")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        self.seen.append(("rank", query, depth))
        if isinstance(self.ranking, BaseException):
            raise self.ranking
        return None if self.ranking is None else self.ranking[:depth]


def played(ranking: tuple[str, ...] | BaseException | None, rank_depth: int = 200) -> Played:
    found = Played([search("x"), answer()], rank_depth=rank_depth)
    view = Ranking([CallResult(())])
    view.ranking = ranking
    found.view = view
    return found


def data_of(found: Played) -> dict[str, Any]:
    (call,) = found.sink.steps("memory_call")
    return call.data


async def test_ranks_of_gold_only_are_recorded() -> None:
    found = played(("a", "b", GOLD[0], "c"))
    await found.run()
    check_record(found)
    assert data_of(found) == {"ranked": 4, "gold_session_ranks": {GOLD[0]: 3}}
    assert ("rank", "x", 200) in found.view.seen


async def test_what_is_not_ranked_is_not_there() -> None:
    found = played(("a", "b"))
    await found.run()
    assert data_of(found) == {"ranked": 2, "gold_session_ranks": {}}
    for silent in (None, (), RuntimeError("no ranking")):
        found = played(silent)
        await found.run()
        check_record(found)
        assert data_of(found) == {}


async def test_depth_is_kept_and_zero_asks_nothing() -> None:
    found = played(("a", "b", GOLD[0]), rank_depth=2)
    await found.run()
    assert data_of(found)["ranked"] == 2
    off = played(("a", GOLD[0]), rank_depth=0)
    await off.run()
    assert data_of(off) == {} and not any("rank" in str(seen) for seen in off.view.seen)


async def test_a_ranking_that_hangs_is_given_up() -> None:
    class Slow(Ranking):
        async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
            await asyncio.sleep(60)
            return None

    assert await gold_ranks(Slow([]), "x", 10, GOLD, 0.01) == {}
