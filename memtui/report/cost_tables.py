"""Tables of what a run spent: by arm and phase, and by cell."""

from __future__ import annotations

from memtui.metrics.cost import Amount, PhaseCost, Spent, total
from memtui.report.model import Report
from memtui.report.table import RIGHT, Table, cell_text
from memtui.views.numbers import UNKNOWN, compact, duration, money

_FIGURES = (
    "model calls", "tokens", "cold tokens", "cost", "cold cost", "time", "tokens per right",
    "cost per right",
)  # fmt: skip


def tokens_text(spent: Spent) -> str:
    """Tokens of one side: `≥` a lower bound, `–` unknown."""
    return compact(spent.tokens.value, partial=spent.tokens.partial)


def dollars_text(spent: Spent) -> str:
    """Dollars of one side, the same way."""
    return money(spent.dollars.value, partial=spent.dollars.partial)


def tokens_per(amount: Amount, n: int) -> str:
    """Tokens for one of `n`."""
    return compact(amount.per(n), partial=amount.partial)


def dollars_per(amount: Amount, n: int) -> str:
    """Dollars for one of `n`."""
    return money(amount.per(n), partial=amount.partial)


def time_text(amount: Amount) -> str:
    """Time on the clock, `≥` where some of it was not measured."""
    shown = duration(amount.value)
    return f"≥ {shown}" if amount.partial else shown


def figures(cost: PhaseCost, right: int) -> tuple[str, ...]:
    """One row: `_FIGURES`; calls are unknown where no line of the ledger names them."""
    paid, cold = cost.paid, cost.cold
    calls = str(paid.calls) if paid.calls or paid.tokens.value == 0 else UNKNOWN
    return (
        calls, tokens_text(paid), tokens_text(cold), dollars_text(paid), dollars_text(cold),
        time_text(cost.wall), tokens_per(paid.tokens, right), dollars_per(paid.dollars, right),
    )  # fmt: skip


def cost_by_arm(report: Report) -> Table:
    """What each arm used over all its cells, phase by phase."""
    rows = []
    shared = {
        memory for one in report.costs.ingests if len(one.arms) > 1 for memory in [one.memory]
    }
    for arm in report.costs.arms:
        name = arm.arm
        for phase in (*arm.phases, total(arm.phases)):
            mark = "*" if phase.phase in ("ingest", "total") and arm.memory in shared else ""
            rows.append(
                (name, phase.phase + mark, *_episodes(phase, arm.episodes, arm.right),
                 *figures(phase, arm.right))
            )  # fmt: skip
            name = ""
    header = ("arm", "phase", "episodes", "right", *_FIGURES)
    caption = (
        "tokens: prompt + completion; cold: as if every cache were, without attempts that did not count; per right: paid, for each "
        "right answer, whatever B is; ≥ a part is unknown, – all of it is"
    )
    if any(row[1].endswith("*") for row in rows):
        caption += "; * the ingest is shared by all arms of the memory system, not split"
    return Table("Cost by arm", header, "<<" + RIGHT * (len(header) - 2), tuple(rows), caption)


def _episodes(phase: PhaseCost, episodes: int, right: int) -> tuple[str, str]:
    return (str(episodes), str(right)) if phase.phase == "total" else ("", "")


def cost_by_cell(report: Report) -> Table:
    """What the episodes of each cell used, phase by phase; the ingest serves all scales and is apart."""
    cells = report.costs.cells
    rows = []
    last = ""
    for cell in cells:
        for phase in (*cell.phases, total(cell.phases)):
            shown = cell.arm if cell.arm != last else ""
            first = phase is cell.phases[0] if cell.phases else True
            last = cell.arm
            rows.append(
                (shown, cell_text(cell) if first else "", phase.phase,
                 *_episodes(phase, cell.episodes, cell.right), *figures(phase, cell.right))
            )  # fmt: skip
    header = ("arm", "scale", "phase", "episodes", "right", *_FIGURES)
    align = "<><" + RIGHT * (len(header) - 3)
    return Table("Cost by arm and scale, without ingest", header, align, tuple(rows), "")
