"""The tables of a report, in order: plain text and Markdown draw the same ones."""

from __future__ import annotations

from memtui.report.behaviour_tables import abstention, histories, regimes, repeats, stopping_table
from memtui.report.model import Report
from memtui.report.rate_tables import clusters, denominators, how_to_read, reliability, usable
from memtui.report.table import Table


def report_tables(report: Report) -> list[Table]:
    """All tables that have something to say: conclusions first, what they rest on last."""
    title = "Reliability, answerable items"
    tables = [
        usable(report),
        reliability(report.cells, report, title, caption=how_to_read(report)),
        regimes(report),
        stopping_table(report),
        repeats(report),
        abstention(report),
    ]
    for group in report.groups:
        name = group.by.replace("_", " ")
        tables.append(reliability(group.cells, report, f"{name}: {group.value}"))
    tables += [denominators(report), clusters(report), histories(report)]
    return [table for table in tables if table.rows]
