"""Personalised PageRank on an undirected graph, to a stated accuracy.

Page, Brin, Motwani & Winograd, "The PageRank Citation Ranking" (1999), with the reset distribution of
Haveliwala, "Topic-sensitive PageRank" (WWW 2002): with probability `damping` the walk follows an edge
in proportion to its weight, else it jumps to a node drawn from `reset`; from a node without edges it
always jumps. The ranks solve (I - damping W D^-1) y = reset, up to scale. Written with
D^-1/2 W D^-1/2 the system is symmetric and positive definite, so conjugate gradients (Golub & Van
Loan, "Matrix Computations", section 11.3) need about a third of the products of power iteration.
"""

from __future__ import annotations

import numpy as np

from runners.memory.graph import Floats, Graph, Indices

DAMPING = 0.5
TOLERANCE = 2e-7
"""Error of the solution in proportion to the reset distribution, both scaled by degree. In the ranks,
which add up to 1, that is less than one in a billion."""
_MOST_STEPS = 1000
"""Never reached: with a damping of 0.99 there are some 150."""
_SLOTS = 32
"""Neighbours per row that are summed slot by slot; what hubs have beyond is summed row by row."""


class Walk:
    """A graph made ready for many reset distributions."""

    def __init__(self, graph: Graph, damping: float = DAMPING) -> None:
        """ValueError unless 0 <= damping < 1."""
        if not 0 <= damping < 1:
            raise ValueError(f"damping must be at least 0 and below 1, not {damping!r}")
        self._graph = graph
        self._damping = damping
        self.steps = 0
        """Products with the matrix that the latest ranking took."""
        lengths = np.diff(np.append(graph.starts, len(graph.neighbours)))
        # Rows with more neighbours first: then the rows that have a j-th neighbour come first too,
        # and adding slot after slot is adding long stretches of memory.
        order = np.argsort(-lengths, kind="stable")
        self._rows = graph.connected[order]
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        roots = np.sqrt(graph.degrees())
        self._roots = roots[order]
        # What one step carries along each entry: damping * D^-1/2 W D^-1/2.
        carried = damping * graph.weights / (np.repeat(roots, lengths) * roots[graph.neighbours])
        starts, lengths = graph.starts[order], lengths[order]
        slots = [np.flatnonzero(lengths > slot) for slot in range(min(_SLOTS, _most(lengths)))]
        hubs = np.flatnonzero(lengths > _SLOTS)
        entries = [starts[rows] + slot for slot, rows in enumerate(slots)]
        entries += [np.arange(starts[r] + _SLOTS, starts[r] + lengths[r]) for r in hubs.tolist()]
        at = np.concatenate(entries or [np.zeros(0, np.intp)])
        self._from = place[graph.neighbours[at]]
        self._carried = carried[at]
        self._slots = [len(rows) for rows in slots]
        rest = np.concatenate(([0], lengths[hubs] - _SLOTS)).cumsum()
        self._hubs = sum(self._slots) + rest[:-1]

    def rank(self, reset: Floats, tolerance: float = TOLERANCE) -> Floats:
        """Rank of every node, adding up to 1; `reset` holds one weight of at least 0 per node.

        ValueError where no weight is positive: there is nowhere to start from.
        """
        total = float(reset.sum())
        if len(reset) != self._graph.nodes or not total > 0 or (reset < 0).any():
            raise ValueError("reset must hold one weight per node, none below 0, not all 0")
        ranks: Floats = reset / total
        rows = self._rows
        if len(rows) and self._damping:
            solved = self._solve(ranks[rows] / self._roots, tolerance)
            ranks[rows] = np.maximum(solved * self._roots, 0.0)
            ranks /= ranks.sum()
        return ranks

    def _solve(self, right: Floats, tolerance: float) -> Floats:
        # No eigenvalue is below 1 - damping, so the residual bounds the error.
        enough = (tolerance * (1 - self._damping)) ** 2 * float(right @ right)
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = right.copy()
        left = float(residual @ residual)
        self.steps = 0
        while left > enough and self.steps < _MOST_STEPS:
            moved = direction - self._step(direction)
            length = left / float(direction @ moved)
            solution += length * direction
            residual -= length * moved
            before, left = left, float(residual @ residual)
            direction *= left / before
            direction += residual
            self.steps += 1
        return solution

    def _step(self, mass: Floats) -> Floats:
        moved = mass[self._from]
        moved *= self._carried
        carried = np.zeros_like(mass)
        at = 0
        for length in self._slots:
            carried[:length] += moved[at : at + length]
            at += length
        if len(self._hubs):
            carried[: len(self._hubs)] += np.add.reduceat(moved, self._hubs)
        return carried


def _most(lengths: Indices) -> int:
    return int(lengths.max()) if len(lengths) else 0


def personalised_pagerank(
    graph: Graph, reset: Floats, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Floats:
    """One ranking of a graph; `Walk` is cheaper where there are several."""
    return Walk(graph, damping).rank(reset, tolerance)
