"""MemOS's tree memory: typed and tagged memories in buckets, recalled by graph and by vector.

Li et al., "MemOS: A Memory OS for AI System" (arXiv 2507.03724), and the `tree_text` backend of the
MemoryOS package. Implemented: extraction of memories (key, type, value, tags); buckets of 20 working, 1500
long-term and 480 user memories that lose their oldest; the optional reorganiser (clusters of 10 to 20 by
recursive k-means, themes, summaries above them); search in one pass: what the question is after (fine: a
model's titles, tags, rephrasing and two to five expected statements, asked beside the five nearest
memories; fast: the question's own words, no model), working memory whole, long-term and user memory by
graph (a title, or two tags) and by vector (every expansion), one reranking by cosine times the weight of
the level, equal texts once, the k best.

What differs:
- Sessions are read alone and undated, once for all haystacks; memories carry the session's date.
- New memories are copied into working memory as the paper's figure has it; recent releases do not.
- A text that is there already joins its sources, without the release's window of seven days.
- The reorganiser runs once, when the haystack is filled, instead of every 20 seconds, and has no relation
  detection, inferred or aggregate nodes, and no conflict or redundancy handling.
- k-means starts from the data, not from a random seed, so that the same memories give the same tree.
- The reranking takes the rephrased question's vector; the release takes the first of an unordered set.
- The BM25 path, off there by default, ranks by this haystack's nodes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.errors import UserError
from runners.memory.contract import (
    Artifact,
    Calls,
    Door,
    Haystack,
    SessionText,
    SystemInfo,
)
from runners.memory.extracting import tallied
from runners.memory.extraction import ATTEMPTS, calls_of, needs_of, readable, require_door
from runners.memory.flat.search import DEFAULT_K, require_artifacts
from runners.memory.memos_items import (
    LONG_TERM,
    PIECE_TOKENS,
    USER,
    ItemSession,
    ReadsItems,
    item_sources,
    rules_skip,
)
from runners.memory.option_values import check_choice, check_count, check_number
from runners.memory.planar.tree_nodes import LEVELS, WORKING, Tree
from runners.memory.planar.tree_reorganiser import Reorganiser, Sizes
from runners.memory.planar.tree_view import SearchSettings, TreeView

NAME = "memos-tree"
SEARCHES = ("fast", "fine")
_SEARCH = (
    "Search the memory tree kept from past conversations: statements and summaries with their dates, "
    "best first."
)
TEXTS = {
    "loop": f"{_SEARCH} Search again with other words when something is still missing.",
    "single_shot": f"{_SEARCH} Call it once, with the whole question.",
}


class MemosTree(ReadsItems):
    """Memories in a tree with buckets."""

    name = NAME

    def __init__(
        self,
        *,
        extractor: str = "model",
        k: int = DEFAULT_K,
        search: str = "fine",
        reorganise: bool = False,
        bm25: bool = False,
        working: int = 20,
        long_term: int = 1500,
        user: int = 480,
        cluster_least: int = 10,
        cluster_most: int = 20,
        topic_weight: float = 1.0,
        concept_weight: float = 1.0,
        fact_weight: float = 1.0,
        piece_tokens: int = PIECE_TOKENS,
        max_tokens: int = 1536,
        mode: str = "loop",
        tool_text: str | None = None,
    ) -> None:
        super().__init__(
            TEXTS, extractor=extractor, k=k, piece_tokens=piece_tokens, max_tokens=max_tokens,
            mode=mode, tool_text=tool_text,
        )  # fmt: skip
        check_choice("search", search, SEARCHES)
        for name, value in (("reorganise", reorganise), ("bm25", bm25)):
            if not isinstance(value, bool):
                raise UserError(f"{name} must be true or false, not {value!r}")
        # By rule there is nobody who could say what a question is after.
        self._fine = search == "fine" and extractor == "model"
        self._reorganise = reorganise
        self._sizes = {
            WORKING: check_count("working", working, least=1),
            LONG_TERM: check_count("long_term", long_term, least=1),
            USER: check_count("user", user, least=1),
        }
        if check_count("cluster_least", cluster_least, least=1) > cluster_most // 2 + 1:
            raise UserError("cluster_least must not be more than half of cluster_most")
        self._clusters = Sizes(
            cluster_least, cluster_least, cluster_most, max(cluster_most // 2, 4)
        )
        weights = (topic_weight, concept_weight, fact_weight)
        self._weights = {
            level: check_number(f"{level}_weight", weight, least=0)
            for level, weight in zip(LEVELS, weights, strict=True)
        }
        self._settings = SearchSettings(
            NAME, self._k, self._fine, bm25, self._weights, self._max_tokens
        )

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        opens = ("open",) if self._reorganise else ()
        # How many summaries there will be is known when the memories are.
        asked = None if self._extractor == "model" else 0
        return SystemInfo(
            name=NAME,
            version="1",
            interface="planar",
            mode=self._interaction.mode,
            form="derived",
            order_dependent=True,
            needs=needs_of(self._extractor),
            uses_door=("prepare", *opens, "call"),
            calls={
                "prepare": calls_of(self._extractor),
                **{phase: {"complete": (0, asked), "embed": (0, None)} for phase in opens},
                "call": {
                    "complete": (0, ATTEMPTS if self._fine else 0),
                    "embed": (0, 1 + self._fine),
                },
            },
            config={
                **self.shared_config,
                "search": "fine" if self._fine else "fast",
                "reorganise": self._reorganise,
                "bm25": self._settings.bm25,
                "buckets": dict(self._sizes),
                "cluster_least": self._clusters.cluster_least,
                "cluster_most": self._clusters.cluster_most,
                "level_weights": dict(self._weights),
                **rules_skip(self._extractor),
            },
        )

    def expected_calls(self, session: SessionText) -> Calls:
        """One completion for every piece of the session, two where a reply has to be asked for again."""
        declared = self.info.calls
        opens = {phase: declared[phase] for phase in ("open",) if phase in declared}
        return {"prepare": calls_of(self._extractor, self.pieces(session)), **opens}

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> TreeView:
        """Fill the buckets, oldest session first, and reorganise what is there at the end."""
        sessions: list[ItemSession] = require_artifacts(haystack, artifacts, NAME)
        tree = Tree(self._sizes)
        origins = iter(item_sources(haystack, sessions))
        for session in sessions:
            for item, row in zip(session.items, session.rows, strict=True):
                tree.add(item, next(origins), row)
        remarks: dict[str, Any] = tallied(sessions).remarks()
        if tree.evicted:
            remarks["evicted"] = tree.evicted
        if self._reorganise:
            reorganiser = Reorganiser(
                require_door(door, NAME), extractor=self._extractor, sizes=self._clusters,
                max_tokens=self._max_tokens,
            )  # fmt: skip
            await reorganiser.run(tree)
            if reorganiser.tally.unreadable:
                remarks["summaries_unreadable"] = reorganiser.tally.unreadable
        stored = readable(session.extracted for session in sessions)
        return TreeView(self._settings, tree, stored=stored, door=door, remarks=remarks)
