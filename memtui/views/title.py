"""Row 1: the active screen, the file, and what every number on the screen depends on."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from memtui.views.look import Look
from memtui.views.numbers import level
from memtui.views.styled import styled
from memtui.views.text_door import clean_line


@dataclass(frozen=True, slots=True)
class Title:
    """What row 1 says. `state` is one word for the run; None leaves a part out."""

    number: int
    screen: str
    file: str
    state: str = ""
    budget: int | None = None
    hard: bool = False
    alpha: float | None = None
    judge: str = ""
    filter: str = ""
    excluded: int | None = None
    flagged: int | None = None
    """Of the excluded: those a reader flagged; None where flagged questions are in the rates."""
    paused: bool = False


def title_row(title: Title, width: int, look: Look) -> Text:
    """One row of exactly `width` cells. The screen and B are never dropped; names are cut first."""
    left = Text(end="", no_wrap=True)
    left.append(f" {title.number} {title.screen} ", look.chip)
    right = _settings(title, width, look)
    room = width - left.cell_len - right.cell_len - 2
    if room >= 6:
        name = clean_line(title.file, width=room - 1)
        left.append(" ")
        left.append(name, look.strong)
        room -= 1 + Text(name).cell_len
    if title.state and room >= len(title.state) + 3:
        left.append("  ")
        left.append(title.state, look.accent if title.state.startswith("▸") else look.muted)
    gap = max(1, width - left.cell_len - right.cell_len - 1)
    line = left + Text(" " * gap, end="") + right + Text(" ", end="")
    line.truncate(width, pad=True)
    return line


def _settings(title: Title, width: int, look: Look) -> Text:
    """The dependencies, most needed first; those that do not fit in two thirds are left out."""
    parts: list[Text] = []
    if title.budget is not None:
        label = "B≤" if title.hard else "B "
        parts.append(Text.assemble((label, look.muted), (str(title.budget), look.strong)))
    if title.paused:
        parts.append(styled("‖ paused", look.budget))
    if title.filter:
        parts.append(
            Text.assemble(
                ("filter ", look.muted), (clean_line(title.filter, width=28), look.accent)
            )
        )
    if title.excluded:
        why = f" ({title.flagged} flagged)" if title.flagged else ""
        parts.append(styled(f"! {title.excluded} excluded{why}", look.missing))
    if title.alpha is not None:
        parts.append(Text.assemble(("α ", look.muted), (level(title.alpha), look.strong)))
    if title.judge:
        parts.append(Text.assemble(("judge ", look.muted), (clean_line(title.judge, width=18), "")))
    line = Text(end="", no_wrap=True)
    room = max(8, width * 2 // 3)
    for part in parts:
        if line.cell_len + part.cell_len + 3 > room:
            continue
        if line.cell_len:
            line.append("   ")
        line.append_text(part)
    return line
