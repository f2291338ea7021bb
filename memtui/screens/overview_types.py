"""The arm under the cursor by question type, in the columns of the heat table above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from rich.text import Text
from textual.timer import Timer

from memtui.errors import UserError
from memtui.metrics.rates import RATES
from memtui.screens.base import MemtuiScreen
from memtui.screens.overview_reading import READ_EVERY, READ_SHARE
from memtui.state.overview import GOOD_WHEN_HIGH, ArmView, Folds, Overview
from memtui.state.question_types import TypeRow, type_rows
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.tab import Measure
from memtui.views.heat import heat_cell
from memtui.views.look import Look
from memtui.views.text_door import clean_line, fit
from memtui.widgets.heat_table import FEW, geometry

AHEAD_AFTER = 0.3
"""Seconds without a key after which the next judge's counts are made."""


def types_block(
    rows: Sequence[TypeRow],
    arm: ArmView,
    overview: Overview,
    measure: Measure,
    width: int,
    look: Look,
) -> list[Text]:
    """A heading and one line per type: rates with intervals, and how many questions of it were counted."""
    if not rows:
        return []
    shape = geometry(overview, width)
    head = Text(" ", end="", no_wrap=True)
    head.append("by question type", look.muted)
    room = width - head.cell_len - 4
    if room > 12:
        head.append("   " + clean_line(arm.arm.key, width=room), look.accent)
    lines = [head]
    for row in rows:
        line = Text(" ", end="", no_wrap=True)
        line.append(fit(row.name, shape.name), "")
        line.append(" ")
        for share in row.shares:
            value = None if share is None else share.value
            interval = None if share is None else share.interval
            if value is not None and not shape.gap and value >= 0.995:
                interval = None  # `100±33` would run into its neighbour
            good = value if measure in GOOD_WHEN_HIGH or value is None else 1.0 - value
            line.append_text(
                heat_cell(
                    value,
                    None if interval is None else interval.low,
                    None if interval is None else interval.high,
                    look,
                    width=shape.cell,
                    goodness=good,
                    at_target=measure is Measure.PASS
                    and value is not None
                    and value >= overview.alpha,
                    uncertain=share is not None and share.n < FEW,
                )
            )
            line.append(" " * shape.gap)
        counted = sorted({share.n for share in row.shares if share is not None and share.n})
        if counted and width - line.cell_len > 9:
            span = f"{counted[0]}" if len(counted) == 1 else f"{counted[0]}–{counted[-1]}"
            line.append(f"  n {span}", look.muted)
        lines.append(line)
    return lines


@dataclass(frozen=True, slots=True)
class Wanted:
    """What counts by type are of: another of these asks for others."""

    version: int
    """Of the data."""
    settings: Settings
    arm: ArmView

    @property
    def choices(self) -> tuple[object, ...]:
        """All but the version of the data."""
        return self.settings.folded_by, self.arm.arm.id

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same counts."""
        return self.version, *self.choices


Counted = tuple[Folds, list[str]]
"""Folds by (cell, answerable, type) and the names of the types."""


class ArmByType:
    """The episodes of the arm under the cursor by question type.

    They are counted in the reading thread once the rates are drawn, which need not wait for it; and when
    nothing else is asked for, those that the key for the next judge will want.
    """

    def __init__(self, screen: MemtuiScreen, redraw: Callable[[], None]) -> None:
        """`redraw`: other counts are there."""
        self._screen, self._redraw = screen, redraw
        self._counted: dict[tuple[object, ...], Counted] = {}
        self._arm: ArmView | None = None
        """The arm under the cursor when it was last drawn."""
        self._counting = False
        self._due = 0.0
        self._idle: Timer | None = None

    def lines(
        self, arm: ArmView | None, overview: Overview, measure: Measure, width: int
    ) -> list[Text]:
        """The block of lines; none while it is being counted, or where there is one type only."""
        session = self._screen.bench.session
        if session is None or arm is None:
            return []
        self._arm = arm
        self.look()
        found = self._latest(Wanted(0, session.settings, arm).choices)
        if found is None:
            return []
        folds, names = found
        shown = measure if measure.value in RATES else Measure.PASS
        mode = session.header.run.mode
        rows = type_rows(arm, folds, names, shown.value, overview.budget, mode)
        look = self._screen.look
        return types_block(rows, arm, overview, shown, width, look) if len(rows) > 1 else []

    def look(self) -> None:
        """Have counted what is missing, but not for most of the time while a run is written."""
        bench = self._screen.bench
        session = bench.session
        if session is None or self._arm is None or self._counting:
            return
        wanted = Wanted(bench.data_version, session.settings, self._arm)
        if wanted.key in self._counted:
            self._look_ahead(session, wanted)
            return
        if self._latest(wanted.choices) is not None and monotonic() < self._due:
            return
        self._counting = True  # once the rates are drawn: they need not wait for it
        self._screen.call_after_refresh(self._begin, session, wanted)

    def _look_again(self) -> None:
        """What came meanwhile is counted now; on another screen nobody looks, and coming back draws."""
        if self._screen.is_current:
            self.look()

    def rest(self) -> None:
        """Nobody looks: count no more."""
        self._arm = None

    def forget(self) -> None:
        """Another file is open."""
        self._counted.clear()
        self.rest()

    def _latest(self, choices: tuple[object, ...]) -> Counted | None:
        """What was counted last of these, if anything was."""
        for key, found in reversed(self._counted.items()):
            if key[1:] == choices:
                return found
        return None

    def _look_ahead(self, session: RunSession, now: Wanted) -> None:
        """Count for the next judge, when the reader has not moved for a moment."""
        if self._idle is not None:
            self._idle.stop()
            self._idle = None
        settings = now.settings.with_next_judge(session.header.judges)
        ahead = replace(now, settings=settings)
        if session.header.live or settings.filter or ahead.key in self._counted:
            return

        def begin() -> None:
            self._idle = None
            if self._screen.is_current and not self._counting:
                self._counting = True
                self._begin(session, ahead)

        self._idle = self._screen.set_timer(AHEAD_AFTER, begin, name="types-ahead")

    def _begin(self, session: RunSession, wanted: Wanted) -> None:
        self._screen.run_worker(self._count(session, wanted), group="types")

    async def _count(self, session: RunSession, wanted: Wanted) -> None:
        """Only the arm that is shown: the other ones would take their time, and room, for nothing."""
        started = monotonic()
        counted: Counted | None = None
        try:
            if session is self._screen.bench.session:  # else it is closed
                counted = await session.ask(_counts, session, wanted)
        except UserError:
            pass  # the app says what is wrong with the file; or the reader wants something else
        finally:
            self._counting = False  # also where the file is closed before its turn comes
        if session is not self._screen.bench.session:
            self.look()
            return
        if counted is None:
            arm = self._arm
            if arm is not None and wanted.choices != Wanted(0, session.settings, arm).choices:
                self._screen.call_after_refresh(self.look)
            return
        # Of one arm, under one judge and the next.
        others = [
            (key, one)
            for key, one in self._counted.items()
            if key[2] == wanted.arm.arm.id and key[1:] != wanted.choices
        ]
        self._counted = dict([*others[-1:], (wanted.key, counted)])
        if wanted.settings.folded_by == session.settings.folded_by:
            pause = max(READ_EVERY, READ_SHARE * (monotonic() - started))
            self._due = monotonic() + pause
            self._screen.set_timer(pause + 0.01, self._look_again)
            self._redraw()  # the table above stays as it is
        else:
            self.look()


def _counts(session: RunSession, wanted: Wanted) -> Counted:
    """Read and fold; in the reading thread."""
    from memtui.state.fold_facts import fold_facts

    mode, settings = session.header.run.mode, wanted.settings
    of_cells = [cell.cell_id for cell in wanted.arm.cells if cell is not None]
    facts = session.facts_of_cells(settings.judge, of_cells)
    chosen = session.passing(settings)
    folds = fold_facts(facts, mode, chosen=chosen, of_cells=of_cells, by_type=True)
    for group in folds.values():
        group.settle(mode)
    return folds, session.reader.qtypes()
