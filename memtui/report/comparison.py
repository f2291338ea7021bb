"""Two arms on the same questions: two of one run file, or one of each of two.

Pairs are the items both sides asked at the same scale over an equal history, averaged over repeats and
ladder seeds within an item. Item sets that differ, and histories that do, are refused unless
intersecting them was asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.errors import UserError
from memtui.metrics.intervals import TOO_FEW_CLUSTERS
from memtui.metrics.paired import (
    CLUSTERED,
    PairedDifference,
    Pairing,
    holm,
    paired_difference,
    pairing,
)
from memtui.query.budgets import budget_at
from memtui.query.naming import one_arm
from memtui.report.notes import conditional_notes
from memtui.report.paired_episodes import (
    Asked,
    EpisodePair,
    Matched,
    PairCounts,
    asked,
    contents_of,
    count_pairs,
    episode_pairs,
    matched,
)
from memtui.report.source import ReportSource
from memtui.state.told_apart import Apart
from memtui.views.numbers import UNKNOWN, plural, scale

ItemResults = dict[Hashable, list[bool | None]]
"""{item: passed of each of its episodes, None = excluded or pending}."""


class UnequalHistories(UserError):
    """The histories were filled differently: `any_history` pairs the questions all the same."""


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
    """One row: the pairs of one scale. `adjusted` is the Holm-adjusted p-value over the rows shown.

    `found` has each question once, averaged over its seeds and repeats; `counts` are of the pairs of episodes.
    """

    scale: float | None
    pairs: Pairing
    found: PairedDifference
    counts: PairCounts
    adjusted: float | None
    unequal: int = 0
    """Questions both sides asked, but never over an equal history: outside the comparison."""

    @property
    def left_out(self) -> int:
        """Questions of this scale outside the comparison, for whatever reason."""
        return self.pairs.dropped + self.pairs.only_a + self.pairs.only_b + self.unequal


@dataclass(frozen=True, slots=True)
class Comparison:
    """B minus A by scale, and what else differs between the two."""

    a: Side
    b: Side
    budget: int
    judge: str
    filter: str
    rows: tuple[ComparedScale, ...]
    total: PairedDifference
    """Over all scales together, (question, scale) paired and clustered by history."""
    counts: PairCounts
    """Pairs of episodes at all scales."""
    only_scales: tuple[tuple[float | None, ...], tuple[float | None, ...]]
    """Scales that only A has, and that only B has: not compared."""
    episodes: tuple[EpisodePair, ...]
    """The paired episodes, flips among them."""
    differences: tuple[tuple[str, object, object], ...]
    """(setting, value of A, value of B) of runs and arms, where they differ; None where it is not set."""
    caveats: tuple[str, ...]
    """What to know of the pairs, beyond that the two sides asked different items."""

    @property
    def averaged(self) -> bool:
        """Whether a question counts with the mean of several episodes, over seeds or repeats."""
        return self.counts.n > self.total.n

    def _few_clusters(self) -> list[str]:
        few = self.total.clusters
        if self.total.test != CLUSTERED or few >= TOO_FEW_CLUSTERS:
            return []
        return [
            f"too few clusters: the questions share {few} histories, so no interval or p can be trusted"
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """All there is to know of the pairs."""
        uneven = any(not row.pairs.equal for row in self.rows)
        return (
            *conditional_notes(self.a.source.conditional),
            *(["only the items in common are compared"] if uneven else []),
            *_about_scales(self.only_scales),
            *self._few_clusters(),
            *self.caveats,
        )

    @property
    def apart(self) -> Apart:
        """What tells the pairs of a question at a scale apart: seeds where it was asked over several histories,
        repeats where several times over one."""
        places = {(pair.a.scale, pair.a.item, pair.a.fact.repeat) for pair in self.episodes}
        repeats = {pair.a.fact.repeat for pair in self.episodes}
        return Apart(len(places) < len(self.episodes), len(repeats) > 1)


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
    return one_arm(keys, wanted, where)


def compare(
    a: Side,
    b: Side,
    budget: int | None = None,
    *,
    intersect: bool = False,
    any_history: bool = False,
) -> Comparison:
    """Compare two sides at B (default: the budget of A's run).

    UserError where they cannot be: other modes or judges, other data, other items or other histories
    without `intersect`, nothing in common. `any_history` pairs questions however their histories were
    filled.
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
    both = _matched(a, b, at, any_history=any_history)
    clusters: dict[Hashable, Hashable] = {one.item: one.cluster for one in (*both.a, *both.b)}
    left, right = _results(both.a), _results(both.b)
    scales = sorted(set(left) & set(right), key=lambda s: (s is None, s or 0.0))
    if not scales:
        if both.unequal:
            raise UnequalHistories(
                "no question stands over an equal history on both sides; --any-history pairs them all the "
                "same"
            )
        raise UserError(f"{a.name} and {b.name} have no scale in common")
    pairs = {scale: pairing(left[scale], right[scale]) for scale in scales}
    uneven = {scale: found for scale, found in pairs.items() if not found.equal}
    if uneven and not intersect:
        found = next(iter(uneven.values()))
        raise UserError(
            f"the two sides asked different items ({found.common} in common, {found.only_a} only A, "
            f"{found.only_b} only B at one scale); --intersect compares those in common"
        )
    if both.unequal and not intersect:
        raise UnequalHistories(
            f"the histories were filled differently for {sum(both.unequal.values())} of the questions; "
            "--intersect compares those with equal histories, --any-history all of them"
        )
    notes += _about_pairs(a, b, both, any_history=any_history)
    found_pairs = episode_pairs(both.a, both.b, any_history=any_history)
    only = _scales_of(left, right), _scales_of(right, left)
    rows = _rows(left, right, pairs, clusters, both.unequal, found_pairs)
    if not any(row.found.n for row in rows):
        raise UserError(f"{a.name} and {b.name} have no counted item in common")
    return Comparison(
        a,
        b,
        at,
        first.judge,
        first.filter_text,
        rows,
        _total(left, right, scales, clusters),
        count_pairs(found_pairs),
        only,
        found_pairs,
        tuple(_differences(a, b)),
        tuple(notes),
    )


def _matched(a: Side, b: Side, budget: int, *, any_history: bool) -> Matched:
    contents: list[Mapping[int, str] | None] = [None, None]
    if a.source is not b.source and not any_history:
        contents = [contents_of(side.source.reader) for side in (a, b)]
    left = asked(a.source, a.arm, budget, contents[0])
    right = asked(b.source, b.arm, budget, contents[1])
    return matched(left, right, any_history=any_history)


def _about_pairs(a: Side, b: Side, both: Matched, *, any_history: bool) -> list[str]:
    notes = []
    if both.unequal:
        notes.append(
            f"left out because their histories were filled differently: {sum(both.unequal.values())} "
            "questions over all scales"
        )
    elif both.left_out:
        notes.append(
            f"left out because the other side has none over the same history: {both.left_out} episodes"
        )
    if any(one.history is None for one in (*both.a, *both.b)):
        notes.append("some histories are not recorded: whether they are equal is not known")
    different = a.source.reader.path != b.source.reader.path and _seeds(a.source) != _seeds(
        b.source
    )
    if any_history and different:
        notes.append(
            "the ladder seeds differ: the same questions stand in differently filled histories"
        )
    return notes


def _total(
    left: Mapping[float | None, ItemResults],
    right: Mapping[float | None, ItemResults],
    scales: Sequence[float | None],
    clusters: Mapping[Hashable, Hashable],
) -> PairedDifference:
    """All scales together: a question that counts at several is a cluster of its own at least."""

    def flat(side: Mapping[float | None, ItemResults]) -> ItemResults:
        return {(item, scale): side[scale][item] for scale in scales for item in side[scale]}

    first = flat(left)
    return paired_difference(
        first,
        flat(right),
        {place: clusters[place[0]] for place in first if isinstance(place, tuple)},
    )


def _scales_of(
    mine: Mapping[float | None, ItemResults], others: Mapping[float | None, ItemResults]
) -> tuple[float | None, ...]:
    """Scales of one side that the other has not, in order."""
    return tuple(sorted(set(mine) - set(others), key=lambda s: (s is None, s or 0.0)))


def _about_scales(only: Sequence[Sequence[float | None]]) -> list[str]:
    said = [
        f"only {side} has {plural(len(scales), 'scale')} {', '.join(scale(one) for one in scales)}"
        for side, scales in zip("AB", only, strict=True)
        if scales
    ]
    return [f"{'; '.join(said)}: not compared"] if said else []


def _budget(a: Side, b: Side, budget: int | None) -> int:
    modes = {side.source.mode for side in (a, b)}
    if len(modes) > 1:
        raise UserError(
            "a post hoc and a hard budget are never compared: the agents were told different things"
        )
    at = a.source.run.budget if budget is None else budget
    for side in (a, b):
        budget_at(side.source.reader, side.source.run, at)
    return at


def _results(side: Sequence[Asked]) -> dict[float | None, ItemResults]:
    found: dict[float | None, ItemResults] = {}
    for one in side:
        found.setdefault(one.scale, {}).setdefault(one.item, []).append(one.passed)
    return found


def _rows(
    left: Mapping[float | None, ItemResults],
    right: Mapping[float | None, ItemResults],
    pairs: Mapping[float | None, Pairing],
    clusters: Mapping[Hashable, Hashable],
    unequal: Mapping[float | None, int],
    episodes: Sequence[EpisodePair],
) -> tuple[ComparedScale, ...]:
    found = {scale: paired_difference(left[scale], right[scale], clusters) for scale in pairs}
    adjusted = holm([one.p_value for one in found.values()])
    counts = {at: count_pairs(pair for pair in episodes if pair.a.scale == at) for at in pairs}
    return tuple(
        ComparedScale(at, pairs[at], one, counts[at], p, unequal.get(at, 0))
        for (at, one), p in zip(found.items(), adjusted, strict=True)
    )


def _seeds(source: ReportSource) -> object:
    rows = source.reader.query("SELECT DISTINCT ladder_seed FROM haystack ORDER BY ladder_seed")
    return [row[0] for row in rows]


def _differences(a: Side, b: Side) -> list[tuple[str, object, object]]:
    """Settings that differ: of the runs (configuration, versions, data) and of the two arms."""
    left: dict[str, object] = {}
    right: dict[str, object] = {}
    if a.source.reader.path != b.source.reader.path:
        left |= _run_settings(a)
        right |= _run_settings(b)
    left |= _flat(_arm_config(a), "arm")
    right |= _flat(_arm_config(b), "arm")
    names = sorted(left.keys() | right.keys())
    return [
        (name, left.get(name), right.get(name))
        for name in names
        if str(left.get(name)) != str(right.get(name))  # 1 and true are two settings
    ]


def setting(value: object) -> str:
    """A setting to be read; a dash where it is not set."""
    return UNKNOWN if value is None else str(value)


def _run_settings(side: Side) -> dict[str, object]:
    run = side.source.run
    return (
        _flat(run.config, "config")
        | _flat(run.versions, "versions")
        | _flat(run.dataset, "data")
        | _flat(run.seeds, "seeds")
    )


def _arm_config(side: Side) -> Mapping[str, Any]:
    return next((arm.config for arm in side.source.arms if arm.key == side.arm), {})


def _flat(value: object, name: str) -> dict[str, object]:
    """Nested settings as dotted names; lists are compared whole."""
    if isinstance(value, Mapping):
        found: dict[str, object] = {}
        for key, inner in value.items():
            found |= _flat(inner, f"{name}.{key}")
        return found
    return {name: value}
