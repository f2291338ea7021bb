"""What systems that ask models have in common: one search over a haystack, and how it is offered.

How often an agent is meant to search is a property of the tool's text and of the agent's loop, not of
the retrieval. It is therefore configuration (`mode`, `tool_text`) and stored with every result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui.errors import UserError
from memtui.model import Hit
from runners.memory.contract import CallResult, Context, MemoryError_, ToolSpec
from runners.memory.extraction import Tally
from runners.memory.flat.search import TOOL, read_arguments
from runners.memory.option_values import check_choice

MODES = ("single_shot", "loop")


@dataclass(frozen=True, slots=True)
class Interaction:
    """How the search is offered to the agent."""

    mode: str
    """`single_shot`: one retrieval per question; `loop`: the agent may search again."""
    text: str
    """The tool's description, as the agent reads it."""

    def tool(self) -> ToolSpec:
        """The one tool. `k` is fixed by the configuration, so the agent is not offered it."""
        return ToolSpec(
            name=TOOL,
            description=self.text,
            parameters={
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "The question, in plain words."}
                },
                "required": ["query"],
            },
        )


def interaction(mode: str, tool_text: str | None, texts: Mapping[str, str]) -> Interaction:
    """The mode with its usual text from `texts`, or with `tool_text`; UserError for no such mode."""
    check_choice("mode", mode, MODES)
    if tool_text is not None and not (isinstance(tool_text, str) and tool_text.strip()):
        raise UserError(f"tool_text must be a text that says something, not {tool_text!r}")
    return Interaction(mode, tool_text or texts[mode])


@dataclass(frozen=True, slots=True)
class Found:
    """What a search ranked."""

    hits: tuple[Hit, ...] = ()
    """Best first; at least the view's k of them, where there are so many."""
    sessions: tuple[str, ...] = ()
    """Tokens of all ranked sessions, each at the rank of its best hit."""
    data: dict[str, Any] = field(default_factory=dict)
    """How the hits were found, stored beside them."""
    preface: str = ""
    """Text of the system's own that goes before the hits."""


class SearchView(ABC):
    """One opened haystack that is searched with one tool."""

    def __init__(self, stored: int, k: int) -> None:
        self.stored = stored
        """Sessions this view can reach; a preflight compares it with the haystack."""
        self._k = k
        self._latest: tuple[str, Found] | None = None
        self._closed = False

    @abstractmethod
    async def search(self, query: str) -> Found:
        """Answer a query that is not blank; may ask models at the door."""

    @abstractmethod
    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """The observation, where the system words it itself; None leaves it to the runner."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """Answer a search with at most k hits, best first."""
        if tool != TOOL:
            raise MemoryError_(f"no tool named {tool!r}: this system has {TOOL}")
        if self._closed:
            raise MemoryError_("this view of the memory is closed")
        query, k = read_arguments(args, self._k)
        found = await self.search(query) if query.strip() else Found()
        self._latest = (query, found)
        hits = found.hits[:k]
        return CallResult(
            hits, text=self.render(hits, found.preface), k_effective=k, data=found.data
        )

    async def context(self, question: str, tokens: int) -> Context:
        """This system is searched; it puts nothing in front of the model unasked."""
        raise MemoryError_("this system is searched with its tool and gives no context of its own")

    async def rank(self, query: str, depth: int) -> tuple[str, ...] | None:
        """Tokens of the `depth` best sessions for the query that was searched last.

        None for any other: its ranking would have to be paid for with a model's calls.
        """
        if self._latest is None or self._latest[0] != query:
            return None
        return self._latest[1].sessions[:depth]

    async def close(self) -> None:
        """Nothing is held open; a call after this is a fault of the caller."""
        self._closed = True


def summed(tallies: Iterable[Tally]) -> Tally:
    """The extractions of all sessions of a haystack."""
    total = Tally()
    for one in tallies:
        total.asked += one.asked
        total.calls += one.calls
        total.unreadable += one.unreadable
        total.repaired += one.repaired
        total.dropped += one.dropped
        total.problems = (total.problems + one.problems)[:3]
    return total
