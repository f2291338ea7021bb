"""s*, the usable-scale boundary: the first rung at which Pass@B falls below alpha (docs/metrics.md).

arXiv 2605.07313: s* = N_irr(s_j) with j = min{j : Pass@B(s_j) < alpha}; no such j gives "> top". It is
the first *failing* rung; a later recovery is ignored, and a rung that was not measured before it makes
an interval of it, never a guess. Equality Pass = alpha is still usable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.metrics.intervals import Interval
from memtui.metrics.scales import scale_label

MOST_EXCLUDED = 0.05
"""s* is withheld where more than this share of a rung is excluded."""


@dataclass(frozen=True, slots=True)
class RungRate:
    """Pass@B at one rung: `passed` of `n` counted, `excluded` beside; n = 0 means not measured.

    `interval` is the interval of the rate that is shown, None where there is none; it decides nothing,
    it says how sure the point is.
    """

    scale: float
    passed: int
    n: int
    excluded: int = 0
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class UsableScale:
    """Where usability ends.

    `kind`: `exact` (`value` is the first failing rung), `above` (no rung failed; `value` is the top
    rung that ran), `interval` (a rung in `missing` might have failed earlier; `value` is the first
    rung known to fail, or the top rung that ran when `open` says none failed), `withheld` (too many
    excluded at rung `value`; or, without `value`, see `CONDITIONAL`), `undefined` (no rung measured). `sure` says whether the intervals bear it
    out: the one at the failing rung lies below alpha as a whole; where none failed, those of all rungs
    lie at or above it (None without intervals). `n`: episodes counted at the failing rung, else the
    fewest at any rung.
    """

    kind: str
    value: float | None
    missing: tuple[float, ...] = ()
    open: bool = False
    sure: bool | None = None
    excluded_share: float | None = None
    n: int | None = None

    @property
    def unsure(self) -> bool:
        """Whether a point is named that its interval, or the lack of one, does not bear out."""
        return self.n is not None and self.sure is not True

    def __str__(self) -> str:
        if self == CONDITIONAL:
            return "withheld (episodes chosen by outcome)"
        if self.value is None:
            return "–"
        label = scale_label(self.value)
        if self.kind == "withheld":
            share = 0.0 if self.excluded_share is None else self.excluded_share
            return f"withheld ({share:.0%} at scale {label} excluded)"
        gaps = ", ".join(scale_label(scale) for scale in self.missing)
        if self.kind == "above":
            return f"> {label}"
        if self.kind == "interval":
            return f"{'> ' if self.open else '≤ '}{label}, {gaps} missing"
        return label


CONDITIONAL = UsableScale("withheld", None)
"""s* of episodes that were chosen by what they did: other questions remain at each rung, so it is none."""


def usable_scale(rungs: Sequence[RungRate], alpha: float) -> UsableScale:
    """s* of one arm at one B from its rungs (any order); rungs planned but not run have n = 0.

    A rung below 0 (an item's own history, which has no N_irr) takes no part. Rungs above the last one
    that ran are ignored: s* is never printed beyond it.
    """
    ladder = sorted((rung for rung in rungs if rung.scale >= 0), key=lambda rung: rung.scale)
    while ladder and ladder[-1].n == 0 and not _mostly_excluded(ladder[-1]):
        ladder.pop()
    if not ladder:
        return UsableScale("undefined", None)
    missing: list[float] = []
    for rung in ladder:
        if _mostly_excluded(rung):
            share = rung.excluded / (rung.n + rung.excluded)
            return UsableScale("withheld", rung.scale, tuple(missing), excluded_share=share)
        if rung.n == 0:
            missing.append(rung.scale)
        elif rung.passed / rung.n < alpha:
            sure = None if rung.interval is None else rung.interval.high < alpha
            kind = "interval" if missing else "exact"
            return UsableScale(kind, rung.scale, tuple(missing), sure=sure, n=rung.n)
    top, measured = ladder[-1].scale, [rung for rung in ladder if rung.n]
    lows = [rung.interval.low for rung in measured if rung.interval is not None]
    held = min(lows) >= alpha if len(lows) == len(measured) else None
    fewest = min(rung.n for rung in measured)
    if missing:
        return UsableScale("interval", top, tuple(missing), open=True, sure=held, n=fewest)
    return UsableScale("above", top, sure=held, n=fewest)


def _mostly_excluded(rung: RungRate) -> bool:
    ended = rung.n + rung.excluded
    return ended > 0 and rung.excluded / ended > MOST_EXCLUDED
