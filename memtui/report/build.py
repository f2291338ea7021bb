"""Builds a report from a run file: all numbers from `metrics`, nothing counted here anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from memtui.errors import UserError
from memtui.metrics.histogram import Fold, fold, merge
from memtui.metrics.intervals import wilson
from memtui.metrics.outcome import check_budget, outcome
from memtui.metrics.rates import RATES, Rate, Tally, overshoots, p90r, rate, tally
from memtui.metrics.repeats import RepeatRates, pass_hat
from memtui.metrics.stopping import stopping
from memtui.model import Outcome
from memtui.report.ladders import arm_reports, with_bootstrap
from memtui.report.model import Cell, Group, Report
from memtui.report.notes import alarms_of, notes_of
from memtui.report.source import COVERAGE, ReportSource
from memtui.report.tokens import tokens_after_coverage
from memtui.store import lease
from memtui.store.reader import RunReader
from memtui.store.records import CellRow, EpisodeFact
from memtui.store.workspace import state_of

Folds = Mapping[Hashable, Fold]


def build_report(
    reader: RunReader,
    budget: int | None = None,
    alpha: float | None = None,
    judge: str | None = None,
    by: str | None = None,
    flt: str | None = None,
    *,
    bootstrap: bool = True,
    tokens: bool = False,
) -> Report:
    """Report a run file at B, alpha, judge and filter (default: the run's own, no filter).

    `by` groups the cells (`source.BY`); `bootstrap` adds the joint ladder bootstrap (loads numpy);
    `tokens` adds what was spent after the evidence was complete (reads the steps). UserError for a
    budget the run cannot speak about, an unknown judge, group or field.
    """
    source = ReportSource(reader, judge, flt or "")
    return report_at(source, budget, alpha, by, bootstrap=bootstrap, tokens=tokens)


def report_at(
    source: ReportSource,
    budget: int | None = None,
    alpha: float | None = None,
    by: str | None = None,
    *,
    bootstrap: bool = False,
    tokens: bool = False,
) -> Report:
    """The report of a source that is already read; another B costs a recount of its folds only."""
    run = source.run
    at = check_budget(
        run.budget if budget is None else budget, run.mode, run.budget, source.call_cap
    )
    level = run.alpha if alpha is None else alpha
    if not 0.0 < level <= 1.0:
        raise UserError(f"--alpha is a rate above 0 and up to 1; got {level}")
    facts = source.selected(at)
    folds = source.folds(facts)
    builder = _CellBuilder(source, at)
    cells = builder.cells(folds, facts)
    if tokens:
        tokens_after_coverage(source.reader, facts, source.cells, cells)
    groups = builder.groups(by, facts) if by else ()
    arms = arm_reports(source, facts, cells, level, at, bootstrap=bootstrap)
    if bootstrap:
        with_bootstrap(source, facts, cells, at)
    beat = source.reader.heartbeat()
    state, _ = state_of(run, beat, lease.holder(source.reader.path) is not None)
    unanswerable = builder.cells(folds, facts, answerable=0)
    totals = tally(
        merge([one for key, one in folds.items() if isinstance(key, tuple) and key[1]]),
        at,
        run.mode,
    )
    ladder_items = None
    if source.unavailable_items:
        ladder_items = len({fact.item_id for fact in source.ladder_facts(facts)})
    report = Report(
        file=str(source.reader.path),
        run=run,
        state=state,
        progress=source.reader.progress(),
        budget=at,
        alpha=level,
        judge=source.judge,
        judges=tuple(source.judges),
        filter=source.filter_text,
        filtered=len(facts) if source.filter_text else None,
        call_cap=source.call_cap,
        coverage=COVERAGE,
        totals=totals,
        cells=cells,
        arms=arms,
        unanswerable=unanswerable,
        groups=groups,
        rungs=source.rungs,
        ladder_items=ladder_items,
        alarms=alarms_of(source, folds),
        notes=(),
    )
    report.notes = notes_of(report, source, facts)
    return report


class _CellBuilder:
    """Cells of one report: they share what each signature means at B."""

    def __init__(self, source: ReportSource, budget: int) -> None:
        self._source = source
        self._budget = budget

    def cells(
        self, folds: Folds, facts: Sequence[EpisodeFact], answerable: int = 1
    ) -> tuple[Cell, ...]:
        """Cells in the order of arms and scales; cells without an episode are left out."""
        clean = self._clean(facts) if answerable else {}
        repeats = self._repeats(facts, answerable)
        found = []
        for cell in self._ordered():
            group = folds.get((cell.id, answerable))
            if group is not None:
                made = self._cell(cell, group, None)
                made.clean = clean.get(cell.id)
                made.repeats = repeats.get(cell.id)
                found.append(made)
        return tuple(found)

    def groups(self, by: str, facts: Sequence[EpisodeFact]) -> tuple[Group, ...]:
        """Cells of the answerable items per value of `by`, values in alphabetical order."""
        values = self._source.group_values(by, facts)
        folds = fold(
            facts,
            [
                (fact.cell_id, fact.answerable, value)
                for fact, value in zip(facts, values, strict=True)
            ],
            [fact.cluster for fact in facts],
            self._source.mode,
        )
        groups = []
        for value in sorted(set(values)):
            cells = tuple(
                self._cell(cell, group, value)
                for cell in self._ordered()
                if (group := folds.get((cell.id, 1, value))) is not None
            )
            if cells:
                groups.append(Group(by, value, cells))
        return tuple(groups)

    def _ordered(self) -> Iterator[CellRow]:
        return iter(self._source.cells.values())

    def _cell(self, cell: CellRow, group: Fold, value: str | None) -> Cell:
        context = cell.arm in self._source.context_arms
        counts = tally(group, self._budget, self._source.mode, context=context)
        covered, known = counts.covered_at_b, counts.coverage_n
        ceiling = wilson(covered, known)
        return Cell(
            cell_id=cell.id,
            arm=cell.arm,
            scale=cell.scale,
            conditions=cell.conditions,
            group=value,
            counts=counts,
            rates={name: rate(group, counts, name) for name in RATES},
            covered=Rate(covered, known, ceiling, None, ceiling, "wilson"),
            p90r=p90r(counts),
            stopping=stopping(counts, overshoots(group, counts)),
            clustered=group.clustered,
        )

    def _clean(self, facts: Sequence[EpisodeFact]) -> dict[int, Tally]:
        """Counts of the items without a known defect, where some item has one."""
        if not any(fact.flagged for fact in facts):
            return {}
        kept = [fact for fact in facts if not fact.flagged]
        folds = self._source.fold_cells(kept)
        return {
            key[0]: tally(group, self._budget, self._source.mode)
            for key, group in folds.items()
            if isinstance(key, tuple) and key[1]
        }

    def _repeats(self, facts: Sequence[EpisodeFact], answerable: int) -> dict[int, RepeatRates]:
        """pass^k per cell, where an item was asked several times over the same history."""
        if len({fact.repeat for fact in facts}) < 2:
            return {}
        rows = self._source.reader.query("SELECT id,haystack_id FROM episode")
        history: dict[int, int | None] = dict(rows)
        questions: defaultdict[int, dict[Hashable, list[int]]] = defaultdict(dict)
        for fact in facts:
            if fact.answerable != answerable:
                continue
            what = outcome(fact, self._budget, self._source.mode)
            if what in (Outcome.EXCLUDED, Outcome.PENDING):
                continue
            key = (fact.item_id, history.get(fact.id))
            passes, asked = questions[fact.cell_id].get(key, (0, 0))
            questions[fact.cell_id][key] = [passes + (what is Outcome.PASS), asked + 1]
        return {
            cell: pass_hat((passes, asked) for passes, asked in found.values())
            for cell, found in questions.items()
        }
