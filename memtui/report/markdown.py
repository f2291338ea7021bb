"""A report as Markdown: the same tables, outside text escaped so that it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.report.model import Report
from memtui.report.plain import header_lines
from memtui.report.table import LEFT, Table
from memtui.report.tables import report_tables
from memtui.state.tab import Tab
from memtui.views.text_door import clean_line

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def report_markdown(report: Report, tab: Tab | None = None) -> str:
    """The whole report, or one tab of it, with a final line end."""
    return "\n".join(_lines(report, tab)) + "\n"


def _lines(report: Report, tab: Tab | None) -> Iterator[str]:
    first, *rest = header_lines(report)
    yield f"# {escaped(first)}"
    yield ""
    for line in rest:
        yield f"{escaped(line)}  "
    for alarm in report.alarms:
        yield ""
        yield f"**Alarm:** {escaped(str(alarm))}"
    for table in report_tables(report, tab):
        yield ""
        yield from table_lines(table)
    if report.notes and tab in (None, Tab.TRUST):
        yield ""
        yield "## Notes"
        yield ""
        for note in report.notes:
            yield f"- {escaped(note)}"


def table_lines(table: Table) -> Iterator[str]:
    """A table with its title as a heading and its caption below."""
    yield f"## {escaped(table.title)}"
    yield ""
    yield _row(table.header)
    yield "|" + "|".join("---" if side == LEFT else "---:" for side in table.align) + "|"
    for row in table.rows:
        yield _row(row)
    if table.caption:
        yield ""
        yield escaped(table.caption)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(text: str) -> str:
    """One line of literal text for Markdown, inside a table too."""
    return _SPECIAL.sub(r"\\\1", clean_line(text))
