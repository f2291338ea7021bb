"""Switching tabs on the overview, and what leaves the screen of the one that is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from memtui.screens.base import MemtuiScreen
from memtui.screens.overview_reading import TabReading
from memtui.state.tab import TABS, Tab, tab_after
from memtui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from memtui.report.on_screen import Data

NAMES = {tab: tab.value.title() for tab in TABS}


class TabbedOverview(MemtuiScreen):
    """A screen with the tabs of the overview; a subclass draws them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket", "tab(1)", "next tab", id="overview.tab"),
        Binding("left_square_bracket", "tab(-1)", "previous tab", id="overview.tab-back"),
        Binding("z", "zoom", "more room below the table, or back", id="overview.zoom"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tab = Tab.RELIABILITY
        self.figures = TabReading(self, lambda: self._tab, self.redraw)

    # --- choosing -------------------------------------------------------------------------------

    @property
    def tab(self) -> Tab:
        """The tab that is shown."""
        return self._tab

    def open_tab(self, tab: Tab) -> None:
        """Show a tab."""
        if tab is self._tab:
            return
        self._tab = tab
        self.figures.turned_to(tab)
        self.freshen()

    def action_tab(self, by: int) -> None:
        """The next or previous tab."""
        self.open_tab(tab_after(self._tab, by))

    @property
    def zoomed(self) -> bool:
        """Whether what stands below the table has most of the height."""
        return self.has_class("below")

    def action_zoom(self) -> None:
        """Give most of the height to what stands below the table, or take it back."""
        self.toggle_class("below")
        self.call_after_refresh(self.redraw)

    @on(TabStrip.Chosen)
    def _tab_clicked(self, message: TabStrip.Chosen) -> None:
        self.open_tab(TABS[message.number])

    def redraw(self) -> None:
        """The figures came: draw them."""
        self._drawn = None
        self.freshen()

    # --- leaving --------------------------------------------------------------------------------

    def on_screen_suspend(self) -> None:
        self.figures.let_go()

    def forget(self) -> None:
        super().forget()
        self.figures.forget()

    def on_unmount(self) -> None:
        """End the reading thread with the screen."""
        self.figures.close()

    def depends_on(self) -> object:
        return (super().depends_on(), self._tab)

    # --- what leaves the screen -----------------------------------------------------------------

    def text_to_copy(self) -> str:
        """The command that opens this tab again."""
        session = self.bench.session
        if session is None:
            return ""
        from memtui.state.deep_link import link

        return link(session, "overview", tab=self._tab)

    def page_maker(self) -> Callable[[], str] | None:
        """The whole report on Reliability, else the tab as it was counted, as `memtui report` prints them."""
        session, report, tab = self.bench.session, self.figures.report, self._tab
        if session is None:
            return None
        if tab is Tab.RELIABILITY or report is None or self.figures.counting():
            from memtui.report.on_screen import whole_report

            one = None if tab is Tab.RELIABILITY else tab
            return partial(whole_report, session.path, session.settings, one)
        from memtui.report.plain import report_text

        return partial(report_text, report, tab)

    def data_to_export(self) -> Data | None:
        """The tab as `memtui report` prints it."""
        session = self.bench.session
        if session is None:
            return None
        from memtui.report.on_screen import overview_data

        return overview_data(session.path, session.settings, self._tab)
