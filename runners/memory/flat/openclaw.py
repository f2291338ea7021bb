"""OpenClaw's memory: hybrid search over daily Markdown files, with decay and marginal relevance.

No paper; the documentation and source of the openclaw package. Implemented: one file per day with the
day's sessions appended, chunks of 400 tokens with 80 repeated, a vector and a BM25 leg of 200
candidates each merged by weights .7 and .3, a half-life of 30 days against the question's date (files
without a date do not age), maximal marginal relevance with Jaccard over the snippets' words, a least
score of .35 below which only hits of the word leg survive, snippets of 700 characters, `memory_get`.

What differs:
- A chunk never crosses from one session into the next of the same day, so that it depends on one
  session's content alone. There is no curated MEMORY.md: nothing here decides what would go into it.
- BM25 is Lucene's, over this haystack's chunks alone, instead of SQLite's FTS5; words are those of
  `words.py`, in every script.
- The embedder reads less than a chunk: a chunk scores as the best of its windows of 200 tokens.
- Snippets end with a line (a turn), and only a turn longer than a snippet is cut inside.
- A hit's score is that of marginal relevance, for which it was taken; the merged one is in the text.
- `importance` of a file is always 1: nothing sets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memtui.model import Hit, Usage
from runners.memory.chunking import cut_text, line_chunks
from runners.memory.contract import (
    Artifact,
    CallResult,
    Calls,
    Door,
    Haystack,
    MemoryError_,
    SessionText,
    SystemInfo,
    ToolSpec,
)
from runners.memory.extraction import require_door
from runners.memory.flat.bm25 import DEFAULT_B, DEFAULT_K1, BM25View
from runners.memory.flat.openclaw_files import DailyFiles, SessionLines, session_lines
from runners.memory.flat.openclaw_rank import (
    age_days,
    decay,
    marginal_relevance,
    merge_legs,
    text_scores,
)
from runners.memory.flat.postings import Postings
from runners.memory.flat.search import Blocks, Scores, best, check_k, require_artifacts
from runners.memory.flat.words import words
from runners.memory.option_values import check_count, check_number
from runners.memory.search_view import (
    Found,
    SearchView,
    interaction,
)
from runners.memory.vectors import Vectors, cosines, embedded, stacked

NO_MODEL = Usage(prompt=0, completion=0, cost=0.0)
"""Reading lines asks no model, which is known and not unknown."""
GET_TOOL = "memory_get"
GET_LINES = 60
WINDOW_TOKENS = 200
_SEARCH = (
    "Search memory/*.md, the notes of past conversations, by meaning and by words, before answering "
    "questions about prior conversations, decisions, dates, people or preferences. Returns the best "
    "snippets with path and lines."
)
TEXTS = {
    "single_shot": f"{_SEARCH} Call it once, with the whole question.",
    "loop": f"{_SEARCH} Call it again with other words when something is still missing.",
}


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """Lines `first` to `last` (0-based) of a session, and what is shown of them."""

    first: int
    last: int
    snippet: str
    shown: int
    """Last line (0-based) of the snippet."""
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class PreparedSession:
    """A session's chunks: numbers `number` and following in `postings`; chunk i has the rows
    `ends[i-1]` .. `ends[i]` (exclusive) of `rows`."""

    lines: SessionLines
    chunks: tuple[PreparedChunk, ...]
    postings: Postings
    number: int
    rows: Vectors
    ends: tuple[int, ...]


def snippet(lines: SessionLines, first: int, last: int, text: str, most: int) -> tuple[str, int]:
    """What is shown of a chunk, and its last line: whole lines of at most `most` characters."""
    if len(text) <= most:
        return text, last
    end = text.rfind("\n", 0, most + 1)
    if end <= 0:
        return text[:most], first
    return text[:end], first + text.count("\n", 0, end)


class OpenClawView(SearchView):
    """One haystack: its chunks in order, and the files they stand in."""

    def __init__(
        self, system: OpenClaw, haystack: Haystack, sessions: list[PreparedSession],
        now: str | None, door: Door | None,
    ) -> None:  # fmt: skip
        super().__init__(len(sessions), system.k)
        self._system = system
        self._door = door
        self._files = DailyFiles(haystack, [one.lines for one in sessions])
        self._chunks = [(place, c) for place, one in enumerate(sessions) for c in one.chunks]
        counts = [len(one.chunks) for one in sessions]
        postings = sessions[0].postings if sessions else Postings()
        if any(one.postings is not postings for one in sessions):
            raise MemoryError_("openclaw: these sessions were prepared by different systems")
        numbers = [one.number + i for one in sessions for i in range(len(one.chunks))]
        self._words = BM25View(
            Blocks(haystack, counts),
            postings.members(np.fromiter(numbers, np.int64, len(numbers))),
            k=1, k1=DEFAULT_K1, b=DEFAULT_B, stored=len(sessions),
        )  # fmt: skip
        left = [decay(age_days(p.date, now), system.half_life_days) for p in haystack.positions]
        self._left = np.repeat(np.array(left, np.float64), counts)
        windows = [np.diff((0, *one.ends)) for one in sessions if one.ends]
        self._windows: npt.NDArray[np.int64] = (
            np.concatenate(windows) if windows else np.zeros(0, np.int64)
        )
        self._rows = stacked([one.rows for one in sessions])
        self._headers: dict[Hit, str] = {}
        self._snippets: dict[Hit, str] = {}

    async def search(self, query: str) -> Found:
        """Everything above the least score, in order of marginal relevance."""
        if not self._chunks:
            return Found()
        system = self._system
        vector = await self._vector_leg(query)
        text = text_scores(await self._words.scores(query) * (DEFAULT_K1 + 1.0))
        by_words = text > 0
        merged = merge_legs(
            vector, np.where(by_words, text, -np.inf),
            vector_weight=system.vector_weight, text_weight=system.text_weight,
            candidates=system.candidates,
        )  # fmt: skip
        merged *= self._left
        order = best(merged)
        kept = merged[order] >= system.min_score
        if not kept.any():
            kept = by_words[order]
        ranked = marginal_relevance(
            merged[order], [self._chunks[i][1].words for i in order.tolist()], system.mmr_lambda
        )
        taken: list[tuple[int, float]] = []
        for at, score in ranked:
            if len(taken) == min(system.k, int(kept.sum())):
                break
            if kept[at]:
                taken.append((int(order[at]), score))
        hits = tuple(
            self._hit(block, round(score, 6), float(merged[block])) for block, score in taken
        )
        scores = [round(float(merged[block]), 6) for block, _ in taken]
        # What was not taken stands behind it, by its merged score.
        behind = (self._files.token(self._chunks[block][0]) for block in order.tolist())
        sessions = dict.fromkeys((*(hit.ref for hit in hits), *behind))
        return Found(hits, tuple(sessions), {"merged_scores": scores})

    async def _vector_leg(self, query: str) -> Scores:
        """Cosine of each chunk's best window."""
        door = require_door(self._door, "openclaw")
        rows = cosines(self._rows, (await embedded(door, [query], phase="search"))[0])
        scores = np.full(len(self._chunks), -np.inf)
        filled = self._windows > 0
        if len(rows):
            starts = (np.cumsum(self._windows) - self._windows)[filled]
            scores[filled] = np.maximum.reduceat(rows, starts)
        return scores

    def _hit(self, block: int, score: float, merged: float) -> Hit:
        place, chunk = self._chunks[block]
        hit = self._files.hit(place, chunk.first, chunk.shown, score, chunk.snippet)
        start = self._files.starts[place]
        lines = f"#L{start + chunk.first}-L{start + chunk.last}"
        self._headers[hit] = f"{self._files.paths[place]}{lines} (score {merged:.2f})"
        self._snippets[hit] = chunk.snippet
        return hit

    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """Snippets under their path and lines, which `memory_get` takes."""
        if not hits:
            return None
        return "\n\n".join(
            f"[{rank}] {self._headers[hit]}\n{self._snippets[hit]}"
            for rank, hit in enumerate(hits, 1)
        )

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        """Search, or read lines of a file."""
        if tool != GET_TOOL:
            return await super().call(tool, args)
        if self._closed:
            raise MemoryError_("this view of the memory is closed")
        path = str(args.get("path", "")).strip().removeprefix("./")
        found = self._files.read(
            path, _whole(args.get("from"), 1), _whole(args.get("lines"), GET_LINES)
        )
        if found is None:
            return CallResult((), text=f"There is no file {path!r}.", usage=NO_MODEL)
        if not found.hits:
            return CallResult((), text=f"{path} has no such lines.", usage=NO_MODEL)
        # As many sessions as a search returns blocks; what is shown says no more than the hits.
        hits = found.hits[: self._system.k]
        text = found.text if len(hits) == len(found.hits) else None
        return CallResult(hits, text=text, usage=NO_MODEL, k_effective=self._system.k)

    async def clone(self) -> OpenClawView:
        """Searching changes nothing that two views share."""
        twin = copy(self)
        twin._headers, twin._snippets = dict(self._headers), dict(self._snippets)
        return twin


def _whole(value: Any, default: int) -> int:
    """A line number or count of a call's arguments; anything unusable is the default."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value < 1e9
    return int(value) if usable else default


class OpenClaw:
    """Hybrid search over daily files. Needs an embedder at the door, and no language model."""

    def __init__(
        self,
        *,
        k: int = 6,
        chunk_tokens: int = 400,
        overlap_tokens: int = 80,
        candidates: int = 200,
        vector_weight: float = 0.7,
        text_weight: float = 0.3,
        half_life_days: float = 30.0,
        mmr_lambda: float = 0.7,
        min_score: float = 0.35,
        snippet_chars: int = 700,
        mode: str = "single_shot",
        tool_text: str | None = None,
    ) -> None:
        self.k = check_k(k)
        self.candidates = check_count("candidates", candidates, least=1)
        self.vector_weight = check_number("vector_weight", vector_weight, least=0)
        self.text_weight = check_number("text_weight", text_weight, least=0)
        self.half_life_days = check_number("half_life_days", half_life_days, least=0)
        self.mmr_lambda = check_number("mmr_lambda", mmr_lambda, least=0, most=1)
        self.min_score = check_number("min_score", min_score, least=0)
        self._chunk_tokens = check_count("chunk_tokens", chunk_tokens, least=8)
        self._overlap_tokens = check_count("overlap_tokens", overlap_tokens)
        self._snippet_chars = check_count("snippet_chars", snippet_chars, least=1)
        self._interaction = interaction(mode, tool_text, TEXTS)
        self._postings = Postings()
        self._prepared: dict[str, PreparedSession] = {}

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        return SystemInfo(
            name="openclaw",
            version="1",
            interface="flat",
            mode=self._interaction.mode,
            needs=("model:minilm",),
            uses_door=("prepare", "call"),
            calls={"prepare": {"embed": (0, 1)}, "call": {"embed": (0, 1)}},
            config={
                "k": self.k,
                "mode": self._interaction.mode,
                "chunk_tokens": self._chunk_tokens,
                "overlap_tokens": self._overlap_tokens,
                "window_tokens": WINDOW_TOKENS,
                "candidates": self.candidates,
                "vector_weight": self.vector_weight,
                "text_weight": self.text_weight,
                "half_life_days": self.half_life_days,
                "mmr_lambda": self.mmr_lambda,
                "min_score": self.min_score,
                "snippet_chars": self._snippet_chars,
                "get_lines": GET_LINES,
                "bm25": {"k1": DEFAULT_K1, "b": DEFAULT_B, "variant": "lucene"},
            },
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """Search, and reading the lines around what was found."""
        return (
            self._interaction.tool(),
            ToolSpec(
                GET_TOOL,
                "Read lines of a file that memory_search found, to see what stands around a snippet.",
                {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": "e.g. memory/2024-03-01.md"},
                        "from": {"type": "integer", "description": "First line, from 1."},
                        "lines": {"type": "integer", "description": "Number of lines."},
                    },
                    "required": ["path"],
                },
            ),
        )

    def expected_calls(self, session: SessionText) -> Calls:
        """One embedding, however long the session is."""
        return {"prepare": {"embed": (0, 1)}}

    async def prepare(self, session: SessionText, door: Door | None) -> PreparedSession:
        """Cut, count and embed the session: one embedding call, none where it says nothing."""
        known = self._prepared.get(session.sha)
        if known is not None:
            return known
        lines = session_lines(session.turns)
        cut = line_chunks(lines.lines, self._chunk_tokens, self._overlap_tokens)
        parts: list[str] = []
        ends: list[int] = []
        chunks: list[PreparedChunk] = []
        for chunk in cut:
            parts += cut_text(chunk.text, WINDOW_TOKENS)
            ends.append(len(parts))
            text, shown = snippet(lines, chunk.first, chunk.last, chunk.text, self._snippet_chars)
            chunks.append(
                PreparedChunk(chunk.first, chunk.last, text, shown, frozenset(words(text)))
            )
        rows = await embedded(require_door(door, "openclaw"), parts, phase="ingest")
        number = len(self._postings)
        for chunk in cut:
            self._postings.add(words(chunk.text))
        prepared = PreparedSession(lines, tuple(chunks), self._postings, number, rows, tuple(ends))
        self._prepared[session.sha] = prepared
        return prepared

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> OpenClawView:
        """Lay the sessions out in files and weigh their age against `now`."""
        sessions: list[PreparedSession] = require_artifacts(haystack, artifacts, "openclaw")
        return OpenClawView(self, haystack, sessions, now, door)
