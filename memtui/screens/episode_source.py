"""Rows of the episode list, read in batches when they come into view and kept until they change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from rich.cells import cell_len
from rich.text import Text

from memtui.errors import UserError
from memtui.screens.episode_row import columns, row_cells
from memtui.state.session import RunSession
from memtui.state.told_apart import Apart
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeRow
from memtui.views.columns import Placed, place, row
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

BATCH = 64
"""Rows read at once, around the wanted one."""
KEPT = 256
"""Rows kept."""


class EpisodeRows:
    """List lines by id. A read of some dozens by primary key takes a fraction of a millisecond: quicker
    than a round trip through another thread, so they are read where they are drawn."""

    def __init__(self, reader: RunReader, version_of: Callable[[int], int]) -> None:
        self._reader = reader
        self._version_of = version_of
        self._rows: OrderedDict[int, tuple[int, EpisodeRow | None]] = OrderedDict()

    def at(self, ids: Sequence[int], index: int) -> EpisodeRow | None:
        """The line of `ids[index]`; None where it could not be read."""
        wanted = ids[index]
        found = self._rows.get(wanted)
        if found is None or found[0] != self._version_of(wanted):
            self._read(ids[max(0, index - BATCH // 2) : index + BATCH])
            found = self._rows.get(wanted)
        return None if found is None else found[1]

    def _read(self, ids: Sequence[int]) -> None:
        versions = {one: self._version_of(one) for one in ids}
        stale = [
            one for one in ids if (kept := self._rows.get(one)) is None or kept[0] != versions[one]
        ]
        try:
            rows = self._reader.episode_rows(stale)
        except UserError:
            return  # the app says what is wrong with the file
        for one in stale:
            self._rows[one] = (versions[one], rows.get(one))
            self._rows.move_to_end(one)
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)


class EpisodeSource:
    """The list at one moment: ids in order, drawn with the reader's choices."""

    def __init__(
        self,
        session: RunSession,
        rows: EpisodeRows,
        ids: Sequence[int],
        look: Look,
        apart: Apart | None = None,
    ) -> None:
        """`apart`: what of the run is to be told apart, once that is known."""
        self.session = session
        self._rows = rows
        self._ids = ids
        self._look = look
        self._placed: tuple[int, list[Placed]] = (-1, [])
        self.across = 0
        """Cells of the list with its scrollbar, to lay rows and heading out alike; 0: not known yet."""
        settings = session.settings
        self._budget, self._arms = settings.budget, session.header.arms
        # The look with them: a theme that is changed repaints rows of the look before under its own name.
        self.drawn_for: Hashable = (settings.budget, settings.judge, look.name, apart)
        self.apart = apart

    def ids(self) -> Sequence[int]:
        return self._ids

    def at(self, index: int) -> EpisodeRow | None:
        """The line at an index; None where there is none, or it could not be read."""
        return self._rows.at(self._ids, index) if 0 <= index < len(self._ids) else None

    def placed(self, width: int) -> list[Placed]:
        """The columns for a width (one cell of margin on the left)."""
        if self._placed[0] != width:
            longest = max((cell_len(clean_line(arm.key)) for arm in self._arms), default=6)
            self._placed = (
                width,
                place(columns(self._budget, longest, self.apart, width), width - 2),
            )
        return self._placed[1]

    def lay_out_as(self, other: EpisodeSource) -> None:
        """Take the columns over from the list of the moment before, where they would be the same."""
        self.across = other.across
        same = self._arms is other._arms and self.apart == other.apart
        if same and self._budget == other._budget:
            self._placed = other._placed

    def row(self, index: int, width: int) -> Text:
        line = self.at(index)
        if line is None:
            return styled(f" {UNKNOWN}", self._look.faint)
        cells = row_cells(line, self.session, self._look, self.apart)
        return row(self.placed(self.across or width), cells, margin=1)

    def row_key(self, index: int) -> Hashable | None:
        line = self.at(index)
        return (
            None
            if line is None
            else (line.id, line.rev, tuple(line.labels.items()), self.across, self.drawn_for)
        )
