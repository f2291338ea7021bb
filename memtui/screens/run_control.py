"""What can be done with a run of the list: start, continue and stop one, name it, take notes, copy its path."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.state.child_run import ChildRun, start_run
from memtui.state.run_list import RunLine
from memtui.state.stop_run import Writer, signal_writer, writer_of
from memtui.store.side_file import SideFile
from memtui.store.workspace import summarise

CHILD_LOOK = 0.5
"""Seconds between two looks at the runs that were started here."""
INTERRUPTED = 130
"""Exit code of a run that was asked to stop."""


class RunControl(MemtuiScreen):
    """The keys of the list of runs that change something outside it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "start", "run a configuration", id="runs.start"),
        Binding("u", "resume", "continue an interrupted run", id="runs.resume"),
        Binding("t", "stop", "stop a run", id="runs.stop"),
        Binding("i", "annotate", "alias and note", id="runs.annotate"),
        Binding("p", "path", "show and copy the path", id="runs.path"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._asked: dict[Path, int] = {}
        """Process that was asked to stop, by the file that it writes."""
        self._started: list[ChildRun] = []
        """Runs that were started here and whose end was not said yet."""

    @abstractmethod
    def selected_line(self) -> RunLine | None:
        """The file under the cursor."""

    @abstractmethod
    def all_lines(self) -> Sequence[RunLine]:
        """All files."""

    @abstractmethod
    def look_again(self) -> None:
        """Read the folder."""

    @abstractmethod
    def stand_on(self, path: Path) -> None:
        """Put the cursor on a file as soon as it is in the list."""

    def on_mount(self) -> None:
        self.set_interval(CHILD_LOOK, self._look_at_children)
        super().on_mount()

    # --- start and continue ---------------------------------------------------------------------

    def action_start(self) -> None:
        """Choose a configuration, look at its plan, start it."""
        self._offer(None)

    def action_resume(self) -> None:
        """Continue the interrupted run under the cursor."""
        line = self.selected_line()
        if line is None:
            return
        if line.summary.state not in ("interrupted", "unknown"):
            self.bench.say(
                f"{line.path.name} is {line.summary.state}: u continues an interrupted run"
            )
            return
        self._offer(line)

    def _offer(self, resumed: RunLine | None) -> None:
        from memtui.screens.start_run import StartRun

        dialog = StartRun(self._folder, self.all_lines(), resumed)

        def answered(answer: str | None) -> None:
            if answer and answer != "start":
                self.bench.say(answer, error=True)
            elif resumed is not None and answer and not resumed.path.is_file():
                # Moved while the plan was looked at: the command would begin it anew, from nothing.
                self.bench.say(f"{resumed.path} is no longer there: it cannot go on", error=True)
            elif answer and dialog.config is not None and dialog.target is not None:
                self.begin(dialog.config, dialog.target.out, dialog.options)

        self.app.push_screen(dialog, answered)

    @work(exclusive=False, group="begin")
    async def begin(self, config: Path, out: Path, options: Sequence[str] = ()) -> None:
        """Start a run, wait for the first of its file, and follow it if the reader still stands here."""
        try:
            child = await asyncio.to_thread(start_run, config, out, ["--no-report", *options])
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        self._started.append(child)
        self.bench.say(f"{out.name} is started (process {child.pid}); quitting leaves it running")
        while child.running:
            summary = await asyncio.to_thread(summarise, out)
            if summary.live:
                break
            await asyncio.sleep(CHILD_LOOK / 4)
        self.stand_on(out)
        self.look_again()
        if child.running and self.is_active:
            self.bench.open_file(out)

    def _look_at_children(self) -> None:
        """Say of each run that was started here how it ended; asking takes it off the process table."""
        for child in [child for child in self._started if not child.running]:
            self._started.remove(child)
            self.bench.say(_how_it_ended(child), error=child.exit_code not in (0, INTERRUPTED))
            self.look_again()

    # --- stop -----------------------------------------------------------------------------------

    def action_stop(self) -> None:
        """Ask whether the run under the cursor is to be stopped."""
        line = self.selected_line()
        if line is not None:
            self._find_writer(line)

    @work(exclusive=True, group="stop")
    async def _find_writer(self, line: RunLine) -> None:
        try:
            writer = await asyncio.to_thread(writer_of, line.path)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        from memtui.screens.dialogs import StopQuestion

        again = self._asked.get(line.path) == writer.pid
        who = f"Process {writer.pid} on this machine holds the lease of {line.path.name}."
        if again:
            title = "End this run at once?"
            body = (
                f"{who} It was asked to stop and is still there. SIGTERM does not wait for the"
                " episodes under way: they are dropped, what was acknowledged is safe."
            )
            labels = {"stop.yes": "end it at once"}
        else:
            title = "Stop this run?"
            body = (
                f"{who} SIGINT asks it to stop: it starts no further episode, those under way get"
                " two seconds to finish, the rest are dropped and asked again when it is continued"
                " with the same command (u)."
            )
            labels = {}

        def answered(answer: str | None) -> None:
            if answer == "yes":
                self._signal(writer, at_once=again)

        self.app.push_screen(StopQuestion(title, body, labels), answered)

    @work(exclusive=True, group="stop")
    async def _signal(self, writer: Writer, *, at_once: bool) -> None:
        try:
            await asyncio.to_thread(signal_writer, writer, at_once=at_once)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        self._asked[writer.path] = writer.pid
        name = writer.path.name
        if at_once:
            self.bench.say(f"{name} was told to end at once")
        else:
            self.bench.say(f"{name} is asked to stop; t again ends it at once")
        self.look_again()

    # --- names, notes, the path -----------------------------------------------------------------

    def action_annotate(self) -> None:
        """Give the run under the cursor an alias and a note."""
        line = self.selected_line()
        if line is None:
            return
        if not line.summary.uid:
            self.bench.say(f"{line.path.name} holds no run to name")
            return
        self._ask_names(line)

    def _ask_names(self, line: RunLine, typed: Mapping[str, str] | None = None) -> None:
        """Ask for alias and note; `typed`: what could not be kept."""
        from memtui.screens.annotate_run import AnnotateRun

        dialog = AnnotateRun(line, typed)

        def answered(answer: str | None) -> None:
            if answer == "keep" and (entries := dialog.entries()):
                self._keep(line, dialog.typed(), entries)

        self.app.push_screen(dialog, answered)

    @work(exclusive=False, group="annotate")
    async def _keep(
        self, line: RunLine, typed: Mapping[str, str], entries: Sequence[tuple[str, str, str]]
    ) -> None:
        side = SideFile(line.path, line.summary.uid)

        def write() -> Path:
            path = side.beside
            for kind, target, value in entries:
                path = side.append(kind, target, value)
            return path

        try:
            path = await asyncio.to_thread(write)
        except UserError as error:
            self.bench.say(str(error), error=True)
            self._ask_names(line, typed)
            return
        self.bench.say(f"kept in {path}")
        session = self.bench.session
        if session is not None and session.path == line.path:
            session.marks = await asyncio.to_thread(side.read)
        self.look_again()

    def text_to_copy(self) -> str:
        """The full path of the file under the cursor."""
        line = self.selected_line()
        return "" if line is None else str(line.path.absolute())

    def action_path(self) -> None:
        """Show the full path and copy it."""
        path = self.text_to_copy()
        if path:
            self.bench.copy_and_say(path, shown=path)


def _how_it_ended(child: ChildRun) -> str:
    name = child.out.name
    if child.exit_code == 0:
        return f"{name} is finished"
    if child.exit_code == INTERRUPTED:
        return f"{name} was stopped; u continues it"
    return f"{name} ended early: {child.last_words()} (log {child.log})"
