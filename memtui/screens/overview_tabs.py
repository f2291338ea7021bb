"""Switching tabs on the overview, and reading the figures of the one that is shown.

Nothing of a tab is imported or read before it is opened. While a run is written the figures are read anew
at most for one part in five of the time; the reader's choices are served at once from what was read last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.rated_file import GIVE_BACK_AFTER
from memtui.state.freed_memory import give_back
from memtui.state.tab import TABS, Tab, tab_after
from memtui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from memtui.report.model import Report
    from memtui.report.on_screen import Data
    from memtui.screens.overview_face import Face
    from memtui.screens.overview_figures import TabFigures, Wanted

READ_SHARE = 4.0
"""After reading the file for a tab, at least so many times as long is left to everything else."""
READ_EVERY = 0.5
"""Least seconds between two readings while the file grows."""
NAMES = {tab: tab.value.title() for tab in TABS}


class TabbedOverview(MemtuiScreen):
    """A screen with the tabs of the overview; a subclass draws them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket", "tab(1)", "next tab", id="overview.tab"),
        Binding("left_square_bracket", "tab(-1)", "previous tab", id="overview.tab-back"),
        Binding("z", "zoom", "more room below the table", id="overview.zoom"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tab = Tab.RELIABILITY
        self._figures: TabFigures | None = None
        self._reading = False
        self._done: Wanted | None = None
        self._report: Report | None = None
        self._due = 0.0
        self._face: tuple[object, Face] | None = None

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
        if self._done is not None and self._done.tab is not tab:
            self._done = self._report = self._face = None
        if tab is Tab.RELIABILITY:
            self._let_go()
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

    # --- figures --------------------------------------------------------------------------------

    def face(self) -> Face:
        """The tab that is shown, with the figures that were counted last."""
        from memtui.screens.overview_face import Face

        done = self._done
        waiting = self._tab is Tab.STOPPING and (done is None or not done.steps)
        width = self.size.width
        key = (self._tab, id(self._report), waiting, width, self.look.name)
        if self._face is None or self._face[0] != key:
            self._face = (key, Face(self._tab, self._report, width, self.look, waiting=waiting))
        return self._face[1]

    def counting(self) -> str:
        """What is being counted where the figures are not those of the reader's choices; empty else."""
        wanted, done = self._wanted(), self._done
        if wanted is None or done is None:
            return ""
        if replace(wanted, version=0, steps=False) == replace(done, version=0, steps=False):
            return ""
        return f"at B {wanted.budget} "

    def read_figures(self) -> None:
        """Have the figures of the tab counted at the reader's choices, unless that is under way."""
        if self._tab is Tab.RELIABILITY or not self.is_current:
            return  # nobody looks: coming back draws, and asks again
        wanted = self._next()
        if wanted is None:
            return
        if not self._reading:
            self._reading = True
            self._count()
        elif self._figures is not None:
            self._figures.hurry(wanted)

    def _wanted(self) -> Wanted | None:
        session = self.bench.session
        if session is None or self._tab is Tab.RELIABILITY:
            return None
        from memtui.screens.overview_figures import wanted_by

        return wanted_by(
            session.path,
            self.bench.data_version,
            self._tab,
            session.settings,
            session.header.judges,
        )

    def _next(self) -> Wanted | None:
        """What to count next; None when all is counted, or it is too early to read the file again."""
        wanted, done = self._wanted(), self._done
        if wanted is None:
            return None
        if done is not None and wanted.version != done.version and monotonic() < self._due:
            wanted = replace(wanted, version=done.version)
        if done is None or replace(wanted, steps=done.steps) != done:
            return wanted
        if self._tab is Tab.STOPPING and not done.steps:
            return replace(wanted, steps=True)
        return None

    @work(group="tab")
    async def _count(self) -> None:
        from memtui.screens.overview_figures import TabFigures

        try:
            while (wanted := self._next()) is not None:
                if self._figures is None:
                    self._figures = TabFigures()
                started = monotonic()
                try:
                    report = await self._figures.report(wanted)
                except UserError as error:
                    if str(error).endswith("was interrupted"):
                        continue
                    self.bench.say(str(error), error=True)
                    return
                if report is None or wanted.tab is not self._tab:
                    continue
                if self._done is None or self._done.version != wanted.version or wanted.steps:
                    took = monotonic() - started
                    self._due = monotonic() + max(READ_EVERY, READ_SHARE * took)
                    self.set_timer(self._due - monotonic() + 0.01, self.read_figures)
                self._done, self._report = wanted, report
                self.redraw()
        finally:
            self._reading = False

    def redraw(self) -> None:
        """The figures came: draw them."""
        self._drawn = None
        self.freshen()

    # --- leaving --------------------------------------------------------------------------------

    def on_screen_suspend(self) -> None:
        self._let_go()

    def _let_go(self) -> None:
        """Nobody looks at a tab: what its figures were counted from takes tens of megabytes, and is read
        again when they are wanted at other choices."""
        if self._figures is not None and not self._reading:
            self._figures.close()
            self._figures = None
            self.set_timer(GIVE_BACK_AFTER, give_back)

    def forget(self) -> None:
        super().forget()
        self._done = self._report = self._face = None
        if self._figures is not None:
            self._figures.close()
            self._figures = None

    def on_unmount(self) -> None:
        """End the reading thread with the screen."""
        if self._figures is not None:
            self._figures.close()

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
        session, report, tab = self.bench.session, self._report, self._tab
        if session is None:
            return None
        if tab is Tab.RELIABILITY or report is None or self.counting():
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
