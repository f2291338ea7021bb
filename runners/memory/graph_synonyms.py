"""Pairs of phrases that mean nearly the same, by the cosine of their vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from runners.memory.graph import Floats, Indices

Vectors = npt.NDArray[np.float32]

_ROWS = 512
"""Rows of the similarity matrix in memory at a time."""
_DECIMALS = 6
"""What is left of float32 after another order of summation."""


class Pairs(NamedTuple):
    """Pairs of rows (`one` < `other`) with their cosine, in order of `one`, then `other`."""

    one: Indices
    other: Indices
    cosines: Floats


def similar_pairs(
    vectors: Vectors, threshold: float, most: int, seeking: npt.NDArray[np.bool_] | None = None
) -> Pairs:
    """Pairs of unit vectors with a cosine of at least `threshold`.

    A pair counts where one of its rows is `seeking` (all are, unless told) and has the other among
    its `most` nearest; equally near ones in row order.
    """
    ones, others, cosines = [], [], []
    for start in range(0, len(vectors), _ROWS):
        block = vectors[start : start + _ROWS]
        found = block @ vectors[start:].T
        # Rounding is dear: only what may be near enough is rounded.
        rows, columns = np.nonzero(found >= threshold - 10.0**-_DECIMALS)
        exact: Floats = found[rows, columns].astype(np.float64)
        close = np.round(exact, _DECIMALS)
        kept = (columns > rows) & (close >= threshold)
        ones.append(rows[kept] + start)
        others.append(columns[kept] + start)
        cosines.append(close[kept])
    empty = [np.zeros(0, np.intp)]
    one, other = np.concatenate(ones or empty), np.concatenate(others or empty)
    cosine = np.concatenate(cosines or [np.zeros(0)])
    near = _nearest(one, other, cosine, most, seeking)
    return Pairs(one[near], other[near], cosine[near])


def _nearest(
    one: Indices,
    other: Indices,
    cosine: Floats,
    most: int,
    seeking: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.bool_]:
    """Which pairs are among the `most` nearest of a seeking row at either end."""
    seekers = np.concatenate((one, other))
    found = np.concatenate((other, one))
    order = np.lexsort((found, -np.concatenate((cosine, cosine)), seekers))
    ranked = seekers[order]
    firsts = np.searchsorted(ranked, ranked)
    near = np.zeros(len(seekers), bool)
    near[order] = np.arange(len(ranked)) - firsts < most
    if seeking is not None:
        near &= seeking[seekers]
    near_either: npt.NDArray[np.bool_] = near[: len(one)] | near[len(one) :]
    return near_either
