"""A report as rows: one per cell, the answerable ones first, then groups and unanswerable items."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.metrics.intervals import Interval
from memtui.metrics.regime import OUTCOME_OF
from memtui.metrics.scales import scale_label
from memtui.report.csv_door import Value, to_csv
from memtui.report.model import Cell, Report

HEADER = (
    "items",
    "group",
    "arm",
    "scale",
    "conditions",
    "budget",
    "mode",
    "judge",
    "n",
    "pass",
    "exhausted",
    "wrong",
    "excluded",
    "pending",
    "system_failed",
    "no_answer",
    "exhausted_right",
    "p90r",
    "p90r_censored",
    "covered_at_b",
    "covered_end",
    "coverage_n",
    "pass_rate",
    "pass_low",
    "pass_high",
    "pass_interval",
    "exhausted_rate",
    "exhausted_low",
    "exhausted_high",
    "wrong_rate",
    "wrong_low",
    "wrong_high",
    *(f"regime_{regime.value}" for regime in OUTCOME_OF),
    "until",
)
"""The last one: seconds into the run of the moment that is reported, empty for the run as it is."""


def report_csv(report: Report, *, excel: bool = False) -> str:
    """CSV text of the report; exact, or safe for spreadsheets."""
    return to_csv(HEADER, _rows(report), excel=excel)


def _rows(report: Report) -> Iterator[list[Value]]:
    for cell in report.cells:
        yield _row(report, cell, "answerable", "")
    for group in report.groups:
        for cell in group.cells:
            yield _row(report, cell, "answerable", f"{group.by}={group.value}")
    for cell in report.unanswerable:
        yield _row(report, cell, "unanswerable", "")


def _row(report: Report, cell: Cell, items: str, group: str) -> list[Value]:
    counts = cell.counts
    row: list[Value] = [
        items,
        group,
        cell.arm,
        None if cell.scale is None else scale_label(cell.scale),
        cell.conditions,
        report.budget,
        report.run.mode,
        report.judge,
        counts.n,
        counts.passed,
        counts.exhausted,
        counts.wrong,
        counts.n_excluded,
        counts.pending,
        counts.system_failed,
        counts.no_answer,
        counts.exhausted_right,
        cell.p90r.value,
        int(cell.p90r.censored),
        counts.covered_at_b,
        counts.covered_end,
        counts.coverage_n,
    ]
    for name in ("pass", "exhausted", "wrong"):
        rate = cell.rates[name]
        row += [rate.value, *_ends(rate.interval)]
        if name == "pass":
            row.append(rate.method)
    row += [counts.regimes[regime] for regime in OUTCOME_OF]
    return [*row, report.until]


def _ends(interval: Interval | None) -> list[Value]:
    return [None, None] if interval is None else [interval.low, interval.high]
