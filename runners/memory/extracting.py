"""What the systems of extracted memories share: sessions read once each, piece by piece, and one search tool.

How a session is read, how a haystack is filled from it and how it is searched is each system's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from runners.memory.chunking import packed_turns
from runners.memory.contract import Door, SessionText, ToolSpec
from runners.memory.extraction import Extracted, Tally, check_extractor
from runners.memory.flat.search import check_k
from runners.memory.option_values import check_count
from runners.memory.search_view import interaction


class Reading(Protocol):
    """What was read of a session: the questions to a model, none where rules read it."""

    @property
    def extracted(self) -> Sequence[Extracted]: ...


Read = TypeVar("Read", bound=Reading)


class Extracting(ABC, Generic[Read]):
    """A system with its reading fixed: who extracts, in which pieces, and how the search is offered."""

    def __init__(
        self,
        texts: Mapping[str, str],
        *,
        extractor: str,
        k: int,
        piece_tokens: int,
        max_tokens: int,
        mode: str,
        tool_text: str | None,
    ) -> None:
        """`texts`: the tool's usual words by mode. UserError for a value that is none of an option."""
        self._extractor = check_extractor(extractor)
        self._k = check_k(k)
        self._piece_tokens = check_count("piece_tokens", piece_tokens, least=64)
        self._max_tokens = check_count("max_tokens", max_tokens, least=16)
        self._interaction = interaction(mode, tool_text, texts)
        self._prepared: dict[str, Read] = {}

    @property
    def shared_config(self) -> dict[str, Any]:
        """The options above, as they are stored."""
        return {
            "k": self._k,
            "mode": self._interaction.mode,
            "extractor": self._extractor,
            "piece_tokens": self._piece_tokens,
            "max_tokens": self._max_tokens,
        }

    def tools(self) -> tuple[ToolSpec, ...]:
        """One search tool."""
        return (self._interaction.tool(),)

    def pieces(self, session: SessionText) -> int:
        """In how many pieces a session is read: completions, or twice as many where a reply is asked again."""
        return len(packed_turns(session.turns, self._piece_tokens))

    async def prepare(self, session: SessionText, door: Door | None) -> Read:
        """Read the session, the first time its content is seen."""
        known = self._prepared.get(session.sha)
        if known is None:
            known = self._prepared[session.sha] = await self.read(session, door)
        return known

    @abstractmethod
    async def read(self, session: SessionText, door: Door | None) -> Read:
        """Read a session alone and without its date."""


def tallied(sessions: Iterable[Reading]) -> Tally:
    """The questions to a model over all sessions of a haystack."""
    tally = Tally()
    for session in sessions:
        for one in session.extracted:
            tally.add(one)
    return tally
