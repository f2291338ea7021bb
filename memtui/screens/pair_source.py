"""Rows of the list of paired episodes, read from both files when they come into view."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.style import Style
from rich.text import Text

from memtui.model import Ending
from memtui.report.comparison import Comparison
from memtui.report.paired_episodes import EpisodePair
from memtui.screens.episode_row import WIDE, strip_width
from memtui.screens.episode_source import EpisodeRows
from memtui.state.episode_standing import ending_with
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeRow
from memtui.views.columns import Column, Placed, place, row
from memtui.views.difference import WHO
from memtui.views.look import Look
from memtui.views.numbers import scale
from memtui.views.strip import call_strip
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

Rows = tuple[EpisodeRow | None, EpisodeRow | None]


ITEM = 10
"""Cells of the key of a question; half as much again and more where there is room."""


class PairSource:
    """Pairs as rows; the id of a row is the id of A's episode."""

    def __init__(
        self,
        found: Comparison,
        pairs: Sequence[EpisodePair],
        readers: tuple[RunReader, RunReader],
        look: Look,
    ) -> None:
        self.found = found
        self.pairs = pairs
        self._look = look
        self._ids = [pair.a.fact.id for pair in pairs]
        self._sides = (
            (EpisodeRows(readers[0], _as_compared), self._ids),
            (EpisodeRows(readers[1], _as_compared), [pair.b.fact.id for pair in pairs]),
        )
        self._placed: tuple[int, list[Placed]] = (-1, [])
        self.apart = found.apart

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def rows_at(self, index: int) -> Rows:
        """The list lines of both episodes of a pair; None where a file could not be read."""
        (rows_a, ids_a), (rows_b, ids_b) = self._sides
        return rows_a.at(ids_a, index), rows_b.at(ids_b, index)

    def placed(self, width: int) -> list[Placed]:
        """The columns for a width (one cell of margin on the left)."""
        if self._placed[0] != width:
            strip = strip_width(self.found.budget)
            wanted = [
                Column("who", "passed", 7),
                Column("scale", "scale", 5, "right"),
                *(
                    [Column("apart", self.apart.heading, self.apart.width)]
                    if self.apart.heading
                    else []
                ),
                Column("a", "A", strip),
                Column("b", "B", strip),
                Column("type", "type", 24 if width >= WIDE else 16, keep=2),
                Column("item", "item", ITEM + 6 if width >= WIDE else ITEM, keep=1),
                Column("question", "question", 16, grow=1),
            ]
            self._placed = (width, place(wanted, width - 2))
        return self._placed[1]

    def row(self, index: int, width: int) -> Text:
        pair, look = self.pairs[index], self._look
        left, right = self.rows_at(index)
        any_row = left or right
        cells: dict[str, Text | str] = {
            "who": styled(WHO[pair.flip], who_style(pair.flip, look)),
            "scale": styled(scale(pair.a.scale), look.muted),
            "item": styled(clean_line(pair.a.item, width=ITEM + 6), look.muted),
        }
        if any_row is not None:
            cells["apart"] = styled(self.apart.mark(any_row.key, any_row.repeat), look.muted)
            cells["type"] = styled(clean_line(any_row.qtype, width=24), look.muted)
            cells["question"] = any_row.question
        if left is not None:
            cells["a"] = self.strip(pair, left, "a")
        if right is not None:
            cells["b"] = self.strip(pair, right, "b")
        return row(self.placed(width), cells, margin=1)

    def strip(self, pair: EpisodePair, line: EpisodeRow, side: str) -> Text:
        """The call strip of one side."""
        ending = self.ending(pair, line, side)
        budget = self.found.budget
        return call_strip(line.strip, budget, ending, self._look, width=strip_width(budget))

    def ending(self, pair: EpisodePair, line: EpisodeRow, side: str) -> Ending:
        """How one side ended."""
        what = (pair.a if side == "a" else pair.b).outcome
        return ending_with(what, line, self.found.judge)


def _as_compared(_: int) -> int:
    """The version of an episode: a comparison that changed is listed anew."""
    return 0


def who_style(flip: str, look: Look) -> Style:
    """The style of who passed."""
    return {"only_a": look.accent, "only_b": look.fresh}.get(flip, look.muted)
