"""Screen 5: one question over scales x arms. Where it flips, where its evidence ranked, what moved above it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.widget import Widget

from memtui.errors import UserError
from memtui.screens.ladder_parts import (
    cell_lines,
    flips_line,
    moved_lines,
    passing_line,
    question_lines,
    rank_lines,
)
from memtui.screens.ladder_questions import LadderQuestions
from memtui.state.compare_marks import Mark
from memtui.state.deep_link import link
from memtui.state.displacement import LadderEvidence, read_evidence
from memtui.state.ladder import (
    Ladder,
    LadderData,
    LadderLine,
    Variant,
    build_ladder,
    may_flip,
    read_ladder,
)
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.store.records import StepRow
from memtui.views.hints import Hint
from memtui.views.styled import styled
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.ladder_grid import LadderGrid
from memtui.widgets.lines import LineBlock

ROOMY = 30
"""Rows of the screen from which it says how many questions flip."""
MOST_UNITS = 3
"""Units of evidence whose ranks are shown."""


class LadderScreen(LadderQuestions):
    """The grid of strips, and below it the line and the cell under the cursor."""

    NUMBER = 5
    NAME = "Ladder"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "trajectory"),
        Hint("hjkl", "cell"),
        Hint("m", "next flip"),
        Hint("H L", "question"),
        Hint("-=", "budget"),
        Hint("/", "find question"),
        Hint("Esc", "back"),
        Hint("r", "seed, repeat"),
        Hint("c", "mark arm"),
        Hint("y", "copy"),
        Hint("J", "judge"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "flip(1)", "next flip", id="ladder.flip"),
        Binding("M", "flip(-1)", "previous flip", id="ladder.flip-back"),
        Binding("r", "variant", "seed and repeat", id="ladder.variant"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._episode: int | None = None
        """The episode to put the cursor on once the grid is there."""
        self._data: tuple[int, LadderData] | None = None
        self._ladder: Ladder | None = None
        self._variant: Variant | None = None
        self._steps: dict[int, tuple[int, list[StepRow]]] = {}
        """Steps by id of the episode, with its version when they were read."""
        self._evidence: tuple[LadderLine, LadderEvidence] | None = None
        self._flip = 0

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="ladder-head")
        yield FilterLine(placeholder="words or key of a question", id="question-line")
        yield LadderGrid(id="ladder")
        yield LineBlock(id="ladder-facts")

    @property
    def grid(self) -> LadderGrid:
        """The grid."""
        return self.query_one(LadderGrid)

    @property
    def ladder(self) -> Ladder | None:
        """What the grid shows."""
        return self._ladder

    @property
    def episode_id(self) -> int | None:
        cell = self.grid.cell if self.is_mounted else None
        return None if cell is None else cell.row.id

    def on_mount(self) -> None:
        self.grid.focus()
        super().on_mount()

    @property
    def pace(self) -> float:
        return 0.4

    # --- which question -------------------------------------------------------------------------

    def show_episode(self, episode_id: int) -> None:
        """Show the question of an episode, with the cursor on it."""
        session = self.bench.session
        if session is None:
            return
        try:
            row = session.pages.episode_rows([episode_id]).get(episode_id)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if row is not None:
            self._item, self._episode = row.item_id, episode_id
            self._variant = None
            self._drawn = None

    def forget(self) -> None:
        super().forget()
        self._item = self._episode = None
        self._data = self._ladder = self._evidence = self._variant = None
        self._steps.clear()

    # --- reading and drawing --------------------------------------------------------------------

    def draw(self) -> None:
        if self.bench.session is None:
            return
        if self._ladder is None:
            waiting = [Text(end=""), styled(" reading …", self.look.muted)]
            self.query_one("#ladder-head", LineBlock).show(waiting)
        self._load(self.bench.session)

    @work(exclusive=True, group="ladder")
    async def _load(self, session: RunSession) -> None:
        settings, version = session.settings, self.bench.data_version
        item, flip, kept = self._item, self._flip, self._data
        mode = session.header.run.mode
        arms = [arm.key for arm in session.header.arms]

        def build(data: LadderData, passing: set[int] | None) -> Ladder:
            return build_ladder(
                data, arms, session.header.run.scales, budget=settings.budget, mode=mode,
                judge=settings.judge, passing=passing, variant=self._variant,
            )  # fmt: skip

        def find() -> tuple[list[int], LadderData | None, Ladder | None]:
            passing = session.passing(settings)
            facts = session.facts(settings.judge).values()
            items = sorted({f.item_id for f in facts if passing is None or f.id in passing})
            wanted = item if item is not None else next(iter(items), None)
            if flip and wanted is not None and items:
                cells = {cell.id: cell for cell in session.header.cells}
                likely = may_flip(facts, cells, settings.budget, mode)
                wanted = self._next_with_flip(
                    session, items, likely, wanted, flip, lambda data: build(data, passing)
                )
            if wanted is None:
                return items, None, None
            if kept is not None and kept[0] == version and kept[1].item.id == wanted:
                data: LadderData | None = kept[1]
            else:
                data = read_ladder(session.reader, wanted)
            return items, data, None if data is None else build(data, passing)

        try:
            self._items, data, ladder = await session.ask(find)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if settings != session.settings:
            return
        self._flip = 0
        self._data = None if data is None else (version, data)
        if data is not None and self._item != data.item.id and flip:
            self._item = data.item.id
            self._ladder = ladder
            self._show(ladder, settings)
            self._to_flip_of(ladder, flip)
            return
        if flip:
            self.bench.say("no further question flips that way")
        if data is not None:
            self._item = data.item.id
        self._show(ladder, settings)

    def _next_with_flip(
        self,
        session: RunSession,
        items: Sequence[int],
        likely: Collection[int],
        here: int,
        by: int,
        build: Callable[[LadderData], Ladder],
    ) -> int:
        """The next question after `here` that flips somewhere; `here` where none does."""
        at = items.index(here) if here in items else 0
        order = items[at + 1 :] if by > 0 else items[:at][::-1]
        for item in order:
            data = read_ladder(session.reader, item) if item in likely else None
            if data is not None and build(data).next_change(0, -1, 1) is not None:
                return item
        return here

    def _to_flip_of(self, ladder: Ladder | None, by: int) -> None:
        if ladder is None:
            return
        width, lines = len(ladder.scales), len(ladder.lines)
        place = ladder.next_change(0, -1, 1) if by > 0 else ladder.next_change(lines - 1, width, -1)
        if place is not None:
            self.grid.put(place)

    def _show(self, ladder: Ladder | None, settings: Settings) -> None:
        self._ladder = ladder
        if ladder is None:
            self.query_one("#ladder-head", LineBlock).show(
                [Text(end=""), styled(" no question has been asked yet", self.look.muted)]
            )
            return
        self.grid.show(ladder, settings.budget, settings.judge)
        if self._episode is not None:
            place = ladder.place_of(self._episode)
            self._episode = None
            if place is not None:
                self.grid.put(place)
        self._draw_head()
        if self.size.height >= ROOMY:
            self.count_flips(self._draw_facts)
        if self._evidence is None or self._evidence[0] != self.grid.line_here:
            self._read_line()
        else:
            self._draw_facts()

    @work(exclusive=True, group="ladder-line")
    async def _read_line(self) -> None:
        """The steps of the line under the cursor: ranks, and what moved."""
        session, ladder, line = self.bench.session, self._ladder, self.grid.line_here
        if session is None or ladder is None or line is None:
            self._draw_facts()
            return
        versions = {cell.row.id: self.bench.version_of(cell.row.id) for cell in line.asked}

        def steps(number: int) -> list[StepRow]:
            kept = self._steps.get(number)
            if kept is None or kept[0] != versions[number]:
                kept = self._steps[number] = (versions[number], session.reader.steps(number))
            return kept[1]

        try:
            found = await session.ask(read_evidence, session.reader, ladder.item, line.asked, steps)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if len(self._steps) > 400:
            self._steps.clear()
        self._evidence = (line, found)
        self._draw_facts()

    def _draw_head(self) -> None:
        ladder, look = self._ladder, self.look
        width, rows = self.size
        if ladder is None or not width:
            return
        place = None
        if ladder.item.id in self._items:
            place = (self._items.index(ladder.item.id) + 1, len(self._items))
        gap = [Text(end="")] if rows >= 24 else []
        lines = question_lines(ladder, place, width, rows, look)
        heading = self.grid.heading(self.grid.line_width or width, look)
        self.query_one("#ladder-head", LineBlock).show([*gap, *lines, *gap, heading])
        self.grid.styles.max_height = max(3, rows - 2 - len(lines) - 2 * len(gap) - 1 - 9)

    def _draw_facts(self) -> None:
        session, ladder, look = self.bench.session, self._ladder, self.look
        width, rows = self.size
        block = self.query_one("#ladder-facts", LineBlock)
        if session is None or ladder is None or not width:
            return
        line, cell = self.grid.line_here, self.grid.cell
        if line is None:
            block.show([styled(" no episode of this question passes the filter", look.muted)])
            return
        shape = self.grid.columns(self.grid.line_width or width)
        evidence = None
        if self._evidence is not None and self._evidence[0] == line:
            evidence = self._evidence[1]
        room = block.size.height or 10
        gap = [Text(end="")] if rows >= 24 else []
        column = self.grid.place[1]
        flips = self.flips_of(line) if rows >= ROOMY else None
        lines = [
            passing_line(ladder, shape, look),
            *([] if flips is None else [flips_line(ladder, flips, shape, look)]),
            *gap,
            *cell_lines(ladder, line, cell, session, width, look),
            *rank_lines(
                ladder.item, line, column, evidence, shape, MOST_UNITS if rows >= 24 else 1, look
            ),
        ]
        if room - len(lines) > 3:
            lines += gap
        lines += moved_lines(cell, line, evidence, width, room - len(lines), look)
        block.show(lines)

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        self._draw_head()
        if self._ladder is not None and self.size.height >= ROOMY:
            self.count_flips(self._draw_facts)
        self.call_after_refresh(self._draw_facts)

    # --- keys -----------------------------------------------------------------------------------

    @on(LadderGrid.Moved)
    def _cell_moved(self) -> None:
        self._draw_head()
        line = self.grid.line_here
        if self._evidence is None or line != self._evidence[0]:
            self._read_line()
        self._draw_facts()

    @on(LadderGrid.Chosen)
    def _cell_chosen(self, message: LadderGrid.Chosen) -> None:
        self.bench.open_episode(message.episode)

    def action_flip(self, by: int) -> None:
        """The next or previous flip of this question, then of the next question that has one."""
        if self._ladder is None:
            return
        place = self._ladder.next_change(*self.grid.place, by)
        if place is not None:
            self.grid.put(place)
        else:
            self._flip = by
            self._drawn = None
            self.freshen()

    def action_variant(self) -> None:
        """Show one ladder seed and repeat after another, then all of them again."""
        ladder = self._ladder
        if ladder is None:
            return
        if len(ladder.variants) < 2:
            self.bench.say("this question was run once per arm and scale")
            return
        choices: list[Variant | None] = [None, *ladder.variants]
        at = choices.index(self._variant) if self._variant in choices else 0
        self._variant = choices[(at + 1) % len(choices)]
        self.bench.say("all seeds and repeats" if self._variant is None else self._variant.label)
        self._drawn = None
        self.freshen()

    def line_closed(self) -> None:
        self.grid.focus()

    def compare_mark(self) -> Mark | None:
        """The arm of the line under the cursor."""
        session, line = self.bench.session, self.grid.line_here
        return None if session is None or line is None else Mark(session.path, line.arm)

    def text_to_copy(self) -> str:
        """The command that opens this ladder again, with the cursor where it is."""
        session, cell = self.bench.session, self.grid.cell
        if session is None or cell is None:
            return ""
        return link(session, "ladder", cell.row.key)

    def text_to_page(self) -> str:
        """The ladder of this question as `memtui ladder` prints it."""
        session, ladder = self.bench.session, self._ladder
        if session is None or ladder is None:
            return ""
        from memtui.report.ladder import build_ladder_report, ladder_text
        from memtui.report.source import ReportSource

        settings = session.settings
        try:
            source = ReportSource(
                session.pages, settings.judge, settings.filter, flagged=settings.flagged
            )
            return ladder_text(build_ladder_report(source, ladder.item.id, settings.budget))
        except UserError as error:
            return str(error)
