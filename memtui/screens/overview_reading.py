"""Reading the figures of the tab of the overview that is shown.

Nothing of a tab is imported or read before it is opened. While a run is written the figures are read anew
at most for one part in five of the time; the reader's choices are served at once from what was read last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.rated_file import GIVE_BACK_AFTER
from memtui.state.freed_memory import settle, unsettle
from memtui.state.tab import Tab
from memtui.store.errors import Interrupted

if TYPE_CHECKING:
    from memtui.report.model import Report
    from memtui.screens.overview_face import Face
    from memtui.screens.overview_figures import TabFigures, Wanted

READ_SHARE = 4.0
"""After reading the file for a tab, at least so many times as long is left to everything else."""
READ_EVERY = 0.5
"""Least seconds between two readings while the file grows."""


class TabReading:
    """The figures that were counted last, and the counting of those that are wanted now."""

    def __init__(
        self, screen: MemtuiScreen, tab: Callable[[], Tab], redraw: Callable[[], None]
    ) -> None:
        """`tab`: the one that is shown; `redraw`: other figures are there."""
        self._screen, self._tab, self._redraw = screen, tab, redraw
        self._figures: TabFigures | None = None
        self._reading = False
        self._done: Wanted | None = None
        self._report: Report | None = None
        self._due = 0.0
        self._face: tuple[object, Face] | None = None

    @property
    def report(self) -> Report | None:
        """The figures that were counted last; None before there are any of this tab."""
        return self._report

    def face(self) -> Face:
        """The tab that is shown, with the figures that were counted last."""
        from memtui.screens.overview_face import Face

        tab, done = self._tab(), self._done
        waiting = tab is Tab.STOPPING and (done is None or not done.steps)
        width, look = self._screen.size.width, self._screen.look
        key = (tab, id(self._report), waiting, width, look.name)
        if self._face is None or self._face[0] != key:
            self._face = (key, Face(tab, self._report, width, look, waiting=waiting))
        return self._face[1]

    def counting(self) -> str:
        """What is being counted where the figures are not those of the reader's choices; empty else."""
        wanted, done = self._wanted(), self._done
        if wanted is None or done is None:
            return ""
        if replace(wanted, version=0, steps=False) == replace(done, version=0, steps=False):
            return ""
        return f"at B {wanted.budget} "

    def read(self) -> None:
        """Have the figures of the tab counted at the reader's choices, unless that is under way."""
        if self._tab() is Tab.RELIABILITY or not self._screen.is_current:
            return  # nobody looks: coming back draws, and asks again
        wanted = self._next()
        if wanted is None:
            return
        if not self._reading:
            self._reading = True
            self._screen.run_worker(self._count(), group="tab")
        elif self._figures is not None:
            self._figures.hurry(wanted)

    def _wanted(self) -> Wanted | None:
        bench, tab = self._screen.bench, self._tab()
        session = bench.session
        if session is None or tab is Tab.RELIABILITY:
            return None
        from memtui.screens.overview_figures import wanted_by

        judges = session.header.judges
        return wanted_by(session.path, bench.data_version, tab, session.settings, judges)

    def _next(self) -> Wanted | None:
        """What to count next; None when all is counted, or it is too early to read the file again."""
        wanted, done = self._wanted(), self._done
        if wanted is None:
            return None
        if done is not None and wanted.version != done.version and monotonic() < self._due:
            wanted = replace(wanted, version=done.version)
        if done is None or replace(wanted, steps=done.steps) != done:
            return wanted
        if wanted.tab is Tab.STOPPING and not done.steps:
            return replace(wanted, steps=True)
        return None

    async def _count(self) -> None:
        from memtui.screens.overview_figures import TabFigures

        try:
            while (wanted := self._next()) is not None:
                session = self._screen.bench.session
                if session is None:
                    return
                if self._figures is None:
                    self._figures = TabFigures()
                started = monotonic()
                try:
                    report = await self._figures.report(session, wanted)
                except UserError as error:
                    if isinstance(error, Interrupted):
                        continue
                    self._screen.bench.say(str(error), error=True)
                    return
                if report is None or wanted.tab is not self._tab():
                    continue
                if self._done is None or self._done.version != wanted.version or wanted.steps:
                    took = monotonic() - started
                    self._due = monotonic() + max(READ_EVERY, READ_SHARE * took)
                    self._screen.set_timer(self._due - monotonic() + 0.01, self.read)
                self._done, self._report = wanted, report
                self._redraw()
        finally:
            self._reading = False
            if self._tab() is Tab.RELIABILITY or not self._screen.is_current:
                self.let_go()  # left while it was read

    # --- leaving --------------------------------------------------------------------------------

    def turned_to(self, tab: Tab) -> None:
        """Another tab is shown: figures of the one before say nothing of it."""
        if self._done is not None and self._done.tab is not tab:
            self._done = self._report = self._face = None
        if tab is Tab.RELIABILITY:
            self.let_go()

    def let_go(self) -> None:
        """Nobody looks at a tab: what its figures were counted from takes tens of megabytes, and is read
        again when they are wanted at other choices."""
        if not self._reading and self._figures is not None:
            self.close()
            unsettle()
            self._screen.set_timer(GIVE_BACK_AFTER, settle)

    def forget(self) -> None:
        """Another file is open."""
        self._done = self._report = self._face = None
        self.close()

    def close(self) -> None:
        """End the reading thread."""
        if self._figures is not None:
            self._figures.close()
            self._figures = None
