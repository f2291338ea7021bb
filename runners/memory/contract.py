"""The contract a memory system fulfils to be put under test (docs/adding-a-memory-system.md).

A system never sees data-set ids, gold or evidence marks: sessions carry opaque tokens. What depends on
one session's content alone is *prepared* once and shared by every haystack; everything else is
computed when a haystack is *opened*, over that haystack only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from memtui.model import Hit, Turn, Usage

Calls = dict[str, dict[str, tuple[int, int | None]]]
"""Calls of the door by phase and kind (`complete`, `embed`), least and most (None: not known)."""


@dataclass(frozen=True, slots=True)
class SessionText:
    """A session's content: what preparation may depend on. Dates are not part of it."""

    sha: str
    """Hash of the content: equal content, equal sha, prepared once."""
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """One session at its place in a haystack."""

    token: str
    """Opaque id, stable across the rungs of a ladder; what hits refer to."""
    sha: str
    date: str | None
    """ISO 8601 without offset; None when unknown."""


@dataclass(frozen=True, slots=True)
class Haystack:
    """The ordered sessions (oldest first) an episode may reach."""

    key: str
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool of A_ext(M) the agent may call; `parameters` is a JSON schema object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SystemInfo:
    """What a system declares about itself; stored with the arm and checked by the conformance suite."""

    name: str
    version: str
    interface: str
    """Interface class: flat, planar, hierarchical, context, agentic, procedural."""
    mode: str = "loop"
    """`loop` (the agent may call again) or `single_shot`."""
    provenance: str = "full"
    """`full`, `partial`, `none`: can hits be traced to sessions?"""
    form: str = "verbatim"
    order_dependent: bool = False
    writes_on_search: bool = False
    context: bool = False
    """True: no tools; the agent is given `view.context()` and R = 0."""
    needs: tuple[str, ...] = ()
    """What must be there first, e.g. `model:minilm`; the plan names what is missing."""
    config: dict[str, Any] = field(default_factory=dict)
    uses_door: tuple[str, ...] = ()
    """Phases in which it may call the door: `prepare`, `open`, `call`, `context`, `rank`. What it
    computes in this process is no call; what it asks of a model anywhere else is one."""
    calls: Calls = field(default_factory=dict)
    """How many calls of the door to expect, by phase and kind (`complete`, `embed`), as least and most
    (None: not known beforehand): in `prepare` per session of one exchange, in `open` per session of the
    haystack, in `call` per search. Kinds that are not named never occur; empty: nothing is declared."""
    prompt_tokens: int | None = None
    """Tokens of instructions in a completion it asks for, where that is known; for the plan alone."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a memory call returns, in rank order, before the agent's own cut."""

    hits: tuple[Hit, ...]
    text: str | None = None
    """Rendered observation if the system writes its own; None lets the runner render the hits."""
    usage: Usage = field(default_factory=Usage)
    k_effective: int | None = None
    """The k the system really used, when it differs from the one asked for."""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What a context system puts in front of the model instead of offering tools."""

    text: str
    hits: tuple[Hit, ...]
    """One per session that is (partly) in the context, `shown` False when it was cut away."""
    tokens: int


class MemoryError_(Exception):
    """The system under test failed: counts as not passed (`system_failed`), never as excluded."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A language model's reply to a memory system."""

    text: str
    """The raw reply; empty where the model gave none."""
    parsed: Any = None
    """The JSON value read from the text when a schema was asked for; None where none can be read,
    or its outermost type or required fields are not the schema's. Repairs are the system's own."""
    usage: Usage = field(default_factory=Usage)
    finish: str | None = "stop"
    """`length` where the reply was cut off."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """With `logprobs`: the first token's candidates with their natural log probabilities."""


class Door(Protocol):
    """Metered access to models and embedders on behalf of one owner.

    `phase` is `ingest` or `search`; None takes the one the runner is in: `ingest` during `prepare`
    and `open`, `search` in every later call. A model that fails for good raises; a system lets that
    pass, since a provider's failure is not its own.
    """

    async def embed(
        self, texts: Sequence[str], *, phase: str | None = None
    ) -> Sequence[Sequence[float]]:
        """Unit vectors of the texts, in order."""

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        phase: str | None = None,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        logprobs: int = 0,
    ) -> Completion:
        """Ask the run's memory model once.

        `messages` are `{"role", "content"}`; with `schema` (a JSON schema) the server is asked to
        enforce it; `logprobs` is the number of candidates wanted for each token.
        """


@runtime_checkable
class Regrowing(Protocol):
    """A door that says what to do about a reply which its limit cut and of which nothing can be read."""

    after_cut: float
    """Limit of the next request as a multiple of the first's; 0: it is not asked for again."""


Artifact = Any
"""Whatever `prepare` returns: immutable, shared by all haystacks that hold the session."""


class MemoryView(Protocol):
    """One opened haystack. Retrieval systems answer `call`, context systems `context`."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult: ...

    async def context(self, question: str, tokens: int) -> Context: ...

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """Session tokens by rank, best first, without side effects; None where it cannot be said."""

    async def close(self) -> None: ...


@runtime_checkable
class Counted(Protocol):
    """A view that can say how many sessions it really holds; a preflight compares."""

    stored: int


@runtime_checkable
class Foretelling(Protocol):
    """A system that can say what one session, however long, will ask of the door; the plan adds it up."""

    def expected_calls(self, session: SessionText) -> Calls:
        """`SystemInfo.calls` for this session: what `prepare` asks, and `open` on its account."""


@runtime_checkable
class Rehearsing(Protocol):
    """A system that asks a language model and can play it: the conformance suite then needs none."""

    def rehearse(
        self, messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
    ) -> str | Mapping[str, Any]:
        """The reply to one completion that this system asked for: text, or a value of `schema`."""


@runtime_checkable
class Closing(Protocol):
    """A system that holds more than memory: processes, files, connections.

    `close` is awaited when no episode of the system is left or the run ends. It gives back what no open
    view uses, may be called again, and a haystack may be opened afterwards.
    """

    async def close(self) -> None: ...


@runtime_checkable
class Cloneable(Protocol):
    """A view that can be copied: what happens to one copy is not felt by the other."""

    async def clone(self) -> MemoryView: ...


class MemorySystem(Protocol):
    """A memory system with its configuration fixed."""

    @property
    def info(self) -> SystemInfo: ...

    def tools(self) -> tuple[ToolSpec, ...]: ...

    async def prepare(self, session: SessionText, door: Door | None) -> Artifact: ...

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> MemoryView:
        """Open a haystack; `artifacts` and `texts` are keyed by session sha."""
