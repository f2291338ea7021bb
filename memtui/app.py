"""The app: one open run file or folder, four screens, and the news of a file that is being written."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import ClassVar, Protocol

from textual import work
from textual.app import App, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, NoColor
from textual.message import Message
from textual.theme import BUILTIN_THEMES, Theme

from memtui.errors import UserError
from memtui.model import Outcome
from memtui.screens import clipboard, pager
from memtui.screens.base import MemtuiScreen
from memtui.screens.dialogs import Choice, HelpScreen, Question
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.overview import OverviewScreen
from memtui.screens.runs import RunsScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.overview import Folds, Overview, build_overview
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.watch import News, Watcher, merged
from memtui.store.tail import Changes
from memtui.styles.themes import NAMES, THEMES
from memtui.views.look import LOOKS, NO_COLOUR, Look
from memtui.views.numbers import count
from memtui.views.outcome import SIGNS

APPLY_EVERY = 0.1
"""Seconds between two repaints of what the file changed: ten a second is as fast as an eye follows."""
FOLD_SHARE = 4.0
"""Folding all facts again may take at most one part in five of the reading thread's time."""
PARENTS = {"trajectory": "episodes", "episodes": "overview", "overview": "runs"}


class ChildRun(Protocol):
    """A run that was started together with the app and may outlive it."""

    @property
    def pid(self) -> int: ...
    @property
    def running(self) -> bool: ...
    def stop(self) -> None: ...


class FileNews(Message):
    """The watching thread saw a change in the file, or could not go on."""

    def __init__(self, path: Path, news: News) -> None:
        super().__init__()
        self.path = path
        self.news = news


class MemtuiApp(App[int]):
    """Opens a run file (on the overview) or a folder of them (on the list of runs)."""

    CSS_PATH = "styles/app.tcss"
    TITLE = "memtui"
    COMMAND_PALETTE_BINDING = "colon"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - the base class declares an instance variable
        (0, "-narrow"),
        (100, "-medium"),
        (120, "-wide"),
        (200, "-huge"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "screen('runs')", "Runs", show=False, id="app.runs"),
        Binding("2", "screen('overview')", "Overview", show=False, id="app.overview"),
        Binding("3", "screen('episodes')", "Episodes", show=False, id="app.episodes"),
        Binding("4", "screen('trajectory')", "Trajectory", show=False, id="app.trajectory"),
        Binding("escape", "go_back", "back", show=False, id="app.back"),
        Binding("minus,underscore", "budget(-1)", "budget down", show=False, id="app.budget-down"),
        Binding("equals_sign,plus", "budget(1)", "budget up", show=False, id="app.budget-up"),
        Binding("a", "alpha(-1)", "alpha down", show=False, id="app.alpha-down"),
        Binding("A", "alpha(1)", "alpha up", show=False, id="app.alpha-up"),
        Binding("J", "judge", "next judge", show=False, id="app.judge"),
        Binding("y", "copy", "copy", show=False, id="app.copy"),
        Binding("o", "pager", "open in pager", show=False, id="app.pager"),
        Binding("space", "pause", "pause", show=False, id="app.pause"),
        Binding("question_mark,f1", "help", "help", show=False, id="app.help"),
        Binding("q,ctrl+c", "quit", "quit", show=False, id="app.quit"),
    ]

    def __init__(
        self,
        path: Path,
        *,
        child: ChildRun | None = None,
        theme: str = "dark",
        ascii_only: bool = False,
        session: RunSession | None = None,
    ) -> None:
        """`child`: a run started with the app (`q` asks what to do with it). `session`: `path`,
        already open. UserError when `path` cannot be opened."""
        super().__init__()
        self.ascii_only = ascii_only
        self._child = child
        self._folder = path if path.is_dir() else None
        for one in THEMES:
            self.register_theme(one)
        self.theme = NAMES.get(theme, theme if theme in LOOKS else THEMES[0].name)
        for name in BUILTIN_THEMES:
            self.unregister_theme(
                name
            )  # they would change the chrome and leave the content as it is
        if self.no_color:
            # Textual's own filter turns colours into greys; NO_COLOR asks for none at all.
            filters: list[LineFilter] = [NoColor()]
            self._filters = filters
        self._session = session
        if session is None and self._folder is None:
            self._session = RunSession(path)
        self._watcher: Watcher | None = None
        self._folds: Folds | None = None
        self._overview: Overview | None = None
        self._data_version = 0
        self._versions: dict[int, int] = {}
        self._history: list[str] = []
        self._current = ""
        self._paused = False
        self._pending: Changes | None = None
        self._applying = False
        self._fold_cost = 0.0
        self._folded_at = 0.0
        self._trouble = ""
        self._return_code = 0

    # --- what screens ask -----------------------------------------------------------------------

    @property
    def look(self) -> Look:
        """Colours and signs to draw with."""
        return NO_COLOUR if self.no_color else LOOKS.get(self.theme, LOOKS[THEMES[0].name])

    @property
    def session(self) -> RunSession | None:
        """The open file; None while only the folder is open."""
        return self._session

    @property
    def overview(self) -> Overview | None:
        """Rates at the reader's B, alpha and judge; None until the facts were read."""
        return self._overview

    @property
    def data_version(self) -> int:
        """Grows when episodes or verdicts of the file changed."""
        return self._data_version

    @property
    def paused(self) -> bool:
        """Whether the reader holds the picture still."""
        return self._paused

    @property
    def run_state(self) -> str:
        """One word for row 1: what the run is, or what happened to its file."""
        if self._trouble:
            return f"! {self._trouble}"
        if self._session is None:
            return ""
        header = self._session.header
        if header.live:
            progress = header.progress
            share = f"{count(progress.done)}/{count(progress.planned)}"
            return f"{SIGNS[Outcome.PENDING]} {header.state} {share}"
        return {"finished": "✓ finished", "interrupted": "◌ interrupted"}.get(
            header.state, header.state
        )

    def version_of(self, episode_id: int | None) -> int:
        """Grows when this episode changed."""
        return 0 if episode_id is None else self._versions.get(episode_id, 0)

    def say(self, message: str, *, error: bool = False) -> None:
        """A short notice; outside text in it is literal."""
        self.notify(
            message, severity="error" if error else "information", timeout=6 if error else 3,
            markup=False,
        )  # fmt: skip

    # --- start and end --------------------------------------------------------------------------

    async def on_mount(self) -> None:
        """Install the screens and open what was given."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, self._on_signal, number)
        if self._folder is not None:
            self.install_screen(RunsScreen(self._folder), "runs")
        self.install_screen(OverviewScreen(), "overview")
        self.install_screen(EpisodesScreen(), "episodes")
        self.install_screen(TrajectoryScreen(), "trajectory")
        self.theme_changed_signal.subscribe(self, self._on_theme)
        self.set_interval(1.0, self._on_second)
        if self._session is not None:
            self._begin(self._session)
            self._current = "overview"
        else:
            self._current = "runs"
        await self.push_screen(self._current)

    def _on_signal(self, number: int) -> None:
        self._return_code = 128 + number
        self.exit(self._return_code, return_code=self._return_code)

    def on_unmount(self) -> None:
        self._end()

    def _begin(self, session: RunSession) -> None:
        self._watcher = Watcher(session.path, session.readers, self._tell(session.path))
        self._watcher.start()
        self._read_folds()

    def _tell(self, path: Path) -> Callable[[News], None]:
        def tell(news: News) -> None:
            self.post_message(FileNews(path, news))

        return tell

    def _end(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self._session is not None:
            self._session.close()
            self._session = None

    def open_file(self, path: Path) -> None:
        """Open another run file; what is wrong with it is said, and the open one stays open."""
        if self._session is not None and self._session.path == path and not self._trouble:
            self.go("overview")
            return
        try:
            session = RunSession(path)
        except UserError as error:
            self.say(str(error), error=True)
            return
        self._end()
        self._session = session
        self._folds = self._overview = None
        self._data_version += 1
        self._versions.clear()
        self._pending = None
        self._trouble = ""
        for name in ("overview", "episodes", "trajectory"):
            screen = self.get_screen(name)
            if isinstance(screen, MemtuiScreen):
                screen.forget()
        self._begin(session)
        self.go("overview")

    # --- screens --------------------------------------------------------------------------------

    def go(self, screen: str) -> None:
        """Show a screen; Esc comes back from it."""
        if screen == self._current:
            return
        self._history.append(self._current)
        del self._history[:-50]
        self._show(screen)

    def _show(self, screen: str) -> None:
        self._current = screen
        self.switch_screen(screen)

    def action_screen(self, name: str) -> None:
        """A number key."""
        if isinstance(self.screen, MemtuiScreen):
            if name == "runs" and self._folder is None:
                self.say("one file is open; open its folder to see all runs: memtui FOLDER")
            elif name != "runs" and self._session is None:
                self.say("open a run first (Enter)")
            else:
                self.go(name)

    def action_go_back(self) -> None:
        """Esc: out of a pane, back to the screen one came from, else one level up."""
        screen = self.screen
        if isinstance(screen, MemtuiScreen) and screen.leave():
            return
        if self._history:
            self._show(self._history.pop())
            return
        parent = PARENTS.get(self._current)
        if parent is not None and (parent != "runs" or self._folder is not None):
            self._show(parent)

    def open_episode(self, episode_id: int) -> None:
        """Show an episode on the trajectory screen."""
        screen = self.get_screen("trajectory")
        if isinstance(screen, TrajectoryScreen):
            screen.open(episode_id)
        self.go("trajectory")

    def next_episode(self, by: int) -> None:
        """Step to the neighbour of the open episode in the list."""
        episodes, screen = self.get_screen("episodes"), self.screen
        if not isinstance(episodes, EpisodesScreen) or not isinstance(screen, TrajectoryScreen):
            return
        found = episodes.neighbour(by, screen.episode_id) if episodes.is_mounted else None
        if found is None:
            self.say("no further episode that way in the list")
        else:
            screen.open(found)

    def freshen(self) -> None:
        """Let the visible screen catch up."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, MemtuiScreen):
                screen.freshen()
                return

    def _on_theme(self, _: Theme) -> None:
        for screen in self.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()
        self.freshen()

    # --- settings -------------------------------------------------------------------------------

    def change(self, settings: Settings) -> None:
        """Take over other settings; rates follow at once, a judge's facts as soon as they are read."""
        session = self._session
        if session is None or settings == session.settings:
            return
        judge_changed = settings.judge != session.settings.judge
        session.settings = settings
        if judge_changed:
            self._read_folds()
        else:
            self._rebuild()
        self.freshen()

    def action_budget(self, by: int) -> None:
        """Move B."""
        session = self._session
        if session is None:
            return
        changed = session.settings.with_budget(by)
        if changed == session.settings and by > 0 and session.header.run.mode == "hard":
            self.say("this run enforced its budget: beyond it nothing is known")
        self.change(changed)

    def action_alpha(self, steps: int) -> None:
        """Move alpha."""
        if self._session is not None:
            self.change(self._session.settings.with_alpha(steps))

    def action_judge(self) -> None:
        """The next judge of the file."""
        session = self._session
        if session is None:
            return
        changed = session.settings.with_next_judge(session.header.judges)
        if changed == session.settings:
            self.say("the file holds verdicts of one judge only")
        self.change(changed)

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
        )

    @work(exclusive=True, group="folds")
    async def _read_folds(self) -> None:
        """Read facts and fold them in the reading thread, then rebuild the rates."""
        session = self._session
        if session is None:
            return
        judge = session.settings.judge
        started = monotonic()
        try:
            folds = await session.ask(session.folds, judge)
        except UserError as error:
            self._fail(error)
            return
        if session is not self._session or judge != session.settings.judge:
            return
        self._fold_cost = monotonic() - started
        self._folded_at = monotonic()
        self._folds = folds
        self._rebuild()
        self.freshen()

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
        if self._paused and not (message.news.gone or message.news.replaced):
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
                await asyncio.sleep(APPLY_EVERY)
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
            self.say(f"another file stands at {session.path.name} now: read anew")
        try:
            session.header = await session.ask(session.changed_header, changes)
        except UserError as error:
            self._fail(error)
            return
        for episode in {*changes.episodes, *changes.judged, *changes.stepped}:
            self._versions[episode] = self._versions.get(episode, 0) + 1
        if changes.episodes or changes.judged or changes.replaced:
            self._data_version += 1
            wait = self._folded_at + FOLD_SHARE * self._fold_cost - monotonic()
            if wait > 0 and not changes.ended:
                self.set_timer(wait, self._read_folds, name="folds")
            else:
                self._read_folds()
        self.freshen()

    def _fail(self, error: UserError) -> None:
        if str(error).endswith("was interrupted"):
            return
        self._trouble = "unreadable"
        self.say(str(error), error=True)
        self.freshen()

    def _on_second(self) -> None:
        session = self._session
        if session is None or not session.header.live or self._paused:
            return
        session.header = session.aged_header()
        self.freshen()

    def action_pause(self) -> None:
        """Hold the picture still, or catch up with what came meanwhile."""
        if self._session is None or not self._session.header.live:
            self.say("nothing is being written: there is nothing to pause")
            return
        self._paused = not self._paused
        self.freshen()
        if not self._paused and self._pending is not None:
            self._apply()

    # --- copy, pager, help, quit ----------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the screen has selected."""
        if isinstance(self.screen, MemtuiScreen):
            text = self.screen.text_to_copy()
            self.say(clipboard.copy(text, self.copy_to_clipboard))

    def action_pager(self) -> None:
        """Open what the screen has selected in the pager."""
        if not isinstance(self.screen, MemtuiScreen):
            return
        text = self.screen.text_to_page()
        command = pager.pager_command(os.environ)
        if not text:
            self.say("nothing to open here")
        elif command is None:
            self.say("no pager was found: set PAGER", error=True)
        else:
            try:
                with self.suspend():
                    pager.page(text, command)
            except SuspendNotSupported:
                self.say("a pager cannot be opened from here")

    def action_help(self) -> None:
        """Keys and signs."""
        if isinstance(self.screen, MemtuiScreen):
            self.push_screen(HelpScreen())

    async def action_quit(self) -> None:
        """Leave; a run that was started with the app is asked about first."""
        child = self._child
        if child is None or not child.running:
            self.exit(0)
            return
        if not isinstance(self.screen, MemtuiScreen):
            return
        question = Question(
            "The run is still going on",
            f"It was started with this window (process {child.pid}) and can go on without it.",
            (
                Choice("l", "leave it running and quit"),
                Choice("s", "stop it and quit (running it again continues)"),
                Choice("c", "cancel"),
            ),
        )
        self.push_screen(question, self._on_quit_answer)

    def _on_quit_answer(self, answer: str | None) -> None:
        if answer == "s" and self._child is not None:
            self._child.stop()
            self.exit(0)
        elif answer == "l":
            self.exit(0)
