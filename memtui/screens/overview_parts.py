"""The parts of the overview around the heat table: measures, facts of a cell, an arm by scale, charts."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from memtui.metrics.usable_scale import CONDITIONAL
from memtui.state.overview import ArmView, CellView, Overview, Share, measures_of
from memtui.state.tab import Measure
from memtui.views.bars import share_bar, stacked_bar, tall_bars
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, percent, rung_label, usable_label
from memtui.views.numbers import count as grouped
from memtui.views.sentences import sentence
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit

TEXTURES = ("█", "▒", "░")
NARROW = 70
"""Columns below which fewer words say the same."""
WIDE = 100
"""Columns from which coverage stands beside the outcomes."""
COVERED_BAR = 16


def share_text(label: str, share: Share, look: Look) -> Text:
    """``pass 12 of 20, 60 % (39–78)``: a rate with its n and interval; ``–`` where there is none."""
    text = Text(end="", no_wrap=True)
    text.append(f"{label} ", look.muted)
    if share.value is None:
        text.append(UNKNOWN, look.faint)
        return text
    text.append(f"{grouped(share.k)} of {grouped(share.n)}")
    text.append(f"  {percent(share.value)} %", look.strong)
    if share.interval is not None:
        low, high = percent(share.interval.low), percent(share.interval.high)
        method = f", {share.method}" if share.method else ""
        star = "*" if share.stands_in else ""  # as `memtui report` marks it
        text.append(f" ({low}–{high}{star}{method})", look.muted)
    return text


def counted(label: str, count: int, look: Look, note: str = "") -> Text:
    """``exhausted 3 (2 though right)``."""
    text = Text.assemble((f"{label} ", look.muted), (grouped(count), ""), end="", no_wrap=True)
    if note and count:
        text.append(f" ({note})", look.muted)
    return text


def cell_facts(
    arm: ArmView | None,
    cell: CellView | None,
    width: int,
    look: Look,
    of_arm: Sequence[Text] = (),
) -> list[Text]:
    """What is known of the cell under the cursor, in a few lines: counts, n, exclusions; `of_arm`: what the
    table has no column for."""
    if arm is None:
        return [styled(" no arm has started yet", look.muted)]
    head = Text(end="", no_wrap=True)
    head.append(" ")
    head.append(clean_line(arm.arm.key, width=40), look.accent)
    if cell is None:
        head.append("   not run at this scale", look.muted)
        return [head]
    head.append(f"  at {rung_label(cell.rung.conditions, cell.rung.scale)}", look.accent)
    for part in of_arm:
        head.append("   ")
        head.append_text(part)
    if arm.arm.note:
        room = width - head.cell_len - 3
        if room > 12:
            head.append("   " + sentence(arm.arm.note, room), look.muted)
    counts = cell.counts
    covered = "evidence complete within B" if width >= NARROW else "evidence within B"
    parts = [
        share_text("pass", cell.share(Measure.PASS), look),
        counted("exhausted", counts.exhausted, look, f"{counts.exhausted_right} though right"),
        counted("wrong", counts.wrong, look, _wrong_note(cell)),
        _excluded(cell, look),
    ]
    if cell.pending:
        parts.append(counted("running", cell.pending, look))
    parts.append(share_text(covered, cell.share(Measure.COVERED), look))
    parts.append(counted("at the end", counts.covered_end, look))
    parts.append(Text.assemble(("P90R ", look.muted), (str(cell.p90r), ""), end="", no_wrap=True))
    apart = cell.share(Measure.ABSTAINED)
    if apart.n:
        parts.append(share_text("unanswerable, abstained", apart, look))
    found = arm.s_star
    star = Text.assemble(("s* of the arm ", look.muted), (usable_label(found), ""), end="")
    if found.unsure:
        star.append(f" (n {found.n})", look.muted)
    elif found == CONDITIONAL:
        star.append(" (the filter chooses by outcome)", look.missing)
    parts.append(star)
    return [head, *flow(parts, width)]


def _wrong_note(cell: CellView) -> str:
    notes = []
    if cell.counts.no_answer:
        notes.append(f"{cell.counts.no_answer} no answer")
    if cell.counts.system_failed:
        notes.append(f"{cell.counts.system_failed} system failed")
    return ", ".join(notes)


def _excluded(cell: CellView, look: Look) -> Text:
    total = cell.counts.n_excluded
    text = Text.assemble(("excluded ", look.muted), (str(total), look.missing if total else ""))
    text.end = ""
    if total:
        causes = ", ".join(
            f"{count} {cause}" for cause, count in cell.counts.excluded.most_common()
        )
        passed, all_of_them = cell.counts.policies["errors_wrong"]
        if all_of_them:  # not where all that is excluded was flagged: that never counts
            causes += f"; {percent(passed / all_of_them)} % pass if they count"
        text.append(f" ({causes})", look.muted)
    return text


def arm_by_scale(arm: ArmView | None, overview: Overview, width: int, look: Look) -> list[Text]:
    """The arm under the cursor, one line per scale: pass, exhausted, wrong as one bar of its n."""
    if arm is None:
        return []
    head = Text(" ", end="", no_wrap=True)
    head.append("where it goes", look.muted)
    for texture, word, style in zip(
        TEXTURES, ("pass", "exhausted", "wrong"), (look.good, look.budget, look.bad), strict=True
    ):
        head.append("   ")
        head.append(texture * 2, style)
        head.append(f" {word}", look.muted)
    lines = [head]
    if width >= WIDE:
        head.append("   ━━", look.gold)
        head.append(" evidence complete within B", look.muted)
    bar = max(10, min(40, width - 44 - (COVERED_BAR + 8 if width >= WIDE else 0)))
    for rung, cell in zip(overview.rungs, arm.cells, strict=True):
        line = Text(" ", end="", no_wrap=True)
        line.append(fit(rung_label(rung.conditions, rung.scale), 5, "right"), look.muted)
        line.append("  ")
        if cell is None or not cell.counts.n:
            line.append("·" * bar, look.faint)
            line.append("  no episode has ended" if cell is not None else "  not run", look.muted)
            lines.append(line)
            continue
        counts = cell.counts
        line.append_text(
            stacked_bar(
                (
                    (counts.passed, TEXTURES[0], look.good),
                    (counts.exhausted, TEXTURES[1], look.budget),
                    (counts.wrong, TEXTURES[2], look.bad),
                ),
                bar,
            )
        )
        line.append(f"  {counts.passed:>4}", look.good)
        line.append(f" {counts.exhausted:>4}", look.budget)
        line.append(f" {counts.wrong:>4}", look.bad)
        line.append(f"   n {counts.n:<5}", look.muted)
        aside = f"! {counts.n_excluded}" if counts.n_excluded else ""
        line.append(aside.ljust(6), look.missing)
        covered = cell.share(Measure.COVERED)
        if covered.value is not None and width >= WIDE:
            line.append_text(share_bar(covered.k, covered.n, COVERED_BAR, look, look.gold))
            line.append(f" {percent(covered.value):>3} %", look.muted)
        lines.append(line)
    return lines


def small_multiples(overview: Overview, width: int, height: int, look: Look) -> list[Text]:
    """One small chart per arm on the same 0..100 axis, as many as fit in `width` x `height`."""
    columns = len(overview.rungs)
    if not columns or not overview.arms or height < 6:
        return []
    chart = 3 * columns - 1
    longest = max(cell_len(clean_line(view.arm.key)) for view in overview.arms)
    slot = max(chart, min(longest, 24)) + 3
    per_row = max(1, (width - 1) // slot)
    rows = -(-len(overview.arms) // per_row)
    if 6 * rows - 1 > height:
        return []  # a part of the arms would look like all of them
    lines: list[Text] = []
    arms = list(overview.arms)
    while arms:
        row, arms = arms[:per_row], arms[per_row:]
        names = Text(" ", end="", no_wrap=True)
        charts: list[list[Text]] = []
        feet = Text(" ", end="", no_wrap=True)
        for view in row:
            name = clean_line(view.arm.key, width=slot - 2)
            names.append(name)
            names.append(" " * (slot - cell_len(name)))
            values = [
                None if cell is None else cell.share(Measure.PASS).value for cell in view.cells
            ]
            charts.append(tall_bars(values, look, height=3))
            known = [value for value in values if value is not None]
            foot = UNKNOWN if not known else f"{percent(known[0])} %"
            if len(known) > 1:
                foot = f"{percent(known[0])} → {percent(known[-1])} %"
            feet.append(foot.ljust(slot), look.muted)
        if lines:
            lines.append(Text(end=""))
        lines.append(names)
        for y in range(3):
            line = Text(" ", end="", no_wrap=True)
            for bars in charts:
                line.append_text(bars[y])
                line.append(" " * (slot - bars[y].cell_len))
            lines.append(line)
        lines.append(feet)
    return lines


def measures_line(
    titles: Sequence[Text], chosen: Measure, overview: Overview, width: int, look: Look
) -> Text:
    """The first of the titles beside which the measures to choose from have room, with them; else the first."""
    names = Text(end="", no_wrap=True)
    for measure in measures_of(overview):
        names.append(f" {measure.value} ", look.chip if measure is chosen else look.muted)
    for title in titles:
        gap = width - title.cell_len - names.cell_len - 1
        if gap >= 1:
            return title + Text(" " * gap, end="") + names
    return titles[0]
