"""A report as plain text: aligned by terminal cells, no escape codes, safe to pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.cells import cell_len

from memtui.report.model import Report
from memtui.report.table import LEFT, Table
from memtui.report.tables import report_tables
from memtui.state.tab import Tab
from memtui.views.numbers import level
from memtui.views.text_door import clean_line, fit

GAP = "  "
WIDTH = 100


def report_text(report: Report, tab: Tab | None = None) -> str:
    """The whole report, or one tab of it, with a final line end."""
    return "\n".join(_lines(report, tab)) + "\n"


def _lines(report: Report, tab: Tab | None) -> Iterator[str]:
    yield from header_lines(report)
    for alarm in report.alarms:
        yield clean_line(f"ALARM  {alarm}")
    for table in report_tables(report, tab):
        yield ""
        yield from table_lines(table)
    if not report.cells and not report.unanswerable:
        yield ""
        yield "no episode has run" if not report.filter else "no episode passes the filter"
    if report.notes and tab in (None, Tab.TRUST):
        yield ""
        yield "Notes"
        for note in report.notes:
            yield from wrapped(f"- {note}", "  ")


def header_lines(report: Report) -> Iterator[str]:
    """What the numbers below depend on."""
    run, progress = report.run, report.progress
    name = str(run.dataset.get("name", "")) or "unknown data"
    yield clean_line(f"{run.name} · {name} · {report.file}")
    yield clean_line(
        f"{report.state} · {progress.done} of {progress.planned} episodes · {run.protocol} protocol · "
        f"configuration {run.config_hash[:12]}"
    )
    line = (
        f"B = {report.budget} ({run.mode.replace('_', ' ')}) · alpha {level(report.alpha)} · judge "
        f"{report.judge} · coverage {report.coverage}"
    )
    if report.call_cap is not None:
        line += f" · at most {report.call_cap} calls"
    yield clean_line(line)
    if report.filter:
        given = (
            f"; all rates are given {', '.join(report.conditional)}" if report.conditional else ""
        )
        yield clean_line(f"filter {report.filter}: {report.filtered} episodes{given}")
    totals = report.totals
    yield (
        f"answerable: n {totals.n} · pass {totals.passed} · exhausted {totals.exhausted} · wrong "
        f"{totals.wrong} · excluded {totals.n_excluded} · open {totals.pending}"
    )


def table_lines(table: Table) -> Iterator[str]:
    """A table, its columns as wide as their widest cell."""
    yield clean_line(table.title)
    rows = [[clean_line(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(cell_len(row[place]) for row in rows) for place in range(len(table.header))]
    for number, row in enumerate(rows):
        cells = [
            fit(cell, width, "left" if side == LEFT else "right")
            for cell, width, side in zip(row, widths, table.align, strict=True)
        ]
        yield GAP.join(cells).rstrip()
        if number == 0:
            yield GAP.join("-" * width for width in widths)
    if table.caption:
        yield from wrapped(table.caption, "")


def wrapped(text: str, hang: str, indent: str = "") -> Iterator[str]:
    """Prose in lines of at most `WIDTH` characters; a word longer than that stays whole."""
    yield from textwrap.wrap(
        clean_line(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
