"""What the compare screen compares: two marked sides, read when one of their files has changed.

The open file says itself what is new; the file of the other side is looked at once a second.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from time import monotonic

from rich.text import Text
from textual import work

from memtui.errors import UserError
from memtui.report.comparison import Comparison, UnequalHistories
from memtui.screens.base import MemtuiScreen
from memtui.screens.compare_files import ComparedFiles, Sides
from memtui.state.compare_marks import Mark
from memtui.state.freed_memory import give_back
from memtui.state.session import RunSession
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.title import Title
from memtui.widgets.lines import LineBlock

LOOK = 1.0
"""Seconds between two looks at a file that is not the open one."""
NAME = 13
"""Least cells of the name of each of two files in row 1."""
FOLLOW_SHARE = 4.0
"""Reading a file again may take at most one part in five of the reading thread's time."""


class ComparingScreen(MemtuiScreen):
    """Reads and follows the two sides; how they are drawn is up to the subclass."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[Mark, Mark] | None = None
        self._question: int | None = None
        """An episode whose question the list should stand on."""
        self._any_history = False
        self._found: Comparison | None = None
        self._arms: tuple[list[str], list[str]] = ([], [])
        self._files = ComparedFiles()
        self._sides: Sides | None = None
        self._reading = 0
        self._looked_at = 0.0
        self._cost = 0.0
        """Seconds that reading and comparing took last."""
        self._trouble = ""

    @property
    def found(self) -> Comparison | None:
        """What is on screen."""
        return self._found

    @property
    def sides(self) -> Sides | None:
        """(file, arm) of A and of B."""
        return self._sides

    def on_mount(self) -> None:
        self.set_interval(LOOK, self._look)
        super().on_mount()

    # --- for the subclass -----------------------------------------------------------------------

    @property
    def watched(self) -> bool:
        """Whether the reader looks at what depends on the files that are compared."""
        return self.is_active

    def other_file_changed(self) -> None:
        """The file that is not the open one has other episodes, verdicts or flags: compare anew."""
        self._reading += 1
        self.freshen()

    def other_sides(self) -> None:
        """Other sides were marked: what the reader chose for the old ones does not hold."""

    @abstractmethod
    def _show(self, found: Comparison, session: RunSession) -> None:
        """Show a comparison."""

    @abstractmethod
    def _say_instead(self, words: str, *, other_histories: bool = False) -> None:
        """Say in its place why there is none; `other_histories`: they were filled differently."""

    def title_facts(self) -> Title:
        title = super().title_facts()
        if self._sides is not None and self._sides[0][0] != self._sides[1][0]:
            room = max(NAME, self.size.width // 6)
            files = " | ".join(clean_line(path.stem, width=room) for path, _ in self._sides)
            title = replace(title, file=files, alias="")  # the headings name both
        return title

    # --- what is compared -----------------------------------------------------------------------

    def show_marks(self, a: Mark, b: Mark) -> None:
        """Compare two arms or two files."""
        self._marks = (a, b)
        self._sides = None
        self._any_history = False
        self.other_sides()
        self._drawn = None
        if self.is_mounted:
            self.freshen()

    def show_episode(self, episode_id: int) -> None:
        """Stay with a question: its arm is compared where nothing was marked, the list stands on it."""
        session = self.bench.session
        self._question = episode_id
        self._drawn = None
        if session is None or self._marks is not None:
            return
        try:
            row = session.pages.episode_rows([episode_id]).get(episode_id)
        except UserError:
            return  # what is wrong with the file is said when it is compared
        if row is not None:
            self._marks = (Mark(session.path, row.arm), Mark(session.path))

    def forget(self) -> None:
        super().forget()
        marks = self._marks
        session = self.bench.session
        if marks is None or session is None or session.path not in {mark.path for mark in marks}:
            self._marks = None
        self._found = self._sides = self._question = None
        self._files.close()

    def on_unmount(self) -> None:
        self._files.close()

    # --- reading --------------------------------------------------------------------------------

    def depends_on(self) -> object:
        return (super().depends_on(), self._marks, self._any_history, self._reading)

    def draw(self) -> None:
        session = self.bench.session
        if session is None:
            return
        if self._marks is None:
            first = next((arm.key for arm in session.header.arms), None)
            if first is None:
                self._say_instead("no arm has started yet")
                return
            self._marks = (Mark(session.path, first), Mark(session.path))
            self._drawn = self.depends_on()
        if self._found is None and self._sides is None:
            waiting = [Text(end=""), styled(" comparing …", self.look.muted)]
            self.query_one("#compare-head", LineBlock).show(waiting)
        self._load(session)

    def _look(self) -> None:
        """See whether another file changed, but not for more than a fifth of the time."""
        session = self.bench.session
        if session is None or self._sides is None or self.bench.paused:
            return
        if self.watched and monotonic() - self._looked_at >= FOLLOW_SHARE * self._cost:
            self._looked_at = monotonic()
            self._follow(session)

    @work(exclusive=True, group="compare-follow")
    async def _follow(self, session: RunSession) -> None:
        try:
            changed = await session.ask(self._files.changed)
        except UserError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.bench.say(str(error), error=True)
            return
        self._trouble = ""
        if changed and session is self.bench.session:
            self.other_file_changed()

    @work(exclusive=True, group="compare")
    async def _load(self, session: RunSession) -> None:
        settings, marks, any_history = session.settings, self._marks, self._any_history
        assert marks is not None
        began = monotonic()

        def read() -> tuple[Sides, tuple[list[str], list[str]], Comparison | UserError]:
            found = self._files.read(session, settings, marks, any_history=any_history)
            give_back()
            return found

        try:
            sides, arms, found = await session.ask(read)
        except UserError as error:
            self._found = None
            self._say_instead(str(error))
            return
        self._cost = monotonic() - began
        if settings != session.settings or marks != self._marks:
            return
        self._sides, self._arms = sides, arms
        self.show_title()
        if isinstance(found, UserError):
            self._found = None
            self._say_instead(str(found), other_histories=isinstance(found, UnequalHistories))
            return
        self._found = found
        self._show(found, session)
