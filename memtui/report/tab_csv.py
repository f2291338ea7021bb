"""One tab of a report as rows, exact: the figures that its tables round."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.metrics.cost import PhaseCost, Spent
from memtui.metrics.scales import scale_label
from memtui.metrics.stopping import BUCKETS, LAST_CALL
from memtui.report.as_csv import report_csv
from memtui.report.csv_door import Value, to_csv
from memtui.report.model import Report
from memtui.report.trust_tables import causes_of, most_repeats
from memtui.state.tab import Tab

_PLACE = ("items", "arm", "scale", "conditions", "budget", "judge")


def tab_csv(report: Report, tab: Tab | None, *, excel: bool = False) -> str:
    """CSV text of a tab; without one, and for reliability, one row per cell with its rates."""
    if tab is Tab.STOPPING:
        return to_csv(_STOPPING, _stopping(report), excel=excel)
    if tab is Tab.TRUST:
        causes = causes_of(report)
        most = most_repeats(report)
        header = (
            *_PLACE, "n", "excluded", *(f"excluded_{cause}" for cause in causes), "pending",
            "system_failed", "no_answer", "judged_by_several", "judges_differ",
            "repeated_questions", *(f"pass_hat_{k}" for k in range(1, most + 1)),
        )  # fmt: skip
        return to_csv(header, _trust(report, causes, most), excel=excel)
    if tab is Tab.COST:
        return to_csv(_COST, _cost(report), excel=excel)
    return report_csv(report, excel=excel)


_STOPPING = (
    *_PLACE, "n", "coverage_n", "covered", "right_covered",
    *(f"{what}_{name.replace('+', '_or_more')}" for name in BUCKETS for what in ("overshoot", "right")),
    "mean_overshoot", "redundant", "gave_up_early", "tokens_after", "tokens_after_episodes",
    "tokens_after_unknown_steps", *(f"complete_after_{call}" for call in range(1, LAST_CALL)),
    f"complete_after_{LAST_CALL}_or_more", "until",
)  # fmt: skip


def _place(
    report: Report, items: str, arm: str, scale: float | None, conditions: str
) -> list[Value]:
    shown = None if scale is None else scale_label(scale)
    return [items, arm, shown, conditions, report.budget, report.judge]


def _stopping(report: Report) -> Iterator[list[Value]]:
    for cell in report.cells:
        found = cell.stopping
        row = _place(report, "answerable", cell.arm, cell.scale, cell.conditions)
        row += [found.n, found.coverage_n, found.covered, found.right_covered]
        for bucket in found.buckets:
            row += [bucket.n, bucket.right]
        row += [found.mean_overshoot, found.redundant, found.gave_up_early]
        row += [*(cell.tokens_after or (None, None, None)), *found.completed(LAST_CALL)]
        yield [*row, report.until]


def _trust(report: Report, causes: tuple[str, ...], most: int) -> Iterator[list[Value]]:
    for items, cells in (("answerable", report.cells), ("unanswerable", report.unanswerable)):
        for cell in cells:
            counts, agreed, repeated = cell.counts, cell.agreement, cell.repeats
            row = _place(report, items, cell.arm, cell.scale, cell.conditions)
            row += [counts.n, counts.n_excluded, *(counts.excluded[cause] for cause in causes)]
            row += [counts.pending, counts.system_failed, counts.no_answer]
            row += [None, None] if agreed is None else [agreed.n, agreed.differ]
            row.append(None if repeated is None else repeated.questions)
            for k in range(1, most + 1):
                found = None if repeated is None else repeated.pass_hat.get(k)
                row.append(None if found is None else found[0])
            yield row


_SIDE = ("model_calls", "tokens", "tokens_unknown_lines", "cost_usd", "cost_unknown_lines")
_COST = (
    "arm", "memory", "scale", "conditions", "phase", "episodes", "right", "lines",
    *(f"{side}_{name}" for side in ("paid", "cold") for name in _SIDE), "wall_ms",
    "wall_unknown_lines",
)  # fmt: skip


def _cost(report: Report) -> Iterator[list[Value]]:
    memories = {arm.key: arm.memory for arm in report.arms}
    for cell in report.costs.cells:
        scale = None if cell.scale is None else scale_label(cell.scale)
        for phase in cell.phases:
            place: list[Value] = [
                cell.arm,
                memories.get(cell.arm),
                scale,
                cell.conditions,
                phase.phase,
            ]
            yield [*place, cell.episodes, cell.right, *_phase(phase)]
    for ingest in report.costs.ingests:
        yield [None, ingest.memory, None, None, "ingest", None, None, *_phase(ingest.cost)]


def _phase(cost: PhaseCost) -> list[Value]:
    wall = cost.wall
    return [
        cost.paid.tokens.lines,
        *_spent(cost.paid),
        *_spent(cost.cold),
        wall.value,
        wall.unknown,
    ]


def _spent(spent: Spent) -> list[Value]:
    tokens, dollars = spent.tokens, spent.dollars
    known = None if tokens.value is None else int(tokens.value)
    return [spent.calls, known, tokens.unknown, dollars.value, dollars.unknown]
