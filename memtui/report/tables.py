"""The tables of a report, in order: plain text and Markdown draw the same ones."""

from __future__ import annotations

from memtui.report.behaviour_tables import (
    abstention,
    completions,
    histories,
    ranks,
    regimes,
    repeats,
    searches,
    stopping_table,
)
from memtui.report.cost_tables import cost_by_arm, cost_by_cell
from memtui.report.model import Report
from memtui.report.rate_tables import clusters, denominators, how_to_read, reliability, usable
from memtui.report.table import Table
from memtui.report.trust_tables import exclusions, judges
from memtui.state.tab import Tab


def report_tables(report: Report, tab: Tab | None = None) -> list[Table]:
    """The tables of one tab, or of all, that have something to say: conclusions first, what they rest on
    last."""
    if tab is Tab.STOPPING:
        tables = [
            stopping_table(report),
            completions(report),
            searches(report),
            ranks(report),
            regimes(report),
        ]
    elif tab is Tab.TRUST:
        tables = [
            exclusions(report),
            judges(report),
            repeats(report),
            denominators(report),
            clusters(report),
            histories(report),
        ]
    elif tab is Tab.COST:
        tables = [cost_by_arm(report), cost_by_cell(report)]
    elif tab is Tab.RELIABILITY:
        tables = [*_rates(report), abstention(report), *_groups(report)]
    else:
        tables = [
            *_rates(report),
            regimes(report),
            stopping_table(report),
            completions(report),
            searches(report),
            ranks(report),
            repeats(report),
            abstention(report),
            *_groups(report),
            exclusions(report),
            judges(report),
            denominators(report),
            clusters(report),
            histories(report),
            cost_by_arm(report),
        ]
    return [table for table in tables if table.rows]


def _rates(report: Report) -> list[Table]:
    title = "Reliability, answerable items"
    return [
        usable(report),
        reliability(report.cells, report, title, caption=how_to_read(report)),
    ]


def _groups(report: Report) -> list[Table]:
    return [
        reliability(group.cells, report, f"{group.by.replace('_', ' ')}: {group.value}")
        for group in report.groups
    ]
