"""Finding a question in a list of pairs by its words or its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.report.paired_episodes import EpisodePair
from memtui.screens.base import MemtuiScreen
from memtui.store.reader import RunReader
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.virtual_list import VirtualList


class QuestionFinder(MemtuiScreen):
    """A screen with a list of pairs and a line to find one; the subclass says which pairs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "find a question", id="compare.find"),
        Binding("n", "match(1)", "next match", id="compare.match"),
        Binding("N", "match(-1)", "previous match", id="compare.match-back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._find = ""

    @property
    def pairs(self) -> VirtualList:
        """The list."""
        raise AssertionError(f"{self.NAME} lists no pairs")

    def pairs_listed(self) -> tuple[Sequence[EpisodePair], RunReader | None]:
        """What is in the list, and the reader of A's file."""
        return (), None

    def action_find(self) -> None:
        """Open the line to find a question."""
        self.query_one(FilterLine).open(self._find)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._find = message.value.strip()
        self._close_line()
        if self._find:
            self.action_match(1)

    @work(exclusive=True, group="compare-find")
    async def action_match(self, by: int) -> None:
        """The next or previous pair whose question has the words, round and round."""
        session, words = self.bench.session, self._find
        listed, reader = self.pairs_listed()
        if session is None or not words:
            self.bench.say("nothing was searched for yet (/)")
            return
        if reader is None or not listed:
            self.bench.say("there is no pair in the list")
            return
        try:
            items = frozenset(await session.ask(reader.items_with, words))
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        many, here = len(listed), self.pairs.cursor
        order = [(here + by * step) % many for step in range(1, many + 1)]
        at = next((place for place in order if listed[place].a.fact.item_id in items), None)
        if at is None:
            self.bench.say("no question of the list has these words (0 lists all pairs)")
        elif at == here:
            self.bench.say("no other pair of the list has these words")
        else:
            self.pairs.cursor = at

    def leave(self) -> bool:
        """Esc: out of the line first."""
        if not self.query_one(FilterLine).is_open:
            return super().leave()
        self._close_line()
        return True

    def _close_line(self) -> None:
        self.query_one(FilterLine).close()
        self.pairs.focus()
