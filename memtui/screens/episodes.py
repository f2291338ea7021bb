"""Screen 3: the episodes, any number of them, in a list that keeps its place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on, work
from textual.widget import Widget

from memtui.errors import UserError
from memtui.query.manual import EXAMPLE
from memtui.screens.episode_facets import FIRST_VALUE, Counts, FacetSource, count_facets
from memtui.screens.episode_filters import EpisodeFilters
from memtui.screens.episode_heading import list_heading, order_words
from memtui.screens.episode_row import (
    closing_words,
    ending_of,
    episode_text,
    evidence_words,
)
from memtui.screens.episode_source import EpisodeRows, EpisodeSource
from memtui.screens.rated_file import DRAWN_AFTER
from memtui.state.compare_marks import Mark
from memtui.state.freed_memory import give_back
from memtui.state.session import RunSession
from memtui.state.settings import Quick, Settings, SortKey
from memtui.state.told_apart import Apart, SeenApart
from memtui.store.records import EpisodeRow
from memtui.views.flow import flow
from memtui.views.hints import Hint
from memtui.views.numbers import count, scale
from memtui.views.outcome import outcome_style, outcome_word
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.ground import Column, Row
from memtui.widgets.lines import LineBlock
from memtui.widgets.pane import Rule
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data


class EpisodesScreen(EpisodeFilters):
    """The list, the facts of the selected episode below it, filters and order by key."""

    NUMBER = 3
    NAME = "Episodes"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "trajectory"),
        Hint("e w v", "exhausted wrong excluded"),
        Hint("0", "all"),
        Hint("/", "filter"),
        Hint("f", "facets"),
        Hint("sS", "sort"),
        Hint("-=", "budget"),
        Hint("Esc", "back"),
        Hint("J", "judge"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Settings, int] | None = None
        self._counts: dict[Quick, int] = {}
        self._source: EpisodeSource | None = None
        self._lines: EpisodeRows | None = None
        self._seen_apart, self._apart = SeenApart(), Apart()
        self._stand: int | None = None
        """An episode to stand on once it is in the list."""

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="list-summary")
        yield FilterLine(
            placeholder=f"{EXAMPLE}   Tab: all fields",
            suggester=self._suggester,
            id="filter-line",
        )
        yield LineBlock(id="filter-problem")
        with Row(id="list-panes"):
            with Column(id="list-side"):
                yield LineBlock(id="list-heading")
                yield VirtualList(id="episodes")
            yield Rule(id="facets-rule")
            yield VirtualList(id="facets")
        yield LineBlock(id="episode-facts")

    @property
    def source(self) -> EpisodeSource | None:
        """The rows at the moment."""
        return self._source

    def listed(self) -> Sequence[int]:
        return () if self._source is None else self._source.ids()

    @property
    def episode_id(self) -> int | None:
        return self.rows.selected if self.is_mounted else None

    def filter_label(self, settings: Settings) -> str:
        return self.list_filter_label(settings)

    @property
    def pace(self) -> float:
        """Quick while the reader follows the newest; a list that is being read changes more calmly."""
        session = self.bench.session
        newest = session is not None and session.settings.sort is SortKey.NEWEST
        return 0.1 if newest and self.rows.cursor == 0 else 0.25

    def on_mount(self) -> None:
        self.rows.focus()
        self.rows.at_once = self._draw_facts
        super().on_mount()

    # --- reading and drawing --------------------------------------------------------------------

    def depends_on(self) -> object:
        return (super().depends_on(), self.look.name, self.bench.paused)

    def draw(self) -> None:
        session = self.bench.session
        if session is None:
            return
        if self._shown is None and self._first_rows(session):
            # Reading the facts would share the interpreter with drawing the rows.
            self.call_after_refresh(self.reload, session)
        else:
            self.reload(session)

    def _first_rows(self, session: RunSession) -> bool:
        """The newest episodes at once, before the facts that filters and counts need are read.

        False where that is not what the reader's choices ask for.
        """
        if session.settings.filtered or session.settings.sort is not SortKey.NEWEST:
            return False
        try:
            ids = session.pages.newest_ids()
        except UserError as error:
            self.bench.say(str(error), error=True)
            return False
        self._show(session, ids, session.settings)
        return True

    @work(exclusive=True, group="ids")
    async def reload(self, session: RunSession) -> None:
        """Read which episodes the reader's choices leave, and in which order."""
        settings = session.settings
        cells = {cell.id: cell for cell in session.header.cells}
        faceted = self.has_class("faceted")

        seen = self._seen_apart

        def find() -> tuple[Sequence[int], dict[Quick, int], Counts, Apart]:
            index = session.index(settings.judge)
            apart = seen.now(session.reader, index.facts)
            ordered = session.file_orders.ids(settings)
            ids, counts = index.select(settings, cells, session.passing(settings), ordered)
            return ids, counts, count_facets(session, settings, ids) if faceted else {}, apart

        try:
            ids, self._counts, counted, self._apart = await session.ask(find)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if settings == session.settings:
            self._show(session, ids, settings)
            if faceted:
                source = FacetSource(counted, settings.filter, self.look, self._facet_source)
                if self._facet_source is None:
                    self.facets.show(source, select=FIRST_VALUE)
                else:
                    self.facets.update(source, keep=False)
                self._facet_source = source
            if not session.header.live:
                self._order_ahead(session, settings)

    @work(exclusive=True, group="ids-ahead")
    async def _order_ahead(self, session: RunSession, settings: Settings) -> None:
        """Once the list is drawn, read piece by piece what the next presses of the sort key will ask for, and
        give back what that and ordering took."""
        with contextlib.suppress(UserError):  # said when it is asked for
            await asyncio.sleep(DRAWN_AFTER)
            while self._stands(session, settings):
                if not await session.ask(session.file_orders.read_ahead, settings):
                    await session.ask(give_back)
                    break

    def _stands(self, session: RunSession, settings: Settings) -> bool:
        """Whether the reader still looks at this list."""
        bench = self.bench
        return self.is_current and session is bench.session and settings == session.settings

    def _show(self, session: RunSession, ids: Sequence[int], settings: Settings) -> None:
        if self._lines is None:
            self._lines = EpisodeRows(session.pages, self.bench.version_of)
        source = EpisodeSource(session, self._lines, ids, self.look, self._apart)
        if self._source is not None:
            source.lay_out_as(self._source)
        before, self._source = self._shown, source
        self._shown = (settings, self.bench.data_version)
        lines = self.rows
        here = lines.selected
        moved = before is not None and before[0].cell != settings.cell
        if before is None or moved:
            lines.show(source, keep=False)
        else:
            same_look = before[0].budget == settings.budget and before[0].judge == settings.judge
            follow = settings.sort is SortKey.NEWEST and not settings.reversed
            stayed = lines.update(source, follow_top=follow, keep=same_look)
            if not stayed and here is not None and ids:
                self.bench.say("the episode left the filter; its neighbour is selected")
        if self._stand is not None and lines.select_id(self._stand):
            self._stand = None
        self.draw_around(facts=lines.selected == here)  # else they were drawn with the cursor

    def show_episode(self, episode_id: int) -> None:
        """Stand on an episode as soon as it is in the list."""
        self._stand = episode_id

    def draw_around(self, *, facts: bool = True) -> None:
        """What stands above the list, and with `facts` what stands below it."""
        session, source = self.bench.session, self._source
        if session is None or source is None or not self.size.width:
            return
        look, width, settings = self.look, self.size.width, session.settings
        first = Text(" ", end="", no_wrap=True)
        shown = len(source.ids())
        first.append(count(shown), look.strong)
        first.append(" episodes" if shown != 1 else " episode", look.muted)
        labels = {
            quick: f"{key} {quick.value} {count(self._counts.get(quick, 0))}"
            for quick, key in ((Quick.EXHAUSTED, "e"), (Quick.WRONG, "w"), (Quick.EXCLUDED, "v"))
            if self._counts
        }
        kept = (
            len(labels.get(settings.quick, "")) + 5
        )  # the chosen one stays, whole like the others
        for quick, label in labels.items():
            chosen = settings.quick is quick
            kept = 0 if chosen else kept
            if first.cell_len + 3 + len(label) + kept >= width and not chosen:
                continue
            first.append("   ")
            first.append(f" {label} " if chosen else label, look.chip if chosen else look.muted)
        across = (self.rows.outer_size.width or width) - 1  # a blank before the scrollbar
        if source.across != across:
            source.across = across
            self.rows.refresh()
        placed, chips = source.placed(across), self.chips(settings, width)
        order, needed = order_words(placed, settings, look)
        for line in (first, chips):  # beside the counts, else beside the filter
            if line is chips and needed:
                chips.truncate(max(0, width - order.cell_len - 3), overflow="ellipsis")
            gap = width - line.cell_len - order.cell_len - 1
            if gap >= 2:
                line.append(" " * gap)
                line.append_text(order)
                break
        head = Text(" ", end="") + list_heading(placed, settings, look)
        self.query_one("#list-summary", LineBlock).show([Text(end=""), first, chips])
        self.query_one("#list-heading", LineBlock).show([head])
        if facts:
            self._draw_facts()

    def _draw_facts(self) -> None:
        session, source = self.bench.session, self._source
        if session is None or source is None:
            return
        block = self.query_one("#episode-facts", LineBlock)
        lines = self.rows
        if not source.ids():
            word = (
                "no episode passes the filter (0 shows all)"
                if session.settings.filtered
                else ("no episode has started yet")
            )
            block.show([Text(end=""), styled(f" {word}", self.look.muted), *[Text(end="")] * 2])
            return
        line = source.at(lines.cursor)
        if line is not None:
            block.show([Text(end=""), *self._facts_of(line, session)])

    def _facts_of(self, line: EpisodeRow, session: RunSession) -> list[Text]:
        """Question, gold and answer of the selected episode, however narrow the list is."""
        look, width = self.look, self.size.width
        ending = ending_of(line, session)
        first = Text(" ", end="", no_wrap=True)
        first.append("Q  ", look.muted)
        first.append(clean_line(line.question, width=width - 6), look.strong)
        answer = line.answer if line.answer is not None else f"– ({line.end_reason or 'running'})"
        half = max(12, (width - 20) // 2)
        # Of the room that one of the two leaves, the other has the use.
        spare = max(0, half - cell_len(clean_line(answer, width=half)))
        second = Text(" ", end="", no_wrap=True)
        second.append("gold ", look.muted)
        gold = "–" if line.gold is None else line.gold
        second.append(clean_line(gold, width=half + spare), look.gold)
        second.append("   answer ", look.muted)
        rest = max(12, width - 1 - second.cell_len)
        second.append(clean_line(answer, width=rest), outcome_style(ending.outcome, look))
        third = outcome_word(ending.outcome, look)
        words = closing_words(line, session)
        if words != outcome_word(ending.outcome, look).plain[2:]:
            third.append(f" ({words.split(', ')[-1]})", look.muted)
        parts = [third]
        evidence, t_star = evidence_words(line)
        for label, value in (
            ("calls", f"{line.requested} of B {session.settings.budget}"),
            ("evidence", evidence),
            ("t*", t_star),
            ("type", line.qtype),
            ("item", line.item),
            ("arm", line.arm),
            ("scale", scale(line.scale)),
            *([("run", mark)] if (mark := self._apart.mark(line.key, line.repeat)) else []),
        ):
            parts.append(
                Text.assemble((f"{label} ", look.muted), clean_line(value, width=28), end="")
            )
        return [first, second, flow(parts, width)[0]]

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self.draw_around)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Chosen, "#episodes")
    def _chosen(self, message: VirtualList.Chosen) -> None:
        self.bench.open_episode(message.row_id)

    def neighbour(self, by: int, of: int | None) -> int | None:
        """The id of the episode before or after `of` in the list; the cursor goes with it."""
        lines = self.rows
        if of is not None:
            lines.select_id(of)
        at = lines.cursor + by
        if self._source is None or not 0 <= at < len(self._source.ids()):
            return None
        lines.cursor = at
        return lines.selected

    def forget(self) -> None:
        super().forget()
        self._shown = self._source = self._lines = self._stand = None
        self._seen_apart, self._apart = SeenApart(), Apart()
        self._counts = {}

    def compare_mark(self) -> Mark | None:
        """The arm of the selected episode."""
        session, source = self.bench.session, self._source
        line = None if source is None or not source.ids() else source.at(self.rows.cursor)
        return None if session is None or line is None else Mark(session.path, line.arm)

    def data_to_export(self) -> Data | None:
        """The episodes of the list, in its order."""
        session, source = self.bench.session, self._source
        if session is None or source is None:
            return None
        from memtui.report.on_screen import episodes_data

        return episodes_data(session.path, session.settings, source.ids())

    def text_to_copy(self) -> str:
        """Question, gold, answer and the identity of the selected episode."""
        session, source = self.bench.session, self._source
        line = None if source is None else source.at(self.rows.cursor)
        if line is None or session is None:
            return ""
        return episode_text(line, session)
