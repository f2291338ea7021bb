"""Agents, memories, judges and sinks that do exactly what a test tells them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from memtui.model import EndReason, Evidence, Hit, Item, Label, Turn, Usage
from memtui.store.events import EpisodeFinished, Event, StepEvent, VerdictEvent
from runners.agents.contract import Action, Brief, Call, Observation
from runners.judges.contract import Case, Verdict
from runners.memory.contract import (
    Artifact,
    CallResult,
    Context,
    Door,
    Haystack,
    MemoryView,
    Position,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.observation import HaystackText

SEARCH = ToolSpec(
    "memory_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)

E = TypeVar("E")


class ListSink:
    """Keeps every event; `fail_after` makes it die like a full disk."""

    def __init__(self, fail_after: int | None = None) -> None:
        self.events: list[Event] = []
        self.commits = 0
        self.fail_after = fail_after

    async def emit(self, event: Event) -> None:
        if self.fail_after is not None and len(self.events) >= self.fail_after:
            raise OSError(28, "No space left on device")
        self.events.append(event)

    async def commit(self) -> None:
        self.commits += 1

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def steps(self, kind: str = "") -> list[StepEvent]:
        return [step for step in self.of(StepEvent) if not kind or step.kind == kind]

    @property
    def finished(self) -> EpisodeFinished:
        (only,) = self.of(EpisodeFinished)
        return only

    @property
    def verdicts(self) -> list[VerdictEvent]:
        return self.of(VerdictEvent)


def search(query: str = "cat", **more: Any) -> Action:
    """A decision to search once."""
    return Action(
        calls=(Call("memory_search", {"query": query, **more}, f'{{"query": "{query}"}}'),)
    )


def answer(text: str = "blue") -> Action:
    """A decision to answer."""
    return Action(answer=text, answer_raw=f"Answer: {text}")


Script = Sequence[Action | BaseException | float]


@dataclass
class ScriptedAgent:
    """Plays its script, one entry per decision; a number sleeps first, an exception is raised.

    `forced` is what it does when it must answer. After the script it searches for ever.
    """

    script: Script
    forced: Action | BaseException = field(default_factory=answer)
    name: str = "scripted"
    config: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    seen: list[object] = field(default_factory=list)
    """Everything that was handed over: briefs and observations."""

    def start(self, brief: Brief) -> ScriptedSession:
        self.seen.append(brief)
        return ScriptedSession(self)


class ScriptedSession:
    def __init__(self, agent: ScriptedAgent) -> None:
        self.agent = agent
        self.left = list(agent.script)

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        self.agent.seen.append(tuple(observations))
        move: Action | BaseException | float
        move = self.agent.forced if must_answer else self.left.pop(0) if self.left else search()
        while isinstance(move, (int, float)):
            await asyncio.sleep(move)
            move = self.left.pop(0)
        if isinstance(move, BaseException):
            raise move
        return move


@dataclass
class ScriptedView:
    """Answers each call with the next result of its script; then with nothing."""

    results: list[CallResult | BaseException | float]
    context_result: Context | BaseException | None = None
    seen: list[object] = field(default_factory=list)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    closed: int = 0

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        self.seen.append((tool, dict(args)))
        self.called.set()
        move = self.results.pop(0) if self.results else CallResult(())
        if isinstance(move, (int, float)):
            await asyncio.sleep(move)
            move = CallResult(())
        if isinstance(move, BaseException):
            raise move
        return move

    async def context(self, question: str, tokens: int) -> Context:
        self.seen.append((question, tokens))
        if isinstance(self.context_result, BaseException):
            raise self.context_result
        assert self.context_result is not None
        return self.context_result

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        return None

    async def close(self) -> None:
        self.closed += 1


@dataclass
class ScriptedJudge:
    """Right when the answer is the gold; or raises."""

    id: str = "scripted@1"
    error: Exception | None = None
    cases: list[Case] = field(default_factory=list)

    async def judge(self, case: Case) -> Verdict:
        self.cases.append(case)
        if self.error is not None:
            raise self.error
        right = case.answer == case.gold
        return Verdict(Label.RIGHT if right else Label.WRONG, "equal" if right else "different")


@dataclass
class ListMemory:
    """A small memory: returns sessions whose text shares a word with the query, oldest first."""

    name: str = "list"
    prepared: list[str] = field(default_factory=list)
    """Shas in the order they were prepared."""
    opened: int = 0
    seen: list[object] = field(default_factory=list)
    stores: float = 1.0
    """Share of the sessions it keeps."""
    open_error: BaseException | None = None
    pause: float = 0.0
    call_hook: Callable[[], None] | None = None

    @property
    def info(self) -> SystemInfo:
        return SystemInfo(self.name, "1", "flat", config={"stores": self.stores})

    def tools(self) -> tuple[ToolSpec, ...]:
        return (SEARCH,)

    async def prepare(self, session: SessionText, door: Door | None) -> Artifact:
        self.seen.append(session)
        self.prepared.append(session.sha)
        await asyncio.sleep(0)
        text = " ".join(turn.text for turn in session.turns)
        return frozenset(text.lower().split())

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> MemoryView:
        self.seen.append(
            (haystack, dict(artifacts), {p.sha: texts[p.sha] for p in haystack.positions}, now)
        )
        if self.open_error is not None:
            raise self.open_error
        self.opened += 1
        kept = haystack.positions[: round(len(haystack.positions) * self.stores)]
        return ListView(self, [(p, artifacts[p.sha]) for p in kept])


class ListView:
    def __init__(self, memory: ListMemory, blocks: list[tuple[Position, frozenset[str]]]) -> None:
        self.memory = memory
        self.blocks = blocks
        self.stored = len(blocks)

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        self.memory.seen.append((tool, dict(args)))
        if self.memory.call_hook is not None:
            self.memory.call_hook()
        if self.memory.pause:
            await asyncio.sleep(self.memory.pause)
        wanted = set(str(args["query"]).lower().split())
        return CallResult(tuple(Hit(p.token) for p, words in self.blocks if words & wanted)[:12])

    async def context(self, question: str, tokens: int) -> Context:
        raise AssertionError("a list has no context")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        return None

    async def close(self) -> None:
        pass


SEARCHER = SystemInfo("list", "1", "flat")
CONTEXT = SystemInfo("window", "1", "context", context=True)

SESSIONS = {
    "aaa": (Turn("user", "my cat is blue"), Turn("assistant", "how nice")),
    "bbb": (Turn("user", "I like tea"),),
    "ccc": (Turn("user", "it rains"),),
}
TEXT = HaystackText(SESSIONS, dict.fromkeys(SESSIONS, "2023-05-01"))
ITEM = Item(
    key="q1",
    question="What colour is my cat?",
    gold="blue",
    qtype="single",
    cluster="q1",
    question_date="2023-06-01",
    evidence=(Evidence("aaa", "aaa", None),),
)


def hits(*tokens: str) -> CallResult:
    """A result naming whole sessions."""
    return CallResult(tuple(Hit(token) for token in tokens))


def used(prompt: int, completion: int, cost: float | None = None) -> Usage:
    """Usage of one model call."""
    return Usage(prompt=prompt, completion=completion, cost=cost, calls=1, attempts=1)


def stopped(end: EndReason) -> Action:
    """A decision that brought no answer."""
    return Action(end=end)
