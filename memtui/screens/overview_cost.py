"""The tab Cost: what was spent in each phase, paid and as if cold, and for each right answer."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.metrics.cost import PhaseCost, total
from memtui.report.cost_tables import (
    dollars_text,
    figures,
    time_text,
    tokens_text,
)
from memtui.report.model import CellCost, Report
from memtui.state.overview import ArmView
from memtui.views.arm_rows import CellTable, Figure, Figures, cell_table, figures_line, head_line
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

TITLE = "Cost"
WHAT = "search, answer and judge; – unknown, ≥ known in part"
SPENT = (
    Figure("tokens", "tokens"),
    Figure("cold", "cold", 2),
    Figure("dollars", "cost"),
    Figure("dollars cold", "cold", 2),
    Figure("time", "time", 3),
    Figure("tokens per", "tokens/right", 0, "tok/right"),
    Figure("dollars per", "cost/right"),
)
FIGURES = (Figure("episodes", "episodes", 4, "n"), Figure("right", "right", 1), *SPENT)
PHASE_FIGURES = (Figure("calls", "calls", 3), *SPENT)


def table(report: Report, width: int, look: Look) -> CellTable:
    """Figures of every cell."""
    return cell_table(
        FIGURES, {one.cell_id: _figures(one, look) for one in report.costs.cells}, width
    )


def _figures(cell: CellCost, look: Look) -> Figures:
    styles: dict[str, Style | str] = {"tokens": look.strong, "dollars": look.strong}
    styles |= {"tokens per": "", "dollars per": ""}
    _, *spent = figures(total(cell.phases), cell.right)
    return {
        "episodes": styled(str(cell.episodes), look.muted),
        "right": styled(str(cell.right), ""),
        **{
            figure.name: styled(words, styles.get(figure.name, look.muted))
            for figure, words in zip(SPENT, spent, strict=True)
        },
    }


def below(arm: ArmView, report: Report, width: int, look: Look) -> list[Text]:
    """The arm phase by phase: over all its scales, with the ingest of its memory system."""
    cost = next((one for one in report.costs.arms if one.arm == arm.arm.key), None)
    if cost is None:
        return [styled(" no episode of this arm has ended", look.muted)]
    lines = _phases("all scales", cost.phases, cost.right, width, look)
    shared = next((one for one in report.costs.ingests if one.memory == cost.memory), None)
    if shared is not None and len(shared.arms) > 1:
        words = f"the ingest of {clean_line(cost.memory, width=24)} serves {len(shared.arms)} arms"
        lines.append(styled(f" {words} and is counted in full for each", look.muted))
    said = f"  {cost.right} right of {cost.episodes} episodes"
    head = Text(" ", end="", no_wrap=True)
    head.append(clean_line(arm.arm.key, width=max(12, width - len(said) - 2)), look.accent)
    head.append(said, look.muted)
    return [head, *lines, *_whole_run(report, width, look)]


def _phases(
    label: str, phases: tuple[PhaseCost, ...], right: int, width: int, look: Look
) -> list[Text]:
    rows = (*phases, total(phases))
    shown = cell_table(
        PHASE_FIGURES,
        {
            number: {
                figure.name: styled(words, "" if "cold" in figure.name else look.strong)
                for figure, words in zip(PHASE_FIGURES, figures(one, right), strict=True)
            }
            for number, one in enumerate(rows)
        },
        width,
    )
    name = 12
    lines = [head_line(shown, label, name, width, look)]
    for number, one in enumerate(rows):
        style = look.accent if one.phase == "total" else look.muted
        lines.append(figures_line(shown, styled(one.phase, style), number, name, width))
    return lines


def _whole_run(report: Report, width: int, look: Look) -> list[Text]:
    """Everything once: each ingest for all its arms together."""
    if len(report.costs.arms) < 2:
        return []
    phases = [phase for one in report.costs.cells for phase in one.phases]
    phases += [one.cost for one in report.costs.ingests]
    whole = total(phases)
    parts = [styled("the whole run", look.muted)]
    for label, side in (("paid", whole.paid), ("as if cold", whole.cold)):
        style = look.strong if side is whole.paid else ""
        said = f"{tokens_text(side)} tokens, cost {dollars_text(side)}"
        parts.append(Text.assemble((f"{label} ", look.muted), (said, style), end=""))
    parts.append(styled(f"{time_text(whole.wall)} of work", look.muted))
    return [Text(end=""), *flow(parts, width)]
