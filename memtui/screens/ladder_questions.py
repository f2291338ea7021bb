"""Going from question to question on the ladder: the next one, or the next with certain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.model import RunState
from memtui.screens.base import MemtuiScreen
from memtui.state.freed_memory import give_back
from memtui.state.ladder import LadderLine
from memtui.state.ladder_flips import Arm, Flips, flips_between_scales, seeds_of
from memtui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    from memtui.report.on_screen import Data


class LadderQuestions(MemtuiScreen):
    """A screen that shows one question of the file at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("H", "question(-1)", "previous question", id="ladder.previous-question"),
        Binding("L", "question(1)", "next question", id="ladder.next-question"),
        Binding("slash", "find", "find a question", id="ladder.find"),
        Binding("n", "match(1)", "next match", id="ladder.match"),
        Binding("N", "match(-1)", "previous match", id="ladder.match-back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._item: int | None = None
        """The question on screen, or on its way there."""
        self._items: list[int] = []
        """Questions that pass the filter, in the order of the file."""
        self._find = ""
        self._flips: tuple[object, dict[Arm, dict[float, Flips]]] | None = None
        """Flips of all questions, and what they were counted for."""

    def show_item(self, item_id: int) -> None:
        """Show a question; the cursor stays on its arm and scale."""
        self._item = item_id
        self._drawn = None
        if self.is_mounted:
            self.freshen()

    def data_to_export(self) -> Data | None:
        """The ladder of this question as `memtui ladder` prints it."""
        session = self.bench.session
        if session is None or self._item is None:
            return None
        from memtui.report.on_screen import ladder_data

        return ladder_data(session.path, session.settings, self._item)

    @work(exclusive=True, group="ladder-flips")
    async def count_flips(self, then: Callable[[], None]) -> None:
        """Count how many questions of the filter flip between scales, once for each B, judge and filter.

        Not while the run goes on: it would have to be counted again several times a second.
        """
        session = self.bench.session
        if session is None or session.header.run.state == RunState.RUNNING:
            return
        settings, items, cells = session.settings, frozenset(self._items), session.header.cells
        asked = (session.path, self.bench.data_version, settings.budget, settings.judge, items)
        if self._flips is not None and self._flips[0] == asked:
            return
        self._flips = None

        def count() -> dict[Arm, dict[float, Flips]]:
            facts = session.facts(settings.judge).values()
            found = flips_between_scales(
                facts, {cell.id: cell for cell in cells}, seeds_of(session.reader),
                settings.budget, session.header.run.mode, items,
            )  # fmt: skip
            give_back()
            return found

        try:
            self._flips = (asked, await session.ask(count))
        except UserError:
            return  # the app says what is wrong with the file
        if session is self.bench.session:
            then()

    def flips_of(self, line: LadderLine) -> dict[float, Flips] | None:
        """Flips of the arm of a line, by the larger scale; None where they are not counted."""
        return None if self._flips is None else self._flips[1].get((line.arm, line.conditions))

    def action_question(self, by: int) -> None:
        """The next or previous question that passes the filter."""
        if self._item in self._items:
            at = self._items.index(self._item) + by
            if 0 <= at < len(self._items):
                self.show_item(self._items[at])
                return
        elif self._items:
            self.show_item(self._items[0])
            return
        self.bench.say("no further question that way")

    def action_find(self) -> None:
        """Open the line to find a question."""
        self.query_one(FilterLine).open(self._find)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._find = message.value.strip()
        self.query_one(FilterLine).close()
        self.line_closed()
        if self._find:
            self.action_match(1)

    @work(exclusive=True, group="ladder-find")
    async def action_match(self, by: int) -> None:
        """The next or previous question with the words searched for."""
        session, words = self.bench.session, self._find
        if session is None or not words:
            self.bench.say("nothing was searched for yet (/)")
            return
        try:
            found = frozenset(await session.ask(session.reader.items_with, words))
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        at = self._items.index(self._item) if self._item in self._items else -1
        order = [*self._items[at + 1 :], *self._items[: at + 1]]
        if by < 0:
            order = [*self._items[:at][::-1], *self._items[at:][::-1]]
        match = next((item for item in order if item in found), None)
        if match is None:
            self.bench.say("no question within the filter has these words")
        elif match == self._item:
            self.bench.say("no other question has these words")
        else:
            self.show_item(match)

    def leave(self) -> bool:
        """Esc: out of the search line."""
        line = self.query_one(FilterLine)
        if not line.is_open:
            return False
        line.close()
        self.line_closed()
        return True

    def line_closed(self) -> None:
        """The search line is closed: the keys go back to the grid."""
