"""The part of a replay that the dock of a running run has not: where it stands."""

from __future__ import annotations

from rich.text import Text

from memtui.state.live import Dock
from memtui.state.replay import clock
from memtui.views.bars import share_bar
from memtui.views.look import Look
from memtui.views.numbers import count
from memtui.views.text_door import clean_line

BAR = 40


def progress_lines(
    dock: Dock,
    moment: float,
    length: float,
    speed: int,
    width: int,
    look: Look,
    *,
    playing: bool,
    over: bool,
    pauses: int,
) -> list[Text]:
    """Where the replay stands in the time of the run, then how far the run was and how it went."""
    word = "the end" if over else f"{speed}x" if playing else f"{speed}x paused"
    line = Text(" ", end="", no_wrap=True)
    line.append("▸ replay " if playing else "‖ replay ", look.accent if playing else look.budget)
    line.append(f"{word}  ", look.strong)
    tail = f"  {clock(moment)} of {clock(length)}"
    if pauses and width >= 90:
        tail += f"   {pauses} {'pause' if pauses == 1 else 'pauses'} left out"
    bar = max(8, min(BAR, width - line.cell_len - len(tail)))
    line.append_text(share_bar(round(moment * 1000), max(1, round(length * 1000)), bar, look))
    line.append(tail)
    facts = [
        Text.assemble(
            (f"{count(dock.done)} of {count(dock.planned)}", ""), (" had ended", look.muted)
        )
    ]
    if dock.per_minute:
        facts.append(Text(f"{dock.per_minute:.0f}/min"))
    if not dock.in_flight:  # else the lines below say it
        facts.append(Text.assemble((f"{dock.running}", ""), (" in flight", look.muted)))
    if dock.troubles.excluded:
        total = sum(many for _, many in dock.troubles.excluded)
        causes = ", ".join(f"{many} {cause}" for cause, many in dock.troubles.excluded[:3])
        facts.append(Text(f"! {total} excluded ({clean_line(causes)})", style=look.missing))
    second = Text(" ", end="", no_wrap=True)
    for number, fact in enumerate(facts):
        if second.cell_len + fact.cell_len + 3 > width:
            break
        second.append("   " if number else "")
        second.append_text(fact)
    return [line, second]
