"""A rate along the scales as a picture: for the screen and for `memtui report --plot`."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.errors import UserError
from memtui.query.naming import one_arm
from memtui.report.build import checked_alpha, checked_budget
from memtui.report.source import ReportSource
from memtui.state.overview import ArmView, Overview, build_overview
from memtui.state.tab import Measure
from memtui.views.look import NO_COLOUR
from memtui.views.numbers import rung_label, usable_label
from memtui.views.plot import MOST, Curve, Plot, Point, plot_lines


def plot_of(
    overview: Overview,
    arms: Sequence[ArmView],
    measure: Measure,
    *,
    here: int | None = None,
    cursor: int | None = None,
) -> Plot:
    """The first `MOST` of the arms; `here`: id of the arm under the cursor, `cursor`: its rung."""
    title, what = measure.named(overview.budget), measure.meaning(overview.budget)
    target = overview.alpha if measure is Measure.PASS else None
    curves = tuple(_curve(overview, arm, measure, here=arm.arm.id == here) for arm in arms[:MOST])
    labels = tuple(rung_label(rung.conditions, rung.scale) for rung in overview.rungs)
    ladder = tuple(rung.on_ladder for rung in overview.rungs)
    return Plot(title, what, labels, curves, target, cursor, ladder)


def _curve(overview: Overview, arm: ArmView, measure: Measure, *, here: bool) -> Curve:
    points: list[Point | None] = []
    for view in arm.cells:
        share = None if view is None else view.share(measure)
        if share is None or share.value is None:
            points.append(None)
            continue
        low, high = (
            (None, None) if share.interval is None else (share.interval.low, share.interval.high)
        )
        points.append(Point(share.value, low, high, share.n))
    star = None
    if arm.s_star.kind == "exact":
        star = next(
            (
                number
                for number, rung in enumerate(overview.rungs)
                if rung.on_ladder and rung.scale == arm.s_star.value
            ),
            None,
        )
    label = usable_label(arm.s_star) if measure is Measure.PASS else ""
    return Curve(arm.arm.key, tuple(points), star, label, here)


def overview_of(source: ReportSource, budget: int, alpha: float) -> Overview:
    """The rates of a source as the screen has them."""
    selection = source.selected(budget)
    return build_overview(
        source.arms, tuple(source.cells.values()), source.run.scales, selection.folds,
        budget=budget, alpha=alpha, mode=source.mode,
        ladder=None if selection.ladder_items is None else selection.ladder_folds,
        conditional=bool(source.conditional),
    )  # fmt: skip


def named_plot(
    source: ReportSource,
    names: Sequence[str],
    measure: Measure,
    budget: int | None = None,
    alpha: float | None = None,
) -> Plot:
    """The plot of the arms that contain each of `names`, or of the first four; UserError for a budget the
    run cannot speak about, a text that no arm contains or several, and for more than four."""
    at = checked_budget(source, budget)
    overview = overview_of(source, at, checked_alpha(source, alpha))
    if len(names) > MOST:
        raise UserError(f"at most {MOST} arms can be told apart in a plot; got {len(names)}")
    by_key = {arm.arm.key: arm for arm in overview.arms}
    wanted = [by_key[one_arm([*by_key], name, source.reader.path)] for name in names]
    return plot_of(overview, wanted or overview.arms, measure)


def plot_text(plot: Plot, width: int, height: int) -> str:
    """The picture as text without colour, with a final line end."""
    lines = plot_lines(plot, width, height, NO_COLOUR)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)
