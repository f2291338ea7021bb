"""Hybrid retrieval: the rankings of BM25 and dense, fused by reciprocal rank.

Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank
learning methods" (SIGIR 2009): score(d) = sum over the rankings that hold d of 1 / (60 + rank(d)),
ranks from 1. BM25 ranks only the blocks that hold a word of the query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from runners.memory.contract import Artifact, Door, Haystack, SessionText, SystemInfo
from runners.memory.flat.bm25 import BM25, DEFAULT_B, DEFAULT_K1, BM25View, PreparedSession
from runners.memory.flat.dense import MAX_WINDOWS, Dense, DenseSession, DenseView
from runners.memory.flat.search import (
    DEFAULT_K,
    Blocks,
    FlatSystem,
    FlatView,
    Scores,
    best,
    require_artifacts,
)
from runners.memory.option_values import check_count

Ranking = npt.NDArray[np.intp] | list[int]
"""Blocks, best first."""

RRF_K = 60
"""The constant of the paper."""


@dataclass(frozen=True, slots=True)
class HybridSession:
    """What each of the two has prepared of one session."""

    lexical: PreparedSession
    dense: DenseSession


def fuse(rankings: Sequence[Ranking], blocks: int, rrf_k: int) -> Scores:
    """Fused score of each block; -inf for one that no ranking holds."""
    fused = np.zeros(blocks)
    for ranking in rankings:
        fused[ranking] += 1.0 / (rrf_k + np.arange(1, len(ranking) + 1))
    fused[fused == 0] = -np.inf
    return fused


class HybridView(FlatView):
    """One haystack, opened by both."""

    def __init__(
        self, blocks: Blocks, k: int, lexical: BM25View, dense: DenseView, rrf_k: int
    ) -> None:
        super().__init__(blocks, k, dense.stored)
        self._lexical = lexical
        self._dense = dense
        self._rrf_k = rrf_k

    async def scores(self, query: str) -> Scores:
        """Fused score of every block."""
        rankings = [best(await view.scores(query)) for view in (self._lexical, self._dense)]
        return fuse(rankings, len(self.blocks), self._rrf_k)

    def remarks(self, query: str) -> dict[str, Any]:
        """What the dense half did not read."""
        return self._dense.remarks(query)


class Hybrid(FlatSystem):
    """BM25 and dense over the same blocks, fused by rank."""

    def __init__(
        self,
        *,
        granularity: str = "session",
        k: int = DEFAULT_K,
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
        max_windows: int = MAX_WINDOWS,
        rrf_k: int = RRF_K,
        cache: bool = True,
    ) -> None:
        super().__init__(granularity, k)
        self._rrf_k = check_count("rrf_k", rrf_k)
        self._lexical = BM25(granularity=granularity, k=k, k1=k1, b=b)
        self._dense = Dense(granularity=granularity, k=k, max_windows=max_windows, cache=cache)

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        lexical, dense = self._lexical.info, self._dense.info
        shared = {"granularity": self._granularity, "k": self._k}
        return SystemInfo(
            name="hybrid",
            version="1",
            interface="flat",
            needs=dense.needs,
            config={
                **shared,
                "rrf_k": self._rrf_k,
                "bm25": {n: v for n, v in lexical.config.items() if n not in shared},
                "dense": {n: v for n, v in dense.config.items() if n not in shared},
            },
        )

    async def prepare(self, session: SessionText, door: Door | None) -> HybridSession:
        """What each of the two prepares."""
        lexical, dense = await asyncio.gather(
            self._lexical.prepare(session, door), self._dense.prepare(session, door)
        )
        return HybridSession(lexical, dense)

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> HybridView:
        """Open the haystack in both."""
        prepared: list[HybridSession] = require_artifacts(haystack, artifacts, "hybrid")
        by_sha = dict(zip((p.sha for p in haystack.positions), prepared, strict=True))
        lexical = await self._lexical.open(
            haystack, {sha: p.lexical for sha, p in by_sha.items()}, texts, now, door
        )
        dense = await self._dense.open(
            haystack, {sha: p.dense for sha, p in by_sha.items()}, texts, now, door
        )
        return HybridView(lexical.blocks, self._k, lexical, dense, self._rrf_k)
