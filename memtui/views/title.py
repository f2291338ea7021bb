"""Row 1: the active screen, the file, and what every number on the screen depends on."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from memtui.views.look import Look
from memtui.views.numbers import level
from memtui.views.styled import styled
from memtui.views.text_door import clean_line


@dataclass(frozen=True, slots=True)
class Title:
    """What row 1 says. `state` is what the run is; None leaves a part out."""

    number: int
    screen: str
    file: str
    state: str = ""
    kept: str = ""
    """The part of `state` that stays when room is short: what goes on, is shown, or did not end."""
    budget: int | None = None
    hard: bool = False
    alpha: float | None = None
    judge: str = ""
    filter: str = ""
    excluded: int | None = None
    flagged: int | None = None
    """Of the excluded: those a reader flagged; None where flagged questions are in the rates."""
    paused: bool = False
    alias: str = ""
    """The reader's name for the run; shown beside the file where there is room."""
    given: bool = False
    """Whether the filter chooses episodes by what they did, so that rates are conditional on it."""


ALIAS_WIDEST = 24
NAME_KEPT = 8
"""Cells of the file's name that stay when what goes on right now needs the room."""


def title_row(title: Title, width: int, look: Look) -> Text:
    """One row of exactly `width` cells. The screen, B and what goes on right now are never dropped;
    names are cut first, then the settings that are needed least."""
    left = Text(end="", no_wrap=True)
    left.append(f" {title.number} {title.screen} ", look.chip)
    file = clean_line(title.file)
    kept = 0
    if title.kept:
        kept = cell_len(title.kept) + 3 + min(NAME_KEPT, cell_len(file))
    right = _settings(title, min(width * 2 // 3, width - left.cell_len - kept - 3), look)
    room = width - left.cell_len - right.cell_len - 2
    said = title.state
    if kept and room < min(20, cell_len(file)) + cell_len(said) + 4:
        said = title.kept
    name_room = room - (cell_len(said) + 3 if kept else 0)
    if name_room >= 6:
        name = clean_line(title.file, width=name_room - 1)
        left.append(" ")
        left.append(name, look.strong)
        room -= 1 + cell_len(name)
        alias = clean_line(title.alias, width=ALIAS_WIDEST)
        if alias and room >= cell_len(alias) + 2 + cell_len(said) + 3:
            left.append("  ")
            left.append(alias, look.accent)
            room -= 2 + cell_len(alias)
    if said and room >= cell_len(said) + (2 if kept else 3):
        left.append("  ")
        left.append(said, look.accent if said.startswith("▸") else look.muted)
    gap = max(1, width - left.cell_len - right.cell_len - 1)
    line = left + Text(" " * gap, end="") + right + Text(" ", end="")
    line.truncate(width, pad=True)
    return line


def _settings(title: Title, room: int, look: Look) -> Text:
    """The dependencies, most needed first; those that do not fit in `room` cells are left out."""
    parts: list[Text] = []
    if title.budget is not None:
        label = "B≤" if title.hard else "B "
        parts.append(Text.assemble((label, look.muted), (str(title.budget), look.strong)))
    if title.paused:
        parts.append(styled("‖ paused", look.budget))
    if title.filter:
        label = (
            styled("rates given ", look.missing) if title.given else styled("filter ", look.muted)
        )
        label.append(clean_line(title.filter, width=28), look.accent)
        parts.append(label)
    if title.excluded:
        why = f" ({title.flagged} flagged)" if title.flagged else ""
        parts.append(styled(f"! {title.excluded} excluded{why}", look.missing))
    if title.alpha is not None:
        parts.append(Text.assemble(("α ", look.muted), (level(title.alpha), look.strong)))
    if title.judge:
        parts.append(Text.assemble(("judge ", look.muted), (clean_line(title.judge, width=18), "")))
    line = Text(end="", no_wrap=True)
    room = max(8, room)
    for part in parts:
        if line.cell_len + part.cell_len + 3 > room:
            continue
        if line.cell_len:
            line.append("   ")
        line.append_text(part)
    return line
