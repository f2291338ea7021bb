"""Weighted undirected graphs as arrays: built once per haystack, walked by every query.

numpy alone: a graph of 400 sessions is a few hundred thousand numbers, and a product with its matrix
is one gather and one sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Graph:
    """A weighted undirected graph in compressed rows, without loops or parallel edges.

    Only nodes with an edge have a row: row r belongs to node `connected[r]`, its neighbours (as rows)
    are `neighbours[starts[r] : starts[r + 1]]` with the weights beside them.
    """

    nodes: int
    connected: Indices
    starts: Indices
    """First entry of each row; one per connected node, ascending."""
    neighbours: Indices
    weights: Floats

    @property
    def edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self.neighbours) // 2

    def degrees(self) -> Floats:
        """Sum of the weights at each row."""
        if not len(self.starts):
            return np.zeros(0)
        degrees: Floats = np.add.reduceat(self.weights, self.starts)
        return degrees


class GraphBuilder:
    """Collects edges; parallel ones add up, loops are left out."""

    def __init__(self) -> None:
        self._one: list[Indices] = []
        self._other: list[Indices] = []
        self._weights: list[Floats] = []

    def add(
        self, one: npt.ArrayLike, other: npt.ArrayLike, weights: npt.ArrayLike = 1.0
    ) -> GraphBuilder:
        """Edges between `one[i]` and `other[i]`; one weight for all or one for each, all positive."""
        ends = np.asarray(one, np.intp)
        self._one.append(ends)
        self._other.append(np.asarray(other, np.intp))
        self._weights.append(np.broadcast_to(np.asarray(weights, np.float64), ends.shape))
        return self

    def build(self, nodes: int) -> Graph:
        """The graph over nodes 0 to `nodes` - 1; ValueError for an edge outside or a weight of 0."""
        empty = [np.zeros(0, np.intp)]
        one, other = (np.concatenate(ends or empty) for ends in (self._one, self._other))
        weights = np.concatenate(self._weights or [np.zeros(0)])
        if len(one) and (min(one.min(), other.min()) < 0 or max(one.max(), other.max()) >= nodes):
            raise ValueError(f"an edge of a graph of {nodes} nodes leads outside it")
        if not (weights > 0).all():
            raise ValueError("weights of edges must be positive")
        kept = one != other
        one, other, weights = one[kept], other[kept], weights[kept]
        # Both directions under one key, so that equal pairs meet and rows come out in order.
        pairs = np.concatenate((one * nodes + other, other * nodes + one))
        keys, place = np.unique(pairs, return_inverse=True)
        summed = np.zeros(len(keys))
        np.add.at(summed, place, np.concatenate((weights, weights)))
        rows, columns = np.divmod(keys, max(nodes, 1))
        connected, starts = np.unique(rows, return_index=True)
        row_of = np.zeros(nodes, np.intp)
        row_of[connected] = np.arange(len(connected))
        return Graph(nodes, connected, starts, row_of[columns], summed)
