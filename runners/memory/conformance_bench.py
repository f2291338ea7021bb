"""What the conformance rules are tried on: a system prepared, opened and asked as an episode would."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.model import Hit
from runners.memory.conformance_material import CountingDoor, haystack
from runners.memory.contract import (
    Artifact,
    Haystack,
    MemorySystem,
    MemoryView,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.models.scripted_door import Responder

NOW = "2024-06-01T12:00"
CONTEXT_TOKENS = 4000


class RuleBroken(AssertionError):
    """The system does not keep the rule; the message says what was seen."""


class RuleNotApplicable(Exception):
    """The rule has nothing to say about this system; the message says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, from a search or as a context."""

    hits: tuple[Hit, ...]
    text: str | None
    k_effective: int | None = None
    tokens: int | None = None

    def places(self) -> list[tuple[Any, ...]]:
        """The hits without their scores."""
        return [(h.ref, h.first, h.last, h.shown, h.sources, h.text) for h in self.hits]

    def refs(self) -> list[str]:
        """Every session the hits name or were made from, in order."""
        return [ref for h in self.hits for ref in (h.sources or (h.ref,))]

    def same_as(self, other: Answer) -> bool:
        """Equal hits and text, scores to 1e-6."""
        return (
            self.places() == other.places()
            and self.text == other.text
            and all(
                a.score == b.score
                or (a.score is not None and b.score is not None and abs(a.score - b.score) <= 1e-6)
                for a, b in zip(self.hits, other.hits, strict=True)
            )
        )


class Bench:
    """A system on the bench: prepares, opens and asks as an episode would.

    `responder` stands in for the language model of a system that asks one.
    """

    def __init__(
        self, factory: Callable[[], MemorySystem], responder: Responder | None = None
    ) -> None:
        self.factory = factory
        self.system = factory()
        self.info: SystemInfo = self.system.info
        self.tools: tuple[ToolSpec, ...] = self.system.tools()
        self.door = CountingDoor(responder) if responder else CountingDoor()

    async def prepare(
        self, sessions: Sequence[SessionText], system: MemorySystem | None = None
    ) -> dict[str, Artifact]:
        """Artifacts by sha; each content once."""
        system = system or self.system
        artifacts: dict[str, Artifact] = {}
        with self.door.during("prepare"):
            for one in sessions:
                if one.sha not in artifacts:
                    artifacts[one.sha] = await system.prepare(one, self.door)
        return artifacts

    async def open(
        self,
        sessions: Sequence[SessionText],
        *,
        hay: Haystack | None = None,
        artifacts: dict[str, Artifact] | None = None,
        system: MemorySystem | None = None,
        now: str | None = NOW,
    ) -> MemoryView:
        """A view on the sessions, prepared here unless artifacts are given."""
        system = system or self.system
        if artifacts is None:
            artifacts = await self.prepare(sessions, system)
        texts = {one.sha: one for one in sessions}
        with self.door.during("open"):
            return await system.open(
                hay or haystack(sessions),
                {sha: artifacts[sha] for sha in texts if sha in artifacts},
                texts,
                now,
                self.door,
            )

    async def ask(self, view: MemoryView, query: str, k: int | None = None) -> Answer:
        """Search with the first tool, or take the context of a context system."""
        if self.info.context:
            with self.door.during("context"):
                context = await view.context(query, CONTEXT_TOKENS)
            return Answer(context.hits, context.text, tokens=context.tokens)
        tool = self.tools[0]
        args = arguments(tool, query)
        if k is not None:
            args["k"] = k
        with self.door.during("call"):
            result = await view.call(tool.name, args)
        return Answer(result.hits, result.text, result.k_effective)

    async def rank(self, view: MemoryView, query: str, depth: int) -> tuple[str, ...] | None:
        """The view's ranking, if it has one."""
        with self.door.during("rank"):
            return await view.rank(query, depth)


def arguments(tool: ToolSpec, query: str) -> dict[str, Any]:
    """Arguments for a tool: the query for required text, the least for any other required field."""
    fill: dict[str, Any] = {
        "string": query, "integer": 1, "number": 1, "boolean": False, "array": [], "object": {},
    }  # fmt: skip
    properties = tool.parameters.get("properties", {})
    return {
        name: properties.get(name, {}).get(
            "enum", [fill[properties.get(name, {}).get("type", "string")]]
        )[0]
        for name in tool.parameters.get("required", [])
    }


Rule = Callable[[Bench], Awaitable[str]]
"""Raises RuleBroken or RuleNotApplicable; returns a detail worth printing, often empty."""
