"""The file that is open in the app: its rates at the reader's choices, and the news while it is written.

The watching thread only posts messages; here they are merged, read in the reading thread and drawn, at
most ten times a second.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from textual import work
from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.timer import Timer

from memtui.errors import UserError
from memtui.screens.folding import folded, new_alarms, troubles_now
from memtui.screens.notices import Notices
from memtui.screens.state_words import kept_words, state_words
from memtui.state.freed_memory import give_back
from memtui.state.overview import Folds, Overview, build_overview
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.watch import News, Watcher, merged
from memtui.store.tail import Changes

if TYPE_CHECKING:
    from memtui.state.live import Troubles

APPLY_EVERY = 0.1
"""Seconds between two repaints of what the file changed: ten a second is as fast as an eye follows."""
FOLD_EVERY = 0.5
"""Least seconds between two foldings of all facts."""
GIVE_BACK_AFTER = 1.0
"""Seconds after a reading at which nobody holds any more what it took in between."""
FOLD_SHARE = 19.0
"""Folding all facts again may take at most one part in twenty of the reading thread's time."""


class FileNews(Message):
    """The watching thread saw a change in the file, or could not go on."""

    def __init__(self, path: Path, news: News) -> None:
        super().__init__()
        self.path = path
        self.news = news


class OpenFileApp(App[int]):
    """An app with at most one open run file; what is drawn is up to the subclass."""

    def __init__(self) -> None:
        super().__init__()
        self._session: RunSession | None = None
        self._watcher: Watcher | None = None
        self._folds: Folds | None = None
        self._ladder_folds: Folds | None = None
        self._rated: Folds | None = None
        """The folds that the overview is built of."""
        self._overview: Overview | None = None
        self._troubles: Troubles | None = None
        self._data_version = 0
        self._versions: dict[int, int] = {}
        self._read_anew = 0
        """How often all lines had to be read again."""
        self._held = False
        self._pending: Changes | None = None
        self._applying = False
        self._fold_cost = 0.0
        self._fold_timer: Timer | None = None
        self._folded_at = 0.0
        self._trouble = ""
        self._notices = Notices()

    # --- what screens ask -----------------------------------------------------------------------

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

    @property
    def data_version(self) -> int:
        """Grows when episodes or verdicts of the file changed."""
        return self._data_version

    @property
    def paused(self) -> bool:
        """Whether the reader holds the picture still."""
        return self._held

    @property
    def run_state(self) -> str:
        """One word for row 1: what the run is, or what happened to its file."""
        if self._trouble:
            return f"! {self._trouble}"
        return "" if self._session is None else state_words(self._session.header)

    @property
    def run_state_kept(self) -> str:
        """The part of `run_state` that row 1 never drops: a run that goes on, a file in trouble."""
        if self._trouble:
            return self.run_state
        return "" if self._session is None else kept_words(self._session.header)

    def version_of(self, episode_id: int | None) -> int:
        """Grows when this episode changed."""
        return 0 if episode_id is None else self._read_anew + self._versions.get(episode_id, 0)

    def say(self, message: str, *, error: bool = False) -> None:
        """A short notice; outside text in it is literal."""
        self._notices.say(self, message, error=error)

    def freshen(self) -> None:
        """Let the visible screen catch up; an app without screens has nothing to draw."""

    # --- opening and closing --------------------------------------------------------------------

    def take(self, session: RunSession) -> None:
        """Make a session the open file, close the one before, and begin to watch."""
        self.let_go()
        self._session = session
        self._folds = self._ladder_folds = self._overview = self._troubles = None
        self._data_version += 1
        self._versions.clear()
        self._pending = None
        self._held = False
        self._trouble = ""
        self._watcher = Watcher(session.path, session.readers, partial(self._tell, session.path))
        self._watcher.start()
        if session.header.warning:
            self.say(session.header.warning, error=True)
        self.call_after_refresh(self._read_folds)  # first a picture, then what takes longer

    def open_other_run(self, before: RunSession) -> None:
        """Another run stands under the name of this one: nothing of the old may be taken for it."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Stop watching and close the file."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self._session is not None:
            self._session.close()
            self._session = None

    def _tell(self, path: Path, news: News) -> None:
        self.post_message(FileNews(path, news))

    # --- rates ----------------------------------------------------------------------------------

    def change(self, settings: Settings) -> None:
        """Take over other settings; rates follow at once, a judge's facts as soon as they are read."""
        session = self._session
        if session is None or settings == session.settings:
            return
        refold = settings.folded_by != session.settings.folded_by
        session.settings = settings
        if session.leave_out():
            self._read_all_anew()
        if refold:
            session.interrupt()
        kept = refold and self._take_kept_folds(session)
        if kept or not refold:
            self._rebuild()
        self.freshen()
        if kept:  # drawn first, then read what came since
            self.call_after_refresh(self._read_folds)
        elif refold:  # after what is on screen asked: a list need not wait for the rates of row 1
            self._read_folds()

    def mark(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Keep what the reader adds to the run, (kind, target, value) each; rates follow a flag."""
        session = self._session
        if session is None:
            return
        try:
            path = session.mark(entries)
        except UserError as error:
            self.say(str(error), error=True)
            return
        if path is not None:
            self.say(f"kept in {path}")
            session.interrupt()
            self._marks_changed(session)

    def _marks_changed(self, session: RunSession) -> None:
        """Rates follow a flag, lines a note."""
        session.leave_out()
        self._read_all_anew()
        self._read_folds()
        self.freshen()

    @work(exclusive=True, group="marks")
    async def _read_marks(self, session: RunSession) -> None:
        """Take over what another process noted or flagged."""
        if await session.ask(session.read_marks) and session is self._session:
            self._marks_changed(session)

    def _read_all_anew(self) -> None:
        """What was read of episodes depends on what the reader flagged or noted."""
        self._read_anew += 1
        self._data_version += 1

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
    async def _read_folds(self) -> None:
        """Read facts and fold them in the reading thread, then rebuild the rates."""
        session = self._session
        if session is None:
            return
        settings = session.settings
        started = monotonic()
        try:
            folds, ladder = await session.ask(folded, session, settings)
        except UserError as error:
            self._fail(error)
            return
        if session is not self._session or settings.folded_by != session.settings.folded_by:
            return  # another choice was made meanwhile; its own reading is on the way
        if folds is not self._rated or ladder is not self._ladder_folds:
            self._folds, self._ladder_folds = folds, ladder
            self._rebuild()
            self.freshen()
        try:  # only now: rates need not wait for it
            troubles = await session.ask(troubles_now, session, settings, folds)
        except UserError as error:
            self._fail(error)
            return
        if session is not self._session or settings.folded_by != session.settings.folded_by:
            return
        self._fold_cost = monotonic() - started
        self._folded_at = monotonic()
        if session.header.live and self._troubles is not None:
            for words in new_alarms(self._troubles, troubles):
                self.say(words, error=True)  # whatever screen the reader is on
        self._troubles = troubles
        self.freshen()
        if not session.header.live:
            with contextlib.suppress(UserError):  # interrupted: the reader wants something else
                await session.ask(session.read_ahead, settings)
            self.set_timer(GIVE_BACK_AFTER, give_back, name="give-back")

    # --- news of the file -----------------------------------------------------------------------

    def on_file_news(self, message: FileNews) -> None:
        """Take news in; what came since the last repaint is applied together."""
        session = self._session
        if session is None or message.path != session.path:
            return
        if isinstance(message.news, UserError):
            self._fail(message.news)
            return
        self._pending = merged(self._pending, message.news)
        if self._held and not (message.news.gone or message.news.replaced):
            self.freshen()  # row 1 says that it is paused; the picture stays
        elif not self._applying:
            self._apply()

    @work(exclusive=False, group="news")
    async def _apply(self) -> None:
        session = self._session
        if session is None or self._applying:
            return
        self._applying = True
        try:
            while self._pending is not None and session is self._session:
                changes, self._pending = self._pending, None
                await self._apply_one(session, changes)
                await asyncio.sleep(self.apply_every)
        finally:
            self._applying = False

    async def _apply_one(self, session: RunSession, changes: Changes) -> None:
        if changes.gone:
            self._trouble = "file removed"
            self.say(
                f"{session.path.name} was removed; what is on screen is the last that was read"
            )
            self.freshen()
            return
        self._trouble = ""
        if changes.replaced:
            session.forget()
            self._versions.clear()
            self._read_anew += 1
            self.say(f"another file stands at {session.path.name} now: read anew")
        try:
            header = await session.ask(session.changed_header, changes)
        except UserError as error:
            self._fail(error)
            return
        if changes.replaced and not header.goes_on_from(session.header):
            self.open_other_run(session)
            return
        session.header = header
        for episode in {*changes.episodes, *changes.judged, *changes.stepped}:
            self._versions[episode] = self._versions.get(episode, 0) + 1
        if changes.episodes or changes.judged or changes.replaced:
            self._data_version += 1
            self._fold_soon(at_once=changes.ended or changes.replaced)
        self.freshen()

    def _fold_soon(self, *, at_once: bool) -> None:
        """Fold again, but not more often than an eye needs it nor for most of the time."""
        if self._fold_timer is not None:
            if not at_once:
                return
            self._fold_timer.stop()
            self._fold_timer = None
        pause = max(self.fold_every, FOLD_SHARE * self._fold_cost)
        wait = self._folded_at + pause - monotonic()
        if at_once or wait <= 0:
            self._read_folds()
        else:
            self._fold_timer = self.set_timer(wait, self._fold_now, name="folds")

    def _fold_now(self) -> None:
        self._fold_timer = None
        self._read_folds()

    @property
    def apply_every(self) -> float:
        """Least seconds between two repaints of what the file changed."""
        return APPLY_EVERY

    @property
    def fold_every(self) -> float:
        """Least seconds between two foldings while the file grows."""
        return FOLD_EVERY

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key asks; where the file cannot be read for it, say so and stay."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except UserError as error:
            self._fail(error)
            return True

    def _fail(self, error: UserError) -> None:
        if str(error).endswith("was interrupted"):
            return
        self._trouble = "unreadable"
        self.say(str(error), error=True)
        self.freshen()

    def _on_second(self) -> None:
        session = self._session
        if session is None or self._held:
            return
        if session.marks_are_stale:
            self._read_marks(session)
        if session.header.live:
            session.header = session.aged_header()
            self.freshen()

    def hold(self) -> None:
        """Hold the picture still, or catch up with what came meanwhile."""
        self._held = not self._held
        self.freshen()
        if not self._held and self._pending is not None:
            self._apply()
