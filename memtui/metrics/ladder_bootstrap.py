"""Whole ladders resampled jointly: how sure s*, a drop between rungs, or a rate of few clusters is.

Clusters (questions with all their repeats and rungs; dialogues where questions share one) are drawn
with replacement, the same draw for every rung and every arm, so paired differences stay paired
(docs/metrics.md; Cameron, Gelbach, Miller 2008). numpy is loaded when a resampler is made, not before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.metrics.intervals import Interval
from memtui.metrics.scales import scale_label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000
SEED = 20_260_508
"""Default seed of the draws; the one used is printed with the result."""
FEW = 5
"""Fewer clusters than this: the interval carries a warning."""

Counts = Mapping[Hashable, tuple[int, int]]
"""{cluster: (successes, episodes)} of one rate."""


@dataclass(frozen=True, slots=True)
class ScaleDistribution:
    """Where s* fell over the resamples.

    `shares` maps the label of a rung (or `> top`) to its share of all resamples; they sum to 1.
    `low` and `high` are the labels at 2.5 and 97.5 per cent.
    """

    shares: dict[str, float]
    low: str
    high: str
    resamples: int
    clusters: int
    seed: int


class Resampler:
    """One set of draws over the clusters of a file, reused for every rate."""

    def __init__(
        self, clusters: Sequence[Hashable], resamples: int = RESAMPLES, seed: int = SEED
    ) -> None:
        import numpy

        self._np = numpy
        self.clusters = list(dict.fromkeys(clusters))
        self._index = {cluster: number for number, cluster in enumerate(self.clusters)}
        self.resamples = resamples
        self.seed = seed
        size = max(1, len(self.clusters))
        draws = numpy.random.default_rng(seed).multinomial(
            size, numpy.full(size, 1.0 / size), size=resamples
        )
        self._weights: NDArray[np.float64] = draws.astype(numpy.float64)

    def rates(self, counts: Sequence[Counts]) -> NDArray[np.float64]:
        """Resampled rates, shape (resamples, len(counts)); NaN where no episode was drawn."""
        numpy = self._np
        successes = numpy.zeros((len(self.clusters), len(counts)))
        sizes = numpy.zeros((len(self.clusters), len(counts)))
        for column, one in enumerate(counts):
            for cluster, (k, n) in one.items():
                row = self._index[cluster]
                successes[row, column] = k
                sizes[row, column] = n
        with numpy.errstate(divide="ignore", invalid="ignore"):
            result: NDArray[np.float64] = (self._weights @ successes) / (self._weights @ sizes)
        return result

    def interval(self, values: NDArray[np.float64]) -> Interval | None:
        """2.5 and 97.5 percentiles of resampled values; None where nothing was drawn."""
        numpy = self._np
        known = values[~numpy.isnan(values)]
        if not known.size:
            return None
        low, high = numpy.quantile(known, [0.025, 0.975])
        return Interval(float(low), float(high))

    def rate_interval(self, counts: Counts) -> Interval | None:
        """Cluster-bootstrap interval of one rate."""
        return self.interval(self.rates([counts])[:, 0])

    def quantile_interval(
        self, values: Mapping[Hashable, Mapping[int, int]], q: float = 0.9
    ) -> Interval | None:
        """Cluster-bootstrap interval of an inverted-CDF quantile; None without an episode.

        `values` is {cluster: {value: episodes}}; the ends are values that occurred.
        """
        numpy = self._np
        support = sorted({value for counts in values.values() for value in counts})
        if not support:
            return None
        column = {value: number for number, value in enumerate(support)}
        counts = numpy.zeros((len(self.clusters), len(support)))
        for cluster, found in values.items():
            for value, episodes in found.items():
                counts[self._index[cluster], column[value]] = episodes
        cumulative = numpy.cumsum(self._weights @ counts, axis=1)
        total = cumulative[:, -1:]
        drawn = total[:, 0] > 0
        # Twelve places are far below one episode and above rounding of q * n.
        first = (cumulative >= numpy.round(q * total, 12)).argmax(axis=1)[drawn]
        low, high = numpy.quantile(first, [0.025, 0.975], method="inverted_cdf")
        return Interval(float(support[int(low)]), float(support[int(high)]))

    def difference(self, first: Counts, second: Counts) -> Interval | None:
        """Cluster-bootstrap interval of second - first, paired by the common draw."""
        both = self.rates([first, second])
        return self.interval(both[:, 1] - both[:, 0])

    def usable_scale(
        self, rungs: Sequence[tuple[float, Counts]], alpha: float
    ) -> ScaleDistribution | None:
        """Distribution of s* over measured rungs, ascending; None without a rung.

        "> top" keeps its own mass; monotone rates are not assumed.
        """
        numpy = self._np
        ladder = sorted((rung for rung in rungs if rung[0] >= 0), key=lambda rung: rung[0])
        if not ladder:
            return None
        rates = self.rates([counts for _, counts in ladder])
        # A rung of which nothing was drawn cannot fail. Sums of counts are exact in floating point, so
        # k/n = alpha is still usable here.
        failing = numpy.nan_to_num(rates, nan=2.0) < alpha
        first = numpy.where(failing.any(axis=1), failing.argmax(axis=1), len(ladder))
        labels = [scale_label(scale) for scale, _ in ladder] + [f"> {scale_label(ladder[-1][0])}"]
        masses = numpy.bincount(first, minlength=len(labels)) / self.resamples
        shares = {
            label: float(mass) for label, mass in zip(labels, masses, strict=True) if mass > 0
        }
        cumulative = numpy.cumsum(masses)
        low = labels[int(numpy.searchsorted(cumulative, 0.025))]
        high = labels[min(len(labels) - 1, int(numpy.searchsorted(cumulative, 0.975 - 1e-12)))]
        return ScaleDistribution(shares, low, high, self.resamples, len(self.clusters), self.seed)
