"""MemOS with plain text memories: titled statements in one list, searched by cosine.

Li et al., "MemOS: A Memory OS for AI System" (arXiv 2507.03724), and the `general_text` backend of the
MemoryOS package. Implemented: per piece of a session one extraction of memories (key, type, value, tags)
with a summary, an embedding of each value, search by cosine. The types and tags play no part in this
backend's search, and the summary is asked for and dropped, as there.

What differs:
- Sessions are read alone and undated; memories carry the session's date. The package resolves dates in
  the text, against time stamps in the messages.
- Equal values are stored once, with all sessions that they come from; the package keeps them all.
"""

from __future__ import annotations

from collections.abc import Mapping

from runners.memory.contract import (
    Artifact,
    Calls,
    Door,
    Haystack,
    SessionText,
    SystemInfo,
)
from runners.memory.extracting import tallied
from runners.memory.extraction import calls_of, needs_of, readable
from runners.memory.flat.search import DEFAULT_K, require_artifacts
from runners.memory.memories import Memories, MemoriesView
from runners.memory.memos_items import (
    PIECE_TOKENS,
    ItemSession,
    ReadsItems,
    item_sources,
    rules_skip,
)
from runners.memory.vectors import stacked

NAME = "memos-text"
_SEARCH = (
    "Search the memories kept from past conversations: statements with their dates, best first."
)
TEXTS = {
    "loop": f"{_SEARCH} Search again with other words when something is still missing.",
    "single_shot": f"{_SEARCH} Call it once, with the whole question.",
}


class MemosText(ReadsItems):
    """A flat list of extracted memories."""

    name = NAME

    def __init__(
        self,
        *,
        extractor: str = "model",
        k: int = DEFAULT_K,
        piece_tokens: int = PIECE_TOKENS,
        max_tokens: int = 1536,
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
        return SystemInfo(
            name=NAME,
            version="1",
            interface="flat",
            mode=self._interaction.mode,
            form="derived",
            needs=needs_of(self._extractor),
            uses_door=("prepare", "call"),
            calls={"prepare": calls_of(self._extractor), "call": {"embed": (0, 1)}},
            config={**self.shared_config, **rules_skip(self._extractor)},
        )

    def expected_calls(self, session: SessionText) -> Calls:
        """One completion for every piece of the session, two where a reply has to be asked for again."""
        return {"prepare": calls_of(self._extractor, self.pieces(session))}

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> MemoriesView:
        """Collect the memories; `now` has no influence on a cosine."""
        sessions: list[ItemSession] = require_artifacts(haystack, artifacts, NAME)
        memories = Memories()
        memories.extend_distinct(
            [item.value for session in sessions for item in session.items],
            item_sources(haystack, sessions),
            stacked([session.rows for session in sessions]),
        )
        return MemoriesView(
            NAME,
            memories,
            k=self._k,
            stored=readable(session.extracted for session in sessions),
            door=door,
            remarks=tallied(sessions).remarks(),
        )
