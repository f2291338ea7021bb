"""Orders of the episode list that only the file can give: by a column that is not among the facts."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from memtui.state.settings import SORT_ORDER, Settings, SortKey
from memtui.store.episode_order import ColumnOrders
from memtui.store.episode_queries import Source

FILE_ORDER: Mapping[SortKey, str] = {
    SortKey.COST: "e.cost",
    SortKey.TIME: "e.wall_ms",
    SortKey.TOKENS: "e.prompt_tokens+e.completion_tokens",
}
"""The columns, largest first."""
STEPS_AHEAD = 7
"""Presses of the sort key for which is read before they come."""


class FileOrders:
    """What one open file was asked for, in the thread that reads it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._orders = ColumnOrders()

    def forget(self) -> None:
        """Another file may stand under the name."""
        self._orders = ColumnOrders()

    def ids(self, settings: Settings) -> array[int] | None:
        """All ids in the chosen order; None where the facts give that."""
        column = FILE_ORDER.get(settings.sort)
        if column is None:
            return None
        return self._orders.ids(self._source, column, largest_first=not settings.reversed)

    def read_ahead(self, settings: Settings) -> bool:
        """Read one piece of what the next presses of the sort key will ask for; False where all is there."""
        after = SORT_ORDER.index(settings.sort) + 1
        coming = map(FILE_ORDER.get, (SORT_ORDER * 2)[after : after + STEPS_AHEAD])
        return any(
            self._orders.read_ahead(self._source, column, largest_first=not settings.reversed)
            for column in coming
            if column is not None
        )
