"""Whole ladders of a report: s*, its distribution, the drop, and intervals where clusters are few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memtui.metrics.histogram import Fold
from memtui.metrics.intervals import FEW_CLUSTERS
from memtui.metrics.ladder_bootstrap import Resampler
from memtui.metrics.p90r import quantile_of_counts
from memtui.metrics.rates import rate, tally
from memtui.metrics.scales import on_ladder
from memtui.metrics.usable_scale import CONDITIONAL, RungRate, usable_scale
from memtui.report.model import Arm, Cell, Drop
from memtui.report.selection import Results, Selection
from memtui.report.source import ReportSource, passes


def arm_reports(
    source: ReportSource,
    selection: Selection,
    cells: Sequence[Cell],
    alpha: float,
    budget: int,
    *,
    bootstrap: bool,
) -> tuple[Arm, ...]:
    """One row per arm that has an episode, from the questions that every rung has."""
    rung_of = _rungs(selection, cells, budget)
    results: dict[int, Results] = {}
    resampler = None
    if bootstrap:
        results = selection.ladder_results
        resampler = _resampler(results)
    arms = []
    for arm in source.arms:
        mine = [cell for cell in cells if cell.arm == arm.key]
        if not mine:
            continue
        ladder = [cell for cell in mine if cell.cell_id in rung_of]
        rungs = [rung_of[cell.cell_id] for cell in ladder]
        measured = {cell.scale for cell in ladder}
        rungs += [RungRate(s, 0, 0) for s in source.run.scales if s >= 0 and s not in measured]
        calls: Counter[tuple[int, bool]] = Counter()
        for cell in mine:
            calls.update(cell.counts.calls)
        ran = sorted((rung for rung in rungs if rung.n), key=lambda rung: rung.scale)
        distribution = drop = None
        s_star = CONDITIONAL if source.conditional else usable_scale(rungs, alpha)
        if resampler is not None and ran:
            by_scale = {
                cell.scale: passes(results.get(cell.cell_id, {}), budget) for cell in ladder
            }
            if s_star.kind != "withheld":
                distribution = resampler.usable_scale(
                    [(rung.scale, by_scale[rung.scale]) for rung in ran], alpha
                )
        if len(ran) > 1:
            low, high = ran[0], ran[-1]
            interval = None
            if resampler is not None:
                interval = resampler.difference(by_scale[low.scale], by_scale[high.scale])
            difference = high.passed / high.n - low.passed / low.n
            drop = Drop(low.scale, high.scale, difference, interval)
        arms.append(
            Arm(
                key=arm.key,
                agent=arm.agent,
                memory=arm.memory,
                form=arm.form,
                provenance=arm.provenance,
                note=arm.note,
                context=arm.key in source.context_arms,
                s_star=s_star,
                distribution=distribution,
                drop=drop,
                p90r=quantile_of_counts(calls),
            )
        )
    return tuple(arms)


def _rungs(selection: Selection, cells: Sequence[Cell], budget: int) -> dict[int, RungRate]:
    """Pass@B of the cells that are rungs of the ladder, on the questions every rung has."""
    found = {}
    for cell in cells:
        if cell.scale is None or not on_ladder(cell.scale, cell.conditions):
            continue
        counts, passing = cell.counts, cell.rates["pass"]
        if selection.ladder_items is not None:
            group = selection.ladder_folds.get((cell.cell_id, 1)) or Fold()
            counts = tally(group, budget, selection.mode)
            passing = rate(group, counts, "pass")
        found[cell.cell_id] = RungRate(
            cell.scale, counts.passed, counts.n, counts.n_lost, passing.interval
        )
    return found


def with_bootstrap(selection: Selection, cells: Sequence[Cell], budget: int) -> None:
    """Add cluster-bootstrap intervals to the cells whose clusters are few."""
    few = [
        cell
        for cell in cells
        if (robust := cell.rates["pass"].clustered) is not None and robust.clusters < FEW_CLUSTERS
    ]
    if not few:
        return
    results = selection.cluster_results
    resampler = _resampler(results)
    for cell in few:
        rows = results.get(cell.cell_id, {})
        over = {c: (sum(1 for r, _ in v if r > budget), len(v)) for c, v in rows.items()}
        right = passes(rows, budget)
        wrong = {c: (n - over[c][0] - right[c][0], n) for c, (_, n) in over.items()}
        for name, counts in (("pass", right), ("exhausted", over), ("wrong", wrong)):
            interval = resampler.rate_interval(counts)
            if interval is not None:
                cell.bootstrap[name] = interval
        calls = {c: Counter(requested for requested, _ in v) for c, v in rows.items()}
        tail = resampler.quantile_interval(calls)
        if tail is not None:
            cell.bootstrap["p90r"] = tail


def _resampler(results: dict[int, Results]) -> Resampler:
    clusters = sorted({cluster for rows in results.values() for cluster in rows}, key=repr)
    return Resampler(clusters)
