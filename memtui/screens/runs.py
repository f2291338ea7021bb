"""Screen 1: the run files of a folder. State, progress, rates, a bar per scale, time and cost left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import is_
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from memtui.errors import UserError
from memtui.screens.run_columns import RunRows
from memtui.screens.run_control import RunControl
from memtui.screens.run_facts import facts_lines, summary_line
from memtui.state.compare_marks import Mark
from memtui.state.run_list import SORTS, RunLine, RunList, next_match, ordered
from memtui.views.columns import heading
from memtui.views.hints import Hint
from memtui.views.numbers import plural
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.title import Title
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.lines import LineBlock
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data

REFRESH = 2.0
"""Seconds between two looks at the folder."""
LOW = 18
"""Rows below which blanks and the lesser facts make room for the list."""
SHOW_EVERY = 0.25
"""Seconds between two pictures while the files are being read for the first time."""


class RunsScreen(RunControl):
    """All run files of the workspace, newest first; unusable ones say why."""

    NUMBER = 1
    NAME = "Runs"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "open"),
        Hint("r", "run"),
        Hint("t", "stop"),
        Hint("u", "go on"),
        Hint("c", "compare"),
        Hint("sS", "sort"),
        Hint("/", "find"),
        Hint("i", "alias, note"),
        Hint("p", "path"),
        Hint("F", "flagged"),
        Hint("R", "look again"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "again", "look again", id="runs.again"),
        Binding("s", "sort(False)", "sort by the next column", id="runs.sort"),
        Binding("S", "sort(True)", "turn the order round", id="runs.sort-turn"),
        Binding("slash", "find", "find a run", id="runs.find"),
        Binding("n", "match(1)", "next match", id="runs.match"),
        Binding("N", "match(-1)", "previous match", id="runs.match-back"),
        Binding("F", "flagged", "flagged questions in or out", id="runs.flagged"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._runs = RunList(folder)
        self._lines: list[RunLine] = []
        self._read_last: list[RunLine] = []
        self._ids: dict[Path, int] = {}
        self._source: RunRows | None = None
        self._timer: Timer | None = None
        self._busy = self._again = False
        self._left = 0
        """Files whose rates are still to be read."""
        self._sort, self._turned = SORTS[0], False
        self._without_flagged = False
        self._find = ""
        self._wanted: Path | None = None
        """A file to stand on once it is in the list."""

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="list-head")
        yield FilterLine(placeholder="words of a name, note, data set or state", id="filter-line")
        yield VirtualList(id="runs")
        yield LineBlock(id="run-facts")

    @property
    def rows(self) -> VirtualList:
        """The list."""
        return self.query_one("#runs", VirtualList)

    def on_mount(self) -> None:
        self.rows.focus()
        self._timer = self.set_interval(REFRESH, self.look_again)
        super().on_mount()

    def on_screen_suspend(self) -> None:
        if self._timer is not None:
            self._timer.pause()

    def on_screen_resume(self) -> None:
        session = self.bench.session
        if session is not None:
            self._without_flagged = session.settings.without_flagged
        super().on_screen_resume()
        if self._timer is not None:
            self._timer.resume()
            self.look_again()  # the folder may have changed behind another screen

    def title_facts(self) -> Title:
        return Title(self.NUMBER, self.NAME, str(self._folder))

    def depends_on(self) -> object:
        return self.look.name, self._without_flagged, self.bench.marked

    def draw(self) -> None:
        self._show(self._lines, self._left)
        self.look_again()

    # --- reading --------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read the folder in a thread; while it is being read, once more afterwards."""
        self._again = self._busy
        if not self._busy:
            self._busy = True
            self._read()

    @work(thread=True, group="runs", exit_on_error=False)
    def _read(self) -> None:
        """First what is cheap of all files, then the rates of those that changed."""
        worker, call = get_current_worker(), self.app.call_from_thread
        try:
            lines = self._runs.glance(without_flagged=self._without_flagged)
            if len(lines) == len(self._read_last) and all(map(is_, lines, self._read_last)):
                return  # nothing changed and nothing goes on: the picture stays
            shown = monotonic()
            call(self._show, lines, len(lines))
            for number, line in enumerate(lines):
                if worker.is_cancelled:
                    return
                lines[number] = self._runs.with_rates(line)
                if monotonic() - shown > SHOW_EVERY:
                    call(self._show, list(lines), len(lines) - number - 1)
                    shown = monotonic()
            call(self._show, lines, 0)
            # Made anew with the rates that were read: equal objects at the next look mean no change.
            self._read_last = self._runs.glance(without_flagged=self._without_flagged)
        except UserError as error:
            call(self.bench.say, str(error), error=True)
        finally:
            if not worker.is_cancelled:
                call(self._rested)

    def _rested(self) -> None:
        self._busy = False
        if self._again:
            self.look_again()

    def _show(self, lines: list[RunLine], left: int) -> None:
        first, self._left = not self._lines, left
        self._lines = ordered(lines, self._sort, turned=self._turned)
        self._source = RunRows(self._lines, self._ids, self.look, self.bench.marked)
        if first:
            self.rows.show(self._source)
        else:
            self.rows.update(self._source, keep=False)
        if self._wanted in self._ids and self.rows.select_id(self._ids[self._wanted]):
            self._wanted = None
        self._draw_around()

    def _draw_around(self) -> None:
        if not self.size.width or self._source is None:
            return
        look, width = self.look, self.size.width
        first = summary_line(
            self._lines, look, width, sort=self._sort, turned=self._turned, reading=self._left
        )
        across = self.rows.line_width or width
        head = Text(" ", end="") + heading(self._source.placed(across), look.muted)
        above = [first, head] if self._low else [Text(end=""), first, Text(end=""), head]
        self.query_one("#list-head", LineBlock).show(above)
        self._draw_facts()

    def stand_on(self, path: Path) -> None:
        self._wanted = path

    def data_to_export(self) -> Data:
        """The run files as `memtui ls` prints them, in the order of the list."""
        from memtui.report.on_screen import runs_data

        return runs_data(self._folder, self._lines)

    def all_lines(self) -> Sequence[RunLine]:
        return self._lines

    def selected_line(self) -> RunLine | None:
        """The file under the cursor."""
        at = self.rows.cursor
        return self._lines[at] if 0 <= at < len(self._lines) else None

    def _draw_facts(self) -> None:
        look, width, line = self.look, self.size.width, self.selected_line()
        block = self.query_one("#run-facts", LineBlock)
        if line is None:
            hint = f" no run file in {clean_line(str(self._folder), width=width - 24)}"
            more = " r starts one from a configuration; or: memtui demo, memtui run CONFIG"
            block.show([styled(hint, look.muted), styled(more, look.muted)])
            return
        facts = facts_lines(line, look, width)
        block.show(facts[:2] if self._low else [Text(end=""), *facts])

    @property
    def _low(self) -> bool:
        """Whether there are so few rows that the list needs those of the blanks and of some facts."""
        return self.size.height < LOW

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._draw_around)

    def compare_mark(self) -> Mark | None:
        """The file under the cursor."""
        line = self.selected_line()
        if line is None or line.summary.state == "unusable":
            return None
        return Mark(line.path)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Moved)
    def _moved(self) -> None:
        self._draw_facts()

    @on(VirtualList.Chosen)
    def _chosen(self) -> None:
        line = self.selected_line()
        if line is None:
            return
        if line.summary.state == "unusable":
            self.bench.say(line.summary.problem, error=True)
        else:
            self.bench.open_file(line.path)

    def action_again(self) -> None:
        """Read the folder now."""
        self.look_again()

    def action_sort(self, turn: bool) -> None:
        """Order by the next column, or turn the order round."""
        if turn:
            self._turned = not self._turned
        else:
            self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self._show(self._lines, self._left)

    def action_flagged(self) -> None:
        """Take the questions whose gold a reader flagged out of the rates of every run, or back in."""
        out, flagged = not self._without_flagged, sum(line.flagged for line in self._lines)
        if out and not flagged:
            self.bench.say("no question is flagged yet: i on an episode flags its gold as bad")
            return
        self._without_flagged = out
        session = self.bench.session
        if session is not None:
            self.bench.change(replace(session.settings, without_flagged=out))
        many = plural(flagged, "flagged question")
        self.bench.say(f"{many} {'out of' if out else 'back in'} the rates of every run")
        self.look_again()

    # --- find -----------------------------------------------------------------------------------

    def action_find(self) -> None:
        """Open the line to find a run."""
        self.query_one(FilterLine).open(self._find)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._find = message.value.strip()
        self.leave()
        if self._find:
            self.action_match(1)

    def action_match(self, by: int) -> None:
        """The next or previous run with the words."""
        if not self._find:
            self.bench.say("nothing was searched for yet (/)")
            return
        found = next_match(self._lines, self._find, self.rows.cursor, by)
        if found is None:
            self.bench.say("no run has these words")
        elif found == self.rows.cursor:
            self.bench.say("no other run has these words")
        else:
            self.rows.cursor = found

    def leave(self) -> bool:
        """Esc: out of the search line."""
        line = self.query_one(FilterLine)
        if not line.is_open:
            return False
        line.close()
        self.rows.focus()
        return True
