"""The tab Stopping: what agents did once the evidence was complete, and before it was."""

from __future__ import annotations

from rich.text import Text

from memtui.metrics.stopping import LAST_CALL
from memtui.report.model import Cell, Report
from memtui.screens.overview_parts import NARROW
from memtui.state.overview import ArmView, Overview
from memtui.views.arm_rows import CellTable, Figure, Figures, cell_table
from memtui.views.bars import stacked_bar
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, compact, percent, rung_label
from memtui.views.styled import styled
from memtui.views.text_door import fit

TITLE = "Stopping"
WHAT = "% right, whatever B, by calls after the evidence (n)"
FIGURES = (
    Figure("covered", "covered", 3),
    Figure("0", "0 more"),
    Figure("1", "1 more"),
    Figure("2", "2 more"),
    Figure("3+", "3+ more"),
    Figure("redundant", "redundant", 2, "redun."),
    Figure("early", "gave up early", 1, "early"),
    Figure("mean", "mean more", 5),
    Figure("tokens", "tokens after", 4, "tokens"),
)
NAME = 14
"""Cells to which the name of an arm is cut before how it stopped has no column: it is written out below."""
TEXTURES = ("█", "▓", "▒", "░")
NOT_YET = "…"


def table(report: Report, width: int, look: Look, *, waiting: bool) -> CellTable:
    """Figures of every cell; `waiting` for the tokens, which take a while."""
    return cell_table(
        FIGURES,
        {cell.cell_id: _figures(cell, look, waiting=waiting) for cell in report.cells},
        width,
        short_name=NAME,
    )


def _figures(cell: Cell, look: Look, *, waiting: bool) -> Figures:
    found = cell.stopping
    shown = {
        "covered": _share(found.covered, found.coverage_n, look),
        "mean": styled(
            UNKNOWN if found.mean_overshoot is None else f"{found.mean_overshoot:.2f}", look.muted
        ),
        "redundant": _share(found.redundant, found.n, look),
        "early": _share(found.gave_up_early, found.n, look),
        "tokens": styled(NOT_YET if waiting else _tokens(cell), look.muted),
    }
    for bucket in found.buckets:
        if not bucket.n:
            shown[bucket.overshoot] = styled(UNKNOWN, look.faint)
            continue
        text = styled(percent(bucket.p_right), look.strong)
        text.append(f" ({bucket.n})", look.muted)
        shown[bucket.overshoot] = text
    return shown


def _share(k: int, n: int, look: Look) -> Text:
    if not n:
        return styled("n/a", look.faint)
    text = styled(str(k), "")
    text.append(f"/{n}", look.muted)
    return text


def _tokens(cell: Cell) -> str:
    unknown = cell.tokens_after is not None and cell.tokens_after[2]
    return compact(cell.mean_tokens_after, partial=bool(unknown))


def below(
    arm: ArmView, overview: Overview, cells: dict[int, Cell], width: int, look: Look
) -> list[Text]:
    """How the covered episodes of an arm went on, scale by scale, out of those whose coverage is known."""
    head = Text(" ", end="", no_wrap=True)
    short = width < NARROW
    head.append("calls after evidence" if short else "calls after the evidence", look.muted)
    styles = (look.fresh,) * len(TEXTURES)  # more calls are neither exhausted nor wrong
    words = ("0", "1", "2", "3+" if short else "3 or more")
    for texture, word, style in zip(TEXTURES, words, styles, strict=True):
        head.append("  ")
        head.append(texture * 2, style)
        head.append(f" {word}", look.muted)
    head.append("  ·· ", look.faint)
    head.append("never" if short else "never complete", look.muted)
    lines = [head]
    bar = max(10, min(60, width - 34))
    for rung, view in zip(overview.rungs, arm.cells, strict=True):
        line = Text(" ", end="", no_wrap=True)
        line.append(fit(rung_label(rung.conditions, rung.scale), 5, "right"), look.muted)
        line.append("  ")
        cell = None if view is None else cells.get(view.cell_id)
        if cell is None or not cell.stopping.coverage_n:
            line.append("·" * bar, look.faint)
            line.append("  not run" if cell is None else "  coverage n/a", look.muted)
            lines.append(line)
            continue
        found = cell.stopping
        parts = [
            (bucket.n, texture, style)
            for bucket, texture, style in zip(found.buckets, TEXTURES, styles, strict=True)
        ]
        missing = found.coverage_n - found.covered
        line.append_text(stacked_bar([*parts, (missing, "·", look.faint)], bar))
        line.append(f"  {found.covered:>4} of {found.coverage_n}", look.muted)
        if found.covered:
            line.append(f"  {percent(found.right_covered / found.covered)} % right", "")
        lines.append(line)
    return [*lines, *_completions(arm, overview, cells, width, look)]


def _completions(
    arm: ArmView, overview: Overview, cells: dict[int, Cell], width: int, look: Look
) -> list[Text]:
    """After which call the evidence was complete, scale by scale: per cent (n) of the episodes whose coverage
    is known."""
    found = [
        None if view is None else cells.get(view.cell_id)
        for _, view in zip(overview.rungs, arm.cells, strict=True)
    ]
    known = [cell.stopping for cell in found if cell is not None and cell.stopping.t_star]
    if not known:
        return []
    column = max(len(f"100 ({one.coverage_n})") for one in known) + 2
    last = max(call for one in known for call, _ in one.t_star)
    last = max(1, min(last, LAST_CALL, (width - 9) // column - 2))
    head = Text(" ", end="", no_wrap=True)
    head.append("complete after call", look.muted)
    titles = [str(call) for call in range(1, last)] + [f"{last}+" if last > 1 else "any", "never"]
    calls = Text("        ", end="", no_wrap=True)
    calls.append("".join(title.rjust(column) for title in titles), look.muted)
    lines = [Text(end=""), head, calls]
    for rung, cell in zip(overview.rungs, found, strict=True):
        if cell is None or not cell.stopping.coverage_n:
            continue
        one = cell.stopping
        counts = [*one.completed(last), one.coverage_n - one.covered]
        line = Text(" ", end="", no_wrap=True)
        line.append(fit(rung_label(rung.conditions, rung.scale), 7, "right"), look.muted)
        for count in counts:
            part = styled(UNKNOWN, look.faint)
            if count:
                part = styled(percent(count / one.coverage_n), "")
                part.append(f" ({count})", look.muted)
            line.append(" " * (column - part.cell_len))
            line.append_text(part)
        lines.append(line)
    return lines
