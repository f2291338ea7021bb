"""What stands below the table of the overview: as much as there is room for, and the rest page by page."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.text import Text

from memtui.views.look import Look
from memtui.views.styled import styled


class Below:
    """Where the reader is in the lines below the table."""

    def __init__(self) -> None:
        self._of: Hashable = None
        self._at = self._most = self._page = 0

    def fitted(
        self, lines: Sequence[Text], height: int, look: Look, *, of: Hashable = None, note: str = ""
    ) -> list[Text]:
        """The lines that fit, from where the reader is; the last one says how many follow, and `note`, how
        else to see them. `of`: what the lines are about; the reader begins at the top of something else."""
        if of != self._of:
            self._of, self._at = of, 0
        if len(lines) <= height or height < 2:
            self._at = self._most = 0
            return [*lines[: max(0, height)]]
        self._page = height - 1
        self._most = len(lines) - self._page
        self._at = min(self._at, self._most)
        left = self._most - self._at
        words = f" … {left} more {'line' if left == 1 else 'lines'}: PgDn{note}"
        if not left:
            words = " … the last of it: PgUp"
        return [*lines[self._at : self._at + self._page], styled(words, look.muted)]

    def page(self, by: int) -> bool:
        """Go a page down (1) or up (-1); False where there is no further one."""
        at = max(0, min(self._most, self._at + by * max(1, self._page - 1)))
        moved, self._at = at != self._at, at
        return moved
