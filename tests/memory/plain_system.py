"""The smallest system that keeps the contract: words in common. Others break it on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui.model import Hit
from runners.memory.contract import (
    CallResult,
    Context,
    Door,
    Haystack,
    MemoryError_,
    SessionText,
    SystemInfo,
    ToolSpec,
)

Words = set[str]
Stored = list[tuple[str, Words]]


class PlainView:
    """Sessions as (token, characters and words), scored by how many of the query's they hold."""

    def __init__(self, sessions: Stored) -> None:
        self.sessions = sessions

    @property
    def stored(self) -> int:
        return len(self.sessions)

    def ranked(self, query: str) -> list[tuple[float, str]]:
        asked = parts(query)
        scored = [(float(len(asked & there)), token) for token, there in self.sessions]
        return sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        k = min(args.get("k", 12), 12)
        ranked = self.ranked(args["query"])[:k]
        return CallResult(tuple(Hit(token, score) for score, token in ranked), k_effective=k)

    async def context(self, question: str, tokens: int) -> Context:
        raise MemoryError_("searched, not read")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        return tuple(token for _, token in self.ranked(query))[:depth]

    async def close(self) -> None:
        pass


class Plain:
    """Prepares the words, opens a list of them."""

    view: type[PlainView] = PlainView

    @property
    def info(self) -> SystemInfo:
        return SystemInfo(name="plain", version="1", interface="flat")

    def tools(self) -> tuple[ToolSpec, ...]:
        schema = {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        }
        return (ToolSpec("memory_search", "Search.", schema),)

    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        return parts(*(turn.text for turn in session.turns))

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Words],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        return self.view([(p.token, artifacts[p.sha]) for p in haystack.positions])


def parts(*texts: str) -> Words:
    """Words, and characters outside ASCII one by one."""
    words: Sequence[str] = " ".join(texts).lower().split()
    return set(words) | {c for word in words for c in word if not c.isascii()}
