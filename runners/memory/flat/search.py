"""What all flat systems have in common: one search tool over independent blocks, ranked by a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from memtui.model import Hit, Usage
from runners.memory.contract import (
    Artifact,
    CallResult,
    Context,
    Haystack,
    MemoryError_,
    ToolSpec,
)
from runners.memory.option_values import check_choice, check_count

Scores = npt.NDArray[np.float64]

TOOL = "memory_search"
DEFAULT_K = 12
"""Blocks per call, the same for every system under comparison (arXiv 2605.07313)."""

_NO_MODEL = Usage(prompt=0, completion=0, cost=0.0)
"""A search by arithmetic: no model was asked, which is known and not unknown."""

GRANULARITIES = ("session", "turn")


def search_tool(k: int) -> ToolSpec:
    """The one tool of a flat system. `k` is fixed by the configuration, so the agent is not offered it."""
    return ToolSpec(
        name=TOOL,
        description=(
            "Search the memory of past conversations. Returns the "
            f"{k} best matching passages with their dates, best first."
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in plain words."}
            },
            "required": ["query"],
        },
    )


def read_arguments(args: Mapping[str, Any], k: int) -> tuple[str, int]:
    """Query and effective k of a call's arguments.

    A caller may ask for fewer than the configured `k` blocks, never for more. Anything that is not a
    query is an empty one: what an agent sends must not bring the system down.
    """
    query = args.get("query")
    asked = args.get("k", k)
    usable = isinstance(asked, int) and not isinstance(asked, bool) and asked > 0
    return (query if isinstance(query, str) else ""), (min(asked, k) if usable else k)


def check_k(k: int) -> int:
    """`k` itself, or a UserError when it is not a positive whole number."""
    return check_count("k", k, least=1)


def check_granularity(granularity: str) -> str:
    """`granularity` itself, or a UserError naming the choices."""
    return check_choice("granularity", granularity, GRANULARITIES)


def require_artifacts(
    haystack: Haystack, artifacts: Mapping[str, Artifact], system: str
) -> list[Artifact]:
    """The artifact of each position, in order; MemoryError_ names what was never prepared."""
    try:
        return [artifacts[p.sha] for p in haystack.positions]
    except KeyError:
        absent = [p.token for p in haystack.positions if p.sha not in artifacts]
    raise MemoryError_(
        f"{system}: {len(absent)} of {len(haystack.positions)} sessions of this haystack were "
        f"not prepared: {', '.join(absent[:5])}{' …' if len(absent) > 5 else ''}"
    )


class Blocks:
    """The units of retrieval of a haystack: its sessions in order, or their turns in theirs."""

    __slots__ = ("_ends", "_positions")

    def __init__(self, haystack: Haystack, turns: Sequence[int] | None = None) -> None:
        """One block per session, or one per turn where `turns` gives each position's number."""
        self._positions = haystack.positions
        self._ends = None if turns is None else list(accumulate(turns))

    def __len__(self) -> int:
        """Number of blocks."""
        if self._ends is None:
            return len(self._positions)
        return self._ends[-1] if self._ends else 0

    def token(self, index: int) -> str:
        """The session that the block at `index` (0-based) is or belongs to."""
        place = index if self._ends is None else bisect_right(self._ends, index)
        return self._positions[place].token

    def hit(self, index: int, score: float) -> Hit:
        """The block at `index` as a hit."""
        if self._ends is None:
            return Hit(self._positions[index].token, score)
        place = bisect_right(self._ends, index)
        turn = index - (self._ends[place - 1] if place else 0)
        return Hit(self._positions[place].token, score, first=turn, last=turn)


class FlatSystem:
    """A system whose blocks are the sessions or the turns of a haystack, and its one tool."""

    def __init__(self, granularity: str, k: int) -> None:
        """UserError for a value that is none of an option."""
        self._granularity = check_granularity(granularity)
        self._k = check_k(k)

    def tools(self) -> tuple[ToolSpec, ...]:
        """One search tool."""
        return (search_tool(self._k),)

    def blocks(self, haystack: Haystack, turns: Sequence[int]) -> Blocks:
        """The blocks of a haystack; `turns` is the number of turns at each position."""
        return Blocks(haystack, turns if self._granularity == "turn" else None)


def best(scores: Scores, k: int | None = None) -> npt.NDArray[np.intp]:
    """Indices of the k best finite scores, best first, ties by position (the older block first)."""
    (matching,) = np.isfinite(scores).nonzero()
    order = (-scores[matching]).argsort(kind="stable")
    ranked: npt.NDArray[np.intp] = matching[order[:k]]
    return ranked


class FlatView(ABC):
    """One opened haystack of a flat system. Subclasses only say what each block scores."""

    def __init__(self, blocks: Blocks, k: int, stored: int) -> None:
        self.blocks = blocks
        """Units of retrieval, in haystack order."""
        self._k = k
        self.stored = stored
        """Sessions this view can reach; a preflight compares it with the haystack."""
        self._closed = False
        self._latest: tuple[str, Scores] | None = None
        """The query searched last and its scores: what `rank` is asked about most."""

    @abstractmethod
    async def scores(self, query: str) -> Scores:
        """One score per block, in block order; -inf where the block does not match at all."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """Answer a search with at most k blocks, best first, ties by position."""
        if tool != TOOL:
            raise MemoryError_(f"no tool named {tool!r}: this system has {TOOL}")
        if self._closed:
            raise MemoryError_("this view of the memory is closed")
        query, k = read_arguments(args, self._k)
        scores = await self.scores(query)
        self._latest = (query, scores)
        ranked = best(scores, k)
        hits = map(self.blocks.hit, ranked.tolist(), scores[ranked].tolist())
        return CallResult(tuple(hits), usage=_NO_MODEL, k_effective=k, data=self.remarks(query))

    def remarks(self, query: str) -> dict[str, Any]:
        """Facts about this search worth storing beside its hits; usually none."""
        return {}

    async def context(self, question: str, tokens: int) -> Context:
        """Flat systems are searched; they put nothing in front of the model unasked."""
        raise MemoryError_("this system is searched with its tool and gives no context of its own")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """Tokens of the `depth` best sessions, each at the rank of its best block."""
        latest = self._latest
        known = latest is not None and latest[0] == query
        ranked = best(latest[1] if latest is not None and known else await self.scores(query))
        sessions = dict.fromkeys(self.blocks.token(i) for i in ranked.tolist())
        return tuple(sessions)[:depth]

    async def close(self) -> None:
        """Nothing is held open; a call after this is a fault of the caller."""
        self._closed = True
