"""The heat table: arms x scales, a cell under the cursor, and what each arm amounts to beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message

from memtui.state.overview import (
    GOOD_WHEN_HIGH,
    ArmView,
    CellView,
    Overview,
    Rung,
    Share,
)
from memtui.state.tab import Measure
from memtui.views.bars import bars
from memtui.views.heat import heat_cell
from memtui.views.look import Look
from memtui.views.numbers import points, rung_label, usable_label
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, cut, fit
from memtui.widgets.lines import LineView, look_of

RowDrawer = Callable[[ArmView, int, int, bool], Text]
"""Draws another row for an arm: (arm, column of the cursor, width, whether the cursor is on it)."""
FEW = 10
"""A cell with fewer counted episodes than this is drawn without colour."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the columns are, for a width."""

    name: int
    cell: int
    gap: int
    bars: bool
    delta: bool
    p90r: bool
    star: int


def geometry(overview: Overview, width: int) -> Geometry:
    """Columns for `width` cells: the rates always, then s*, change, P90R and bars as they fit."""
    return _geometry(tuple(row.arm.key for row in overview.arms), len(overview.rungs), width)


@lru_cache(maxsize=16)
def _geometry(names: tuple[str, ...], columns: int, width: int) -> Geometry:
    longest = max((cell_len(clean_line(name)) for name in names), default=4)
    name = min(max(longest, 12), 32)
    room = width - 1
    for cell, gap, beside in ((9, 1, 21), (8, 1, 21), (7, 1, 15), (7, 1, 9), (6, 1, 9), (6, 0, 0)):
        if name + 1 + columns * (cell + gap) + beside <= room:
            break
    name = max(10, min(name, room - 1 - columns * (cell + gap)))
    room -= name + 1 + columns * (cell + gap)
    star = 9 if room >= 9 else 0
    room -= star
    delta = room >= 6
    room -= 6 if delta else 0
    p90r = room >= 6
    room -= 6 if p90r else 0
    return Geometry(name, cell, gap, room >= 2 * columns + 2, delta, p90r, star)


class HeatTable(LineView):
    """Rows of arms; the cursor is a cell, and Enter opens its episodes."""

    DEFAULT_CSS = "HeatTable { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "across(-1)", "smaller scale", show=False, id="heat.left"),
        Binding("right,l", "across(1)", "larger scale", show=False, id="heat.right"),
        Binding("enter", "choose", "episodes", show=False, id="heat.open"),
    ]

    @dataclass
    class Moved(Message):
        """Another cell is under the cursor."""

        cell: CellView | None
        arm: ArmView | None

    @dataclass
    class Chosen(Message):
        """The reader opened a cell."""

        cell: CellView

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._overview: Overview | None = None
        self._measure = Measure.PASS
        self._draw: RowDrawer | None = None
        self._row = 0
        self._column = 0
        self._arm_id: int | None = None
        self._wanted_rung: Rung | None = None
        self.page_below: Callable[[int], bool] = lambda by: False
        """Pages what stands below the table; False where nothing is left there."""

    # --- what is shown --------------------------------------------------------------------------

    def show(self, overview: Overview, measure: Measure, draw: RowDrawer | None = None) -> None:
        """Show an overview; the cursor stays on its arm and scale. `draw`: other rows for the same arms,
        about the scale of the cursor."""
        before = self._overview
        at = None if before is None or not before.rungs else before.rungs[self._column]
        at, self._wanted_rung = self._wanted_rung or at, None
        drawn = None if self._draw is not None or draw is not None else self._visible()
        self._overview, self._measure, self._draw = overview, measure, draw
        for row, view in enumerate(overview.arms):
            if view.arm.id == self._arm_id:
                self._row = row
        if at in overview.rungs:
            self._column = overview.rungs.index(at)
        self._row = max(0, min(self._row, len(overview.arms) - 1))
        self._column = max(0, min(self._column, len(overview.rungs) - 1))
        height = len(overview.arms)
        if before is None or len(before.arms) != height:
            self.styles.height = max(1, height)
        elif drawn is not None and self._shape_of(before) == self._shape_of(overview):
            for (index, old), (_, new) in zip(drawn, self._visible(), strict=True):
                if old != new:
                    self.refresh_index(index)
            return
        self.content_changed()

    def _shape_of(self, overview: Overview) -> tuple[Sequence[Rung], Geometry]:
        return overview.rungs, geometry(overview, self.line_width)

    def _visible(self) -> list[tuple[int, Hashable]]:
        """The rows in view, and what each of them says."""
        overview = self._overview
        if overview is None:
            return []
        top = round(self.scroll_offset.y)
        shown = range(top, min(top + self.size.height, len(overview.arms)))
        return [(index, self._says(index, overview)) for index in shown]

    def _says(self, index: int, overview: Overview) -> Hashable:
        """Everything that changes the pixels of a row but width, look and focus."""
        view, here = overview.arms[index], index == self._row
        shares = [None if cell is None else cell.share(self._measure) for cell in view.cells]
        bold = [self._at_target(share, overview) for share in shares]
        return (
            view.arm.key, self._measure, tuple(shares), tuple(bold), view.change(self._measure), view.s_star,
            str(view.p90r), self._column if here else None,
        )  # fmt: skip

    def stand_on(self, arm_id: int, rung: Rung | None = None) -> None:
        """Put the cursor on an arm, and on a rung if given, at once or when it is shown next."""
        self._arm_id, self._wanted_rung = arm_id, rung
        overview = self._overview
        if overview is not None and rung in overview.rungs:
            self._column = overview.rungs.index(rung)
        for row, view in enumerate(() if overview is None else overview.arms):
            if view.arm.id == arm_id:
                self._put(row, self._column)

    @property
    def column(self) -> int:
        """The rung under the cursor, as a place in the overview's."""
        return self._column

    @property
    def cell(self) -> CellView | None:
        """The cell under the cursor."""
        return None if self._overview is None else self._overview.cell(self._row, self._column)

    @property
    def arm(self) -> ArmView | None:
        """The arm under the cursor."""
        if self._overview is None or not self._overview.arms:
            return None
        return self._overview.arms[self._row]

    def heading(self, width: int, look: Look) -> list[Text]:
        """The two lines above the table: what it shows, and the scales."""
        overview = self._overview
        if overview is None:
            return [styled(" counting …", look.muted), Text(end="")]
        shape = geometry(overview, width)
        second = Text(" ", end="", no_wrap=True)
        second.append("arm", look.muted)
        second.append(fit("sessions added ", shape.name - 3, "right"), look.muted)
        second.append(" ")
        for rung in overview.rungs:
            label = cut(rung_label(rung.conditions, rung.scale), shape.cell)
            second.append(label.center(shape.cell), look.muted)
            second.append(" " * shape.gap)
        if shape.bars:
            second.append(" ")
            room = 2 * len(overview.rungs)
            second.append(("0..100" if room >= 6 else "").ljust(room), look.muted)
        if shape.delta:
            second.append("Δ pp".rjust(6), look.muted)
        if shape.star:
            whose = "s* " if self._measure is Measure.PASS else "s* Pass "  # it stays that of Pass
            second.append(whose.rjust(shape.star), look.muted)
        if shape.p90r:
            second.append("P90R".rjust(6), look.muted)
        return [self.title(look), second]

    def title(self, look: Look, *, brief: bool = False) -> Text:
        """What the table shows, in words or in few of them."""
        b = 0 if self._overview is None else self._overview.budget
        text = Text(" ", end="", no_wrap=True)
        text.append(self._measure.named(b), look.strong)
        meaning = self._measure.briefly(b) if brief else self._measure.meaning(b)
        text.append(f"  {meaning}", look.muted)
        return text

    def without_column(self, width: int, look: Look) -> list[Text]:
        """What of the arm under the cursor has a column on a wider terminal only."""
        overview, arm = self._overview, self.arm
        if overview is None or arm is None:
            return []
        shape, parts = geometry(overview, width), []
        if not shape.delta:
            change = points(arm.change(self._measure))
            parts.append(Text.assemble(("Δ ", look.muted), f"{change} pp", end=""))
        if not shape.p90r:
            tail = str(arm.p90r)
            parts.append(Text.assemble(("P90R at all scales ", look.muted), tail, end=""))
        return parts

    # --- lines ----------------------------------------------------------------------------------

    def count(self) -> int:
        return 0 if self._overview is None else len(self._overview.arms)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, self.count())

    def line(self, index: int, width: int) -> Text:
        overview = self._overview
        assert overview is not None
        look = look_of(self)
        view = overview.arms[index]
        here = index == self._row
        if self._draw is not None:
            return self._draw(view, self._column, width, here)
        shape = geometry(overview, width)
        text = Text(" ", end="", no_wrap=True)
        text.append(fit(view.arm.key, shape.name), look.strong if here else "")
        text.append(" ")
        values: list[float | None] = []
        for column, cell in enumerate(view.cells):
            share = None if cell is None else cell.share(self._measure)
            value = None if share is None else share.value
            good = None if value is None else self._goodness(value)
            values.append(good)
            text.append_text(
                heat_cell(
                    value,
                    share.interval.low if share and share.interval else None,
                    share.interval.high if share and share.interval else None,
                    look,
                    width=shape.cell,
                    goodness=good,
                    at_target=self._at_target(share, overview),
                    selected=here and column == self._column and self.has_focus,
                    uncertain=share is not None and share.n < FEW,
                )
            )
            text.append(" " * shape.gap)
        if shape.bars:
            text.append(" ")
            text.append_text(bars(values, look))
            text.append(" ")
        if shape.delta:
            change = view.change(self._measure)
            lost = 0.0 if change is None else -change
            if self._measure not in GOOD_WHEN_HIGH:
                lost = -lost
            style = look.bad if lost >= 0.25 else look.budget if lost >= 0.10 else look.muted
            text.append(points(change).rjust(6), style)
        if shape.star:
            label = usable_label(view.s_star)
            # A cell of its own for the sign: figures stay aligned.
            if not label.endswith("?") and view.s_star.kind != "withheld":
                label += " "
            text.append(label.rjust(shape.star), self._star_style(view, look))
        if shape.p90r:
            text.append(str(view.p90r).rjust(6), look.muted)
        return text

    def over(self, index: int) -> Style | None:
        """Rows about one scale have a cursor of their own; heat cells show theirs themselves."""
        if self._draw is None or index != self._row:
            return None
        return look_of(self).cursor if self.has_focus else look_of(self).cursor_idle

    def _at_target(self, share: Share | None, overview: Overview) -> bool:
        value = None if share is None or self._measure is not Measure.PASS else share.value
        return value is not None and value >= overview.alpha

    def _goodness(self, value: float) -> float:
        return value if self._measure in GOOD_WHEN_HIGH else 1.0 - value

    def _star_style(self, view: ArmView, look: Look) -> Style:
        found = view.s_star
        if found.value is None or found.kind == "withheld":
            return look.missing
        if found.unsure:
            return look.budget
        return look.good if found.kind == "above" or found.open else look.bad

    # --- cursor ---------------------------------------------------------------------------------

    def _put(self, row: int, column: int) -> None:
        overview = self._overview
        if overview is None or not overview.arms:
            return
        old, before = self._row, self._column
        self._row = max(0, min(row, len(overview.arms) - 1))
        self._column = max(0, min(column, len(overview.rungs) - 1))
        self._arm_id = overview.arms[self._row].arm.id
        top = round(self.scroll_offset.y)
        if self._row < top:
            self.jump(self._row)
        elif self.size.height and self._row >= top + self.size.height:
            self.jump(self._row - self.size.height + 1)
        if self._draw is not None and self._column != before:
            self.refresh()
        self.refresh_index(old)
        self.refresh_index(self._row)
        self._tell()

    def _tell(self) -> None:
        self.post_message(self.Moved(self.cell, self.arm))

    def action_move(self, by: int) -> None:
        self._put(self._row + by, self._column)

    def action_page(self, by: int) -> None:
        if self.page_below(by):
            return
        self._put(self._row + by * max(1, self.size.height - 1), self._column)

    def action_edge(self, bottom: bool) -> None:
        self._put(self.count() if bottom else 0, self._column)

    def action_across(self, by: int) -> None:
        self._put(self._row, self._column + by)

    def action_choose(self) -> None:
        if self.cell is not None:
            self.post_message(self.Chosen(self.cell))

    def on_focus(self) -> None:
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def on_blur(self) -> None:
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def on_click(self, event: events.Click) -> None:
        overview = self._overview
        if overview is None:
            return
        shape = geometry(overview, self.line_width)
        if self._draw is not None:
            shape = Geometry(self.size.width, 1, 0, False, False, False, 0)  # a row is one scale
        column = (event.x - shape.name - 2) // (shape.cell + shape.gap)
        row = round(self.scroll_offset.y) + event.y
        if (row, column) == (self._row, self._column) and event.chain >= 2:
            self.action_choose()
        elif row < len(overview.arms):
            self._put(row, column if 0 <= column < len(overview.rungs) else self._column)
