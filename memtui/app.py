"""The app: one open run file or folder, its screens, and the news of a file that is being written.

Only the first screen is imported before the first frame; the others follow while the reader reads it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, ClassVar, Protocol

from rich.console import RenderableType
from textual import work
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.css.query import NoMatches
from textual.filter import LineFilter
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import BUILTIN_THEMES, Theme

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.last_place import RememberingApp
from memtui.state.configuration import Configuration
from memtui.state.places import Places, own_choices
from memtui.state.session import RunSession
from memtui.state.start import Start
from memtui.styles.no_colour import Uncoloured
from memtui.styles.themes import NAMES, THEMES
from memtui.views.look import LOOKS, NO_COLOUR, Look
from memtui.views.text_door import clean_line
from memtui.widgets.lines import AsciiScrollBar

FOLD_ELSEWHERE = 2.0
"""Least seconds between two foldings while the overview is not on screen."""
SHARE_ELSEWHERE = 49.0
"""Then folding takes one part in fifty of the reading thread's time: a list waits in the same row."""
FIRST_TRANSACTION = 15.0
"""Seconds a run that was started with the app may take to write its first rows."""
PATIENCE = 10.0
"""Seconds that a signalled app may take to end in good order."""
PRELOAD_AFTER = 0.3
"""Seconds after the first frame at which the other screens are imported."""


def _palette() -> type[Provider]:
    """What `:` searches; imported when it is first opened."""
    from memtui.screens.palette import EverythingByName

    return EverythingByName


class ChildRun(Protocol):
    """A run that was started together with the app and may outlive it."""

    @property
    def pid(self) -> int: ...
    @property
    def running(self) -> bool: ...
    def stop(self) -> None: ...


class MemtuiApp(RememberingApp):
    """Opens a run file (on the overview) or a folder of them (on the list of runs)."""

    CSS_PATH = "styles/app.tcss"
    TITLE = "memtui"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}
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
        Binding("5", "screen('ladder')", "Ladder", show=False, id="app.ladder"),
        Binding("6", "screen('compare')", "Compare", show=False, id="app.compare"),
        Binding("c", "mark", "mark for compare", show=False, id="app.mark"),
        Binding("i", "annotate", "bookmark, note, flag", show=False, id="app.annotate"),
        Binding("F", "flagged", "flagged questions in or out", show=False, id="app.flagged"),
        Binding("escape", "go_back", "back", show=False, id="app.back"),
        Binding("minus,underscore", "budget(-1)", "budget down", show=False, id="app.budget-down"),
        Binding("equals_sign,plus", "budget(1)", "budget up", show=False, id="app.budget-up"),
        Binding("a", "alpha(-1)", "alpha down", show=False, id="app.alpha-down"),
        Binding("A", "alpha(1)", "alpha up", show=False, id="app.alpha-up"),
        Binding("J", "judge", "next judge", show=False, id="app.judge"),
        Binding("y", "copy", "copy", show=False, id="app.copy"),
        Binding("o", "pager", "open in pager", show=False, id="app.pager"),
        Binding("x", "export", "export what is on screen", show=False, id="app.export"),
        Binding("space", "pause", "pause", show=False, id="app.pause"),
        Binding("colon", "command_palette", "palette", show=False, id="app.palette", priority=True),
        Binding("question_mark,f1", "help", "help", show=False, id="app.help"),
        Binding(
            "ctrl+z", "suspend_process", "to the shell; fg comes back", show=False, id="app.shell"
        ),
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
        start: Start | None = None,
        places: Places | None = None,
        resume: bool = True,
        configuration: Configuration | None = None,
    ) -> None:
        """`child`: a run started with the app (`q` asks what to do with it). `session`: `path`,
        already open. `places`: where runs were left, to keep it and, with `resume`, to go back there;
        `configuration`: keys, alpha, judge. UserError when `path` cannot be opened."""
        super().__init__(path if path.is_dir() else None, places, configuration)
        self.ascii_only = ascii_only
        self.set_class(ascii_only, "-ascii")
        ScrollBar.renderer = AsciiScrollBar if ascii_only else ScrollBarRender
        self._child = child
        for one in THEMES:
            self.register_theme(one)
        self.theme = NAMES.get(theme, theme if theme in LOOKS else THEMES[0].name)
        for name in BUILTIN_THEMES:
            # They would change the chrome and leave what is drawn as it is.
            self.unregister_theme(name)
        if self.no_color:
            # Textual's own filter turns colours into greys; NO_COLOR asks for none at all.
            filters: list[LineFilter] = [Uncoloured()]
            self._filters = filters
        self._first = session
        if session is None and self._folder is None:
            self._first = _open_patiently(path, child)
            self._first.settings = own_choices(self._first, configuration)
        self._resume = resume
        self._start = start or Start()

    # --- what screens ask -----------------------------------------------------------------------

    @property
    def look(self) -> Look:
        """Colours and signs to draw with."""
        return NO_COLOUR if self.no_color else LOOKS.get(self.theme, LOOKS[THEMES[0].name])

    @property
    def rates_in_view(self) -> bool:
        return self._current == "overview"

    @property
    def fold_every(self) -> float:
        """Rates are redrawn twice a second where they are on screen; elsewhere row 1 needs them seldom."""
        return super().fold_every if self.rates_in_view else FOLD_ELSEWHERE

    @property
    def fold_share(self) -> float:
        """As `fold_every`."""
        return super().fold_share if self.rates_in_view else SHARE_ELSEWHERE

    @property
    def apply_every(self) -> float:
        """As often as the screen that is shown wants it."""
        screen = self.screen
        return screen.pace if isinstance(screen, MemtuiScreen) else super().apply_every

    # --- start and end --------------------------------------------------------------------------

    async def _process_messages(self, *args: Any, **kwargs: Any) -> None:
        # Before the terminal is touched: from then on a signal has to give it back.
        for number in (signal.SIGTERM, signal.SIGHUP):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, self._on_signal, number)
        await super()._process_messages(*args, **kwargs)

    async def on_mount(self) -> None:
        """Install the screens and open what was given."""
        self.theme_changed_signal.subscribe(self, self._on_theme)
        self.set_interval(1.0, self._on_second)
        self._current = "runs"
        if self._first is not None:
            self.take(self._first)
            self._current = "overview"
            if self._start == Start("episodes"):
                # Straight to the list: the overview behind it is made when it is wanted.
                self._history.append("overview")
                self._current = "episodes"
        self.screen_named(self._current)
        await self.push_screen(self._current)
        self.set_timer(PRELOAD_AFTER, self._preload)
        if self._first is not None:
            self.start_at(self._start)
            if self._resume:
                self.go_to_last_place()
        self.use_configuration()

    @work(thread=True, group="preload", exit_on_error=False)
    def _preload(self) -> None:
        """Import the other screens while the reader looks at the first one."""
        for name in ("episodes", "trajectory", "help"):
            importlib.import_module(f"memtui.screens.{name}")

    def _on_signal(self, number: int) -> None:
        # A terminal that is gone takes no more output, and whoever waits to write to it waits for ever.
        leave = threading.Timer(PATIENCE, os._exit, (128 + number,))
        leave.daemon = True
        leave.start()
        self.parting.append(f"ended by {signal.Signals(number).name}")
        self.exit(return_code=128 + number)

    def _handle_exception(self, error: Exception) -> None:
        # While the app leaves, Textual still mounts a screen that is on its way, but none of its widgets.
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    def on_unmount(self) -> None:
        self.let_go()

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave, and remember where the reader was."""
        self.keep_place()
        super().exit(result, return_code, message)

    def freshen(self) -> None:
        """Let the visible screen catch up; one that is being taken down has nothing to draw with."""
        for screen in reversed(self.screen_stack if self.is_running else ()):
            if isinstance(screen, MemtuiScreen):
                screen.freshen()
                return

    def _on_theme(self, _: Theme) -> None:
        for screen in self.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()
        self.freshen()

    # --- settings -------------------------------------------------------------------------------

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
            judges = session.header.judges
            self.say(f"every verdict is by {judges[0]}" if judges else "no verdict was given yet")
        self.change(changed)

    def action_flagged(self) -> None:
        """Take the questions whose gold the reader flagged out of every rate, or back in."""
        session = self._session
        if session is None:
            return
        out = not session.settings.without_flagged
        many = len(session.marks.bad_gold)
        if out and not many:
            self.say("no question is flagged yet: i on an episode flags its gold as bad")
            return
        self.change(replace(session.settings, without_flagged=out))
        what = f"{many} flagged question{'s' if many > 1 else ''}"
        self.say(f"{what} {'out of' if out else 'back in'} every rate")

    def action_annotate(self) -> None:
        """Bookmark, note and flag the episode at hand."""
        screen, session = self.screen, self._session
        if not isinstance(screen, MemtuiScreen) or session is None:
            return
        from memtui.screens.annotate import annotate

        at_hand = screen.episode_id
        rows = {} if at_hand is None else session.pages.episode_rows([at_hand])
        if not rows:
            self.say("no episode to annotate here: screens 3, 4 and 5 have one at hand")
            return
        annotate(self, rows[next(iter(rows))], session.marks)

    def action_pause(self) -> None:
        """Hold the picture still, or catch up with what came meanwhile."""
        if self._session is None or not self._session.header.live:
            self.say("nothing is being written: there is nothing to pause")
            return
        self.hold()

    # --- copy, pager, help, quit ----------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the screen has selected."""
        if isinstance(self.screen, MemtuiScreen):
            text = self.screen.text_to_copy()
            first, *more = text.strip().split("\n")
            shown = clean_line(first, width=40)
            self.copy_and_say(text, shown=f"{shown} ({1 + len(more)} lines)" if more else shown)

    @work(exclusive=True, group="pager")
    async def action_pager(self) -> None:
        """Open what the screen has selected in the pager; a long text is made while the app goes on."""
        if isinstance(self.screen, MemtuiScreen):
            await self._page(self.screen.page_maker())

    @work(exclusive=True, group="pager")
    async def action_report(self) -> None:
        """Open the whole report of the run in the pager, whatever is on screen."""
        session = self._session
        if session is not None:
            from memtui.report.on_screen import whole_report

            await self._page(partial(whole_report, session.path, session.settings))

    async def _page(self, make: Callable[[], str] | None) -> None:
        from memtui.screens import pager

        try:
            await pager.open_made(self, make)
        except pager.TerminalGone:
            # Its signal came while nothing but the pager ran, and would never be looked at.
            self._on_signal(signal.SIGHUP)

    def action_export(self) -> None:
        """Keep what is on screen in a file."""
        from memtui.screens.export import offer

        offer(self)

    def action_help(self) -> None:
        """Keys and signs."""
        if isinstance(self.screen, MemtuiScreen):
            from memtui.screens.help import HelpScreen

            self.push_screen(HelpScreen(self._current))

    async def action_quit(self) -> None:
        """Leave; a run that was started with the app is asked about first."""
        child = self._child
        if child is None or not child.running:
            self.exit(0)
            return
        if not isinstance(self.screen, MemtuiScreen):
            return
        from memtui.screens.dialogs import QuitQuestion

        question = QuitQuestion(
            "The run is still going on",
            f"It was started with this window (process {child.pid}) and can go on without it.",
        )
        self.push_screen(question, self._on_quit_answer)

    def _on_quit_answer(self, answer: str | None) -> None:
        if answer == "stop" and self._child is not None:
            self.say("stopping the run; episodes in flight are marked")
            self._stop_and_leave(self._child)
        elif answer == "leave":
            self.exit(0)

    @work(exclusive=True, group="quit")
    async def _stop_and_leave(self, child: ChildRun) -> None:
        await asyncio.to_thread(child.stop)
        self.exit(0)


def _open_patiently(path: Path, child: ChildRun | None) -> RunSession:
    """Open a run file; one that a child has only just created gets time for its first transaction."""
    limit = monotonic() + FIRST_TRANSACTION
    while True:
        try:
            return RunSession(path)
        except UserError:
            if child is None or not child.running or monotonic() > limit:
                raise
            sleep(0.05)
