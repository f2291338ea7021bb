"""The call strip: one sign per memory call, the budget bar after call B, then how it ended.

``◈◆│◇◇◔✓`` reads: new evidence, evidence complete, budget spent, two more searches without evidence,
exhausted though right.
"""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.metrics import glyphs
from memtui.model import Ending
from memtui.views.look import Look
from memtui.views.outcome import closing

PADDED_BUDGET = 6
"""Up to this budget, calls not made are shown as blanks, so that the bars of a list stand in line."""

ROOMY = 14
"""Cells from which a strip that is cut keeps its last calls, too."""
LAST = 3
"""Calls it keeps then."""

LEGEND = (
    (glyphs.COMPLETE, "evidence complete with this call"),
    (glyphs.NEW_EVIDENCE, "new evidence"),
    (glyphs.NO_EVIDENCE, "new blocks, none of the evidence"),
    (glyphs.NOTHING_NEW, "nothing new at all"),
    (glyphs.REFUSED, "refused, invalid or failed"),
    (glyphs.UNKNOWN, "new blocks, coverage not known"),
    (glyphs.BUDGET_BAR, "after call B: the budget"),
    ("◦ »", "among the steps: a context given before any call; the answer, or what broke"),
)


def call_style(sign: str, look: Look, *, beyond: bool = False) -> Style:
    """The style of one call's sign; `beyond` the budget it is drawn quieter."""
    if sign in (glyphs.COMPLETE, glyphs.NEW_EVIDENCE):
        return look.gold if not beyond else Style.combine([look.gold, Style(bold=False)])
    if sign == glyphs.REFUSED:
        return look.bad
    if sign == glyphs.NO_EVIDENCE and not beyond:
        return Style.null()
    return look.muted


def call_strip(
    calls: str,
    budget: int | None,
    ending: Ending,
    look: Look,
    *,
    width: int | None = None,
    current: int | None = None,
    pad: bool = True,
) -> Text:
    """The strip of one episode at budget `budget`.

    `calls` is the stored strip (one sign per requested call). Calls left within the budget are blanks
    when `pad`. `current` (1-based) marks the call under the cursor. A strip longer than `width` cells
    keeps its first calls and its end and says how many it left out: ``◈◆│◇◇+12◔✓``; where there is room
    its last calls, too: ``◈◆│◇◇+10·◇◔✓``.
    """
    end = closing(ending, look)
    parts: list[tuple[str, Style]] = []
    for number, sign in enumerate(calls, 1):
        beyond = budget is not None and number > budget
        if budget is not None and number == budget + 1:
            parts.append((glyphs.BUDGET_BAR, look.budget))
        style = call_style(sign, look, beyond=beyond)
        if number == current:
            style = style + Style(reverse=True, bold=True)
        parts.append((sign, style))
        if width is not None and len(parts) > width + 2:
            break
    made = len(calls)
    if (
        budget is not None
        and made <= budget
        and ((pad and budget <= PADDED_BUDGET) or made == budget)
    ):
        parts.append((" " * (budget - made), Style.null()))
        parts.append((glyphs.BUDGET_BAR, look.faint if made < budget else look.budget))
    if width is not None:
        room = width - len(end)
        last = [
            (sign, call_style(sign, look, beyond=budget is not None and made - number >= budget))
            for number, sign in enumerate(calls[-1 : -LAST - 1 : -1], 1)
        ]
        parts = _shortened(parts, made, room, last[::-1] if room >= ROOMY else [], look)
    text = Text(end="", no_wrap=True)
    for sign, style in (*parts, *end):
        text.append(sign, style)
    return text


def _shortened(
    parts: list[tuple[str, Style]],
    made: int,
    room: int,
    last: list[tuple[str, Style]],
    look: Look,
) -> list[tuple[str, Style]]:
    used = sum(len(sign) for sign, _ in parts)
    if used <= room:
        return parts
    if made <= room:
        return [part for part in parts if part[0].strip()][:room]
    for keep in range(room - 2 - len(last), 0, -1):
        head = parts[:keep]
        calls_shown = sum(1 for sign, _ in head if sign != glyphs.BUDGET_BAR)
        rest = f"+{made - calls_shown - len(last)}"
        if keep + len(rest) + len(last) <= room:
            return [*head, (rest, look.muted), *last]
    return [(f"{made}"[: max(0, room)], look.muted)]
