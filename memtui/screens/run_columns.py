"""One line of the list of runs: name and alias, state, progress, rates with n, scales, time and cost left."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text

from memtui.state.run_list import RunLine
from memtui.views.bars import bars, share_bar
from memtui.views.columns import Column, Placed, place, row
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, compact, duration, money, percent, size
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

MARKED, NOTED, NEWER = "A", "▪", "↑"
LEGEND = (
    (MARKED, "marked for compare: c on another run compares the two"),
    (NOTED, "has a note"),
    (NEWER, "written by a newer version: not all of it is shown"),
    ("!", "its rates, or all of it, cannot be read"),
)
"""What stands beside the name and the state of a run."""
BAR = 12

SCALES = (6, 10)
"""Cells of the bars over the scales: at least the heading, at most so many."""


def columns(scales: int = 0) -> tuple[Column, ...]:
    """The columns of a list in which a run has at most so many scales."""
    return (
        Column("run", "run", 12, grow=3),
        Column("state", "state", 13),
        Column("progress", "episodes", 9, "right", keep=1),
        Column("bar", "", BAR, keep=10),
        Column("pass", "pass", 4, "right"),
        Column("exhausted", "exh", 3, "right", keep=3),
        Column("wrong", "wrong", 5, "right", keep=6),
        Column("n", "n", 5, "right", keep=2),
        Column("excluded", "excl", 4, "right", keep=5),
        Column("scales", "scales", max(SCALES[0], min(SCALES[1], scales)), keep=4),
        Column("eta", "ETA", 7, "right", keep=7),
        Column("cost", "cost", 8, "right", keep=8),
        Column("speed", "ep/min", 6, "right", keep=11),
        Column("arms", "arms", 4, "right", keep=12),
        Column("started", "started", 16, keep=9),
        Column("budget", "B", 2, "right", keep=13),
        Column("size", "size", 7, "right", keep=14),
        Column("data", "data", 12, keep=15, grow=1),
    )


STATES = {
    "running": ("▸", "running", "accent"),
    "paused": ("‖", "paused", "budget"),
    "finished": ("✓", "finished", "good"),
    "interrupted": ("◌", "interrupted", "missing"),
    "unknown": ("?", "unknown", "missing"),
}


def age_label(seconds: float | None) -> str:
    """An age in at most three cells: `2s`, `45s`, `3m`, `2h`, `9d`."""
    if seconds is None:
        return ""
    for unit, length, end in (("s", 1, 60), ("m", 60, 3600), ("h", 3600, 86_400)):
        if seconds < end:
            return f"{int(seconds / length)}{unit}"
    return f"{min(99, int(seconds / 86_400))}d"


def state_cell(line: RunLine, look: Look) -> Text:
    """Sign and word, with the age of the last sign of life while the run goes on."""
    run = line.summary
    if run.state == "unusable":
        trouble = f"newer {NEWER}" if run.newer else run.trouble
        return styled(f"! {clean_line(trouble, width=11)}", look.bad)
    sign, word, style = STATES.get(run.state, ("?", clean_line(run.state, width=11), "muted"))
    if line.stopping:
        word, style = "stopping", "budget"
    text = Text(end="", no_wrap=True)
    if run.newer and not run.live:
        # What it is comes second: not all of it is shown.
        return styled(f"{sign} newer {NEWER}", look.missing)
    text.append(f"{sign} {word}", getattr(look, style))
    if line.problem:
        text.append(" !", look.bad)
    if run.live and run.heartbeat_age is not None:
        room = 13 - text.cell_len - 1
        text.append(f" {age_label(run.heartbeat_age)[:room]}", look.muted)
    return text


def name_cell(line: RunLine, look: Look, *, marked: bool, width: int) -> Text:
    """Marks, the alias if there is one, and the name of the file as far as there is room."""
    text = Text(end="", no_wrap=True)
    if marked:
        text.append(f"{MARKED} ", look.accent)
    if line.note:
        text.append(f"{NOTED} ", look.gold)
    room = width - text.cell_len
    if not line.alias:
        text.append(clean_line(line.path.stem, width=room))
        return text
    alias = clean_line(line.alias, width=room)
    text.append(alias, look.accent)
    left = room - cell_len(alias) - 2
    if left >= 4:
        text.append("  ")
        text.append(clean_line(line.path.stem, width=left), look.muted)
    return text


def run_cells(line: RunLine, look: Look, *, marked: bool, width: int) -> dict[str, Text | str]:
    """The cells of a line; `width` is that of the first column."""
    run, counts = line.summary, line.counts
    cells: dict[str, Text | str] = {
        "run": name_cell(line, look, marked=marked, width=width),
        "state": state_cell(line, look),
        "size": styled(size(run.size), look.muted),
    }
    if run.state == "unusable":
        return cells | {"progress": styled(UNKNOWN, look.faint)}
    progress = run.progress
    if progress is not None:
        cells["progress"] = progress_label(progress.done, progress.planned)
        cells["bar"] = share_bar(progress.done, progress.planned, BAR, look)
    cells["arms"] = styled(str(run.arms), look.muted)
    cells["started"] = styled(clean_line(run.created_at[:16].replace("T", " ")), look.muted)
    cells["data"] = run.dataset
    cells["budget"] = styled(UNKNOWN if run.budget is None else str(run.budget), look.muted)
    speed, eta = line.per_minute, line.eta_seconds
    cells["speed"] = styled(speed_label(speed) if run.live else "", look.muted)
    if run.live:
        cells["eta"] = UNKNOWN if eta is None else duration(eta * 1000)
    if line.paid is not None:
        cells["cost"] = styled(money(line.paid.cost, partial=line.paid.partial), look.muted)
    if counts is not None:
        for name, k, style in (
            ("pass", counts.passed, look.good),
            ("exhausted", counts.exhausted, look.budget),
            ("wrong", counts.wrong, look.bad),
        ):
            cells[name] = styled(percent(k / counts.n if counts.n else None), style)
        cells["n"] = compact(counts.n) if counts.n > 99_999 else str(counts.n)
        out = counts.n_excluded
        cells["excluded"] = styled(short(out, 4), look.missing if out else look.muted)
        cells["scales"] = _scale_bars([k / n if n else None for _, k, n in line.by_scale], look)
    return cells


def _scale_bars(rates: Sequence[float | None], look: Look) -> Text:
    """One bar a scale; of more than there is room for the largest, which are the hardest."""
    if len(rates) <= SCALES[1]:
        return bars(rates, look, gap="")
    return styled("…", look.muted).append_text(bars(rates[1 - SCALES[1] :], look, gap=""))


def short(number: int, width: int) -> str:
    """A count in so many cells."""
    return str(number) if len(str(number)) <= width else compact(number).partition(".")[0] + "k"


def speed_label(per_minute: float | None) -> str:
    """Episodes a minute: one place below ten."""
    if per_minute is None:
        return UNKNOWN
    return f"{per_minute:.1f}" if per_minute < 9.95 else f"{per_minute:.0f}"


def progress_label(done: int, planned: int) -> str:
    """`12/390`; where that is too wide, the number alone of a run that has all, else the share."""
    label = f"{done}/{planned}"
    if len(label) <= 9:
        return label
    return str(done) if done == planned else f"{100 * done / planned:.1f} %"


class RunRows:
    """The files as rows; the id of a row is its place in the order of first sight."""

    def __init__(
        self, lines: Sequence[RunLine], ids: dict[Path, int], look: Look, marked: str
    ) -> None:
        """`marked`: name of the file that waits for its other half of a comparison."""
        self.lines = list(lines)
        self._ids = [ids.setdefault(line.path, len(ids)) for line in lines]
        self._look = look
        self._marked = marked
        self._columns = columns(max((len(line.by_scale) for line in lines), default=0))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        line = self.lines[index]
        placed = self.placed(width)
        marked = bool(self._marked) and self._marked == line.path.name
        cells = run_cells(line, self._look, marked=marked, width=placed[0].width)
        return row(placed, cells, margin=1)

    def placed(self, width: int) -> list[Placed]:
        """The columns that fit into a list of that many cells."""
        return place(self._columns, width - 2)
