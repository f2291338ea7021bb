"""Tables of rates: reliability, other denominators, clusters, the usable scale."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.metrics.rates import Tally
from memtui.metrics.scales import scale_label
from memtui.report.model import Arm, Cell, Report
from memtui.report.table import (
    LEFT,
    RIGHT,
    Table,
    arm_names,
    cell_text,
    interval_text,
    percent,
    share,
    shown_interval,
    stands_in,
)
from memtui.views.numbers import UNKNOWN, level

POLICIES = {
    "errors_wrong": (
        "errors are wrong",
        "errors are wrong: excluded episodes count as not passed",
    ),
    "failures_excluded": (
        "failures left out",
        "failures left out: without episodes in which the system under test broke",
    ),
}
"""Policies beside the headline: (column, how to read it)."""


def reliability(cells: Sequence[Cell], report: Report, title: str, *, caption: str = "") -> Table:
    """Pass, exhausted, wrong, coverage and tail burden of each cell."""
    b = report.budget
    rates = (f"pass@{b}", "95 %", "exh", "wrong", f"cov@{b}", "P90R")
    header = ("arm", "scale", "n", *rates, "excl", "failed", "open")
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        counts = cell.counts
        rows.append(
            (
                name,
                cell_text(cell),
                str(counts.n),
                percent(cell.rates["pass"].value),
                shown_interval(cell.rates["pass"]),
                percent(cell.rates["exhausted"].value),
                percent(cell.rates["wrong"].value),
                _covered(cell),
                str(cell.p90r),
                str(counts.n_excluded),
                str(counts.system_failed),
                str(counts.pending),
            )
        )
    return Table(title, header, LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def how_to_read(report: Report) -> str:
    """The caption of the reliability table."""
    cells = report.cells
    how = "cluster-robust" if any(cell.clustered for cell in cells) else "Wilson"
    caption = (
        f"per cent of n; 95 % intervals are {how}; cov@{report.budget}: evidence complete after call "
        f"{report.budget} ({report.coverage}), the ceiling of retrieval"
    )
    if any(cell.counts.coverage_n != cell.counts.n for cell in cells):
        caption += " (its n where it differs)"
    return caption + stands_in(cells)


def denominators(report: Report) -> Table:
    """Pass under the other policies, for the cells and policies where they say something else."""
    cells = [cell for cell in report.cells if _other_n(cell)]
    policies = [p for p in POLICIES if any(_differs(cell, p) for cell in cells)]
    clean = any(_cleaned(cell) for cell in cells)
    header = ["arm", "scale", "shown", *(POLICIES[p][0] for p in policies)]
    notes = [POLICIES[p][1] for p in policies]
    if clean:
        header.append("no known defects")
        notes.append("no known defects: only items that lint found nothing wrong with")
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        found = cell.counts.policies
        row = [name, cell_text(cell)]
        row += [f"{share(*found[p])} ({found[p][1]})" for p in ("errors_excluded", *policies)]
        if clean:
            row.append(UNKNOWN if cell.clean is None else _with_n(cell.clean))
        rows.append(tuple(row))
    title = f"Pass@{report.budget} under other denominators"
    align = LEFT + RIGHT * (len(header) - 1)
    return Table(title, tuple(header), align, tuple(rows), "; ".join(["per cent (n)", *notes]))


def _differs(cell: Cell, policy: str) -> bool:
    found = cell.counts.policies
    return found[policy][1] != found["errors_excluded"][1]


def _cleaned(cell: Cell) -> bool:
    return cell.clean is not None and cell.clean.n != cell.counts.n


def _other_n(cell: Cell) -> bool:
    return _cleaned(cell) or any(_differs(cell, policy) for policy in POLICIES)


def clusters(report: Report) -> Table:
    """How far questions of one history agree, and what that does to the interval."""
    cells = [cell for cell in report.cells if cell.rates["pass"].clustered is not None]
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        rate = cell.rates["pass"]
        robust = rate.clustered
        if robust is None:
            continue
        rows.append(
            (
                name,
                cell_text(cell),
                str(robust.clusters),
                UNKNOWN if robust.icc is None else f"{robust.icc:.3f}",
                UNKNOWN if robust.design_effect is None else f"{robust.design_effect:.2f}",
                interval_text(robust.interval),
                interval_text(rate.wilson),
                interval_text(cell.bootstrap.get("pass")),
            )
        )
    return Table(
        f"Pass@{report.budget}: questions that share a history",
        ("arm", "scale", "histories", "ICC", "design effect", "clustered", "Wilson", "bootstrap"),
        "<>>>>>>>",
        tuple(rows),
        "design effect: by how much the variance of independent questions falls short",
    )


def _covered(cell: Cell) -> str:
    counts = cell.counts
    if not counts.coverage_n:
        return "n/a"
    value = percent(cell.covered.value)
    return value if counts.coverage_n == counts.n else f"{value} ({counts.coverage_n})"


def _with_n(counts: Tally) -> str:
    return f"{share(counts.passed, counts.n)} ({counts.n})"


def usable(report: Report) -> Table:
    """s* of each arm, how sure it is, and the drop over the ladder."""
    rows = []
    for arm in report.arms:
        drop = UNKNOWN
        if arm.drop is not None:
            span = f"{scale_label(arm.drop.low_scale)}→{scale_label(arm.drop.high_scale)}"
            drop = f"{100 * arm.drop.difference:+.1f} {interval_text(arm.drop.interval)} {span}"
        rows.append((arm.key, str(arm.s_star), _sure(arm), _spread(arm), drop, str(arm.p90r)))
    caption = (
        f"s*: first scale at which pass@{report.budget} falls below {level(report.alpha)}; sure: the "
        "whole interval is below it too, or, where none falls, no interval reaches below it"
    )
    spreads = [arm.distribution for arm in report.arms if arm.distribution is not None]
    if spreads:
        caption += (
            f"; spread: {spreads[0].resamples} joint resamples of {spreads[0].clusters} clusters, seed "
            f"{spreads[0].seed}"
        )
    return Table(
        "Usable scale",
        ("arm", "s*", "sure", "spread of s*", f"drop of pass@{report.budget}, points", "P90R"),
        "<><<<>",
        tuple(rows),
        caption,
    )


def _sure(arm: Arm) -> str:
    found = arm.s_star
    if found.n is None:
        return UNKNOWN
    return f"no (n {found.n})" if found.unsure else "yes"


def _spread(arm: Arm) -> str:
    if arm.distribution is None:
        return UNKNOWN
    return ", ".join(
        f"{label} {'<1%' if part < 0.005 else f'{part:.0%}'}"
        for label, part in arm.distribution.shares.items()
    )
