"""Going from screen to screen: made when first wanted, Esc back to where one was, marks for compare.

5 and 6 stay with the question that is on screen.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from textual import work
from textual.await_complete import AwaitComplete
from textual.events import Event, Key, Paste
from textual.worker import WorkerFailed

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.open_file import OpenFileApp
from memtui.screens.rated_file import GIVE_BACK_AFTER
from memtui.screens.typed_keys import TypedKeys
from memtui.state.compare_marks import CompareMarks, Mark
from memtui.state.configuration import Configuration
from memtui.state.freed_memory import give_back
from memtui.state.places import own_choices
from memtui.state.session import RunSession
from memtui.state.start import Start
from memtui.store.blame import blamed
from memtui.store.connect import BRIEF

MOST_PROBLEMS = 3
"""Problems of the configuration that are said one by one."""
PARENTS = {
    "pair": "compare",
    "compare": "overview",
    "ladder": "episodes",
    "trajectory": "episodes",
    "episodes": "overview",
    "replay": "overview",
    "overview": "runs",
}
"""The screen one level up, where there is no way back."""


class NavigatingApp(OpenFileApp):
    """An app with numbered screens over the open file, or over a folder of them."""

    def __init__(
        self,
        folder: Path | None,
        configuration: Configuration | None = None,
    ) -> None:
        super().__init__()
        self._configuration = configuration
        self.parting: list[str] = []
        """What is to be said once the terminal is given back."""
        self._folder = folder
        self._made: dict[str, MemtuiScreen] = {}
        self._history: list[str] = []
        self._marks = CompareMarks()
        self._typed = TypedKeys(self, super().on_event)
        self._current = ""
        self.keys_changed: Mapping[str, str] = {}
        """Keys by id of binding, where the reader's configuration names others than ours."""
        self._renamed: dict[str, dict[str, str]] = {}

    def start_at(self, start: Start) -> None:
        """Go where a command line says."""
        if start.replay is not None:
            self.replay(start.replay or None)
        elif start.marks is not None:
            self.compare(*start.marks)
        elif start.screen == "ladder":
            from memtui.screens.ladder import LadderScreen

            ladder = self.screen_named("ladder")
            if start.episode is not None:
                ladder.show_episode(start.episode)
            elif start.question is not None and isinstance(ladder, LadderScreen):
                ladder.show_item(start.question)
            self.go("ladder")
        elif start.episode is not None and start.screen in (None, "trajectory"):
            from memtui.screens.trajectory import TrajectoryScreen

            trajectory = self.screen_named("trajectory")
            if start.step is not None and isinstance(trajectory, TrajectoryScreen):
                trajectory.stand_at(start.step)
            self.open_episode(start.episode)
        elif start.screen is not None:
            self.go(start.screen)

    def open_file(self, path: Path) -> None:
        """Open another run file; what is wrong with it is said, and the open one stays open."""
        if self._session is not None and self._session.path == path and not self._trouble:
            self.go("overview")
            return
        try:
            session = RunSession(path, patience=BRIEF)
        except UserError as error:
            self.say(str(error), error=True)
            return
        self.keep_place()
        self._take_over(session)
        self.go_to_last_place()

    def open_other_run(self, before: RunSession) -> None:
        """Another run stands under the name of this one: begin with it as with any other file."""
        if before is not self._session:
            return
        try:
            session = RunSession(before.path, patience=BRIEF)
        except UserError as error:
            self._fail(error)
            return
        while not isinstance(self.screen, MemtuiScreen):
            self.pop_screen()  # what it asks is about an episode of the run before
        self._take_over(session)

    def _take_over(self, session: RunSession) -> None:
        session.settings = own_choices(session, self._configuration)
        self.take(session)
        for screen in self._made.values():
            screen.forget()
        self.go("overview")

    def _handle_exception(self, error: Exception) -> None:
        """A fault that the open file is to blame for, since it contradicts itself, is one line. The app goes
        on where a worker met it; what else met it is broken with it, and the app ends."""
        if isinstance(error, WorkerFailed):
            if not isinstance(error.error, Exception) or not self.file_is_to_blame(error.error):
                super()._handle_exception(error)
        elif self._session is not None and (found := blamed(self._session.path, error)) is not None:
            if str(found) not in self.parting:  # several rows of one picture meet it
                self.parting.append(str(found))
            self.exit(return_code=found.exit_code)
        else:
            super()._handle_exception(error)

    # --- what was left behind -------------------------------------------------------------------

    def use_configuration(self) -> None:
        """Bind the keys that the configuration names, and say what is wrong in it."""
        if self._configuration is None:
            return
        problems = [*self._configuration.problems]
        if self._configuration.keys:
            from memtui.screens.keymap import keymap_of

            keymap, wrong = keymap_of(self._configuration, type(self))
            self.keys_changed = keymap
            self.set_keymap(keymap)
            problems += wrong
            self.freshen()
        for problem in problems[:MOST_PROBLEMS]:
            self.say(problem, error=True)
        if len(problems) > MOST_PROBLEMS:
            self.say(f"{len(problems)} problems in the configuration: memtui doctor", error=True)

    def keys_renamed(self, screen: MemtuiScreen) -> Mapping[str, str]:
        """What hints of a screen write in place of the keys they name; empty with our own keys."""
        name = next((name for name, made in self._made.items() if made is screen), "")
        if self.keys_changed and name not in self._renamed:
            from memtui.screens.keys import renamed_on

            self._renamed[name] = renamed_on(name, type(self), self.keys_changed)
        return self._renamed.get(name, {})

    def go_to_last_place(self) -> None:
        """Go to where the reader left this run, in an app that knows it."""

    def keep_place(self) -> None:
        """Remember where the reader is, in an app that does."""

    def action_command_palette(self) -> None:
        """Everything that can be done here, by name."""
        from textual.command import CommandPalette

        if not isinstance(self.screen, CommandPalette):
            placeholder = "what to do: a key by its name, an arm, a file, a view, a theme"
            self.push_screen(CommandPalette(placeholder=placeholder, id="--command-palette"))

    # --- copying --------------------------------------------------------------------------------

    @work(group="copy")
    async def copy_and_say(self, text: str, shown: str = "") -> None:
        """Copy a text and say which way it went, after `shown`; a program that hangs keeps nobody waiting."""
        from memtui.screens import clipboard

        def send(one: str) -> None:
            self.call_from_thread(self.copy_to_clipboard, one)

        route = await asyncio.to_thread(clipboard.copy, text, send)
        self.say(f"{shown} — {route}" if shown else route)

    def copy_to_clipboard(self, text: str) -> None:
        """Send it to the terminal, and once more through a tmux or screen that may be in between."""
        from memtui.screens.clipboard import wrapped

        super().copy_to_clipboard(text)
        whole = wrapped(text, os.environ)
        if whole and self._driver is not None:
            self._driver.write(whole)

    @property
    def folder(self) -> Path | None:
        """The folder whose runs screen 1 lists; None while it was not asked for."""
        return self._folder

    # --- screens --------------------------------------------------------------------------------

    def screen_named(self, name: str) -> MemtuiScreen:
        """A screen by name, made and installed when it is first wanted."""
        screen = self._made.get(name)
        if screen is None:
            screen = self._made[name] = _make(name, self._folder)
            self.install_screen(screen, name)
        return screen

    def go(self, screen: str) -> None:
        """Show a screen; Esc comes back from it."""
        if screen == self._current:
            return
        self._history.append(self._current)
        del self._history[:-50]
        self._show(screen)

    def _show(self, screen: str) -> None:
        self._current = screen
        if self._session is not None:
            self._session.rest(screen == "runs")
        self.screen_named(screen)
        self.switch_screen(screen)
        self.fold_in_time()
        self.set_timer(GIVE_BACK_AFTER, give_back)  # what the one before let go of

    async def on_event(self, event: Event) -> None:
        """A key that is typed ahead waits for what the key before it calls for; others would be lost on it."""
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._typed.take(event)
        else:
            await super().on_event(event)

    def pop_screen(self) -> AwaitComplete:
        """Close a dialog. A key pressed twice reaches it twice, and nothing else may go with it."""
        if isinstance(self.screen, MemtuiScreen):
            return AwaitComplete(asyncio.sleep(0))
        return super().pop_screen()

    def action_screen(self, name: str) -> None:
        """A number key."""
        if isinstance(self.screen, MemtuiScreen):
            if name == "runs" and self._folder is None and self._session is not None:
                self._folder = self._session.path.parent
            if name != "runs" and self._session is None:
                self.say("open a run first (Enter)")
            else:
                self._keep_question(name)
                self.go(name)

    def _keep_question(self, name: str) -> None:
        """5 and 6 stay with the question that is on screen."""
        screen = self.screen
        if name in ("ladder", "compare") and isinstance(screen, MemtuiScreen):
            at_hand = screen.episode_id
            if at_hand is not None and name != self._current:
                self.screen_named(name).show_episode(at_hand)

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

    @property
    def marked(self) -> str:
        """The arm or file that was marked for compare and waits for its other half; empty without one."""
        mark = self._marks.waiting
        return "" if mark is None else mark.arm or mark.path.name

    def action_mark(self) -> None:
        """Mark an arm or a run for compare; the second mark opens it."""
        screen = self.screen
        mark = screen.compare_mark() if isinstance(screen, MemtuiScreen) else None
        if mark is None:
            self.say("nothing to mark here: c marks an arm (screens 2 to 5) or a run (screen 1)")
            return
        pair = self._marks.add(mark)
        name = mark.arm or mark.path.name
        if pair is not None:
            self.compare(*pair)
        elif self._marks.waiting is None:
            self.say(f"{name} is no longer marked")
        else:
            self.say(f"{name} is A; c on another one compares the two")
        self.freshen()

    def compare(self, a: Mark, b: Mark) -> None:
        """Show two marked sides on the compare screen."""
        if self._session is None or self._session.path not in (a.path, b.path):
            self.open_file(a.path)
        from memtui.screens.compare import CompareScreen

        screen = self.screen_named("compare")
        if isinstance(screen, CompareScreen) and self._session is not None:
            screen.show_marks(a, b)
            self.go("compare")

    def replay(self, speed: float | None = None) -> None:
        """Show the open run as it was while it was recorded, at a speed or at a fitting one."""
        session = self._session
        if session is None:
            return
        if session.header.live:
            self.say("this run goes on: it can be replayed when it has ended")
            return
        from memtui.screens.replay import ReplayScreen

        screen = self.screen_named("replay")
        if isinstance(screen, ReplayScreen):
            screen.begin(speed)
            self.go("replay")

    def open_episode(self, episode_id: int) -> None:
        """Show an episode on the trajectory screen."""
        self.screen_named("trajectory").show_episode(episode_id)
        self.go("trajectory")

    def next_episode(self, by: int) -> None:
        """Step to the neighbour of the open episode in the list."""
        shown, screen = self.screen_named("episodes"), self.screen_named("trajectory")
        found = shown.neighbour(by, screen.episode_id) if shown.is_mounted else None
        if found is None:
            self.say("no further episode that way in the list")
        else:
            screen.show_episode(found)


def _make(name: str, folder: Path | None) -> MemtuiScreen:
    """A new screen; its module is imported here and not before."""
    if name == "runs":
        from memtui.screens.runs import RunsScreen

        return RunsScreen(folder or Path())
    module = importlib.import_module(f"memtui.screens.{name}")
    return cast(MemtuiScreen, getattr(module, f"{name.title()}Screen")())
