"""What the episode list shows and in which order, by key: one-key filters, filter line, facets, views, sort."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.worker import Worker

from memtui.errors import UserError
from memtui.query.errors import QueryError
from memtui.query.flags import KNOWN_FLAGS
from memtui.query.language import parse
from memtui.query.manual import meanings
from memtui.screens.base import MemtuiScreen
from memtui.screens.episode_facets import FacetSource
from memtui.state.filter_terms import toggled, words_of
from memtui.state.session import RunSession
from memtui.state.settings import Quick, Settings
from memtui.store.side_file import VIEW
from memtui.views.hints import Hint
from memtui.views.look import Look
from memtui.views.numbers import scale
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.widgets.filter_line import FilterLine, FilterSuggester, candidates
from memtui.widgets.lines import LineBlock
from memtui.widgets.virtual_list import VirtualList

FACET_HINTS = (
    Hint("Enter", "filter by it"),
    Hint("Esc", "close facets"),
    Hint("0", "filters off"),
    Hint("e w v", "exhausted wrong excluded"),
    Hint("/", "filter"),
    Hint("V", "views"),
)
"""While the facets have the keys. `0` leaves them open: the next value is chosen right there."""
TYPING_PAUSE = 0.15
"""Seconds without a key after which what was typed is applied."""


def field_lines(fields: Sequence[tuple[str, str]], width: int, look: Look) -> list[Text]:
    """One line per field: its name, and what it means."""
    lines = []
    for name, meaning in fields:
        line = Text(" ", end="", no_wrap=True)
        line.append(name.ljust(11), look.accent)
        line.append(clean_line(meaning, width=max(10, width - 13)), look.muted)
        lines.append(line)
    return lines


def typed_field(text: str) -> str:
    """What stands of a field's name at the end of a filter."""
    return text.rpartition(" ")[2].removeprefix("-")


class EpisodeFilters(MemtuiScreen):
    """The keys that choose and order episodes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "quick('exhausted')", "exhausted", id="episodes.exhausted"),
        Binding("w", "quick('wrong')", "wrong", id="episodes.wrong"),
        Binding("v", "quick('excluded')", "excluded", id="episodes.excluded"),
        Binding("0", "all", "all", id="episodes.all"),
        Binding("slash", "filter", "filter", id="episodes.filter"),
        Binding("n", "match(1)", "next match", id="episodes.match"),
        Binding("N", "match(-1)", "previous match", id="episodes.match-back"),
        Binding("f", "facets", "facets", id="episodes.facets"),
        Binding("V", "views", "saved views", id="episodes.views"),
        Binding("s", "sort", "next sort column", id="episodes.sort"),
        Binding("S", "reverse", "turn the order round", id="episodes.reverse"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._suggester = FilterSuggester()
        self._facet_source: FacetSource | None = None
        self._filter_before = ""
        self._last_filter = ""
        """The filter that was taken off last: `n` and `N` go on finding what it leaves."""
        self._typing: Timer | None = None
        self._fields_from = 0
        """The first field that the next Tab on an empty word lists."""

    @property
    def rows(self) -> VirtualList:
        """The list."""
        return self.query_one("#episodes", VirtualList)

    @property
    def facets(self) -> VirtualList:
        """The facets beside the list."""
        return self.query_one("#facets", VirtualList)

    @property
    def in_facets(self) -> bool:
        """Whether the facets have the keys."""
        return self.has_class("faceted") and self.facets.has_focus

    def hints(self) -> Sequence[Hint]:
        return FACET_HINTS if self.in_facets else super().hints()

    def reload(self, session: RunSession) -> Worker[None]:
        """Read which episodes the reader's choices leave, and in which order."""
        raise AssertionError(f"{self.NAME} shows no list")

    def draw_around(self) -> None:
        """What stands above and below the list."""

    def chips(self, settings: Settings, width: int) -> Text:
        """The words of the filter line, one by one; an empty line without a filter."""
        look = self.look
        line = Text(end="", no_wrap=True)
        for word in words_of(settings.filter):
            line.append(" ")
            line.append(f" {clean_line(word, width=32)} ", look.chip)
        if line.cell_len:
            line.append("  / changes it, 0 takes all off", look.muted)
        elif self._last_filter:
            line.append(" n N find ", look.muted)
            line.append(clean_line(self._last_filter, width=width), look.accent)
        line.truncate(width, overflow="ellipsis")
        return line

    def action_quick(self, name: str) -> None:
        """Switch a one-key filter."""
        session = self.bench.session
        if session is not None:
            self.bench.change(session.settings.toggled(Quick(name)))

    def action_all(self) -> None:
        """All episodes again; the facets stay as they are, Esc closes them."""
        session = self.bench.session
        if session is not None:
            self._last_filter = session.settings.filter or self._last_filter
            self.bench.change(session.settings.without_filters())

    @on(VirtualList.Chosen, "#facets")
    def _facet_chosen(self, message: VirtualList.Chosen) -> None:
        """Switch a value on or off in the filter line."""
        session = self.bench.session
        found = None if self._facet_source is None else self._facet_source.at(message.row_id)
        if session is not None and found is not None:
            self._last_filter = session.settings.filter or self._last_filter
            text = toggled(session.settings.filter, *found)
            self.bench.change(replace(session.settings, filter=text))

    def action_facets(self) -> None:
        """Show the facets and give them the keys; again: take them off."""
        if self.has_class("faceted"):
            self._close_facets()
            return
        self.add_class("faceted")
        self._facet_source = None
        self.facets.focus()
        session = self.bench.session
        if session is not None:
            self.reload(session)

    def _close_facets(self) -> None:
        self.remove_class("faceted")
        self.rows.focus()
        self.call_after_refresh(self.draw_around)

    def action_views(self) -> None:
        """Saved views: take one, save the filter as one, drop one."""
        session = self.bench.session
        if session is None:
            return
        from memtui.screens.saved_views import DROP, SAVE, USE, SavedViews

        views, text = session.marks.views, session.settings.filter

        def take(said: str | None) -> None:
            what, _, name = (said or "").partition(" ")
            if what == USE:
                self.bench.change(replace(session.settings, filter=views[name]))
            elif what in (SAVE, DROP):
                self.bench.mark([(VIEW, name, text if what == SAVE else "")])

        self.app.push_screen(SavedViews(views, text), take)

    # --- filter line ----------------------------------------------------------------------------

    @property
    def filter_line(self) -> FilterLine:
        """The line to type a filter into."""
        return self.query_one(FilterLine)

    def action_filter(self) -> None:
        """Open the filter line."""
        session = self.bench.session
        if session is None:
            return
        scales = [scale(value).lstrip("+") for value in session.header.run.scales]
        self._suggester.values = {
            "arm": [clean_line(arm.key) for arm in session.header.arms],
            "scale": scales,
            "type": session.pages.qtypes(),
            "flag": KNOWN_FLAGS,
        }
        self._fields_from = 0
        self._filter_before = session.settings.filter
        self._last_filter = session.settings.filter or self._last_filter
        self.filter_line.open(session.settings.filter)

    @on(FilterLine.Changed)
    def _typed(self) -> None:
        self._fields_from = 0
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE, self._apply_filter)

    def _apply_filter(self, *, whole: bool = False) -> bool:
        """Take the filter over as soon as it can be understood; until then say what is wrong, and where the
        text is not `whole` yet, how it may go on. False where it is not understood."""
        session, text = self.bench.session, self.filter_line.value.strip()
        problem = ""
        try:
            parse(text)
        except QueryError as error:
            problem = str(error)
        else:
            if session is not None:
                self.bench.change(replace(session.settings, filter=text))
        look, width = self.look, self.size.width
        may = candidates(self.filter_line.value, self._suggester.values)
        said = []
        if problem and (whole or not may):
            said = [styled(f" {clean_line(problem, width=width - 2)}", look.budget)]
        elif may and may[0].endswith(":") and (fields := meanings(typed_field(text))):
            said = field_lines(fields, width, look)[: self._room_for_fields()]
        elif may and (problem or len(may) > 1):
            name = re.split("[:=<>!]", typed_field(text))[0]
            said = field_lines([one for one in meanings(name) if one[0] == name], width, look)
            said.append(styled(f" {clean_line('  '.join(may), width=width - 2)}", look.muted))
        self.query_one("#filter-problem", LineBlock).show(said)
        return not problem

    def _room_for_fields(self) -> int:
        """Lines that a list of fields may take from the list of episodes."""
        return max(3, self.size.height - 12)

    @on(FilterLine.Asked)
    def _list_fields(self) -> None:
        """Name what can be filtered by, and what it means; again: those that had no room."""
        fields = field_lines(meanings(), self.size.width, self.look)
        room = self._room_for_fields() - 1
        if self._fields_from >= len(fields):
            self._fields_from = 0
        end = self._fields_from + room
        shown = fields[self._fields_from : end]
        left = len(fields) - end
        more = f" {self._fields_from + 1}–{min(end, len(fields))} of {len(fields)}; Tab: "
        more += "the next ones" if left > 0 else "from the first again"
        if len(fields) > room:
            shown.append(styled(more, self.look.faint))
        self._fields_from = end
        self.query_one("#filter-problem", LineBlock).show(shown)

    @on(FilterLine.Submitted)
    def _keep_filter(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        if self._apply_filter(whole=True):  # else the line stays, to be put right: Esc gives it up
            self._close_filter()

    def _close_filter(self) -> None:
        self.filter_line.close()
        self.query_one("#filter-problem", LineBlock).show([])
        self.rows.focus()

    def leave(self) -> bool:
        """Esc in the filter line: what was there before, and the same row in view."""
        if not self.filter_line.is_open:
            if self.has_class("faceted"):
                self._close_facets()
                return True
            return False
        if self._typing is not None:
            self._typing.stop()
        session = self.bench.session
        if session is not None:
            self.bench.change(replace(session.settings, filter=self._filter_before))
        self._close_filter()
        return True

    @work(exclusive=True, group="episode-match")
    async def action_match(self, by: int) -> None:
        """The next or previous episode of the list that the filter leaves, or the last filter where none
        is on, round and round."""
        session, lines = self.bench.session, self.rows
        if session is None:
            return
        settings, ids, here = session.settings, self.listed(), lines.cursor
        words = settings.filter or self._last_filter
        if not words:
            self.bench.say("nothing was looked for yet (/)")
            return

        def find() -> int | None:
            matching = session.passing(replace(settings, filter=words)) or set()
            order = (ids[(here + by * step) % len(ids)] for step in range(1, len(ids) + 1))
            return next((one for one in order if one in matching), None)

        try:
            found = await session.ask(find)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if found is None:
            self.bench.say(f"no episode of the list matches {words} (0 shows all)")
        elif found == lines.selected:
            self.bench.say(f"no other episode of the list matches {words}")
        else:
            lines.select_id(found)

    @abstractmethod
    def listed(self) -> Sequence[int]:
        """Ids of the episodes in the list, in its order."""

    def forget(self) -> None:
        super().forget()
        self._last_filter = ""

    def action_sort(self) -> None:
        """Order by the next column."""
        session = self.bench.session
        if session is not None:
            self.bench.change(session.settings.with_next_sort())

    def action_reverse(self) -> None:
        """Turn the order round."""
        session = self.bench.session
        if session is not None:
            settings = session.settings
            self.bench.change(settings.turned())
