"""Systems that differ from `Plain` in one fault each, by the conformance rule they break."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memtui.model import Hit
from runners.memory.contract import (
    CallResult,
    Calls,
    Context,
    Door,
    Haystack,
    MemorySystem,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from tests.memory.plain_system import Plain, PlainView, Stored, Words

Artifacts = Mapping[str, Words]
Texts = Mapping[str, SessionText]


def viewing(view_class: type[PlainView]) -> Callable[[], MemorySystem]:
    """The plain system with another view."""

    class Opened(Plain):
        view = view_class

    return Opened


class VagueProvenance(Plain):
    @property
    def info(self) -> SystemInfo:
        return replace(super().info, provenance="mostly")


class UnstorableConfig(Plain):
    @property
    def info(self) -> SystemInfo:
        return replace(super().info, config={"when": object()})


class Toolless(Plain):
    def tools(self) -> tuple[ToolSpec, ...]:
        return ()


class Amnesiac(Plain):
    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        return PlainView([])


class ForeignIds(PlainView):
    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        found = await super().call(tool, args)
        return replace(found, hits=tuple(replace(h, ref="session_7") for h in found.hits))


class Repeats(PlainView):
    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        found = await super().call(tool, args)
        return replace(found, hits=(found.hits * 2)[: found.k_effective])


class RemembersTokens(Plain):
    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}

    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        for p in haystack.positions:
            self.tokens.setdefault(p.sha, p.token)
        return PlainView([(self.tokens[p.sha], artifacts[p.sha]) for p in haystack.positions])


class IgnoresK(PlainView):
    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        ranked = self.ranked(args["query"])[:30]
        return CallResult(tuple(Hit(token, score) for score, token in ranked))


class ScaledView(PlainView):
    def __init__(self, sessions: Stored, scale: float) -> None:
        super().__init__(sessions)
        self.scale = scale

    def ranked(self, query: str) -> list[tuple[float, str]]:
        return [(score * self.scale, token) for score, token in super().ranked(query)]


class GlobalStatistics(Plain):
    """Divides by the number of sessions ever prepared: a statistic of more than the haystack."""

    def __init__(self) -> None:
        self.prepared: set[str] = set()

    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        self.prepared.add(session.sha)
        return await super().prepare(session, door)

    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        opened = await super().open(haystack, artifacts, texts, now, door)
        return ScaledView(opened.sessions, 1 / max(len(self.prepared), 1))


class Drifting(PlainView):
    counter = itertools.count()

    def ranked(self, query: str) -> list[tuple[float, str]]:
        return [(score + next(self.counter), token) for score, token in super().ranked(query)]


class TiesBackwards(PlainView):
    def ranked(self, query: str) -> list[tuple[float, str]]:
        backwards = super().ranked(query)[::-1]
        return sorted(backwards, key=lambda pair: -pair[0])


class NeedsSessions(Plain):
    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        assert haystack.positions[0].token
        return await super().open(haystack, artifacts, texts, now, door)


class NeedsQuery(PlainView):
    def ranked(self, query: str) -> list[tuple[float, str]]:
        assert query.strip()
        return super().ranked(query)


class QueryLanguage(PlainView):
    def ranked(self, query: str) -> list[tuple[float, str]]:
        if query.count('"') % 2:
            raise SyntaxError("fts5: syntax error near a quote")
        return super().ranked(query)


class AsciiOnly(Plain):
    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        return {part for part in await super().prepare(session, door) if part.isascii()}


class SmallOnly(Plain):
    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        assert sum(len(turn.text) for turn in session.turns) < 100_000
        return await super().prepare(session, door)


class NeedsTurns(Plain):
    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        assert session.turns[0].text
        return await super().prepare(session, door)


class SearchesAPart(Plain):
    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        there = tuple(p for p in haystack.positions if p.sha in artifacts)
        return await super().open(replace(haystack, positions=there), artifacts, texts, now, door)


class NeedsDates(Plain):
    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        assert now is not None and all(p.date is not None for p in haystack.positions)
        return await super().open(haystack, artifacts, texts, now, door)


class ReadsTooMuch(PlainView):
    async def context(self, question: str, tokens: int) -> Context:
        hits = tuple(Hit(token) for token, _ in self.sessions)
        return Context("word " * 1000 if hits else "", hits, 100)


class ContextOverLimit(Plain):
    view = ReadsTooMuch

    @property
    def info(self) -> SystemInfo:
        return replace(super().info, context=True, interface="context")

    def tools(self) -> tuple[ToolSpec, ...]:
        return ()


class SharedClone(PlainView):
    async def clone(self) -> SharedClone:
        other = SharedClone([])
        other.__dict__ = self.__dict__
        return other

    async def close(self) -> None:
        self.sessions = []


class RanksOtherwise(PlainView):
    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        return tuple(token for _, token in reversed(self.ranked(query)))[:depth]


class EmptiesWhatIsShared(PlainView):
    async def close(self) -> None:
        for _, words in self.sessions:
            words.clear()


class UndeclaredCall(Plain):
    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        assert door is not None
        await door.embed(["text"])
        return await super().prepare(session, door)


class DeclaredInVain(Plain):
    @property
    def info(self) -> SystemInfo:
        return replace(super().info, uses_door=("call",))


class PhonesHome(Plain):
    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", 9), timeout=0.1)
        return await super().open(haystack, artifacts, texts, now, door)


class AsksMoreThanDeclared(Plain):
    @property
    def info(self) -> SystemInfo:
        return replace(super().info, uses_door=("prepare",), calls={"prepare": {"embed": (1, 1)}})

    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        assert door is not None
        for turn in session.turns:
            await door.embed([turn.text])
        return await super().prepare(session, door)


class LeavesAProcess(Plain):
    """Ends on closing what it started first, and only that."""

    def __init__(self) -> None:
        self.first: subprocess.Popen[bytes] | None = None

    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        sleep = [sys.executable, "-S", "-c", "import time; time.sleep(8)"]
        self.first = await asyncio.to_thread(subprocess.Popen, sleep)
        return await super().open(haystack, artifacts, texts, now, door)

    async def close(self) -> None:
        """Kills it and does not reap it: a zombie is a process too."""
        if self.first is not None:
            self.first.kill()


class ClosesForGood(Plain):
    closed = False

    async def open(
        self,
        haystack: Haystack,
        artifacts: Artifacts,
        texts: Texts,
        now: str | None,
        door: Door | None,
    ) -> PlainView:
        assert not self.closed
        return await super().open(haystack, artifacts, texts, now, door)

    async def close(self) -> None:
        self.closed = True


class ForetellsTooLittle(Plain):
    """Asks once per turn, and foretells one call whatever the session."""

    @property
    def info(self) -> SystemInfo:
        return replace(super().info, uses_door=("prepare",), calls={"prepare": {"embed": (1, 2)}})

    def expected_calls(self, session: SessionText) -> Calls:
        return self.info.calls

    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        assert door is not None
        for turn in session.turns:
            await door.embed([turn.text])
        return await super().prepare(session, door)


FAULTS: list[tuple[str, Callable[[], MemorySystem]]] = [
    ("declares itself", VagueProvenance),
    ("declares itself", UnstorableConfig),
    ("tools are usable", Toolless),
    ("memory is filled", Amnesiac),
    ("ids come back", viewing(ForeignIds)),
    ("ids come back", viewing(Repeats)),
    ("tokens are not remembered", RemembersTokens),
    ("k is respected", viewing(IgnoresK)),
    ("scratch equivalence", GlobalStatistics),
    ("same question, same answer", viewing(Drifting)),
    ("ties keep position", viewing(TiesBackwards)),
    ("empty haystack", NeedsSessions),
    ("empty query", viewing(NeedsQuery)),
    ("hostile queries", viewing(QueryLanguage)),
    ("scripts without spaces", AsciiOnly),
    ("200 kB session", SmallOnly),
    ("empty turns", NeedsTurns),
    ("same content twice", viewing(Repeats)),
    ("unprepared session is refused", SearchesAPart),
    ("now is accepted", NeedsDates),
    ("context fits", ContextOverLimit),
    ("clone is independent", viewing(SharedClone)),
    ("rank agrees", viewing(RanksOtherwise)),
    ("close twice", viewing(EmptiesWhatIsShared)),
    ("closing gives back", ClosesForGood),
    ("door calls are declared", UndeclaredCall),
    ("door calls are declared", DeclaredInVain),
    ("declared numbers of calls", AsksMoreThanDeclared),
    ("declared numbers of calls", ForetellsTooLittle),
    ("no network beyond the door", PhonesHome),
]
