"""The rates of the open file: folded in the reading thread, again and again while the file grows."""

from __future__ import annotations

import asyncio
import contextlib
from time import monotonic
from typing import TYPE_CHECKING

from textual import work
from textual.app import App
from textual.timer import Timer

from memtui.errors import UserError
from memtui.screens.folding import folded, new_alarms, troubles_now
from memtui.screens.notices import Notices
from memtui.state.freed_memory import settle
from memtui.state.overview import Folds, Overview, build_overview
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.store.errors import Interrupted, Locked

if TYPE_CHECKING:
    from memtui.state.live import Troubles

LOCKED = "locked"
"""What is said of a file that another program keeps to itself for the moment."""
TRY_AGAIN = 1.0
"""Seconds after which such a file is asked again."""
FOLD_EVERY = 0.5
"""Least seconds between two foldings of all facts."""
GIVE_BACK_AFTER = 1.0
"""Seconds after a reading at which nobody holds any more what it took in between."""
DRAWN_AFTER = 0.05
"""Seconds after a frame was drawn at which it has left for the terminal: two threads take turns, and the one
that reads would keep the one that writes waiting."""
FOLD_SHARE = 19.0
"""Folding all facts again may take at most one part in twenty of the reading thread's time."""


class RatedApp(App[int]):
    """An app with at most one open run file, and its rates at the reader's choices."""

    def __init__(self) -> None:
        super().__init__()
        self._session: RunSession | None = None
        self._folds: Folds | None = None
        self._ladder_folds: Folds | None = None
        self._rated: Folds | None = None
        """The folds that the overview is built of."""
        self._overview: Overview | None = None
        self._troubles: Troubles | None = None
        self._folding: object = None
        """The folding that is under way."""
        self._fold_again = False
        self._fold_cost = 0.0
        self._fold_timer: Timer | None = None
        self._folded_at = 0.0
        self._settling: Timer | None = None
        self._settled: RunSession | None = None
        """The file of which all was read."""
        self._trouble = ""
        self._locked_words = ""
        self._notices = Notices()

    @property
    def session(self) -> RunSession | None:
        """The open file; None while only the folder is open."""
        return self._session

    @property
    def overview(self) -> Overview | None:
        """Rates at the reader's B, alpha and judge; None until the facts were read."""
        return self._overview

    @property
    def troubles(self) -> Troubles:
        """What the ended episodes of the whole run say is wrong."""
        from memtui.state.live import Troubles

        return self._troubles or Troubles()

    def say(self, message: str, *, error: bool = False) -> None:
        """A short notice; outside text in it is literal. That the file is locked is said once: row 1 says so
        for as long as it is."""
        if self._trouble == LOCKED and message == self._locked_words:
            return
        self._notices.say(self, message, error=error)

    def freshen(self) -> None:
        """Let the visible screen catch up; an app without screens has nothing to draw."""

    # --- folding ------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        session = self._session
        if session is None or self._folds is None:
            return
        settings, header = session.settings, session.header
        self._overview = build_overview(
            header.arms,
            header.cells,
            header.run.scales,
            self._folds,
            budget=settings.budget,
            alpha=settings.alpha,
            mode=header.run.mode,
            order=settings.arm_order,
            ladder=self._ladder_folds,
            before=self._overview if self._rated is self._folds else None,
            conditional=settings.conditional,
        )
        self._rated = self._folds

    def _take_kept_folds(self, session: RunSession) -> bool:
        """Whether there are folds in memory to draw at once; reading what came since follows."""
        kept = session.kept_folds(session.settings)
        if kept is None or self._ladder_folds is not None:
            return False  # what every rung has is folded apart, and not kept
        self._folds = kept
        return True

    @work(exclusive=True, group="folds")
    async def _read_folds(self, *, after_list: bool = False) -> None:
        """Read facts and fold them in the reading thread, then rebuild the rates. `after_list`: once the list
        that is being read has been drawn."""
        session = self._session
        if session is None:
            return
        self._folding = reading = object()
        started = monotonic()
        try:
            if after_list:
                await session.ask(lambda: None)  # behind what was asked before
                await asyncio.sleep(DRAWN_AFTER)
            await self._fold(session, session.settings)
        except UserError as error:
            self._fail(error)
        finally:
            if self._folding is reading:
                self._folding = None
                self._folded_at = monotonic()
                self._fold_cost = self._folded_at - started
        if self._fold_again and session is self._session:
            self._fold_again = False
            self._fold_soon(at_once=False)

    async def _fold(self, session: RunSession, settings: Settings) -> None:
        """Rates, then what takes longer and is not waited for. Nothing more where another choice was made
        meanwhile: its own reading is on the way."""

        def outdated() -> bool:
            return session is not self._session or settings.folded_by != session.settings.folded_by

        folds, ladder = await session.ask(folded, session, settings)
        if outdated():
            return
        if self._trouble == LOCKED:
            self._trouble = ""
            for widget in self.screen.walk_children():
                widget.refresh()  # rows that could not be read are drawn as unknown
        if folds is not self._rated or ladder is not self._ladder_folds:
            self._folds, self._ladder_folds = folds, ladder
            self._rebuild()
            self.freshen()
        troubles = await session.ask(troubles_now, session, settings, folds)
        if outdated():
            return
        if session.header.live and self._troubles is not None:
            for words in new_alarms(self._troubles, troubles):
                self.say(words, error=True)  # whatever screen the reader is on
        self._troubles = troubles
        self.freshen()
        if not session.header.live:
            with contextlib.suppress(UserError):  # interrupted: the reader wants something else
                await session.ask(session.read_ahead, settings)
            self._settle_in_a_pause()
        elif self._settled is not session and self._settling is None:
            self._settle_in_a_pause()

    def _settle_in_a_pause(self) -> None:
        """Tidy up what reading left behind, once no key was pressed for a moment."""
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(GIVE_BACK_AFTER, self._settle, name="settle")

    def _settle(self) -> None:
        self._settling, self._settled = None, self._session
        settle()

    def _fold_soon(self, *, at_once: bool) -> None:
        """Fold again, but not more often than an eye needs it nor for most of the time; and while it is
        being done, not before it is done."""
        if self._folding is not None and not at_once:
            self._fold_again = True
            return
        if self._fold_timer is not None:
            if not at_once:
                return
            self._fold_timer.stop()
            self._fold_timer = None
        pause = max(self.fold_every, self.fold_share * self._fold_cost)
        wait = self._folded_at + pause - monotonic()
        if at_once or wait <= 0:
            self._read_folds()
        else:
            self._fold_timer = self.set_timer(wait, self._fold_now, name="folds")

    def fold_in_time(self) -> None:
        """Another screen is shown: what it waits for may be due earlier."""
        if self._fold_timer is not None:
            self._fold_timer.stop()
            self._fold_timer = None
            self._fold_soon(at_once=False)

    def _fold_now(self) -> None:
        self._fold_timer = None
        self._read_folds()

    @property
    def rates_in_view(self) -> bool:
        """Whether rates are what the reader looks at; elsewhere row 1 has two numbers of them."""
        return True

    @property
    def fold_every(self) -> float:
        """Least seconds between two foldings while the file grows."""
        return FOLD_EVERY

    @property
    def fold_share(self) -> float:
        """How many times as long as a folding takes none is begun."""
        return FOLD_SHARE

    def _fail(self, error: UserError) -> None:
        if isinstance(error, Interrupted):
            return
        before = self._trouble
        self._trouble = LOCKED if isinstance(error, Locked) else "unreadable"
        if self._trouble == LOCKED:
            self.set_timer(TRY_AGAIN, self._read_folds, name="folds-locked")
            if before == LOCKED:
                return  # it was said
            self._locked_words = str(error)
        self._notices.say(self, str(error), error=True)
        self.freshen()
