"""One suite for every memory system: does it keep the contract that makes systems comparable?

    report = await check_system(lambda: MySystem(option=3))
    assert report.ok, str(report)

The factory is called once per rule and more, and must give a fresh, independent system each time.
Rules are listed in `conformance_rules.py`; docs/adding-a-memory-system.md says what each one protects.
"""

from __future__ import annotations

import asyncio
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

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "n/a"
NOW = "2024-06-01T12:00"
CONTEXT_TOKENS = 4000


@dataclass(frozen=True, slots=True)
class Check:
    """What one rule found."""

    rule: str
    status: str
    """`passed`, `failed` or `n/a`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """All rules over one system."""

    system: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The rules the system breaks."""
        return tuple(check for check in self.checks if check.status == FAILED)

    def __str__(self) -> str:
        width = max((len(check.rule) for check in self.checks), default=0)
        lines = [f"{c.status:<6}  {c.rule:<{width}}  {c.detail}".rstrip() for c in self.checks]
        return "\n".join(
            (f"{self.system}: {len(self.failed)} of {len(lines)} rules failed", *lines)
        )


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


async def check_system(
    factory: Callable[[], MemorySystem],
    *,
    rule_seconds: float = 120.0,
    responder: Responder | None = None,
    rules: Sequence[str] | None = None,
) -> ConformanceReport:
    """Run every rule, or those named, over fresh systems of `factory`.

    One rule's failure does not keep the others from running; whatever a system raises fails the rule,
    as does one that takes more than `rule_seconds`. Only the factory itself may raise. `responder`
    stands in for the language model; without one every reply is empty.
    """
    from runners.memory.conformance_rules import RULES

    name = factory().info.name
    checks = []
    for rule, run in RULES.items():
        if rules is not None and rule not in rules:
            continue
        try:
            async with asyncio.timeout(rule_seconds):
                checks.append(Check(rule, PASSED, await run(Bench(factory, responder))))
        except RuleNotApplicable as reason:
            checks.append(Check(rule, NOT_APPLICABLE, str(reason)))
        except RuleBroken as broken:
            checks.append(Check(rule, FAILED, str(broken)))
        except TimeoutError:
            checks.append(Check(rule, FAILED, f"not done after {rule_seconds:g} s"))
        except Exception as error:  # whatever a stranger's system raises
            checks.append(Check(rule, FAILED, f"{type(error).__name__}: {error}"))
    return ConformanceReport(name, tuple(checks))
