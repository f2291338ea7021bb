"""An arm by question type: Pass@B of each type at each scale, from folds that are counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.metrics.histogram import Fold
from memtui.metrics.rates import pass_rate, rate, tally
from memtui.state.overview import ArmView, Folds, Share


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One question type: its rate under each rung of the overview (None where it was not asked)."""

    name: str
    shares: tuple[Share | None, ...]


def type_rows(
    arm: ArmView, folds: Folds, names: Sequence[str], measure: str, budget: int, mode: str
) -> list[TypeRow]:
    """The answerable items of an arm by type, in alphabetical order; `folds` by (cell, answerable, type).

    `measure` is one of `rates.RATES`.
    """
    rows = []
    for number, name in sorted(enumerate(names), key=lambda pair: pair[1]):
        shares: list[Share | None] = []
        for view in arm.cells:
            group = None if view is None else folds.get((view.cell_id, 1, number))
            shares.append(None if group is None else _share(group, measure, budget, mode))
        if any(share is not None and share.n for share in shares):
            rows.append(TypeRow(name, tuple(shares)))
    return rows


def _share(group: Fold, measure: str, budget: int, mode: str) -> Share:
    if measure == "pass":
        found = pass_rate(group, budget, mode)
    else:
        found = rate(group, tally(group, budget, mode), measure)
    return Share(found.k, found.n, found.interval)
