"""How many questions of an arm flip from one scale to the next: the ladder of all questions, in counts.

A question that was run with several seeds or repeats counts once for each of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from memtui.metrics.outcome import outcome
from memtui.metrics.scales import OWN
from memtui.model import Outcome
from memtui.state.ladder import ENDED, other_conditions
from memtui.store.reader import RunReader
from memtui.store.records import CellRow, EpisodeFact


@dataclass(frozen=True, slots=True)
class Flips:
    """From the next smaller scale of the arm to this one."""

    lost: int
    """Passed there and does not here."""
    regained: int
    """Did not pass there and does here."""
    n: int
    """Have an outcome at both."""


Arm = tuple[str, str]
"""Key of an arm, and its conditions beside the scale."""
Rung = dict[tuple[int, int], bytearray]
"""For each repeat and seed a mark by question, 0 where it has no outcome: objects of their own for a hundred
thousand outcomes would take some megabytes."""
PASSED, NOT_PASSED = 1, 2


def seeds_of(reader: RunReader) -> Mapping[int, int]:
    """Ladder seed by id of the episode; empty where the run has no more than one."""
    if reader.query("SELECT count(DISTINCT ladder_seed) FROM haystack")[0][0] < 2:
        return {}
    return dict(
        reader.query(
            "SELECT e.id,h.ladder_seed FROM episode e JOIN haystack h ON h.id=e.haystack_id"
        )
    )


def flips_between_scales(
    facts: Iterable[EpisodeFact],
    cells: Mapping[int, CellRow],
    seeds: Mapping[int, int],
    budget: int,
    mode: str,
    items: Collection[int] | None = None,
) -> dict[Arm, dict[float, Flips]]:
    """By arm and the larger of two neighbouring scales; `items`: only these questions (ids).

    A question's own history is no rung. What has no outcome at both scales is in no count.
    """
    scales: defaultdict[Arm, dict[float, Rung]] = defaultdict(dict)
    places: dict[int, int] = {}
    known: dict[tuple[str | None, str | None, int, int], Outcome] = {}
    arms = {cell.id: (cell.arm, other_conditions(cell.conditions)) for cell in cells.values()}
    for fact in facts:
        scale = cells[fact.cell_id].scale
        if scale is None or scale == OWN or (items is not None and fact.item_id not in items):
            continue
        key = (fact.end_reason, fact.label, fact.done, fact.requested)
        what = known.get(key)
        if what is None:
            what = known[key] = outcome(fact, budget, mode)
        if what in ENDED:
            rung = scales[arms[fact.cell_id]].setdefault(scale, {})
            marks = rung.setdefault((fact.repeat, seeds.get(fact.id, 0)), bytearray())
            at = places.setdefault(fact.item_id, len(places))
            if at >= len(marks):
                marks.extend(bytes(at + 1 - len(marks)))
            marks[at] = PASSED if what is Outcome.PASS else NOT_PASSED
    found: dict[Arm, dict[float, Flips]] = {}
    for arm, rungs in scales.items():
        order = sorted(rungs)
        found[arm] = {above: _flips(rungs[below], rungs[above]) for below, above in pairwise(order)}
    return found


def _flips(below: Rung, above: Rung) -> Flips:
    both: Counter[tuple[int, int]] = Counter()
    for again, marks in below.items():
        both.update(zip(marks, above.get(again, b""), strict=False))
    lost, regained = both[PASSED, NOT_PASSED], both[NOT_PASSED, PASSED]
    return Flips(
        lost, regained, lost + regained + both[PASSED, PASSED] + both[NOT_PASSED, NOT_PASSED]
    )
