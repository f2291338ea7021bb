"""The plan of a run in a few lines, as the dialog that starts it shows it."""

from __future__ import annotations

from rich.text import Text

from memtui.state.run_configurations import Plan
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, compact, count, duration, money, plural
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap

MOST_MISSING = 4
"""Missing parts that are named."""


def plan_summary(plan: Plan, look: Look, width: int) -> list[Text]:
    """How much a run asks, what it costs, and what is missing for it."""
    size = f"{plural(plan.items, 'question')}, {plural(len(plan.arms), 'arm')}, scales "
    many = styled(count(plan.episodes), look.strong)
    many.append(" episode" if plan.episodes == 1 else " episodes", look.muted)
    parts = [many]
    if plan.prompt_tokens == 0 == plan.prompt_tokens_most:
        parts.append(styled("no language model is asked", look.muted))
    else:
        hours = UNKNOWN if plan.hours is None else duration(plan.hours * 3_600_000)
        for label, value in (
            ("prompt tokens", _prompt_tokens(plan)),
            ("cost", money(plan.cost)),
            ("models take about", hours),
        ):
            parts.append(Text.assemble((f"{label} ", look.muted), value, end=""))
    lines = [styled(clean_line(size + " ".join(plan.scales), width=width))]
    lines += flow(parts, width, indent=0)
    if plan.missing_rungs:
        words = f"{plural(plan.missing_rungs, 'rung')} the data cannot fill"
        lines.append(styled(words, look.missing))
    for part in plan.missing_parts[:MOST_MISSING]:
        lines += [styled(line, look.bad) for line in wrap(f"needs {clean_line(part)}", width)]
    return lines


def _prompt_tokens(plan: Plan) -> str:
    """Least to most, where memory systems may ask more or less often."""
    least, most = compact(plan.prompt_tokens), plan.prompt_tokens_most
    if most is None:
        return f"{least} or more"
    return f"{least} to {compact(most)}" if most > (plan.prompt_tokens or 0) else least


def plan_warnings(plan: Plan, look: Look, width: int, room: int) -> list[Text]:
    """As many whole warnings as fit in so many lines, then how many more there are."""
    lines: list[Text] = []
    for number, warning in enumerate(plan.warnings):
        wrapped = wrap(clean_line(warning), width)[:3]
        last = number == len(plan.warnings) - 1
        if len(lines) + len(wrapped) + (not last) > room:
            more = plural(len(plan.warnings) - number, "warning")
            return [*lines, styled(f"{more}: memtui run CONFIG --plan", look.missing)]
        lines += [styled(line, look.missing) for line in wrapped]
    return lines
