"""Tables of what the rates rest on: exclusions by cause, judges that differ, repeats per question."""

from __future__ import annotations

from collections import Counter

from memtui.report.model import Cell, Report
from memtui.report.table import LEFT, RIGHT, Table, arm_names, cell_text, interval_text, percent
from memtui.views.numbers import UNKNOWN


def causes_of(report: Report) -> tuple[str, ...]:
    """Causes of exclusion that occur in some cell, most frequent first."""
    causes: Counter[str] = Counter()
    for cell in (*report.cells, *report.unanswerable):
        causes.update(cell.counts.excluded)
    return tuple(cause for cause, _ in causes.most_common())


def most_repeats(report: Report) -> int:
    """The most repeats of which pass^k is known in some cell; 0 where no question was repeated."""
    return max((max(c.repeats.pass_hat, default=0) for c in report.cells if c.repeats), default=0)


def exclusions(report: Report) -> Table:
    """Who counts, and who does not, and why: per cell, answerable items."""
    causes = causes_of(report)
    judged = any(cell.agreement is not None for cell in report.cells)
    header = ["arm", "scale", "n", "excl", *causes, "failed", "no answer", "open"]
    if judged:
        header.append("judges differ")
    rows = []
    for name, cell in zip(arm_names(report.cells), report.cells, strict=True):
        counts = cell.counts
        row = [name, cell_text(cell), str(counts.n), str(counts.n_excluded)]
        row += [str(counts.excluded[cause]) for cause in causes]
        row += [str(counts.system_failed), str(counts.no_answer), str(counts.pending)]
        if judged:
            row.append(differing(cell))
        rows.append(tuple(row))
    caption = (
        "excl, by cause: outside n, nobody's failure that is measured here; failed (the system under test "
        "broke) and no answer: inside n, not passed"
    )
    if judged:
        caption += "; judges differ: of the episodes that several judges decided, unanswerable items included"
    title = "Who counts, answerable items"
    return Table(title, tuple(header), LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def differing(cell: Cell) -> str:
    """``3/24`` episodes on which the judges differ; `–` where no two of them decided one."""
    found = cell.agreement
    return UNKNOWN if found is None or not found.n else f"{found.differ}/{found.n}"


def judges(report: Report) -> Table:
    """The judge of the report beside each other judge of the file."""
    rows = tuple(
        (
            pair.other,
            str(pair.both),
            str(pair.differ),
            percent(pair.differ / pair.both if pair.both else None),
            interval_text(pair.interval),
            str(pair.right_wrong),
            str(pair.wrong_right),
            UNKNOWN if pair.kappa is None else f"{pair.kappa:.2f}",
            str(pair.undecided),
            str(pair.alone),
        )
        for pair in report.judging
    )
    header = (
        "other judge", "decided by both", "differ", "per cent", "95 %", "only right here",
        "only right there", "kappa", "undecided", "by one only",
    )  # fmt: skip
    return Table(
        f"Judge {report.judge} beside the others",
        header,
        LEFT + RIGHT * (len(header) - 1),
        rows,
        "episodes, unanswerable items included; 95 % of the share that differs is Wilson; verdicts of "
        "several judges are never pooled",
    )
