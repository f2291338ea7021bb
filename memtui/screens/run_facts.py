"""What stands around the list of runs: how many there are, and the facts of the selected one in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from memtui.screens.run_columns import speed_label
from memtui.state.run_list import RunLine, flagged_out
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, duration, money, percent, plural, scale
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, cut_path


def summary_line(
    lines: Sequence[RunLine], look: Look, width: int, *, sort: str, turned: bool, reading: int
) -> Text:
    """How many files in which state, whether flagged questions count, and the order."""
    states = Counter(line.summary.state for line in lines)
    parts = [_counted(len(lines), "run file", look)]
    if len(lines) > states["unusable"]:
        parts.append(styled("rates in % of n", look.muted))
    flagged = sum(line.flagged for line in lines)
    if any(line.without_flagged for line in lines):
        out = sum(flagged_out(line) for line in lines)
        words = f"{plural(flagged, 'flagged question')} out of every rate"
        parts.append(styled(f"{words} ({plural(out, 'episode')})", look.missing))
    elif flagged:
        parts.append(styled(f"{plural(flagged, 'flagged question')} in the rates (F)", look.muted))
    if reading:
        parts.append(styled(f"reading {reading}", look.muted))
    for state, style in (
        ("running", look.accent),
        ("paused", look.budget),
        ("interrupted", look.missing),
        ("unknown", look.missing),
        ("unusable", look.bad),
    ):
        if states[state]:
            parts.append(styled(f"{states[state]} {state}", style))
    order = Text.assemble(
        ("sorted by ", look.muted), (sort, ""), (" ▲" if turned else " ▼", look.muted), end=""
    )
    text = Text(" ", end="", no_wrap=True)
    for number, part in enumerate(parts):
        if text.cell_len + part.cell_len + 3 + order.cell_len + 2 > width:
            break
        text.append("   " if number else "")
        text.append_text(part)
    gap = width - text.cell_len - order.cell_len - 1
    if gap >= 2:
        text.append(" " * gap)
        text.append_text(order)
    return text


def _counted(number: int, what: str, look: Look) -> Text:
    word = plural(number, what).partition(" ")[2]
    return Text.assemble((str(number), look.strong), (f" {word}", look.muted), end="")


def facts_lines(line: RunLine, look: Look, width: int) -> list[Text]:
    """Four lines: where it is, how it stands, what it is, and the reader's note."""
    run = line.summary
    first = Text(" ", end="", no_wrap=True)
    if line.alias:
        alias = clean_line(line.alias, width=max(10, width // 3))
        first.append(alias, look.accent)
        first.append("  ")
    room = max(10, width - first.cell_len - 1)
    first.append(cut_path(str(line.path), room), look.strong)
    lines = [first]
    if run.problem:
        lines.append(styled(f" {clean_line(run.problem, width=width - 2)}", look.bad))
        lines += [Text(end=""), Text(end="")]
        return lines
    lines += [flow(_standing(line, look), width)[0], flow(_identity(line, look), width)[0]]
    last = Text(" ", end="", no_wrap=True)
    if run.warning or line.problem:
        last.append(clean_line(line.problem or run.warning, width=width - 2), look.missing)
    elif line.note:
        last.append("note ", look.muted)
        last.append(clean_line(line.note, width=width - 7), look.gold)
    return [*lines, last]


def _standing(line: RunLine, look: Look) -> list[Text]:
    """State and rates, each with its n and what it excludes."""
    run, counts, progress = line.summary, line.counts, line.summary.progress
    parts = [styled("stopping" if line.stopping else clean_line(run.state, width=14), look.strong)]
    if run.heartbeat_age is not None:
        parts.append(_fact("last sign of life", f"{duration(run.heartbeat_age * 1000)} ago", look))
    if counts is not None:
        rate = percent(line.rate)
        budget = UNKNOWN if run.budget is None else str(run.budget)
        text = Text.assemble((f"Pass@{budget} ", look.muted), (f"{rate} %", look.good), end="")
        text.append(f" of {counts.n} answerable", look.muted)
        parts.append(text)
        if counts.n_excluded:
            out = flagged_out(line)
            of_these = f" ({out} flagged)" if out else ""
            parts.append(styled(f"! {counts.n_excluded} excluded{of_these}", look.missing))
    if run.live:
        parts.append(_fact("episodes/min", speed_label(line.per_minute), look))
        eta = line.eta_seconds
        parts.append(_fact("ETA", UNKNOWN if eta is None else duration(eta * 1000), look))
    elif progress is not None and progress.done < progress.planned:
        parts.append(_fact("done", f"{progress.done} of {progress.planned}", look))
    if line.paid is not None:
        parts.append(_fact("cost", money(line.paid.cost, partial=line.paid.partial), look))
    if line.flagged:
        where = "out" if line.without_flagged else "in"
        parts.append(styled(f"{plural(line.flagged, 'flagged question')} {where}", look.muted))
    return parts


def _identity(line: RunLine, look: Look) -> list[Text]:
    run = line.summary
    parts = []
    if run.name != line.path.stem:
        parts.append(_fact("run", clean_line(run.name, width=20), look))
    if line.by_scale:
        rungs = [(scale(value), percent(k / n if n else None)) for value, k, n in line.by_scale]
        text = styled("by scale", look.muted)
        for label, rate in rungs:
            text.append(f" {label} ", look.muted)
            text.append(rate)
        parts.append(text)
    judge = line.judge or run.judge
    parts.append(_fact("judge", clean_line(judge, width=20), look))
    parts.append(_fact("mode", clean_line(run.mode.replace("_", " "), width=12), look))
    parts.append(_fact("data", clean_line(run.dataset, width=24), look))
    parts.append(styled(plural(run.arms, "arm"), look.muted))
    parts.append(_fact("protocol", clean_line(run.protocol, width=16), look))
    return parts


def _fact(label: str, value: str, look: Look) -> Text:
    return Text.assemble((f"{label} ", look.muted), clean_line(value, width=60), end="")
