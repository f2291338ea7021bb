"""What tells episodes of one question, arm and scale apart: their ladder seed and their repeat."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtui.store.packed_facts import PackedFacts
from memtui.store.reader import RunReader


def ladder_seed(key: str) -> int | None:
    """The ladder seed in the key of an episode; None where it names none."""
    found = _SEED.search(key)
    return int(found[1]) if found else None


_SEED = re.compile(r"\bseed=(-?\d+)\|r\d+$")
"""In the key of an episode (`EpisodeId.key`)."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Whether a run has several ladder seeds, and whether it asks a question several times over."""

    seeds: bool = False
    repeats: bool = False

    @property
    def heading(self) -> str:
        """The title of a column of marks; empty where nothing need be told apart."""
        if self.seeds:
            return "seed rep" if self.repeats else "seed"
        return "rep." if self.repeats else ""

    @property
    def width(self) -> int:
        """Cells of that column."""
        return len(self.heading)

    def mark(self, key: str, repeat: int) -> str:
        """``s2 r1``, as the ladder writes it, of what differs in the run; `key` is the episode's."""
        parts = []
        if self.seeds:
            seed = ladder_seed(key)
            parts.append(f"s{'–' if seed is None else seed}")
        if self.repeats:
            parts.append(f"r{repeat}")
        return " ".join(parts)


class SeenApart:
    """Looks at what a run has, and when it has more only at what is new."""

    def __init__(self) -> None:
        self._seeds: set[int] = set()
        self._last = 0

    def now(self, reader: RunReader, facts: PackedFacts) -> Apart:
        """How the episodes of the file differ; where questions run, not where rows are drawn."""
        for number, seed in reader.query(
            "SELECT max(id),ladder_seed FROM haystack WHERE id>? GROUP BY ladder_seed",
            (self._last,),
        ):
            self._seeds.add(seed)
            self._last = max(self._last, number)
        repeats = {
            course.repeat for course, times in zip(facts.table, facts.counts, strict=True) if times
        }
        return Apart(len(self._seeds) > 1, len(repeats) > 1)
