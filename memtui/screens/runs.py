"""Screen 1: the run files of a folder. State, progress, outcome counts, a bar per scale."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.state.compare_marks import Mark
from memtui.state.run_list import RunLine, read_runs, with_rates
from memtui.views.bars import bars, share_bar
from memtui.views.columns import Column, heading, place, row
from memtui.views.hints import Hint
from memtui.views.look import Look
from memtui.views.numbers import duration, scale, size
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.title import Title
from memtui.widgets.lines import LineBlock
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data

REFRESH = 2.0
"""Seconds between two looks at the folder."""

COLUMNS = (
    Column("run", "run", 12, grow=2),
    Column("state", "state", 13),
    Column("progress", "episodes", 9, "right"),
    Column("bar", "", 12, keep=6),
    Column("pass", "pass", 5, "right"),
    Column("exhausted", "exh.", 5, "right", keep=1),
    Column("wrong", "wrong", 5, "right", keep=1),
    Column("excluded", "excl.", 5, "right", keep=3),
    Column("scales", "by scale", 8, keep=2),
    Column("arms", "arms", 4, "right", keep=4),
    Column("size", "size", 7, "right", keep=7),
    Column("started", "started", 16, keep=5),
    Column("data", "data", 12, keep=8, grow=1),
)
STATES = {
    "running": ("▸ running", "accent"),
    "paused": ("‖ paused", "budget"),
    "finished": ("✓ finished", "good"),
    "interrupted": ("◌ interrupted", "missing"),
    "unusable": ("! unusable", "bad"),
}


class RunSource:
    """The files as rows; the id of a row is its place in the order of first sight."""

    def __init__(self, lines: Sequence[RunLine], ids: dict[Path, int], look: Look) -> None:
        self.lines = list(lines)
        self._ids = [ids.setdefault(line.path, len(ids)) for line in lines]
        self._look = look

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        return Text(" ", end="") + row(place(COLUMNS, width - 2), self._cells(self.lines[index]))

    def _cells(self, line: RunLine) -> dict[str, Text | str]:
        look, summary, counts = self._look, line.summary, line.counts
        word, style = STATES.get(summary.state, (summary.state, "muted"))
        cells: dict[str, Text | str] = {
            "run": line.path.stem,
            "state": styled(clean_line(word, width=13), getattr(look, style)),
            "size": styled(size(summary.size), look.muted),
        }
        if summary.state == "unusable":
            cells["progress"] = styled("–", look.faint)
            return cells
        progress = summary.progress
        if progress is not None:
            cells["progress"] = f"{progress.done}/{progress.planned}"
            cells["bar"] = share_bar(progress.done, progress.planned, 12, look)
        cells["arms"] = styled(str(summary.arms), look.muted)
        cells["started"] = styled(summary.created_at[:16].replace("T", " "), look.muted)
        cells["data"] = summary.dataset
        if counts is not None:
            cells["pass"] = styled(str(counts.passed), look.good)
            cells["exhausted"] = styled(str(counts.exhausted), look.budget)
            cells["wrong"] = styled(str(counts.wrong), look.bad)
            excluded = counts.n_excluded
            cells["excluded"] = styled(str(excluded), look.missing if excluded else look.muted)
            rates = [passed / n if n else None for _, passed, n in line.by_scale[:8]]
            cells["scales"] = bars(rates, look, gap="")
        return cells


class RunsScreen(MemtuiScreen):
    """All run files of the workspace, newest first; unusable ones say why."""

    NUMBER = 1
    NAME = "Runs"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "open"),
        Hint("j k", "move"),
        Hint("c", "mark for compare"),
        Hint("R", "look again"),
        Hint("2-6", "screens of the open run"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("R", "again", "look again", id="runs.again")]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._lines: list[RunLine] = []
        self._ids: dict[Path, int] = {}
        self._timer: Timer | None = None

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="list-head")
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
        super().on_screen_resume()
        if self._timer is not None:
            self._timer.resume()

    def title_facts(self) -> Title:
        return Title(self.NUMBER, self.NAME, str(self._folder))

    def depends_on(self) -> object:
        return self.look.name

    def draw(self) -> None:
        self.look_again()

    # --- reading --------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="runs", exit_on_error=False)
    def look_again(self) -> None:
        """Read the folder in a thread: first what is cheap, then the rates of what changed."""
        known = {line.path: line for line in self._lines}
        try:
            lines = read_runs(self._folder)
        except UserError as error:
            self.app.call_from_thread(self.bench.say, str(error), error=True)
            return
        if not self._lines:
            self.app.call_from_thread(self._show, lines)
        self.app.call_from_thread(self._show, [with_rates(line, known) for line in lines])

    def _show(self, lines: list[RunLine]) -> None:
        first = not self._lines
        self._lines = lines
        source = RunSource(lines, self._ids, self.look)
        if first:
            self.rows.show(source)
        else:
            self.rows.update(source, keep=False)
        self._draw_around()

    def _draw_around(self) -> None:
        if not self.size.width:
            return
        look, width = self.look, self.size.width
        first = Text.assemble(
            (f" {len(self._lines)}", look.strong),
            (" run files" if len(self._lines) != 1 else " run file", look.muted),
            end="",
        )
        head = Text(" ", end="") + heading(place(COLUMNS, width - 2), look.muted)
        self.query_one("#list-head", LineBlock).show([Text(end=""), first, Text(end=""), head])
        self._draw_facts()

    def selected_line(self) -> RunLine | None:
        """The file under the cursor."""
        at = self.rows.cursor
        return self._lines[at] if 0 <= at < len(self._lines) else None

    def _draw_facts(self) -> None:
        look, width, line = self.look, self.size.width, self.selected_line()
        block = self.query_one("#run-facts", LineBlock)
        if line is None:
            hint = f" no run file in {clean_line(str(self._folder), width=width - 24)}"
            more = " start one with: memtui demo, or memtui run CONFIG"
            block.show([styled(hint, look.muted), styled(more, look.muted)])
            return
        summary = line.summary
        first = Text(" ", end="", no_wrap=True)
        first.append(clean_line(str(line.path), width=width - 2), look.strong)
        second = Text(" ", end="", no_wrap=True)
        if summary.problem:
            second.append(clean_line(summary.problem, width=width - 2), look.bad)
        else:
            facts = [clean_line(summary.name, width=30), clean_line(summary.protocol, width=16)]
            if summary.warning:
                facts = [clean_line(summary.warning, width=width - 2)]
            if line.by_scale:
                facts.append("scales " + " ".join(scale(value) for value, _, _ in line.by_scale))
            if summary.budget is not None:
                facts.append(f"B {summary.budget} {clean_line(summary.mode, width=10)}")
            if summary.heartbeat_age is not None:
                facts.append(f"last sign of life {duration(summary.heartbeat_age * 1000)} ago")
            second.append("   ".join(facts), look.muted)
            second.truncate(width, overflow="ellipsis")
        block.show([Text(end=""), first, second])

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._draw_around)

    def compare_mark(self) -> Mark | None:
        """The file under the cursor."""
        line = self.selected_line()
        if line is None or line.summary.state == "unusable":
            return None
        return Mark(line.path)

    def text_to_copy(self) -> str:
        """The path of the file under the cursor."""
        line = self.selected_line()
        return "" if line is None else str(line.path)

    def data_to_export(self) -> Data:
        """The run files as `memtui ls` prints them."""
        from memtui.report.on_screen import runs_data

        return runs_data(self._folder)

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
