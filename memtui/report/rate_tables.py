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
    interval_text,
    percent,
    scale_text,
    share,
    shown_interval,
)
from memtui.views.numbers import UNKNOWN, level

POLICIES = ("errors_excluded", "errors_wrong", "failures_excluded")


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
                scale_text(cell.scale),
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
    if any(cell.rates["pass"].method == "wilson-iid" for cell in cells):
        caption += "; * all histories agree, Wilson instead"
    return caption


def denominators(report: Report) -> Table:
    """Pass under the other policies, for the cells where they say something else."""
    cells = [cell for cell in report.cells if _other_n(cell)]
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        policies = cell.counts.policies
        row = [name, scale_text(cell.scale)]
        row += [f"{share(*policies[p])} ({policies[p][1]})" for p in POLICIES]
        row.append(UNKNOWN if cell.clean is None else _with_n(cell.clean))
        rows.append(tuple(row))
    return Table(
        f"Pass@{report.budget} under other denominators",
        ("arm", "scale", "shown", "errors are wrong", "failures left out", "no known defects"),
        "<>>>>>",
        tuple(rows),
        "per cent (n); errors are wrong: excluded episodes count as not passed; failures left out: "
        "without episodes in which the system under test broke; no known defects: only items that lint "
        "found nothing wrong with",
    )


def _other_n(cell: Cell) -> bool:
    counts = cell.counts
    cleaned = cell.clean is not None and cell.clean.n != counts.n
    return bool(counts.n_excluded or counts.system_failed or cleaned)


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
                scale_text(cell.scale),
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
        "upper end of the interval is below it too"
    )
    spreads = [arm.distribution for arm in report.arms if arm.distribution is not None]
    if spreads:
        caption += (
            f"; spread: {spreads[0].resamples} joint resamples of {spreads[0].clusters} clusters, seed "
            f"{spreads[0].seed}"
        )
    return Table(
        "Usable scale",
        ("arm", "s*", "sure", "spread of s*", "drop, points", "P90R"),
        "<><<<>",
        tuple(rows),
        caption,
    )


def _sure(arm: Arm) -> str:
    return UNKNOWN if arm.s_star.sure is None else "yes" if arm.s_star.sure else "no"


def _spread(arm: Arm) -> str:
    if arm.distribution is None:
        return UNKNOWN
    return ", ".join(f"{label} {share:.0%}" for label, share in arm.distribution.shares.items())
