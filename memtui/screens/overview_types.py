"""The arm under the cursor by question type, in the columns of the heat table above."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.metrics.rates import RATES
from memtui.screens.overview_plot import PlottedOverview
from memtui.screens.overview_tabs import READ_EVERY, READ_SHARE
from memtui.state.overview import GOOD_WHEN_HIGH, ArmView, Folds, Measure, Overview
from memtui.state.question_types import TypeRow, type_rows
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.views.heat import heat_cell
from memtui.views.look import Look
from memtui.views.text_door import clean_line, fit
from memtui.widgets.heat_table import FEW, geometry


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


Wanted = tuple[int, object, int]
"""Data version, what folds depend on, arm: what the counts by type are of."""


class TypedOverview(PlottedOverview):
    """A screen that shows the arm under the cursor by question type, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "types", "question types first, or scales", id="overview.types")
    ]

    def __init__(self) -> None:
        super().__init__()
        self._types_first = False
        self._types: tuple[Wanted, Folds, list[str]] | None = None
        self._typed: ArmView | None = None
        """The arm under the cursor when it was last drawn."""
        self._folding = False
        self._fold_due = 0.0

    @property
    def types_first(self) -> bool:
        """Whether the types stand before the scales where there is no room for both."""
        return self._types_first

    def action_types(self) -> None:
        """Put the question types first below the table, or the scales."""
        self._types_first = not self._types_first
        self.bench.say("question types first" if self._types_first else "scales first")
        self.freshen()

    def by_type(self, arm: ArmView | None, overview: Overview, width: int) -> list[Text]:
        """The block of lines; none while it is being counted, or where there is one type only."""
        session = self.bench.session
        if session is None:
            return []
        if arm is None:
            return []
        self._typed = arm
        self._want_types(session)
        if self._types is None or self._types[0][1:] != (session.settings.folded_by, arm.arm.id):
            return []
        _, folds, names = self._types
        measure = self.measure if self.measure.value in RATES else Measure.PASS
        mode = session.header.run.mode
        rows = type_rows(arm, folds, names, measure.value, overview.budget, mode)
        return types_block(rows, arm, overview, measure, width, self.look) if len(rows) > 1 else []

    def _want_types(self, session: RunSession) -> None:
        """Fold by question type what changed, but not for most of the time while a run is written."""
        arm = self._typed
        if arm is None:
            return
        wanted = self.bench.data_version, session.settings.folded_by, arm.arm.id
        known = self._types
        if self._folding or (known is not None and known[0] == wanted):
            return
        early = monotonic() < self._fold_due
        if early and known is not None and known[0][1:] == wanted[1:]:
            return
        self._folding = True  # once the rates are drawn: they need not wait for it
        self.call_after_refresh(self._fold_types, session, session.settings, arm, wanted)

    @work(group="types")
    async def _fold_types(
        self, session: RunSession, settings: Settings, arm: ArmView, wanted: Wanted
    ) -> None:
        """Only the arm that is shown: the other ones would take their time, and room, for nothing."""
        of_cells = [cell.cell_id for cell in arm.cells if cell is not None]

        def read() -> tuple[Folds, list[str]]:
            from memtui.state.fold_facts import fold_facts

            mode = session.header.run.mode
            facts = session.facts_of_cells(settings.judge, of_cells)
            chosen = session.passing(settings)
            folds = fold_facts(facts, mode, chosen=chosen, of_cells=of_cells, by_type=True)
            for group in folds.values():
                group.settle(mode)
            return folds, session.reader.qtypes()

        started = monotonic()
        try:
            folds, names = await session.ask(read)
        except UserError:
            return  # the app says what is wrong with the file
        finally:
            self._folding = False
        pause = max(READ_EVERY, READ_SHARE * (monotonic() - started))
        self._fold_due = monotonic() + pause
        self._types = (wanted, folds, names)
        self.draw_around()  # the table above stays as it is
        self.set_timer(pause + 0.01, self.redraw_types)

    def draw_around(self) -> None:
        """Draw what stands around the table."""

    def redraw_types(self) -> None:
        """What came meanwhile is folded now."""
        session = self.bench.session
        if session is not None and self.is_current and not self._plotted:
            self._want_types(session)

    def forget(self) -> None:
        super().forget()
        self._types = self._typed = None

    def depends_on(self) -> object:
        return (super().depends_on(), self._types_first)
