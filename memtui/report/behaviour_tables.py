"""Tables of what the agents did: regimes, stopping, repeats, abstention, and their histories."""

from __future__ import annotations

from collections import Counter

from memtui.metrics.stopping import LAST_CALL
from memtui.model import Regime
from memtui.report.model import Cell, Report
from memtui.report.ranks import BINS, NEVER
from memtui.report.table import (
    LEFT,
    RIGHT,
    Table,
    arm_names,
    cell_text,
    percent,
    scale_text,
    shown_interval,
    stands_in,
)
from memtui.views.numbers import UNKNOWN

_COLUMNS = (
    ("cov", Regime.EXHAUSTED_COVERED),
    ("part", Regime.EXHAUSTED_PARTIAL),
    ("none", Regime.EXHAUSTED_NONE),
    ("cov", Regime.RIGHT_COVERED),
    ("uncov", Regime.RIGHT_UNCOVERED),
    ("cov", Regime.WRONG_COVERED),
    ("part", Regime.WRONG_PARTIAL),
    ("none", Regime.WRONG_NONE),
    ("mute", Regime.NO_ANSWER),
    ("failed", Regime.SYSTEM_FAILED),
)
_NA = (Regime.EXHAUSTED_NA, Regime.RIGHT_NA, Regime.WRONG_NA)


def regimes(report: Report) -> Table:
    """Episodes by regime."""
    cells = report.cells
    unknown = any(cell.counts.regimes[regime] for cell in cells for regime in _NA)
    header = ["arm", "scale", "n"]
    parts = ["exh"] * 3 + ["right"] * 2 + ["wrong"] * 3 + [""] * 2
    header += [f"{part} {name}".strip() for part, (name, _) in zip(parts, _COLUMNS, strict=True)]
    if unknown:
        header += ["exh n/a", "right n/a", "wrong n/a"]
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        shown = [regime for _, regime in _COLUMNS] + (list(_NA) if unknown else [])
        row = [name, cell_text(cell), str(cell.counts.n)]
        rows.append((*row, *(str(cell.counts.regimes[regime]) for regime in shown)))
    caption = (
        "episodes; exhausted by coverage after call B, right and wrong by coverage at the end; a right "
        "answer without the evidence is luck, prior knowledge or another source"
    )
    title = f"Failure regimes at B = {report.budget}, answerable items"
    return Table(title, tuple(header), LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def stopping_table(report: Report) -> Table:
    """What agents did once the evidence was complete, and before."""
    tokens = any(cell.tokens_after is not None for cell in report.cells)
    header = ["arm", "scale", "covered", "+0", "+1", "+2", "+3 or more", "mean"]
    header += ["redundant", "gave up early"]
    if tokens:
        header.append("tokens after")
    cells = [cell for cell in report.cells if cell.p90r.value is not None]
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        found = cell.stopping
        row = [name, cell_text(cell), f"{found.covered}/{found.coverage_n}"]
        row += [f"{percent(b.p_right)} ({b.n})" if b.n else UNKNOWN for b in found.buckets]
        mean = found.mean_overshoot
        row += [UNKNOWN if mean is None else f"{mean:.2f}"]
        row += [f"{found.redundant}/{found.n}", f"{found.gave_up_early}/{found.n}"]
        if tokens:
            row.append(_tokens(cell))
        rows.append(tuple(row))
    caption = (
        "P(right), per cent, by calls made after the evidence was complete (episodes); redundant: at "
        "least one call brought only blocks seen before; gave up early: stopped below B with evidence "
        "missing, not right"
    )
    title = "Stopping, answerable items"
    return Table(title, tuple(header), LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def completions(report: Report) -> Table:
    """After which call the evidence was complete."""
    cells = [cell for cell in report.cells if cell.stopping.t_star]
    last = min(max((call for c in cells for call, _ in c.stopping.t_star), default=1), LAST_CALL)
    header = ("arm", "scale", *map(str, range(1, last)), f"{last} or more", "never")
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        found = cell.stopping
        counts = [*found.completed(last), found.coverage_n - found.covered]
        rows.append((name, cell_text(cell), *map(str, counts)))
    caption = "episodes, out of those whose coverage is known"
    title = "Calls until the evidence was complete (t*), answerable items"
    return Table(title, header, LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def searches(report: Report) -> Table:
    """The call that completed the evidence against the calls made, arm by arm over all scales."""
    by_arm: dict[str, Counter[tuple[int | None, int]]] = {}
    for cell in report.cells:
        counts = by_arm.setdefault(cell.arm, Counter())
        for complete, requested, n in cell.stopping.searches:
            counts[complete, requested] += n
    made = {requested for counts in by_arm.values() for _, requested in counts}
    first, last = min(made, default=0), min(max(made, default=0), LAST_CALL)
    rows = []
    for arm, counts in by_arm.items():
        name = arm
        for complete in sorted({one for one, _ in counts}, key=lambda one: (one is None, one or 0)):
            at: Counter[int] = Counter()
            for (one, requested), n in counts.items():
                if one == complete:
                    at[min(requested, last)] += n
            shown = [
                "" if n < min(complete or 0, last) else str(at[n]) for n in range(first, last + 1)
            ]
            label = "never" if complete is None else str(complete)
            rows.append((name, label, *shown, str(at.total())))
            name = ""
    header = ["arm", "t*", *(f"n {n}" for n in range(first, last + 1)), "all"]
    if header[2:-1] and max(made, default=0) > last:
        header[-2] += " or more"
    caption = (
        "episodes of all scales by the call that completed the evidence (t*) and by the calls made (n), out of "
        "those whose coverage is known; t* = n: stopped at once"
    )
    title = "Calls made against t*, answerable items"
    return Table(title, tuple(header), LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def ranks(report: Report) -> Table:
    """How deep the evidence was buried."""
    cells = [cell for cell in report.cells if cell.ranks]
    names = (*(name for name, _ in BINS), NEVER)
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        counts = cell.ranks or {}
        n = sum(counts.values())
        shown = [f"{percent(counts.get(one, 0) / n)} ({counts.get(one, 0)})" for one in names]
        rows.append((name, cell_text(cell), str(n), *shown))
    caption = (
        "per cent (episodes) by the best rank at which any call returned a piece of evidence, shown to the model "
        "or not, out of those whose coverage is known; --filter 'rank:6..12' lists them"
    )
    header = ("arm", "scale", "n", *(f"rank {one}" if one != NEVER else one for one in names))
    title = "Rank of the evidence, answerable items"
    return Table(title, header, LEFT + RIGHT * (len(header) - 1), tuple(rows), caption)


def _tokens(cell: Cell) -> str:
    mean, unknown = cell.mean_tokens_after, 0 if cell.tokens_after is None else cell.tokens_after[2]
    shown = UNKNOWN if mean is None else f"{'≥ ' if unknown else ''}{mean:.0f}"
    return f"{shown} ({unknown} steps unknown)" if unknown else shown


def repeats(report: Report) -> Table:
    """pass^k of questions asked several times over one history."""
    cells = [cell for cell in report.cells if cell.repeats is not None]
    most = max((max(c.repeats.pass_hat, default=1) for c in cells if c.repeats), default=1)
    header = ("arm", "scale", "questions", "mean", *(f"pass^{k}" for k in range(1, most + 1)))
    rows = []
    for name, cell in zip(arm_names(cells), cells, strict=True):
        found = cell.repeats
        if found is None:
            continue
        values = []
        for k in range(1, most + 1):
            value, n = found.pass_hat.get(k, (None, 0))
            values.append(f"{percent(value)} ({n})")
        rows.append((name, cell_text(cell), str(found.questions), percent(found.mean), *values))
    return Table(
        "Repeats",
        header,
        LEFT + RIGHT * (len(header) - 1),
        tuple(rows),
        "per cent; mean of the per-question rates; pass^k: k repeats drawn all pass (questions with k)",
    )


def abstention(report: Report) -> Table:
    """Items without an answer, in rows of their own."""
    rows = []
    cells = report.unanswerable
    for name, cell in zip(arm_names(cells), cells, strict=True):
        counts = cell.counts
        rate = cell.rates["pass"]
        rows.append(
            (
                name,
                cell_text(cell),
                str(counts.n),
                percent(rate.value),
                shown_interval(rate),
                str(counts.exhausted),
                str(counts.regimes[Regime.ANSWERED_UNANSWERABLE]),
                str(counts.no_answer + counts.system_failed),
                str(counts.n_excluded),
            )
        )
    return Table(
        "Items without an answer",
        (
            "arm",
            "scale",
            "n",
            "abstained",
            "95 %",
            "exhausted",
            "answered",
            "none/failed",
            "excl",
        ),
        "<>>>>>>>>",
        tuple(rows),
        "right is to say that there is no answer, within budget; never pooled with the items above"
        + stands_in(cells),
    )


def histories(report: Report) -> Table:
    """What stands around the evidence at each scale."""
    rows = tuple(
        (
            scale_text(rung.scale),
            str(rung.histories - rung.unavailable),
            str(rung.seeds),
            UNKNOWN if rung.mean_sessions is None else f"{rung.mean_sessions:.0f}",
            UNKNOWN if rung.tokens is None else f"{rung.tokens:.0f}",
            UNKNOWN if rung.evidence_age is None else f"{rung.evidence_age:.2f}",
            str(rung.borrowed),
            str(rung.contaminated),
            rung.date_policy,
        )
        for rung in report.rungs
    )
    tokenizers = sorted({rung.tokenizer for rung in report.rungs if rung.tokenizer})
    caption = (
        "means per history; evidence age: 0 oldest .. 1 newest among the dates of its history"
        + (f"; tokens by {', '.join(tokenizers)}" if tokenizers else "")
    )
    return Table(
        "Histories",
        (
            "scale",
            "histories",
            "seeds",
            "sessions",
            "tokens",
            "evidence age",
            "borrowed",
            "left out",
            "dates",
        ),
        ">>>>>>>><",
        rows,
        caption,
    )
