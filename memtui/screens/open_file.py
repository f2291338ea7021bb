"""The file that is open in the app: its rates at the reader's choices, and the news while it is written.

The watching thread only posts messages; here they are merged, read in the reading thread and drawn, at
most ten times a second.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from textual import work
from textual.actions import ActionParseResult
from textual.dom import DOMNode
from textual.message import Message

from memtui.errors import UserError
from memtui.screens.rated_file import DRAWN_AFTER, RatedApp
from memtui.screens.state_words import kept_words, state_words
from memtui.state.freed_memory import unsettle
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.watch import News, Watcher, merged
from memtui.store.blame import blamed
from memtui.store.tail import Changes

APPLY_EVERY = 0.1
"""Seconds between two repaints of what the file changed: ten a second is as fast as an eye follows."""


REMOVED = "file removed"
"""What is said of a file that is not there any more."""


class FileNews(Message):
    """The watching thread saw a change in the file, or could not go on."""

    def __init__(self, path: Path, news: News) -> None:
        super().__init__()
        self.path = path
        self.news = news


VERSIONS = 4096
"""Changed episodes told apart; when a run has more, the lines in view are drawn again once and all are forgotten."""


class OpenFileApp(RatedApp):
    """An app with at most one open run file; what is drawn is up to the subclass."""

    def __init__(self) -> None:
        super().__init__()
        self._watcher: Watcher | None = None
        self._data_version = 0
        self._versions: dict[int, int] = {}
        self._read_anew = 0
        """The version of episodes that did not change since all lines had to be read again."""
        self._held = False
        self._pending: Changes | None = None
        self._applying = False

    # --- what screens ask -----------------------------------------------------------------------

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

    def _all_anew(self) -> None:
        """Every episode counts as changed: its version is one that none had before."""
        self._read_anew += 1 + max(self._versions.values(), default=0)
        self._versions.clear()

    # --- opening and closing --------------------------------------------------------------------

    def take(self, session: RunSession) -> None:
        """Make a session the open file, close the one before, and begin to watch."""
        self.let_go()
        self._session = session
        self._folds = self._ladder_folds = self._overview = self._troubles = None
        self._data_version += 1
        self._all_anew()
        self._pending = None
        self._fold_again = False
        self._held = False
        self._trouble = ""
        self._watcher = Watcher(session.path, session.readers, partial(self._tell, session.path))
        self._watcher.start()
        if session.header.warning:
            self.say(session.header.warning, error=True)
        self.call_after_refresh(self._read_folds)  # first a picture, then what takes longer

    @abstractmethod
    def open_other_run(self, before: RunSession) -> None:
        """Another run stands under the name of this one: nothing of the old may be taken for it."""

    def let_go(self) -> None:
        """Stop watching and close the file."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self._session is not None:
            self._session.close()
            self._session = self._settled = None
            if self._settling is not None:
                self._settling.stop()
                self._settling = None
            unsettle()

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
        if self._settling is not None:
            self._settle_in_a_pause()
        if kept:  # drawn first, then read what came since
            self.set_timer(DRAWN_AFTER, self._read_folds, name="folds-since")
        elif refold:  # after what is on screen asked: a list need not wait for the rates of row 1
            self._read_folds(after_list=not self.rates_in_view)

    def mark(self, entries: Iterable[tuple[str, str, str]]) -> bool:
        """Keep what the reader adds to the run, (kind, target, value) each; rates follow a flag. False
        where it could not be kept."""
        session = self._session
        if session is None:
            return False
        try:
            path = session.mark(entries)
        except UserError as error:
            self.say(str(error), error=True)
            return False
        if path is not None:
            self.say(f"kept in {path}")
            session.interrupt()
            self._marks_changed(session)
        return True

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
            self._trouble = REMOVED
            self.say(
                f"{session.path.name} was removed; what is on screen is the last that was read"
            )
            self.freshen()
            return
        if changes.replaced:
            session.forget()
            self._all_anew()
            name = session.path.name
            if self._trouble in ("", REMOVED):
                self.say(f"another file stands at {name} now: read anew")
            else:
                self.say(f"{name} can be read again: read anew")
        try:
            header = await session.ask(session.changed_header, changes)
        except UserError as error:
            self._fail(error)
            return
        self._trouble = ""
        if changes.replaced and not header.goes_on_from(session.header):
            self.open_other_run(session)
            return
        if header.warning and header.warning != session.header.warning:
            self.say(header.warning, error=True)
        session.header = header
        for episode in {*changes.episodes, *changes.judged, *changes.stepped}:
            self._versions[episode] = self._versions.get(episode, 0) + 1
        if len(self._versions) > VERSIONS:
            self._all_anew()
        if changes.episodes or changes.judged or changes.replaced:
            self._data_version += 1
            self._fold_soon(at_once=changes.ended or changes.replaced)
        self.freshen()

    @property
    def apply_every(self) -> float:
        """Least seconds between two repaints of what the file changed."""
        return APPLY_EVERY

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
        except Exception as fault:
            if not self.file_is_to_blame(fault):
                raise
            return True

    def file_is_to_blame(self, fault: Exception) -> bool:
        """Whether a fault comes from an open file that contradicts itself; then that is said."""
        session, found = self._session, None
        if session is not None and not isinstance(fault, UserError | OSError):
            found = blamed(session.path, fault)
        if found is not None:
            self._fail(found)
        return found is not None

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
