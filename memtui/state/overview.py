"""The overview: arms x scales at a budget, from folds that are counted once per judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from memtui.metrics.histogram import Fold
from memtui.metrics.intervals import TOO_FEW_CLUSTERS, Interval
from memtui.metrics.p90r import Quantile, quantile_of_counts
from memtui.metrics.rates import Rate, Tally, covered_rate, pass_rate, passed, rate, tally
from memtui.metrics.scales import on_ladder, scale_conditions
from memtui.metrics.usable_scale import CONDITIONAL, RungRate, UsableScale, usable_scale
from memtui.model import FLAGGED
from memtui.state.settings import ArmOrder
from memtui.state.tab import Measure
from memtui.store.records import ArmRow, CellRow

GOOD_WHEN_HIGH = frozenset({Measure.PASS, Measure.COVERED, Measure.ABSTAINED})


@dataclass(frozen=True, slots=True)
class Share:
    """One rate as counts with the interval to show; `n` = 0 is no rate."""

    k: int
    n: int
    interval: Interval | None
    method: str = ""
    """Said with the interval where it is not Wilson's for independent questions."""
    stands_in: bool = False
    """Whether Wilson's stands in for a clustered interval without width; marked `*`."""

    @property
    def value(self) -> float | None:
        """k / n; None for n = 0."""
        return self.k / self.n if self.n else None


NO_SHARE = Share(0, 0, None)


@dataclass(frozen=True, slots=True)
class Rung:
    """A column of the heat table: one set of conditions. On a ladder it is a scale and nothing else."""

    conditions: str
    scale: float | None

    @property
    def on_ladder(self) -> bool:
        """Whether s* and change are read there."""
        return on_ladder(self.scale, self.conditions)


class CellView:
    """One cell of the heat table at B. Of two hundred a screen shows one rate each and everything of a few:
    what is not asked for is not counted."""

    __slots__ = (
        "_apart", "_budget", "_counts", "_group", "_mode", "_shares", "cell_id", "n", "passed", "rung",
    )  # fmt: skip

    def __init__(
        self, cell_id: int, rung: Rung, group: Fold, apart: Fold | None, budget: int, mode: str
    ) -> None:
        """`group`: the answerable items of the cell; `apart`: the others, which have rates of their own."""
        self.cell_id, self.rung = cell_id, rung
        self._group, self._apart, self._budget, self._mode = group, apart, budget, mode
        self.n, self.passed = group.steady(mode).n, passed(group, budget, mode)
        self._counts: Tally | None = None
        self._shares: dict[Measure, Share] = {}

    def __eq__(self, other: object) -> bool:
        """Whether two cells say the same."""
        if not isinstance(other, CellView):
            return NotImplemented
        return self._said() == other._said()

    def _said(self) -> tuple[object, ...]:
        shares = [self.share(measure) for measure in Measure]
        return self.cell_id, self.rung, self.counts, shares, self.excluded, self.flagged

    @property
    def counts(self) -> Tally:
        """The answerable items."""
        if self._counts is None:
            self._counts = tally(self._group, self._budget, self._mode)
        return self._counts

    def share(self, measure: Measure) -> Share:
        """A rate of the cell with its interval."""
        found = self._shares.get(measure)
        if found is None:
            found = self._shares[measure] = self._counted(measure)
        return found

    def _counted(self, measure: Measure) -> Share:
        if measure is Measure.ABSTAINED:
            if self._apart is None:
                return NO_SHARE
            found = pass_rate(self._apart, self._budget, self._mode)
        elif measure is Measure.PASS:
            found = pass_rate(self._group, self._budget, self._mode)
        elif measure is Measure.COVERED:
            found = covered_rate(self._group, self.counts)
        else:
            found = rate(self._group, self.counts, measure.value)
        return Share(found.k, found.n, found.interval, _method(found), found.stands_in)

    @property
    def pass_at_b(self) -> float | None:
        """Pass@B without its interval; None for n = 0."""
        return self.passed / self.n if self.n else None

    @property
    def p90r(self) -> Quantile:
        """P90R of the answerable items."""
        return quantile_of_counts(self.calls)

    @property
    def calls(self) -> Counter[tuple[int, bool]]:
        """{(R, censored): episodes} of the answerable items, whatever B is."""
        return self._group.steady(self._mode).calls

    @property
    def excluded_apart(self) -> int:
        """Excluded among the unanswerable items."""
        return 0 if self._apart is None else self._apart.steady(self._mode).excluded.total()

    @property
    def excluded(self) -> int:
        """Excluded, unanswerable items included."""
        return self._group.steady(self._mode).excluded.total() + self.excluded_apart

    @property
    def flagged(self) -> int:
        """Excluded because a reader flagged the question, unanswerable items included."""
        mine = self._group.steady(self._mode).excluded[FLAGGED]
        return mine + (
            0 if self._apart is None else self._apart.steady(self._mode).excluded[FLAGGED]
        )

    @property
    def lost(self) -> int:
        """Excluded answerable items, flagged questions apart (see `Tally.n_lost`)."""
        excluded = self._group.steady(self._mode).excluded
        return excluded.total() - excluded[FLAGGED]

    @property
    def pending(self) -> int:
        """Episodes that have not ended."""
        return self._group.steady(self._mode).pending


@dataclass(frozen=True, slots=True)
class ArmView:
    """One row of the heat table at B."""

    arm: ArmRow
    cells: tuple[CellView | None, ...]
    """One per rung of the overview; None where nothing was planned or started."""
    s_star: UsableScale
    climbed: tuple[CellView | None, ...]
    """The cells that s* and changes are read of: those of the questions that every rung has."""
    p90r: Quantile
    """Over all scales."""

    def change(self, measure: Measure) -> float | None:
        """A rate at the largest measured scale minus that at the smallest; an item's own history apart."""
        shares = [
            view.share(measure) for view in self.climbed if view is not None and view.rung.on_ladder
        ]
        rates = [rate for share in shares if (rate := share.value) is not None]
        return rates[-1] - rates[0] if len(rates) > 1 else None


@dataclass(frozen=True, slots=True)
class Overview:
    """What the overview shows at one B, alpha and judge."""

    budget: int
    alpha: float
    rungs: tuple[Rung, ...]
    arms: tuple[ArmView, ...]
    n: int
    excluded: int
    pending: int
    has_unanswerable: bool
    flagged: int = 0
    """Of the excluded: those whose question a reader flagged."""

    def cell(self, row: int, column: int) -> CellView | None:
        """The cell under a cursor; None where there is none."""
        if 0 <= row < len(self.arms) and 0 <= column < len(self.rungs):
            return self.arms[row].cells[column]
        return None


def measures_of(overview: Overview | None) -> list[Measure]:
    """Those that say something of a run; None: of one that is still being counted."""
    abstained = overview is not None and overview.has_unanswerable
    return [one for one in Measure if abstained or one is not Measure.ABSTAINED]


def measure_after(measure: Measure, by: int, overview: Overview | None) -> Measure:
    """The measure of a run `by` places on, round and round."""
    choices = measures_of(overview)
    at = choices.index(measure) if measure in choices else 0
    return choices[(at + by) % len(choices)]


Folds = dict[Hashable, Fold]
"""Keyed by (cell id, answerable)."""


def build_overview(
    arms: Sequence[ArmRow],
    cells: Sequence[CellRow],
    scales: Sequence[float],
    folds: Folds,
    *,
    budget: int,
    alpha: float,
    mode: str,
    order: ArmOrder = ArmOrder.DECLARED,
    ladder: Folds | None = None,
    before: Overview | None = None,
    conditional: bool = False,
) -> Overview:
    """Everything the overview shows at B; costs a few milliseconds whatever the number of episodes.

    `ladder`: the folds of the questions that every rung has, where some rung lacks one: s* and the change
    over the ladder are read there. `conditional`: the episodes were chosen by what they did, so there is no s*.
    `before`: what was built of the same folds; what B does not change is
    taken over, at the same B the cells.
    """
    before_by_arm = {} if before is None else {view.arm.id: view for view in before.arms}
    known: dict[int, CellView] = {}
    if before is not None and before.budget == budget:
        views_before = (view for arm in before.arms for view in arm.cells)
        known = {view.cell_id: view for view in views_before if view is not None}
    planned = {Rung(scale_conditions(scale), scale) for scale in scales}
    ran = {Rung(cell.conditions, cell.scale) for cell in cells}
    shown = sorted(planned | ran, key=_rung_order)
    by_arm = {(cell.arm_id, cell.conditions): cell for cell in cells}

    def view_of(arm: ArmRow, rung: Rung, of: Folds) -> CellView | None:
        row = by_arm.get((arm.id, rung.conditions))
        if row is None:
            return None
        group = of.get((row.id, 1)) or Fold()
        return CellView(row.id, rung, group, of.get((row.id, 0)), budget, mode)

    rows = []
    n = excluded = pending = flagged = 0
    has_unanswerable = any(isinstance(key, tuple) and not key[1] for key in folds)
    for arm in arms:
        views: list[CellView | None] = []
        for rung in shown:
            row = by_arm.get((arm.id, rung.conditions))
            view = None if row is None else known.get(row.id) or view_of(arm, rung, folds)
            views.append(view)
            if view is not None:
                n += view.n
                excluded += view.excluded
                pending += view.pending
                flagged += view.flagged
        climbed = views if ladder is None else [view_of(arm, rung, ladder) for rung in shown]
        star = CONDITIONAL if conditional else _s_star(shown, climbed, alpha)
        tail = _p90r(views, before_by_arm.get(arm.id))
        rows.append(ArmView(arm, tuple(views), star, tuple(climbed), tail))
    return Overview(
        budget, alpha, tuple(shown), tuple(_ordered(rows, order)), n, excluded, pending,
        has_unanswerable, flagged,
    )  # fmt: skip


def _p90r(views: Sequence[CellView | None], before: ArmView | None) -> Quantile:
    """P90R over all scales, which depends on no B: what it was for the same cells of the same folds."""
    here = [view for view in views if view is not None]
    if before is not None:
        cells_before = [view.cell_id for view in before.cells if view is not None]
        if cells_before == [view.cell_id for view in here]:
            return before.p90r
    calls: Counter[tuple[int, bool]] = Counter()
    for view in here:
        calls.update(view.calls)
    return quantile_of_counts(calls)


def _rung_order(rung: Rung) -> tuple[bool, float, str]:
    return rung.scale is None, rung.scale or 0.0, rung.conditions


def _method(found: Rate) -> str:
    """`clustered`, and whether the clusters are too few to trust it; or why it is Wilson's."""
    if found.stands_in and found.clustered is not None:
        one = found.clustered.clusters == 1
        return "one history" if one else "all histories agree"
    if found.method != "clustered" or found.clustered is None:
        return ""
    few = found.clustered.clusters < TOO_FEW_CLUSTERS
    return f"{found.clustered.clusters} clusters, too few" if few else "clustered"


def _s_star(rungs: Sequence[Rung], views: Sequence[CellView | None], alpha: float) -> UsableScale:
    """s* over the rungs that are a scale and nothing else; undefined where there is no such ladder."""
    rates = []
    for rung, view in zip(rungs, views, strict=True):
        if rung.scale is None or not rung.on_ladder:
            continue
        if view is None:
            rates.append(RungRate(rung.scale, 0, 0))
            continue
        interval = view.share(Measure.PASS).interval
        rates.append(RungRate(rung.scale, view.passed, view.n, view.lost, interval))
    return usable_scale(rates, alpha)


def _ordered(rows: list[ArmView], order: ArmOrder) -> list[ArmView]:
    if order is ArmOrder.NAME:
        return sorted(rows, key=lambda row: row.arm.key)
    if order is ArmOrder.BEST:
        return sorted(rows, key=lambda row: (-_mean_pass(row), row.arm.id))
    return rows


def _mean_pass(row: ArmView) -> float:
    values = [
        value for view in row.cells if view is not None and (value := view.pass_at_b) is not None
    ]
    return sum(values) / len(values) if values else -1.0
