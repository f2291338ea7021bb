"""Two arms on the same questions: two of one run file, or one of each of two.

Pairs are the items both sides asked at the same scale, averaged over repeats and ladder seeds within an
item. Item sets that differ are refused unless intersecting them was asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from memtui.errors import UserError
from memtui.metrics.outcome import check_budget, outcome
from memtui.metrics.paired import (
    PairedDifference,
    Pairing,
    holm,
    paired_difference,
    pairing,
)
from memtui.model import Outcome
from memtui.report.source import ReportSource

ItemResults = dict[Hashable, list[bool | None]]
"""{item: passed of each of its episodes, None = excluded or pending}."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison."""

    source: ReportSource
    arm: str

    @property
    def name(self) -> str:
        """File and arm."""
        return f"{self.source.reader.path}::{self.arm}"


@dataclass(frozen=True, slots=True)
class ComparedScale:
    """One row: the pairs of one scale. `adjusted` is the Holm-adjusted p-value over the rows shown."""

    scale: float | None
    pairs: Pairing
    found: PairedDifference
    adjusted: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """B minus A by scale, and what else differs between the two."""

    a: Side
    b: Side
    budget: int
    judge: str
    filter: str
    rows: tuple[ComparedScale, ...]
    differences: tuple[tuple[str, str, str], ...]
    """(setting, value of A, value of B) of runs and arms, where they differ."""
    notes: tuple[str, ...]


def choose_arm(source: ReportSource, wanted: str | None) -> str:
    """The arm called or uniquely containing `wanted`; the only arm where none is named."""
    keys = [arm.key for arm in source.arms]
    where = source.reader.path
    if wanted is None:
        if len(keys) == 1:
            return keys[0]
        raise UserError(
            f"{where} holds {len(keys)} arms: name one as {where}::ARM ({', '.join(keys)})"
        )
    found = [key for key in keys if key == wanted] or [
        key for key in keys if wanted.lower() in key.lower()
    ]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} arms contain" if found else "no arm is called"
    raise UserError(f"{what} {wanted!r} in {where}; arms: {', '.join(found or keys)}")


def compare(a: Side, b: Side, budget: int | None = None, *, intersect: bool = False) -> Comparison:
    """Compare two sides at B (default: the budget of A's run).

    UserError where they cannot be: other modes or judges, other data, other items without `intersect`,
    nothing in common.
    """
    first, second = a.source, b.source
    at = _budget(a, b, budget)
    if first.judge != second.judge:
        raise UserError(
            f"verdicts of different judges are not compared: {first.judge} and {second.judge}; name one "
            "that judged both with --judge"
        )
    notes = []
    data = [source.run.dataset.get("sha256") for source in (first, second)]
    if data[0] != data[1]:
        if not intersect:
            raise UserError(
                "the two runs read different data (sha256 of the data set differs); --intersect compares "
                "the items whose keys they share"
            )
        notes.append("the data sets differ: items are paired by their keys")
    clusters: dict[Hashable, Hashable] = {}
    left, right = _results(a, at, clusters), _results(b, at, clusters)
    scales = sorted(set(left) & set(right), key=lambda s: (s is None, s or 0.0))
    if not scales:
        raise UserError(f"{a.name} and {b.name} have no scale in common")
    pairs = {scale: pairing(left[scale], right[scale]) for scale in scales}
    uneven = {scale: found for scale, found in pairs.items() if not found.equal}
    if uneven and not intersect:
        found = next(iter(uneven.values()))
        raise UserError(
            f"the two sides asked different items ({found.common} in common, {found.only_a} only A, "
            f"{found.only_b} only B at one scale); --intersect compares those in common"
        )
    if uneven:
        notes.append("only the items in common are compared")
    if first.reader.path != second.reader.path and _seeds(first) != _seeds(second):
        notes.append(
            "the ladder seeds differ: the same questions stand in differently filled histories"
        )
    rows = _rows(left, right, pairs, clusters)
    if not any(row.found.n for row in rows):
        raise UserError(f"{a.name} and {b.name} have no counted item in common")
    return Comparison(
        a,
        b,
        at,
        first.judge,
        first.filter_text,
        rows,
        tuple(_differences(a, b)),
        tuple(notes),
    )


def _budget(a: Side, b: Side, budget: int | None) -> int:
    modes = {side.source.mode for side in (a, b)}
    if len(modes) > 1:
        raise UserError(
            "a post hoc and a hard budget are never compared: the agents were told different things"
        )
    at = a.source.run.budget if budget is None else budget
    for side in (a, b):
        run = side.source.run
        check_budget(at, run.mode, run.budget, side.source.call_cap)
    return at


def _results(
    side: Side, budget: int, clusters: dict[Hashable, Hashable]
) -> dict[float | None, ItemResults]:
    """Answerable items of the arm by scale; fills `clusters` with the history of each item."""
    source = side.source
    cells = {cell.id: cell.scale for cell in source.cells.values() if cell.arm == side.arm}
    rows = source.reader.query("SELECT id,key,cluster FROM item")
    items = {number: (key, cluster) for number, key, cluster in rows}
    found: dict[float | None, ItemResults] = {}
    for fact in source.selected(budget).facts:
        if fact.cell_id not in cells or not fact.answerable:
            continue
        key, cluster = items[fact.item_id]
        clusters[key] = cluster
        what = outcome(fact, budget, source.mode)
        passed = None if what in (Outcome.EXCLUDED, Outcome.PENDING) else what is Outcome.PASS
        found.setdefault(cells[fact.cell_id], {}).setdefault(key, []).append(passed)
    return found


def _rows(
    left: Mapping[float | None, ItemResults],
    right: Mapping[float | None, ItemResults],
    pairs: Mapping[float | None, Pairing],
    clusters: Mapping[Hashable, Hashable],
) -> tuple[ComparedScale, ...]:
    found = {scale: paired_difference(left[scale], right[scale], clusters) for scale in pairs}
    adjusted = holm([one.p_value for one in found.values()])
    return tuple(
        ComparedScale(scale, pairs[scale], one, p)
        for (scale, one), p in zip(found.items(), adjusted, strict=True)
    )


def _seeds(source: ReportSource) -> object:
    rows = source.reader.query("SELECT DISTINCT ladder_seed FROM haystack ORDER BY ladder_seed")
    return [row[0] for row in rows]


def _differences(a: Side, b: Side) -> list[tuple[str, str, str]]:
    """Settings that differ: of the runs (configuration, versions, data) and of the two arms."""
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    if a.source.reader.path != b.source.reader.path:
        left |= _run_settings(a)
        right |= _run_settings(b)
    left |= _flat(_arm_config(a), "arm")
    right |= _flat(_arm_config(b), "arm")
    names = sorted(left.keys() | right.keys())
    return [
        (name, left.get(name, "–"), right.get(name, "–"))
        for name in names
        if left.get(name) != right.get(name)
    ]


def _run_settings(side: Side) -> dict[str, str]:
    run = side.source.run
    return (
        _flat(run.config, "config")
        | _flat(run.versions, "versions")
        | _flat(run.dataset, "data")
        | _flat(run.seeds, "seeds")
    )


def _arm_config(side: Side) -> Mapping[str, Any]:
    return next((arm.config for arm in side.source.arms if arm.key == side.arm), {})


def _flat(value: object, name: str) -> dict[str, str]:
    """Nested settings as dotted names; lists are compared whole."""
    if isinstance(value, Mapping):
        found: dict[str, str] = {}
        for key, inner in value.items():
            found |= _flat(inner, f"{name}.{key}")
        return found
    return {name: str(value)}
