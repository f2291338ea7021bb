"""A complete memory system of one's own: sessions compared by their pairs of characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.errors import UserError
from memtui.model import Hit
from runners.memory.contract import (
    Artifact,
    CallResult,
    Context,
    Door,
    Haystack,
    MemoryError_,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.sessions import render_session


def bigrams(text: str) -> frozenset[str]:
    """Every pair of neighbouring characters, lower-cased: needs no words, so any script will do."""
    text = text.lower()
    return frozenset(text[i : i + 2] for i in range(len(text) - 1))


class BigramView:
    """One opened haystack: (token, bigrams) of each session, oldest first."""

    def __init__(self, sessions: list[tuple[str, frozenset[str]]], k: int) -> None:
        self._sessions = sessions
        self._k = k
        self.stored = len(sessions)  # optional: lets a preflight see that the memory was filled

    def _ranked(self, query: str) -> list[tuple[float, str]]:
        asked = bigrams(query)
        scored = [
            (len(asked & pairs) / len(asked), token)
            for token, pairs in self._sessions
            if asked & pairs
        ]
        # Sorting by score alone is stable, so equal scores keep the order of the haystack.
        return sorted(scored, key=lambda pair: -pair[0])

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """Hits in rank order. The text of a session is shown by memtui itself."""
        k = min(args.get("k", self._k), self._k)
        ranked = self._ranked(args["query"])[:k]
        return CallResult(tuple(Hit(token, score) for score, token in ranked), k_effective=k)

    async def context(self, question: str, tokens: int) -> Context:
        """Only for systems that declare `context=True`."""
        raise MemoryError_("bigram is searched and has no context of its own")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """Optional: return None if ranking is not possible without side effects."""
        return tuple(token for _, token in self._ranked(query)[:depth])

    async def close(self) -> None:
        """Free what this haystack holds; here there is nothing."""


class Bigram:
    """The factory is the class: options are keyword arguments with defaults."""

    def __init__(self, *, k: int = 12) -> None:
        if k < 1:
            raise UserError(f"k must be at least 1, not {k}")
        self._k = k

    @property
    def info(self) -> SystemInfo:
        """What is stored with every result; `config` is everything that changes behaviour."""
        return SystemInfo(name="bigram", version="0.1.0", interface="flat", config={"k": self._k})

    def tools(self) -> tuple[ToolSpec, ...]:
        """What the agent may call. Name, description and schema are part of the configuration."""
        return (
            ToolSpec(
                name="memory_search",
                description="Search past conversations. Returns the best matching ones first.",
                parameters={
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
            ),
        )

    async def prepare(self, session: SessionText, door: Door | None) -> frozenset[str]:
        """Called once per distinct content. No date, no token and no other session is in reach."""
        return bigrams(render_session(session.turns))

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> BigramView:
        """Called once per haystack. A missing artifact raises KeyError: never search a part of it."""
        return BigramView([(p.token, artifacts[p.sha]) for p in haystack.positions], self._k)
