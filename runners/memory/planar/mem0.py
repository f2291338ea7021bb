"""What the two Mem0 systems share: options, the declaration, preparation, and the search tool."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from runners.memory.contract import (
    Artifact,
    Calls,
    Door,
    Haystack,
    SessionText,
    SystemInfo,
)
from runners.memory.extracting import Extracting, tallied
from runners.memory.extraction import ATTEMPTS, calls_of, needs_of, readable
from runners.memory.flat.search import DEFAULT_K, require_artifacts
from runners.memory.memories import Memories, MemoriesView
from runners.memory.planar.mem0_facts import (
    PIECE_TOKENS,
    ReadSession,
    read_session,
)
from runners.memory.provenance import Source, source

_SEARCH = (
    "Search the memories kept from past conversations: short facts with their dates, best first."
)
TEXTS = {
    "loop": f"{_SEARCH} Search again, with other words or for another part of the question, until "
    "the memories found are enough to answer.",
    "single_shot": f"{_SEARCH} Call it once, with the whole question.",
}
MAX_TOKENS = 1024


class Mem0(Extracting[ReadSession]):
    """Facts out of sessions, searched by cosine. Subclasses say how a haystack's facts are stored."""

    name: ClassVar[str]
    attributed: ClassVar[bool]
    order_dependent: ClassVar[bool] = True
    opens_with_door: ClassVar[bool] = False

    def __init__(
        self,
        *,
        extractor: str = "model",
        k: int = DEFAULT_K,
        piece_tokens: int = PIECE_TOKENS,
        max_tokens: int = MAX_TOKENS,
        mode: str = "loop",
        tool_text: str | None = None,
    ) -> None:
        super().__init__(
            TEXTS, extractor=extractor, k=k, piece_tokens=piece_tokens, max_tokens=max_tokens,
            mode=mode, tool_text=tool_text,
        )  # fmt: skip

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        opens = ("open",) if self.opens_with_door and self._extractor == "model" else ()
        return SystemInfo(
            name=self.name,
            version="1",
            interface="planar",
            mode=self._interaction.mode,
            form="derived",
            order_dependent=self.order_dependent,
            needs=needs_of(self._extractor),
            uses_door=("prepare", *opens, "call"),
            calls={
                "prepare": calls_of(self._extractor),
                # A session without facts has nothing to decide.
                **{phase: {"complete": (0, ATTEMPTS), "embed": (0, 1)} for phase in opens},
                "call": {"embed": (0, 1)},
            },
            config={**self.shared_config, **self.settings()},
        )

    def settings(self) -> dict[str, Any]:
        """What only this system has to declare."""
        return {}

    def expected_calls(self, session: SessionText) -> Calls:
        """One completion for every piece of the session, two where a reply has to be asked for again.

        Where what is stored decides, every piece is decided on once more when a haystack is opened.
        """
        pieces = self.pieces(session)
        return {
            "prepare": calls_of(self._extractor, pieces),
            "open": {
                kind: (least * pieces, None if most is None else most * pieces)
                for kind, (least, most) in self.info.calls.get("open", {}).items()
            },
        }

    async def read(self, session: SessionText, door: Door | None) -> ReadSession:
        """The session's facts with their vectors."""
        return await read_session(
            session,
            door,
            system=self.name,
            extractor=self._extractor,
            attributed=self.attributed,
            piece_tokens=self._piece_tokens,
            max_tokens=self._max_tokens,
        )

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> MemoriesView:
        """Store the sessions' facts, oldest session first; `now` has no influence."""
        sessions: list[ReadSession] = require_artifacts(haystack, artifacts, self.name)
        memories = Memories()
        stored = readable(one.extracted for one in sessions)
        noted, lost = await self.store(memories, haystack, sessions, door)
        return MemoriesView(
            self.name,
            memories,
            k=self._k,
            stored=stored - lost,
            door=door,
            remarks={**tallied(sessions).remarks(), **noted},
        )

    @abstractmethod
    async def store(
        self,
        memories: Memories,
        haystack: Haystack,
        sessions: Sequence[ReadSession],
        door: Door | None,
    ) -> tuple[dict[str, Any], int]:
        """Put the facts of all sessions into `memories`.

        Returns what is worth noting about it, and the number of sessions of which no fact could be
        stored because nothing the model decided could be read.
        """


def fact_sources(haystack: Haystack, sessions: Sequence[ReadSession]) -> list[list[Source]]:
    """For each session, the source of each of its facts."""
    return [
        [source(place, position, fact.first, fact.last) for fact in session.facts]
        for place, (position, session) in enumerate(zip(haystack.positions, sessions, strict=True))
    ]
