"""The large plot on the overview: the arm under the cursor and up to three that are kept beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from memtui.screens.overview_tabs import TabbedOverview
from memtui.state.overview import ArmView, Overview
from memtui.state.tab import Measure, Tab
from memtui.views.hints import Hint
from memtui.widgets.heat_table import HeatTable
from memtui.widgets.plot_view import PlotView

KEPT = 3
"""Arms beside the one under the cursor: more than four curves cannot be told apart."""

PLOT_HINTS = (
    Hint("jk", "arm"),
    Hint("P", "keep it"),
    Hint("Tab", "measure"),
    Hint("hl Enter", "episodes of a scale"),
    Hint("-=", "budget"),
    Hint("p", "leave the plot"),
    Hint("y", "copy a link"),
    Hint("x", "keep in a file"),
)


class PlottedOverview(TabbedOverview):
    """A screen with the large plot; a subclass has the table that it belongs to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "plot", "large plot", id="overview.plot"),
        Binding("P", "keep", "keep this arm in the plot", id="overview.plot-keep"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._measure = Measure.PASS
        self._plotted = False
        self._kept: list[str] = []
        self._left_at: Mapping[str, str] = {}
        """Where an earlier reading was left, until it is gone back to."""

    @property
    def plotted(self) -> bool:
        """Whether the plot has the body."""
        return self._plotted

    @property
    def measure(self) -> Measure:
        """What table and plot show."""
        return self._measure

    def hints(self) -> Sequence[Hint]:
        """In the plot other keys matter."""
        return PLOT_HINTS if self._plotted else super().hints()

    # --- drawing --------------------------------------------------------------------------------

    def arms_plotted(self, overview: Overview, here: ArmView | None) -> list[ArmView]:
        """Those kept, in the order in which they were, and the one under the cursor."""
        by_key = {arm.arm.key: arm for arm in overview.arms}
        shown = [by_key[key] for key in self._kept if key in by_key]
        if here is not None and here not in shown:
            shown.append(here)
        return shown

    def give_room(self) -> None:
        """Give the body to the plot, or to everything else."""
        heat, plot = self.query_one(HeatTable), self.query_one(PlotView)
        if plot.display is self._plotted:
            return
        plot.display = self._plotted
        for part in self.query("#body > *"):
            if part is not plot:
                part.display = not self._plotted
        self.call_after_refresh((plot if self._plotted else heat).focus)

    def draw_plot(self, overview: Overview) -> None:
        """Bring the plot up to date."""
        from memtui.report.plot import plot_of

        heat = self.query_one(HeatTable)
        here = heat.arm
        plot = plot_of(
            overview,
            self.arms_plotted(overview, here),
            self._measure,
            here=None if here is None else here.arm.id,
            cursor=heat.column,
        )
        self.query_one(PlotView).show(plot)

    def begin_where_wanted(self) -> None:
        """Begin at the tab, measure and plot that a link named or that were left, once the arms are known."""
        session = self.bench.session
        self._go_back()
        if session is None or session.overview_at is None:
            return
        place, session.overview_at = session.overview_at, None
        self._measure = place.measure
        self._plotted = place.plot is not None
        if place.plot:
            self._kept = [*place.plot[:-1]][:KEPT]
            for arm in session.header.arms:
                if arm.key == place.plot[-1]:
                    self.query_one(HeatTable).stand_on(arm.id)
        self.open_tab(place.tab)

    def place_words(self) -> dict[str, str]:
        if self._left_at or not self.is_mounted:
            return {**self._left_at}
        overview, heat = self.bench.overview, self.query_one(HeatTable)
        words = {"tab": self.tab.value, "measure": self._measure.value}
        if self._plotted:
            words["plot"] = "yes"
        if overview is not None and heat.arm is not None and overview.rungs:
            rung = overview.rungs[heat.column]
            words |= {"arm": heat.arm.arm.key, "conditions": rung.conditions}
            words["scale"] = "" if rung.scale is None else repr(rung.scale)
        return words

    def recall(self, words: Mapping[str, str]) -> None:
        self._left_at = words

    def _go_back(self) -> None:
        """Stand at the tab, measure and cell that were left, as far as they are still there."""
        words, self._left_at = self._left_at, {}
        session, overview = self.bench.session, self.bench.overview
        if not words or session is None or overview is None:
            return
        with contextlib.suppress(ValueError):
            self._measure = Measure(words.get("measure", ""))
        self._plotted = "plot" in words
        for arm in session.header.arms:
            if arm.key == words.get("arm"):
                scale, conditions = words.get("scale", ""), words.get("conditions", "")
                here = [
                    one
                    for one in overview.rungs
                    if (one.conditions, "" if one.scale is None else repr(one.scale))
                    == (conditions, scale)
                ]
                self.query_one(HeatTable).stand_on(arm.id, here[0] if here else None)
        with contextlib.suppress(ValueError):
            self.open_tab(Tab(words.get("tab", "")))

    def forget(self) -> None:
        super().forget()
        self._kept.clear()

    def depends_on(self) -> object:
        return (super().depends_on(), self._plotted, tuple(self._kept), self._measure)

    def leave(self) -> bool:
        """Esc: out of the plot first."""
        if not self._plotted:
            return super().leave()
        self.action_plot()
        return True

    # --- keys -----------------------------------------------------------------------------------

    def action_plot(self) -> None:
        """Give the whole body to one plot, or take it back."""
        self._plotted = not self._plotted
        self.freshen()

    def action_keep(self) -> None:
        """Keep the arm under the cursor in the plot, or take it out."""
        arm = self.query_one(HeatTable).arm
        if arm is None:
            return
        key = arm.arm.key
        if key in self._kept:
            self._kept.remove(key)
            self.bench.say(f"{key} leaves the plot with the cursor")
        elif len(self._kept) == KEPT:
            self.bench.say(f"{KEPT} arms are kept already: P on one of them takes it out")
        else:
            self._kept.append(key)
            self.bench.say(f"{key} stays in the plot (p)")
        self.freshen()

    @on(PlotView.Moved)
    def _moved_in_plot(self, message: PlotView.Moved) -> None:
        heat = self.query_one(HeatTable)
        if message.arms:
            heat.action_move(message.arms)
        if message.rungs:
            heat.action_across(message.rungs)

    @on(PlotView.Chosen)
    def _chosen_in_plot(self) -> None:
        self.query_one(HeatTable).action_choose()

    # --- what leaves the screen -----------------------------------------------------------------

    def text_to_copy(self) -> str:
        """The command that opens tab, measure and plot again."""
        session, overview = self.bench.session, self.bench.overview
        if session is None:
            return ""
        from memtui.state.deep_link import link

        arms = None
        if self._plotted and overview is not None:
            here = self.query_one(HeatTable).arm
            shown = self.arms_plotted(overview, here)
            arms = [arm.arm.key for arm in shown if arm is not here]
            arms += [] if here is None else [here.arm.key]
        return link(session, "overview", tab=self.tab, plot=arms, measure=self._measure)
