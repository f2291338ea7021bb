"""Dense retrieval: cosine of the query with the best window of each session (or turn).

Vectors are those of all-MiniLM-L6-v2 (runners/models/minilm.py). A session is longer than the model
reads, so it is cut into windows (`windows.py`) and scores as its best one (max pooling, as in
MaxP of Dai & Callan, "Deeper Text Understanding for IR", SIGIR 2019). A score depends on query and
session alone; no other session of the haystack has any influence on it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from runners.memory.contract import Artifact, Door, Haystack, SessionText, SystemInfo
from runners.memory.flat.search import (
    DEFAULT_K,
    Blocks,
    FlatSystem,
    FlatView,
    Scores,
    require_artifacts,
)
from runners.memory.flat.windows import windows
from runners.memory.option_values import check_count
from runners.models.embedder import minilm
from runners.models.folders import cache_folder
from runners.models.minilm import DIMENSIONS, MAX_PIECES, Floats
from runners.models.vectors import VectorCache, Vectors
from runners.models.weights import KNOWN
from runners.sessions import render_turn

WINDOW = MAX_PIECES
OVERLAP = 32
MAX_WINDOWS = 96
"""Per block: 24,000 word pieces, more than the longest session of LongMemEval. What lies beyond is
not embedded, and its share is reported."""

_MODEL = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class DenseSession:
    """A session's window vectors. Block i owns the rows `ends[i-1]` .. `ends[i]` (exclusive)."""

    rows: Floats
    ends: tuple[int, ...]
    pieces: int
    cut: int
    """Word pieces beyond the last window allowed: not embedded."""


@lru_cache(maxsize=4096)
def query_vector(text: str) -> tuple[Floats, int] | None:
    """Vector of a query and the number of its pieces that were cut; None for an empty one.

    Kept, because every scale and every arm asks the same questions.
    """
    model = minilm()
    pieces = model.pieces(text)
    if not pieces:
        return None
    fitting = pieces[: WINDOW - 2]
    return model.encode([fitting])[0], len(pieces) - len(fitting)


class DenseView(FlatView):
    """One haystack: the prepared vectors of its sessions."""

    def __init__(self, blocks: Blocks, k: int, sessions: Sequence[DenseSession]) -> None:
        super().__init__(blocks, k, len(sessions))
        self._sessions = sessions

    @property
    def truncated_share(self) -> float | None:
        """Share of this haystack's word pieces that no window holds; None where there are none."""
        pieces = sum(s.pieces for s in self._sessions)
        return sum(s.cut for s in self._sessions) / pieces if pieces else None

    async def scores(self, query: str) -> Scores:
        """Cosine of each block's best window; -inf for a block without text, or an empty query."""
        scores = np.full(len(self.blocks), -np.inf)
        found = await asyncio.to_thread(query_vector, query)
        if found is None:
            return scores
        at = 0
        for session in self._sessions:
            if len(session.ends) == 1 and session.ends[0]:
                scores[at] = (session.rows @ found[0]).max()
            elif len(session.rows):
                cosines = session.rows @ found[0]
                start = 0
                for block, end in enumerate(session.ends, start=at):
                    if end > start:
                        scores[block] = cosines[start:end].max()
                    start = end
            at += len(session.ends)
        # Six decimals: what is left of float32 after a thread or two more or less in the products.
        return np.round(scores, 6)

    def remarks(self, query: str) -> dict[str, Any]:
        """What was not read, where anything was not."""
        remarks: dict[str, Any] = {}
        found = query_vector(query)
        if found and found[1]:
            remarks["query_pieces_cut"] = found[1]
        if share := self.truncated_share:
            remarks["truncated_share"] = share
        return remarks


class Dense(FlatSystem):
    """Embeds sessions once, on this machine; the vectors are kept on disk for later runs."""

    def __init__(
        self,
        *,
        granularity: str = "session",
        k: int = DEFAULT_K,
        max_windows: int = MAX_WINDOWS,
        cache: bool = True,
    ) -> None:
        super().__init__(granularity, k)
        self._max_windows = check_count("max_windows", max_windows, least=1)
        # Everything that decides the vectors is in the name: another setting, another folder.
        setting = f"{granularity}-{WINDOW}-{OVERLAP}-{max_windows}"
        model = f"minilm-{KNOWN['minilm'].files[0].sha256[:16]}"
        self._cache = VectorCache(cache_folder() / "vectors" / model / setting) if cache else None
        self._prepared: dict[str, DenseSession] = {}
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._cores = threading.BoundedSemaphore(os.cpu_count() or 1)
        self.preparations = 0
        """Sessions taken up: never more than there are distinct contents."""
        self.embedded = 0
        """Of those, the ones that the model had to read because the disk did not have them."""

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        return SystemInfo(
            name="dense",
            version="1",
            interface="flat",
            needs=("model:minilm",),
            config={
                "granularity": self._granularity,
                "k": self._k,
                "model": _MODEL,
                "model_sha256": KNOWN["minilm"].files[0].sha256,
                "window": WINDOW,
                "overlap": OVERLAP,
                "max_windows": self._max_windows,
                "pooling": "max",
            },
        )

    @property
    def truncated_share(self) -> float | None:
        """Share of all prepared word pieces that no window holds; None before anything was prepared."""
        pieces = sum(s.pieces for s in self._prepared.values())
        return sum(s.cut for s in self._prepared.values()) / pieces if pieces else None

    async def prepare(self, session: SessionText, door: Door | None) -> DenseSession:
        """Embed the session's windows, the first time its content is seen on this machine.

        The model runs in this process, off the event loop; it is no call at the door. UserError when
        the weights are absent.
        """
        known = self._prepared.get(session.sha)
        return known if known else await asyncio.to_thread(self._prepare, session)

    def _prepare(self, session: SessionText) -> DenseSession:
        # One content is embedded once, however many ask for it; as many contents as there are cores.
        with self._guard:
            lock = self._locks.setdefault(session.sha, threading.Lock())
        with lock:
            known = self._prepared.get(session.sha)
            if known is not None:
                return known
            prepared = self._recall(session.sha)
            fresh = prepared is None
            if prepared is None:
                with self._cores:
                    prepared = self._embed(session)
            with self._guard:
                self.preparations += 1
                self.embedded += fresh
                self._prepared[session.sha] = prepared
            return prepared

    def _recall(self, sha: str) -> DenseSession | None:
        kept = self._cache.get(sha) if self._cache else None
        if kept is None or kept.rows.ndim != 2 or kept.rows.shape[1] != DIMENSIONS:
            return None
        about = kept.about
        return DenseSession(kept.rows, tuple(about["ends"]), about["pieces"], about["cut"])

    def _embed(self, session: SessionText) -> DenseSession:
        model = minilm()
        turns = [model.pieces(render_turn(turn)) for turn in session.turns]
        blocks = [turns] if self._granularity == "session" else [[turn] for turn in turns]
        read: list[list[int]] = []
        ends: list[int] = []
        cut = 0
        for block in blocks:
            found = list(windows(block, WINDOW - 2, OVERLAP))
            cut += sum(window.fresh for window in found[self._max_windows :])
            read.extend(window.pieces for window in found[: self._max_windows])
            ends.append(len(read))
        pieces = sum(map(len, turns))
        prepared = DenseSession(model.encode(read), tuple(ends), pieces, cut)
        if self._cache:
            about = {"ends": list(prepared.ends), "pieces": pieces, "cut": prepared.cut}
            self._cache.put(session.sha, Vectors(prepared.rows, about))
        return prepared

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Artifact],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> DenseView:
        """Collect the haystack's vectors; `now` has no influence on a cosine."""
        sessions: list[DenseSession] = require_artifacts(haystack, artifacts, "dense")
        blocks = self.blocks(haystack, [len(s.ends) for s in sessions])
        return DenseView(blocks, self._k, sessions)
