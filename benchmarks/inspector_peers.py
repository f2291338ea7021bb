"""What the inspector is measured beside: an app of the same widgets without data, and a stock DataTable.

    python benchmarks/inspector_peers.py empty
    python benchmarks/inspector_peers.py table FILE

Both run until they are killed; `table` shows the columns that the episode list shows first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from rich.text import Text
from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import DataTable, Footer

from memtui.styles.themes import THEMES
from memtui.views.hints import Hint
from memtui.views.look import LOOKS, Look
from memtui.widgets.filter_line import FilterLine, FilterSuggester
from memtui.widgets.lines import LineBlock
from memtui.widgets.pane import Rule
from memtui.widgets.title_row import HintRow, TitleRow
from memtui.widgets.virtual_list import VirtualList


class EmptyApp(App[None]):
    """The widgets of the episode screen, with nothing in them but a line that says it is there."""

    CSS_PATH = "../memtui/styles/app.tcss"
    look: Look = LOOKS[THEMES[0].name]
    ascii_only = False

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name

    def compose(self) -> Iterable[Widget]:
        yield TitleRow()
        with Vertical(id="body"):
            yield LineBlock(id="list-summary")
            yield FilterLine(placeholder="", suggester=FilterSuggester(), id="filter-line")
            yield LineBlock(id="filter-problem")
            with Horizontal(id="list-panes"):
                with Vertical(id="list-side"):
                    yield LineBlock([Text("ready to show rows")], id="list-heading")
                    yield VirtualList(id="episodes")
                yield Rule(id="facets-rule")
                yield VirtualList(id="facets")
            yield LineBlock(id="episode-facts")
        yield LineBlock(id="too-small")
        yield HintRow([Hint("q", "quit")])

    def on_mount(self) -> None:
        self.query_one("#episodes").focus()


class TableApp(App[None]):
    """Textual's own table over the same rows."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> Iterable[Widget]:
        yield DataTable(cursor_type="row")
        yield Footer()

    def on_mount(self) -> None:
        from memtui.store.reader import open_run

        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("end", "calls", "R", "t*", "arm", "scale", "answer", "question")
        with open_run(self._path) as reader:
            rows = reader.query(
                "SELECT e.end_reason,e.strip,e.requested,coalesce(e.t_star,'-'),a.key,c.scale,e.answer,"
                "i.question FROM episode e JOIN cell c ON c.id=e.cell_id JOIN arm a ON a.id=c.arm_id"
                " JOIN item i ON i.id=e.item_id ORDER BY e.id DESC"
            )
        table.add_rows(tuple(map(str, row)) for row in rows)
        table.focus()


if __name__ == "__main__":
    if sys.argv[1] == "empty":
        EmptyApp().run()
    else:
        TableApp(Path(sys.argv[2])).run()
