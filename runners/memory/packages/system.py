"""A published memory package as a memory system under test.

What is extracted depends on what is stored already, so nothing but the cutting of a session into
batches is prepared: the sessions of a haystack are handed over oldest first when it is opened, into a
state of its own that no other haystack sees. A package knows a batch by a number; which session that
was stays here.
"""

from __future__ import annotations

import asyncio
import itertools
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from memtui.errors import UserError
from memtui.model import Hit, Usage
from runners.failures import ProviderError
from runners.memory.contract import (
    Artifact,
    CallResult,
    Calls,
    Context,
    Door,
    Haystack,
    MemoryError_,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.memory.flat.search import (
    DEFAULT_K,
    TOOL,
    check_k,
    read_arguments,
    require_artifacts,
    search_tool,
)
from runners.memory.needs import LLM
from runners.memory.option_values import check_count
from runners.memory.packages.batches import Batch, batches
from runners.memory.packages.environment import missing, python_of
from runners.memory.packages.pool import WorkerPool, close_quietly
from runners.memory.packages.recipes import Recipe
from runners.memory.packages.watched_door import WatchedDoor
from runners.memory.packages.worker_process import WorkerProcess, WorkerTimeout
from runners.memory.provenance import Source, dated, derived_hit, latest_date, source
from runners.memory.search_view import interaction
from runners.models.gateway import EMBEDDER, Gateway

BATCH_TOKENS = 1_000
MAX_TOKENS = 2_000
ADD_S = 600.0
SEARCH_S = 60.0
CLOSE_S = 5.0
WORKERS = 2
_NAMES = itertools.count(1)
"""Of all systems: several may share a process."""


class PackageView:
    """One haystack in one process of the package."""

    def __init__(
        self, system: PackageSystem, worker: WorkerProcess, door: WatchedDoor, name: str
    ) -> None:
        self._system = system
        self._worker = worker
        self._door = door
        self._gateway = Gateway()
        self._name = name
        self._sources: list[Source] = []
        self._closed = False
        self.stored = 0
        """Sessions handed over of which the package could read something, or nothing was said in."""
        self.unread: list[str] = []
        """Why the model's reply to a batch could not be read, for each such batch."""
        # A view that is dropped without a word still gives back what it holds.
        self._drop = weakref.finalize(self, _drop, system.pool, worker, name)

    async def start(self) -> None:
        """Make an empty state in the process."""
        await self._ask("open", self._system.search_s, settings=await self.settings())

    async def settings(self) -> dict[str, Any]:
        """What the process is told: a folder of its own, and the only server there is."""
        folder = self._worker.folder / self._name
        folder.mkdir()
        await self._gateway.start()
        return {
            "folder": str(folder),
            "base_url": self._gateway.base_url,
            # Without a phase of its own: the door knows whether it is filled or searched.
            "key": self._gateway.issue(self._door),
            "chat_model": self._door.model,
            "embed_model": EMBEDDER,
            "dimensions": self._system.dimensions,
            "max_tokens": self._system.max_tokens,
        }

    async def fill(self, haystack: Haystack, sessions: Sequence[Sequence[Batch]]) -> None:
        """Hand the sessions over, oldest first."""
        for place, (position, parts) in enumerate(zip(haystack.positions, sessions, strict=True)):
            unread = 0
            for batch in parts:
                number = len(self._sources)
                self._sources.append(source(place, position, batch.first, batch.last))
                problem = await self._ask(
                    "add",
                    self._system.add_s,
                    source=number,
                    messages=batch.messages,
                    date=position.date,
                )
                if problem:
                    unread += 1
                    self.unread.append(str(problem))
            self.stored += not parts or unread < len(parts)

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """Search the package; hits best first, ties oldest first."""
        if tool != TOOL:
            raise MemoryError_(f"no tool named {tool!r}: this system has {TOOL}")
        if self._closed:
            raise MemoryError_("this view of the memory is closed")
        query, k = read_arguments(args, self._system.k)
        query = query.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").strip()
        if not query or not self._sources:
            return CallResult((), usage=Usage(prompt=0, completion=0, cost=0.0), k_effective=k)
        found = await self._ask("search", self._system.search_s, query=query, k=k)
        return CallResult(tuple(self._hits(found)[:k]), k_effective=k, data=self._remarks())

    def _remarks(self) -> dict[str, Any]:
        """What the package could not read of the model, where there was anything."""
        if not self.unread:
            return {}
        return {"unread_batches": len(self.unread), "unread_why": self.unread[0]}

    def _hits(self, found: Sequence[Mapping[str, Any]]) -> list[Hit]:
        hits: list[tuple[float, int, int, Hit]] = []
        for one in found:
            sources = [self._sources[number] for number in one["sources"]]
            text = dated(str(one["text"]), latest_date(sources))
            # Six decimals: what is left of a cosine after other threads and batches.
            score = round(float(one["score"]), 6)
            hit = derived_hit(f"m{one['number']}", text, score, sources)
            place = min((s.place for s in sources), default=len(self._sources))
            hits.append((-score, place, one["number"], hit))
        return [ranked[3] for ranked in sorted(hits, key=lambda ranked: ranked[:3])]

    async def _ask(self, op: str, seconds: float, **request: Any) -> Any:
        """Ask the process. A model that fails meanwhile is not the package's failure."""
        try:
            reply = await self._worker.ask(op, seconds, view=self._name, **request)
        except WorkerTimeout as error:
            if self._door.waiting:
                raise ProviderError(f"{error}: it waited for a model") from error
            raise
        except MemoryError_ as error:
            if self._door.failure is not None:
                raise self._door.failure from error
            raise
        except asyncio.CancelledError as error:
            # Whoever looks at the cancellation finds out whether it stood inside the models' door.
            if (inner := await self._door.give_up()) is not None:
                raise error from inner
            raise
        if self._door.failure is not None:
            raise self._door.failure
        return reply

    async def clone(self) -> PackageView:
        """A copy of the state, in the same process."""
        self._worker.views += 1
        copy = PackageView(
            self._system, self._worker, WatchedDoor(self._door.door), self._system.next_name()
        )
        settings = await copy.settings()
        await self._ask("copy", self._system.add_s, to=copy._name, settings=settings)
        copy._sources, copy.stored = list(self._sources), self.stored
        copy.unread = list(self.unread)
        return copy

    async def context(self, question: str, tokens: int) -> Context:
        """Packages are searched; they put nothing in front of the model unasked."""
        raise MemoryError_("this system is searched with its tool and gives no context of its own")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """Not said: a search of the package costs calls of its own."""
        return None

    async def close(self) -> None:
        """Remove the state; the process lives on for other views."""
        if self._closed:
            return
        self._closed = True
        self._drop.detach()
        await close_quietly(self._worker, self._name, CLOSE_S)
        await self._gateway.close()
        self._system.pool.give(self._worker)


def _drop(pool: WorkerPool, worker: WorkerProcess, name: str) -> None:
    worker.tell("close", view=name)
    pool.give(worker)


class PackageSystem:
    """A package with its configuration fixed.

    `batch_tokens`: how much of a session is handed over at a time, and so the extraction calls per
    session. `max_tokens`: the limit of one reply of the model. `add_s` and `search_s`: seconds for one
    batch and one search, after which the process is ended. `workers`: processes at a time. `mode` and
    `tool_text`: how the search is offered to the agent.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        k: int = DEFAULT_K,
        batch_tokens: int = BATCH_TOKENS,
        max_tokens: int = MAX_TOKENS,
        add_s: float = ADD_S,
        search_s: float = SEARCH_S,
        workers: int = WORKERS,
        mode: str = "loop",
        tool_text: str | None = None,
    ) -> None:
        self.k = check_k(k)
        text = search_tool(self.k).description
        texts = {"loop": text, "single_shot": f"{text} Call it once, with the whole question."}
        self._interaction = interaction(mode, tool_text, texts)
        self.recipe = recipe
        self.batch_tokens = check_count("batch_tokens", batch_tokens, least=1)
        self.max_tokens = check_count("max_tokens", max_tokens, least=1)
        self.add_s, self.search_s = float(add_s), float(search_s)
        self.pool = WorkerPool(
            lambda: start_worker(recipe), check_count("workers", workers, least=1)
        )
        self._own_pool = True
        self.dimensions: int | None = None
        """Of the run's vectors, once they are known."""
        weakref.finalize(self, self.pool.close)

    @classmethod
    def sharing(cls, recipe: Recipe, pool: WorkerPool, **options: Any) -> PackageSystem:
        """A system that uses the processes of `pool`, which whoever made it closes."""
        system = cls(recipe, **options)
        system.pool, system._own_pool = pool, False
        return system

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        recipe = self.recipe
        return SystemInfo(
            name=recipe.name,
            version=recipe.version,
            interface=recipe.interface,
            mode=self._interaction.mode,
            form="derived",
            order_dependent=True,
            needs=(LLM, "model:minilm", recipe.need),
            uses_door=("open", "call"),
            calls={
                "open": {"complete": recipe.complete, "embed": recipe.embed},
                "call": {"embed": (1, 1)},
            },
            prompt_tokens=recipe.prompt_tokens,
            config={
                "package": recipe.package,
                "pins": recipe.pins,
                "k": self.k,
                "mode": self._interaction.mode,
                "batch_tokens": self.batch_tokens,
                "max_tokens": self.max_tokens,
                **recipe.config,
            },
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """One search tool."""
        return (replace(search_tool(self.k), description=self._interaction.text),)

    def next_name(self) -> str:
        """A name for one more view."""
        return f"v{next(_NAMES)}"

    def expected_calls(self, session: SessionText) -> Calls:
        """What the recipe says of one batch, for every batch of the session."""
        pieces = len(batches(session.turns, self.batch_tokens))
        return {
            "open": {
                kind: (least * pieces, None if most is None else most * pieces)
                for kind, (least, most) in self.info.calls["open"].items()
            }
        }

    async def close(self) -> None:
        """End the processes, unless they are somebody else's; the next view to open starts one anew."""
        if self._own_pool:
            await asyncio.to_thread(self.pool.close)

    async def prepare(self, session: SessionText, door: Door | None) -> tuple[Batch, ...]:
        """Cut the session into batches of messages."""
        return batches(session.turns, self.batch_tokens)

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> PackageView:
        """Fill a state of its own with the haystack, session after session."""
        sessions = require_artifacts(haystack, artifacts, self.recipe.name)
        if door is None:
            raise UserError(
                f"{self.recipe.name} asks a language model, and there is no door to one"
            )
        if self.dimensions is None:
            self.dimensions = len((await door.embed(["dimensions"]))[0])
        worker = await self.pool.take()
        view = PackageView(self, worker, WatchedDoor(door), self.next_name())
        try:
            await view.start()
            await view.fill(haystack, sessions)
        except BaseException:
            with suppress(Exception):
                await view.close()
            raise
        return view


def start_worker(recipe: Recipe) -> WorkerProcess:
    """Start the package in its environment; UserError where there is none."""
    if (line := missing(recipe)) is not None:
        raise UserError(line)
    command = [str(python_of(recipe)), "-s", str(recipe.worker)]
    return WorkerProcess(recipe.name, command, recipe.environ)
