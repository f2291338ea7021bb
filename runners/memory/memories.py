"""A haystack's derived memories as a list, searched by cosine: what systems of facts have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from memtui.model import Hit
from runners.memory.contract import Door
from runners.memory.extraction import require_door
from runners.memory.flat.search import best
from runners.memory.provenance import Source, derived_hit, merged
from runners.memory.search_view import Found, SearchView
from runners.memory.vectors import Vectors, cosines, embedded


class Memories:
    """Memories that can be added, rewritten and removed; every one keeps its vector and its sources.

    Indices are never used twice: a removed memory leaves a gap.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.sources: list[tuple[Source, ...]] = []
        self._rows: Vectors = np.zeros((0, 0), np.float32)
        self._alive = np.zeros(0, dtype=bool)

    def __len__(self) -> int:
        """Number of memories that are still there."""
        return int(self._alive[: len(self.texts)].sum())

    def __contains__(self, index: object) -> bool:
        """Whether a memory is still there."""
        return isinstance(index, int) and 0 <= index < len(self.texts) and bool(self._alive[index])

    @property
    def rows(self) -> Vectors:
        """Vectors by index, those of removed memories too."""
        return self._rows[: len(self.texts)]

    @property
    def alive(self) -> Any:
        """Which indices are still there, as a boolean array."""
        return self._alive[: len(self.texts)]

    def extend(
        self, texts: Sequence[str], sources: Sequence[tuple[Source, ...]], rows: Vectors
    ) -> None:
        """Add memories with their unit vectors; they take the next indices in order."""
        if not texts:
            return
        used, needed = len(self.texts), len(self.texts) + len(texts)
        if needed > len(self._alive):
            # Room for twice as many: adding one session at a time stays linear.
            room = max(2 * needed, 64)
            larger = np.zeros((room, rows.shape[1]), np.float32)
            alive = np.zeros(room, dtype=bool)
            if used:
                larger[:used], alive[:used] = self._rows[:used], self._alive[:used]
            self._rows, self._alive = larger, alive
        self._rows[used:needed] = rows
        self._alive[used:needed] = True
        self.texts.extend(texts)
        self.sources.extend(sources)

    def extend_distinct(
        self, texts: Sequence[str], sources: Sequence[Source], rows: Vectors
    ) -> int:
        """Add each distinct text once, at its first place, with all its sources.

        Returns how many texts were said again and therefore not added.
        """
        origins: dict[str, list[Source]] = {}
        kept: list[int] = []
        for number, (text, origin) in enumerate(zip(texts, sources, strict=True)):
            if text not in origins:
                origins[text] = []
                kept.append(number)
            origins[text].append(origin)
        if kept:
            chosen = rows[np.array(kept, np.int64)]
            self.extend(list(origins), [merged(one) for one in origins.values()], chosen)
        return len(texts) - len(kept)

    def rewrite(self, index: int, text: str, sources: tuple[Source, ...], row: Vectors) -> None:
        """Give a memory another text, with that text's vector and all sources it now has."""
        self.texts[index] = text
        self.sources[index] = sources
        self._rows[index] = row

    def remove(self, index: int) -> None:
        """Forget a memory."""
        self._alive[index] = False

    def nearest(self, rows: Vectors, most: int) -> list[list[int]]:
        """For each of some vectors, the `most` memories with the largest cosine, best first.

        One product for all of them; ties go to the older memory.
        """
        if not len(self.texts) or not len(rows):
            return [[] for _ in range(len(rows))]
        scores = np.round(rows @ self.rows.T, 6)
        scores[:, ~self.alive] = -np.inf
        reach = min(most, scores.shape[1])
        # Everything at least as good as the last place: ties at the border are settled by age.
        borders = np.partition(scores, -reach, axis=1)[:, -reach]
        found = []
        for line, border in zip(scores, borders, strict=True):
            (near,) = ((line >= border) & (line > -np.inf)).nonzero()
            found.append(near[(-line[near]).argsort(kind="stable")][:most].tolist())
        return found


class MemoriesView(SearchView):
    """One opened haystack of derived memories. `remarks` is stored beside every search."""

    def __init__(
        self,
        name: str,
        memories: Memories,
        *,
        k: int,
        stored: int,
        door: Door | None,
        remarks: Mapping[str, Any],
    ) -> None:
        super().__init__(stored, k)
        self.memories = memories
        self._name = name
        self._door = door
        self._remarks = dict(remarks)

    async def search(self, query: str) -> Found:
        """The memories with the largest cosine to the query: one embedding."""
        if not len(self.memories):
            return Found(data=dict(self._remarks))
        door = require_door(self._door, self._name)
        scores = cosines(self.memories.rows, (await embedded(door, [query], phase="search"))[0])
        scores[~self.memories.alive] = -np.inf
        ranked = best(scores).tolist()
        hits = tuple(self._hit(i, float(scores[i])) for i in ranked[: self._k])
        sources = self.memories.sources
        sessions = dict.fromkeys(one.token for i in ranked for one in sources[i])
        return Found(hits, tuple(sessions), dict(self._remarks))

    def _hit(self, index: int, score: float) -> Hit:
        memories = self.memories
        return derived_hit(
            f"memory-{index + 1}", memories.texts[index], score, memories.sources[index]
        )

    def render(self, hits: Sequence[Hit], preface: str) -> str | None:
        """The runner renders: a memory is a sentence with its date."""
        return None

    async def clone(self) -> MemoriesView:
        """Searching changes nothing."""
        return copy(self)
