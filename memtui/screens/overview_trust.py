"""The tab Trust: who counts and who does not, judges that differ, repeats, fillers, flags, alarms."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from memtui.metrics.judging import JudgePair
from memtui.report.model import Cell, Report
from memtui.report.trust_tables import causes_of, differing, most_repeats
from memtui.views.arm_rows import CellTable, Figure, Figures, cell_table
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, count, percent
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap

TITLE = "Trust"
WHAT = "what the rates rest on: who counts, who does not, and why"


def table(report: Report, width: int, look: Look) -> CellTable:
    """Figures of every cell."""
    causes = causes_of(report)
    most = most_repeats(report)
    powers = range(1, most + 1)
    figures = [
        Figure("n", "n"),
        Figure("excluded", "excluded", 0, "excl"),
        *(Figure(f"cause {cause}", clean_line(cause, width=12), 5) for cause in causes),
        Figure("counted", "pass if all count", 3, "if counted"),
        Figure("failed", "failed", 1),
        Figure("mute", "no answer", 2, "no ans."),
        Figure("open", "open", 4),
    ]
    if any(cell.agreement is not None for cell in report.cells):
        figures.append(Figure("differ", "judges differ", 0, "differ"))
    figures += [Figure(f"pass^{k}", f"pass^{k}", 6 if 1 < k < most else 0) for k in powers]
    rows = {cell.cell_id: _figures(cell, causes, powers, look) for cell in report.cells}
    return cell_table(figures, rows, width)


def _figures(cell: Cell, causes: tuple[str, ...], powers: range, look: Look) -> Figures:
    counts = cell.counts
    passed, ended = counts.policies["errors_wrong"]
    shown = {
        "n": styled(count(counts.n), look.strong),
        "excluded": _count(counts.n_excluded, look),
        "counted": styled(percent(passed / ended if ended else None), look.muted),
        "failed": _count(counts.system_failed, look),
        "mute": _count(counts.no_answer, look),
        "open": _count(counts.pending, look),
        "differ": styled(differing(cell), look.missing if _differ(cell) else look.muted),
    }
    for cause in causes:
        shown[f"cause {cause}"] = _count(counts.excluded[cause], look)
    for k in powers:
        found = None if cell.repeats is None else cell.repeats.pass_hat.get(k)
        words = UNKNOWN if found is None else f"{percent(found[0])} ({found[1]})"
        shown[f"pass^{k}"] = styled(words, "")
    return shown


def _differ(cell: Cell) -> bool:
    return cell.agreement is not None and cell.agreement.differ > 0


def _count(number: int, look: Look) -> Text:
    return styled(count(number), look.missing if number else look.muted)


def below(report: Report, width: int, look: Look) -> list[Text]:
    """What holds for the whole run: alarms, judges, histories, questions, and what to know besides."""
    lines: list[Text] = []
    for alarm in report.alarms:
        said = Text.assemble(("alarm  ", look.bad), clean_line(str(alarm)), end="")
        lines += flow([said], width)
    for pair in report.judging:
        lines += flow([*_judges(pair, report.judge, look)], width)
    if not report.judging:
        words = f"judge {clean_line(report.judge, width=32)}: no other judge to hold it against"
        lines.append(styled(f" {words}", look.muted))
    if not any(cell.repeats for cell in report.cells):
        lines.append(styled(" no question was repeated: pass^k is unknown", look.muted))
    lines += flow([*_questions(report, look)], width)
    lines += _histories(report, width, look)
    for note in report.notes:
        first = True
        for part in wrap(clean_line(note), width - 4):
            lines.append(
                Text.assemble((" – " if first else "   ", look.muted), (part, look.muted), end="")
            )
            first = False
    return lines


def _judges(pair: JudgePair, judge: str, look: Look) -> Iterator[Text]:
    head = Text(end="", no_wrap=True)
    head.append("judge ", look.muted)
    head.append(clean_line(judge, width=28), look.accent)
    head.append(" beside ", look.muted)
    head.append(clean_line(pair.other, width=28), look.accent)
    yield head
    text = Text.assemble(("differ ", look.muted), f"{pair.differ} of {pair.both}", end="")
    if pair.interval is not None:
        text.append(f"  {percent(pair.differ / pair.both)} %", look.strong)
        low, high = percent(pair.interval.low), percent(pair.interval.high)
        text.append(f" ({low}–{high})", look.muted)
    yield text
    yield _named("right only here", str(pair.right_wrong), look)
    yield _named("only there", str(pair.wrong_right), look)
    yield _named("kappa", UNKNOWN if pair.kappa is None else f"{pair.kappa:.2f}", look)
    yield _named("undecided", str(pair.undecided), look)
    yield _named("judged by one only", str(pair.alone), look)


def _named(label: str, value: str, look: Look) -> Text:
    return Text.assemble((f"{label} ", look.muted), (value, ""), end="", no_wrap=True)


def _questions(report: Report, look: Look) -> Iterator[Text]:
    yield _named("answerable questions", count(report.asked), look)
    yield _named("with a known defect", str(report.defective), look)
    flagged = len(report.flagged)
    where = f" ({'out of' if report.left_out else 'in'} every rate)" if flagged else ""
    yield _named("flagged by a reader", f"{flagged}{where}", look)


def _histories(report: Report, width: int, look: Look) -> list[Text]:
    """One line of histories and fillers."""
    rungs = report.rungs
    if not rungs:
        return []
    seeds = max(rung.seeds for rung in rungs)
    parts = [_named("ladder seeds", str(seeds), look)]
    unavailable = sum(rung.unavailable for rung in rungs)
    parts.append(_named("histories not filled", str(unavailable), look))
    # Where there are some, a note below says at which scales.
    for label, total in (
        ("borrowed fillers", sum(rung.borrowed for rung in rungs)),
        ("contaminated fillers", sum(rung.contaminated for rung in rungs)),
    ):
        if not total:
            parts.append(_named(label, "0", look))
    return flow(parts, width)
