"""One question over scales and arms: how each episode came out, and where that changes along the scales.

A *line* of the ladder is an arm with one way of filling the histories (ladder seed) and one repeat; its
cells are the episodes of that line by scale. Nothing here knows how it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memtui.metrics.outcome import outcome
from memtui.metrics.scales import OWN
from memtui.model import Outcome
from memtui.state.episode_standing import outcome_of
from memtui.store.reader import RunReader
from memtui.store.records import CellRow, EpisodeFact, EpisodeRow, ItemRow

ENDED = (Outcome.PASS, Outcome.EXHAUSTED, Outcome.WRONG)
"""Outcomes that say something about the system under test."""


class Change(StrEnum):
    """What became of a question from the next smaller scale that has an outcome to this one."""

    NONE = ""
    LOST = "lost"
    """It passed there and does not here."""
    REGAINED = "regained"
    """It did not pass there and does here."""


@dataclass(frozen=True, order=True, slots=True)
class Variant:
    """One of several runs of the same question on the same arm: ladder seed and repeat."""

    seed: int
    """-1 where no history was recorded."""
    repeat: int

    @property
    def label(self) -> str:
        """``seed 1 repeat 0``, without the seed where there is none."""
        seed = f"seed {self.seed} " if self.seed >= 0 else ""
        return f"{seed}repeat {self.repeat}"

    def short(self, others: Sequence[Variant]) -> str:
        """``s1 r0``: what tells it from the others; empty where there is only one."""
        parts = []
        if len({one.seed for one in others}) > 1:
            parts.append(f"s{self.seed}" if self.seed >= 0 else "s–")
        if len({one.repeat for one in others}) > 1:
            parts.append(f"r{self.repeat}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class LadderCell:
    """One episode of the ladder at the reader's B and judge."""

    row: EpisodeRow
    scale: float | None
    outcome: Outcome
    change: Change
    below: int | None
    """Id of the episode of the next smaller scale of the line; None on the lowest, and on a question's own
    history."""
    inside: bool
    """Whether it passes the filter line."""


@dataclass(frozen=True, slots=True)
class LadderLine:
    """One arm (and its further conditions) with one variant over the scales."""

    arm: str
    conditions: str
    """Conditions beside the scale; mostly empty."""
    variant: Variant
    cells: tuple[LadderCell | None, ...]
    """One per scale of the ladder; None where no episode has started."""

    @property
    def asked(self) -> list[LadderCell]:
        """The cells whose episode has started."""
        return [cell for cell in self.cells if cell is not None]

    @property
    def name(self) -> str:
        """Arm and further conditions."""
        return f"{self.arm} {self.conditions}" if self.conditions else self.arm

    @property
    def first_loss(self) -> float | None:
        """The smallest scale at which the question is lost after it had passed."""
        return next(
            (cell.scale for cell in self.cells if cell is not None and cell.change is Change.LOST),
            None,
        )


@dataclass(frozen=True, slots=True)
class LadderData:
    """Everything of one question that no setting changes."""

    item: ItemRow
    rows: tuple[EpisodeRow, ...]
    seeds: Mapping[int, int]
    """Episode id -> ladder seed."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """One question over scales x lines."""

    item: ItemRow
    scales: tuple[float | None, ...]
    lines: tuple[LadderLine, ...]
    variants: tuple[Variant, ...]
    """All that occur, whichever are shown."""
    passing: tuple[tuple[int, int], ...]
    """Per scale: lines that pass, and lines with an outcome."""
    left_out: tuple[str, ...] = ()
    """Arms none of whose episodes passes the filter line."""

    def name_of(self, line: LadderLine) -> str:
        """The arm, with seed and repeat where the question was run several ways."""
        return " ".join(part for part in (line.name, line.variant.short(self.variants)) if part)

    def cell(self, line: int, column: int) -> LadderCell | None:
        """The cell under a cursor; None where there is none."""
        if 0 <= line < len(self.lines) and 0 <= column < len(self.scales):
            return self.lines[line].cells[column]
        return None

    def place_of(self, episode: int) -> tuple[int, int] | None:
        """(line, column) of an episode."""
        for number, line in enumerate(self.lines):
            for column, cell in enumerate(line.cells):
                if cell is not None and cell.row.id == episode:
                    return number, column
        return None

    def next_change(self, line: int, column: int, by: int) -> tuple[int, int] | None:
        """The next (1) or previous (-1) cell at which the outcome flips, line by line."""
        width = len(self.scales)
        at = line * width + column + by
        while 0 <= at < width * len(self.lines):
            cell = self.cell(*divmod(at, width))
            if cell is not None and cell.change is not Change.NONE:
                return divmod(at, width)
            at += by
        return None


def read_ladder(reader: RunReader, item_id: int) -> LadderData | None:
    """Read all counted or running episodes of a question; None for an unknown one."""
    item = reader.item(item_id)
    if item is None:
        return None
    ids = reader.episode_ids("e.item_id=?", (item_id,))
    found = reader.episode_rows(ids)
    seeds = reader.query(
        "SELECT e.id,ifnull(h.ladder_seed,-1) FROM episode e LEFT JOIN haystack h ON"
        " h.id=e.haystack_id WHERE e.item_id=?",
        (item_id,),
    )
    rows = tuple(found[one] for one in sorted(found))
    return LadderData(item, rows, dict(seeds))


def build_ladder(
    data: LadderData,
    arms: Sequence[str],
    scales: Sequence[float],
    *,
    budget: int,
    mode: str,
    judge: str,
    passing: Collection[int] | None = None,
    variant: Variant | None = None,
) -> Ladder:
    """The ladder at B under a judge.

    `arms` gives the order; `passing` are the ids that pass the filter line (None: all do), and arms
    none of whose episodes passes are left out; `variant` keeps one way of running the question.
    """
    places: dict[tuple[str, str, Variant], dict[float | None, EpisodeRow]] = {}
    variants = set()
    for row in data.rows:
        mine = Variant(data.seeds.get(row.id, -1), row.repeat)
        variants.add(mine)
        if variant is None or mine == variant:
            key = (row.arm, other_conditions(row.conditions), mine)
            places.setdefault(key, {})[row.scale] = row
    columns: set[float | None] = {row.scale for row in data.rows}
    columns.update(scales)
    shown = sorted(columns, key=lambda scale: (scale is None, scale or 0.0))
    order = {arm: number for number, arm in enumerate(arms)}
    lines = []
    for key in sorted(places, key=lambda key: (order.get(key[0], len(order)), *key)):
        arm, conditions, mine = key
        cells = _cells(places[key], shown, budget, mode, judge, passing)
        if passing is None or any(cell is not None and cell.inside for cell in cells):
            lines.append(LadderLine(arm, conditions, mine, cells))
    without = {arm for arm, _, _ in places} - {line.arm for line in lines}
    return Ladder(
        data.item,
        tuple(shown),
        tuple(lines),
        tuple(sorted(variants)),
        tuple(passing_at(lines, column) for column in range(len(shown))),
        tuple(sorted(without, key=lambda arm: (order.get(arm, len(order)), arm))),
    )


def other_conditions(conditions: str) -> str:
    """The conditions of a cell without its scale."""
    return "|".join(part for part in conditions.split("|") if not part.startswith("scale="))


def _cells(
    found: Mapping[float | None, EpisodeRow],
    scales: Sequence[float | None],
    budget: int,
    mode: str,
    judge: str,
    passing: Collection[int] | None,
) -> tuple[LadderCell | None, ...]:
    cells: list[LadderCell | None] = []
    before: Outcome | None = None
    below: int | None = None
    for scale in scales:
        row = found.get(scale)
        if row is None:
            cells.append(None)
            continue
        what = outcome_of(row, judge, budget, mode)
        change = Change.NONE
        inside = passing is None or row.id in passing
        if scale == OWN:
            # A question's own history is no smaller rung of the ladder: nothing is compared with it.
            cells.append(LadderCell(row, scale, what, change, None, inside))
            continue
        if what in ENDED:
            if before is not None and (before is Outcome.PASS) != (what is Outcome.PASS):
                change = Change.LOST if before is Outcome.PASS else Change.REGAINED
            before = what
        cells.append(LadderCell(row, scale, what, change, below, inside))
        below = row.id
    return tuple(cells)


def passing_at(lines: Sequence[LadderLine], column: int) -> tuple[int, int]:
    outcomes = [cell.outcome for line in lines if (cell := line.cells[column]) is not None]
    ended = [what for what in outcomes if what in ENDED]
    return ended.count(Outcome.PASS), len(ended)


def may_flip(
    facts: Iterable[EpisodeFact], cells: Mapping[int, CellRow], budget: int, mode: str
) -> set[int]:
    """Ids of the questions that pass at one scale of a line and not at another: all that flip, and few more.

    Facts do not tell ladder seeds apart, so a question of several seeds may be among them without a flip.
    """
    seen: dict[tuple[int, int, str, int], bool] = {}
    found: set[int] = set()
    known: dict[tuple[str | None, str | None, int, int], Outcome] = {}
    for fact in facts:
        if fact.item_id in found:
            continue
        key = (fact.end_reason, fact.label, fact.done, fact.requested)
        what = known.get(key)
        if what is None:
            what = known[key] = outcome(fact, budget, mode)
        if what not in ENDED:
            continue
        cell = cells[fact.cell_id]
        line = (fact.item_id, cell.arm_id, other_conditions(cell.conditions), fact.repeat)
        if seen.setdefault(line, what is Outcome.PASS) != (what is Outcome.PASS):
            found.add(fact.item_id)
    return found


def along_scales(data: LadderData, episode: int, by: int) -> int | None:
    """The episode of the same question, arm, seed and repeat at the next larger or smaller scale."""
    here = next((row for row in data.rows if row.id == episode), None)
    if here is None:
        return None
    seed = data.seeds.get(episode)
    line = [
        row
        for row in data.rows
        if row.arm == here.arm
        and other_conditions(row.conditions) == other_conditions(here.conditions)
        and row.repeat == here.repeat
        and data.seeds.get(row.id) == seed
    ]
    line.sort(key=lambda row: (row.scale is None, row.scale or 0.0))
    return _neighbour([row.id for row in line], episode, by)


def across_arms(data: LadderData, episode: int, by: int, arms: Sequence[str]) -> int | None:
    """The episode of the same question and scale on the next arm, of the same seed and repeat if any."""
    here = next((row for row in data.rows if row.id == episode), None)
    if here is None:
        return None
    seed = data.seeds.get(episode)
    best: dict[tuple[str, str], tuple[bool, int]] = {}
    for row in data.rows:
        if row.scale != here.scale:
            continue
        key = (row.arm, other_conditions(row.conditions))
        other = (row.repeat, data.seeds.get(row.id)) != (here.repeat, seed)
        if key not in best or (other, row.id) < best[key]:
            best[key] = (other, row.id)
    best[(here.arm, other_conditions(here.conditions))] = (False, episode)
    order = {arm: number for number, arm in enumerate(arms)}
    keys = sorted(best, key=lambda key: (order.get(key[0], len(order)), *key))
    return _neighbour([best[key][1] for key in keys], episode, by)


def _neighbour(ids: Sequence[int], here: int, by: int) -> int | None:
    at = ids.index(here) + by
    return ids[at] if 0 <= at < len(ids) else None
