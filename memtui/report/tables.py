"""The tables of a report, in order: plain text and Markdown draw the same ones."""

from __future__ import annotations

from memtui.report.behaviour_tables import abstention, histories, regimes, repeats, stopping_table
from memtui.report.model import Report
from memtui.report.rate_tables import clusters, denominators, how_to_read, reliability, usable
from memtui.report.table import Table


def report_tables(report: Report) -> list[Table]:
    """All tables that have something to say."""
    title = "Reliability, answerable items"
    tables = [reliability(report.cells, report, title, caption=how_to_read(report))]
    tables.append(denominators(report))
    tables.append(clusters(report))
    tables.append(usable(report))
    tables.append(regimes(report))
    tables.append(stopping_table(report))
    if any(cell.repeats is not None for cell in report.cells):
        tables.append(repeats(report))
    if report.unanswerable:
        tables.append(abstention(report))
    for group in report.groups:
        name = group.by.replace("_", " ")
        tables.append(reliability(group.cells, report, f"{name}: {group.value}"))
    if report.rungs:
        tables.append(histories(report))
    return [table for table in tables if table.rows]
