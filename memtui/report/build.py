"""Builds a report from a run file: all numbers from `metrics`, nothing counted here anew."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from memtui.errors import UserError
from memtui.metrics.facts import DEFAULT_VIEW
from memtui.metrics.histogram import Fold
from memtui.metrics.rates import RATES, covered_rate, overshoots, p90r, rate, tally
from memtui.metrics.repeats import repeat_rates
from memtui.metrics.stopping import stopping
from memtui.query.budgets import budget_at
from memtui.report.costs import Ledger
from memtui.report.judging import Judging
from memtui.report.ladders import arm_reports, with_bootstrap
from memtui.report.model import Cell, Group, Report
from memtui.report.notes import notes_of
from memtui.report.ranks import evidence_ranks
from memtui.report.selection import Selection
from memtui.report.source import ReportSource
from memtui.report.tokens import tokens_after_coverage
from memtui.store.reader import RunReader
from memtui.store.records import CellRow


def build_report(
    reader: RunReader,
    budget: int | None = None,
    alpha: float | None = None,
    judge: str | None = None,
    by: str | None = None,
    flt: str | None = None,
    *,
    coverage: str = DEFAULT_VIEW,
    bootstrap: bool = True,
    tokens: bool = False,
    flagged: str | None = None,
) -> Report:
    """Report a run file at B, alpha, judge and filter (default: the run's own, no filter).

    `by` groups the cells (`source.BY`); `coverage` is a view (`source.VIEWS`); `bootstrap` adds the joint ladder bootstrap (loads numpy);
    `tokens` adds what was spent after the evidence was complete and the ranks at which it came (reads the steps);
    `flagged` = `exclude` leaves questions out whose gold a reader flagged. UserError for a
    budget the run cannot speak about, an unknown judge, group, view or field.
    """
    source = ReportSource(reader, judge, flt or "", coverage, flagged=flagged)
    return report_at(source, budget, alpha, by, bootstrap=bootstrap, tokens=tokens)


def report_at(
    source: ReportSource,
    budget: int | None = None,
    alpha: float | None = None,
    by: str | None = None,
    *,
    bootstrap: bool = False,
    tokens: bool = False,
    judges: bool = True,
    costs: bool = True,
) -> Report:
    """The report of a source that is already read; another B costs a look-up per cell.

    `judges` and `costs` read all verdicts and the ledger, once per selection; without them both are empty.
    """
    run = source.run
    at, level = checked_budget(source, budget), checked_alpha(source, alpha)
    selection = source.selected(at)
    cells = _cells(source, selection, at, 1)
    if tokens:
        if selection.tokens_after is None:
            selection.tokens_after = tokens_after_coverage(source.reader, selection.facts, run.mode)
            selection.ranks = evidence_ranks(source.reader, selection.facts, run.mode)
        for cell in cells:
            cell.tokens_after = selection.tokens_after.get(cell.cell_id)
            cell.ranks = selection.ranks.get(cell.cell_id)
    groups = _groups(source, selection, by, at) if by else ()
    arms = arm_reports(source, selection, cells, level, at, bootstrap=bootstrap)
    if bootstrap:
        with_bootstrap(selection, cells, at)
    report = Report(
        file=str(source.reader.path),
        run=run,
        state=source.state,
        progress=source.progress,
        budget=at,
        alpha=level,
        judge=source.judge,
        judges=tuple(source.judges),
        filter=source.filter_text,
        filtered=len(selection.facts) if source.filter_text else None,
        conditional=source.conditional,
        call_cap=source.call_cap,
        coverage=source.coverage,
        totals=tally(selection.answerable, at, run.mode),
        cells=cells,
        arms=arms,
        unanswerable=_cells(source, selection, at, 0),
        groups=groups,
        rungs=source.rungs,
        ladder_items=selection.ladder_items,
        alarms=selection.alarms,
        notes=(),
    )
    if judges:
        found = selection.judging = selection.judging or Judging(
            source.reader, source.judge, source.judges, selection.facts
        )
        report.judging = found.pairs
        for cell in (*cells, *report.unanswerable):
            cell.agreement = found.cells.get(cell.cell_id)
    if costs:
        whole = not source.filter_text and not source.left_out
        ledger = selection.ledger = selection.ledger or Ledger(
            source.reader, source.arms, source.cells.values(), selection.facts, whole=whole
        )
        report.costs = ledger.costs(cells, report.unanswerable)
    report.flagged, report.left_out = source.marks.bad_gold, bool(source.left_out)
    report.asked, report.defective = len(selection.answerable_items), len(selection.flagged_items)
    report.notes = notes_of(report, source, selection)
    return report


def checked_budget(source: ReportSource, budget: int | None) -> int:
    """The B to report at, the run's own by default; UserError where the run cannot say."""
    return budget_at(source.reader, source.run, budget)


def checked_alpha(source: ReportSource, alpha: float | None) -> float:
    """The level of s*, the run's own by default; UserError for what is no rate."""
    level = source.run.alpha if alpha is None else alpha
    if not 0.0 < level <= 1.0:
        raise UserError(f"--alpha is a rate above 0 and up to 1; got {level}")
    return level


def _cells(
    source: ReportSource, selection: Selection, budget: int, answerable: int
) -> tuple[Cell, ...]:
    """Cells in the order of arms and scales; cells without an episode are left out."""
    found = []
    for row in source.cells.values():
        key = (row.id, answerable)
        group = selection.folds.get(key)
        if group is None:
            continue
        cell = _cell(source, row, group, None, budget)
        if answerable and selection.clean_folds:
            cell.clean = tally(selection.clean_folds.get(key) or Fold(), budget, source.mode)
        questions = selection.questions.get(key)
        if questions:
            cell.repeats = repeat_rates(questions, budget)
        found.append(cell)
    return tuple(found)


def _groups(source: ReportSource, selection: Selection, by: str, budget: int) -> tuple[Group, ...]:
    """Cells of the answerable items per value of `by`, values in alphabetical order."""
    values = source.group_values(by, selection.facts)
    folds: Mapping[Hashable, Fold] = selection.fold_by(values)
    groups = []
    for value in sorted(set(values)):
        cells = tuple(
            _cell(source, row, group, value, budget)
            for row in source.cells.values()
            if (group := folds.get((row.id, 1, value))) is not None
        )
        if cells:
            groups.append(Group(by, value, cells))
    return tuple(groups)


def _cell(source: ReportSource, row: CellRow, group: Fold, value: str | None, budget: int) -> Cell:
    counts = tally(group, budget, source.mode, context=row.arm in source.context_arms)
    return Cell(
        cell_id=row.id,
        arm=row.arm,
        scale=row.scale,
        conditions=row.conditions,
        group=value,
        counts=counts,
        rates={name: rate(group, counts, name) for name in RATES},
        covered=covered_rate(group, counts),
        p90r=p90r(counts),
        stopping=stopping(
            counts,
            overshoots(group, counts),
            group.sweep(source.mode).completed(),
            group.steady(source.mode).searches,
        ),
        clustered=group.clustered,
    )
