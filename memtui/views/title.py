"""Row 1: the active screen, the file, and what every number on the screen depends on."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from memtui.views.look import Look
from memtui.views.numbers import count, level
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
FILTER_WIDEST, JUDGE_WIDEST, LEAST_NAME = 28, 18, 8
"""Cells of a filter, of a judge's name, and those to which both are cut before a part is left out."""
GIVEN_UP = 7
"""Steps in which parts give way."""
NAME_WANTED = 12
"""Cells of the file's name that settings leave it."""
NAME_KEPT = 8
"""Cells of the file's name that stay when what goes on right now needs the room."""


def title_row(title: Title, width: int, look: Look) -> Text:
    """One row of exactly `width` cells. Screen, B and what goes on right now are never dropped; of the rest
    that the run has ended goes first, then names are cut, then see `_settings`."""
    left = Text(end="", no_wrap=True)
    left.append(f" {title.number} {title.screen} ", look.chip)
    file = clean_line(title.file)
    kept = cell_len(title.kept) + 3 if title.kept else 0
    least, wanted = (min(cells, cell_len(file)) for cells in (NAME_KEPT, NAME_WANTED))
    free = width - left.cell_len - kept - (3 if kept else 4)
    right = _settings(title, free - (least if kept else wanted), free - least, look)
    room = width - left.cell_len - right.cell_len - 2
    said = title.state
    if title.judge and "judge" not in right.plain and not kept:
        said = ""  # the judge has more to do with the numbers
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


def _settings(title: Title, room: int, most: int, look: Look) -> Text:
    """What every number depends on, in `room` cells, at last in `most`. The judge's name is cut, then goes;
    then a word is saved and a long filter cut; then exclusions, alpha and filter give way in this order."""
    parts: dict[str, Text] = {}
    shown: dict[str, str] = {}
    for gone in range(GIVEN_UP + 1):
        parts, cuttable = _parts(title, look, gone)
        cells = max(8, most if gone > 1 else room)  # a filter says more than the name of the file
        spare = cells - sum(part.cell_len for part in parts.values()) - 3 * (len(parts) - 1)
        spare -= sum(map(cell_len, cuttable.values()))
        least = {name: min(cell_len(whole), LEAST_NAME) for name, whole in cuttable.items()}
        if gone < 4 and "filter" in least:
            least["filter"] = cell_len(cuttable["filter"])
        lacking = -spare
        shown = dict(cuttable)
        for name in ("judge", "filter"):
            if lacking > 0 and name in shown:
                width = max(least[name], cell_len(shown[name]) - lacking)
                lacking -= cell_len(shown[name]) - width
                shown[name] = clean_line(shown[name], width=width)
        if lacking <= 0:
            break
    line = Text(end="", no_wrap=True)
    for name, part in parts.items():
        if line.cell_len:
            line.append("   ")
        line.append_text(part)
        if name in shown:
            line.append(shown[name], look.accent if name == "filter" else "")
    return line


def _parts(title: Title, look: Look, without: int) -> tuple[dict[str, Text], dict[str, str]]:
    """The parts in their order by name, and the names that may be cut behind their labels; `without`: how
    many parts have given way."""
    parts: dict[str, Text] = {}
    names: dict[str, str] = {}
    if title.budget is not None:
        label = "B≤" if title.hard else "B "
        parts["budget"] = Text.assemble((label, look.muted), (str(title.budget), look.strong))
    if title.paused:
        parts["paused"] = styled("‖ paused", look.budget)
    if title.filter and without < 7:
        given = title.given
        parts["filter"] = styled(
            "rates given " if given else "filter ", look.missing if given else look.muted
        )
        names["filter"] = clean_line(title.filter, width=FILTER_WIDEST)
    if title.excluded and without < 5:
        why = f" ({title.flagged} flagged)" if title.flagged and not without else ""
        word = " excluded" if without < 3 else ""
        parts["excluded"] = styled(f"! {count(title.excluded)}{word}{why}", look.missing)
    if title.alpha is not None and without < 6:
        parts["alpha"] = Text.assemble(("α ", look.muted), (level(title.alpha), look.strong))
    if title.judge and not without:
        parts["judge"] = styled("judge ", look.muted)
        names["judge"] = clean_line(title.judge, width=JUDGE_WIDEST)
    return parts, names
