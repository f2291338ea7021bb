"""Rows of the episode list, read a page at a time when they come into view."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from rich.cells import cell_len
from rich.text import Text

from memtui.errors import UserError
from memtui.screens.episode_row import columns, row_cells
from memtui.state.session import RunSession
from memtui.store.records import EpisodeRow
from memtui.views.columns import Placed, place, row
from memtui.views.look import Look
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

PAGE = 128
"""Rows read at once."""
PAGES = 64
"""Pages kept."""


class EpisodeSource:
    """Rows of the list: ids in order, and pages of lines read when they come into view.

    A page is a read of 128 lines by primary key, a fraction of a millisecond: quicker than a round trip
    through another thread, so it is read where it is drawn.
    """

    def __init__(self, session: RunSession, ids: list[int], look: Look) -> None:
        self.session = session
        self._ids = ids
        self._look = look
        self._pages: OrderedDict[int, list[EpisodeRow | None]] = OrderedDict()
        self._placed: tuple[int, list[Placed]] = (-1, [])
        self.drawn_for: Hashable = None

    def ids(self) -> list[int]:
        return self._ids

    def at(self, index: int) -> EpisodeRow | None:
        """The line at an index; None where the file could not be read."""
        number = index // PAGE
        page = self._pages.get(number)
        if page is None:
            wanted = self._ids[number * PAGE : (number + 1) * PAGE]
            try:
                found = self.session.pages.episode_rows(wanted)
            except UserError:
                return None
            page = self._pages[number] = [found.get(one) for one in wanted]
            if len(self._pages) > PAGES:
                self._pages.popitem(last=False)
        else:
            self._pages.move_to_end(number)
        return page[index % PAGE]

    def placed(self, width: int) -> list[Placed]:
        """The columns for a width (one cell of margin on the left)."""
        if self._placed[0] != width:
            budget = self.session.settings.budget
            longest = max(
                (cell_len(clean_line(arm.key)) for arm in self.session.header.arms), default=6
            )
            self._placed = (width, place(columns(budget, longest), width - 2))
        return self._placed[1]

    def row(self, index: int, width: int) -> Text:
        line = self.at(index)
        if line is None:
            return styled(" –", self._look.faint)
        cells = row_cells(line, self.session, self._look)
        return Text(" ", end="") + row(self.placed(width), cells)

    def row_key(self, index: int) -> Hashable | None:
        line = self.at(index)
        return None if line is None else (line.id, line.rev, self.drawn_for)
