"""BM25 over sessions or turns, with statistics of this haystack only.

Lucene's variant as named by Kamphuis et al., "Which BM25 Do You Mean?" (ECIR 2020), which is
`method="lucene"` of the bm25s package. For a query q, a block d of |d| words, N blocks in the
haystack of which df(t) hold the word t, and mean length L:

    score(d) = sum over the words t of q of  idf(t) * tf(t,d) / (tf(t,d) + k1 * (1 - b + b * |d| / L))
    idf(t)   = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))

A word that occurs twice in the query counts twice. Words are those of `words.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memtui.errors import UserError
from runners.memory.contract import (
    Artifact,
    Door,
    Haystack,
    MemoryError_,
    SessionText,
    SystemInfo,
)
from runners.memory.flat.postings import Members, Postings
from runners.memory.flat.search import (
    DEFAULT_K,
    Blocks,
    FlatSystem,
    FlatView,
    Scores,
    require_artifacts,
)
from runners.memory.flat.words import words
from runners.sessions import render_session, render_turn

DEFAULT_K1 = 1.2
DEFAULT_B = 0.75
"""Lucene's own defaults."""


def idf(blocks: int, holding: float) -> float:
    """Weight of a word that `holding` of `blocks` blocks hold; never negative."""
    return math.log(1 + (blocks - holding + 0.5) / (holding + 0.5))


@lru_cache(maxsize=4096)
def query_words(query: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Distinct words of a query and how often each is in it; every rung asks the same query."""
    counts = Counter(words(query))
    return tuple(counts), tuple(counts.values())


@dataclass(frozen=True, slots=True)
class PreparedSession:
    """A session's word counts: its blocks are `first` .. `first + blocks - 1` of `postings`."""

    postings: Postings
    first: int
    blocks: int


class BM25View(FlatView):
    """One haystack: the numbers of its blocks. Document frequencies are taken when asked for."""

    def __init__(
        self, blocks: Blocks, members: Members, *, k: int, k1: float, b: float, stored: int
    ) -> None:
        super().__init__(blocks, k, stored)
        self._members = members
        self._k1 = k1
        self._b = b
        self._norm_cache: Scores | None = None

    async def scores(self, query: str) -> Scores:
        """BM25 of every block; -inf for a block that holds no word of the query."""
        n = len(self._members)
        asked, times = query_words(query)
        found = self._members.find(asked)
        if found is None:
            return np.full(n, -np.inf)
        copies, original = self._members.copies, self._members.original
        weigh = None if copies is None else copies[found.block]
        holding = np.bincount(found.word, weights=weigh, minlength=len(asked))
        weights = np.array(
            [often * idf(n, df) for often, df in zip(times, holding.tolist(), strict=True)]
        )
        # idf > 0 and tf > 0, so a block scores 0 exactly where it holds none of the words.
        parts = weights[found.word] * (found.times / (self._norms()[found.block] + found.times))
        total = np.bincount(found.block, parts, n).astype(np.float64, copy=False)
        if original is not None:
            total = total[original]
        total[total == 0] = -np.inf
        return total

    def _norms(self) -> Scores:
        """k1 * (1 - b + b * |d| / L) of every block, taken at the first search."""
        if self._norm_cache is None:
            lengths = self._members.lengths()
            mean = float(lengths.sum()) / len(lengths) or 1.0
            k1, b = self._k1, self._b
            self._norm_cache = lengths * (k1 * b / mean) + k1 * (1 - b)
        return self._norm_cache


class BM25(FlatSystem):
    """The lexical baseline: needs no model, no network and nothing but numpy."""

    def __init__(
        self,
        *,
        granularity: str = "session",
        k: int = DEFAULT_K,
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
    ) -> None:
        super().__init__(granularity, k)
        if not k1 >= 0 or not 0 <= b <= 1:
            raise UserError(f"bm25 needs k1 >= 0 and b between 0 and 1, not k1={k1!r}, b={b!r}")
        self._k1, self._b = float(k1), float(b)
        self._postings = Postings()
        self._prepared: dict[str, PreparedSession] = {}
        self.preparations = 0
        """Sessions whose words were counted: never more than there are distinct contents."""

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        return SystemInfo(
            name="bm25",
            version="1",
            interface="flat",
            config={
                "granularity": self._granularity,
                "k": self._k,
                "k1": self._k1,
                "b": self._b,
                "variant": "lucene",
            },
        )

    async def prepare(self, session: SessionText, door: Door | None) -> PreparedSession:
        """Count the session's words, the first time its content is seen."""
        known = self._prepared.get(session.sha)
        if known is not None:
            return known
        if self._granularity == "session":
            parts = [render_session(session.turns)]
        else:
            parts = [render_turn(turn) for turn in session.turns]
        first = len(self._postings)
        for part in parts:
            self._postings.add(words(part))
        self.preparations += 1
        prepared = PreparedSession(self._postings, first, len(parts))
        self._prepared[session.sha] = prepared
        return prepared

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> BM25View:
        """Collect the haystack's blocks; `now` has no influence on a lexical score."""
        prepared: list[PreparedSession] = require_artifacts(haystack, artifacts, "bm25")
        postings = prepared[0].postings if prepared else self._postings
        numbers = [p.first for p in prepared if p.postings is postings]
        if len(numbers) != len(prepared):
            raise MemoryError_("bm25: these sessions were prepared by different systems")
        if self._granularity == "turn":
            numbers = [p.first + i for p in prepared for i in range(p.blocks)]
        return BM25View(
            self.blocks(haystack, [p.blocks for p in prepared]),
            postings.members(np.fromiter(numbers, np.int64, len(numbers))),
            k=self._k,
            k1=self._k1,
            b=self._b,
            stored=len(prepared),
        )
