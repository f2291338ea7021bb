"""Personalised PageRank on an undirected graph, to a stated accuracy in a known number of steps.

Page, Brin, Motwani & Winograd, "The PageRank Citation Ranking" (1999), with the reset distribution of
Haveliwala, "Topic-sensitive PageRank" (WWW 2002): with probability `damping` the walk follows an edge
in proportion to its weight, else it jumps to a node drawn from `reset`; from a node without edges it
always jumps. The ranks solve (I - damping W D^-1) y = reset, up to scale. Written with
D^-1/2 W D^-1/2 the system is symmetric and its spectrum lies in [1 - damping, 1 + damping], so the
Chebyshev iteration (Golub & Van Loan, "Matrix Computations", section 11.2.8) gains a digit with half
the products that power iteration needs.
"""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np

from runners.memory.graph import Floats, Graph

DAMPING = 0.5
TOLERANCE = 1e-10


def steps(damping: float, tolerance: float = TOLERANCE) -> int:
    """Products with the matrix after which the error is at most `tolerance` of the solution."""
    if damping == 0:
        return 0
    gain = (1 - sqrt(1 - damping * damping)) / damping
    return ceil(log(tolerance / 2) / log(gain))


class Walk:
    """A graph made ready for many reset distributions."""

    def __init__(self, graph: Graph, damping: float = DAMPING) -> None:
        """ValueError unless 0 <= damping < 1."""
        if not 0 <= damping < 1:
            raise ValueError(f"damping must be at least 0 and below 1, not {damping!r}")
        self._graph = graph
        self._damping = damping
        self._roots = np.sqrt(graph.degrees())
        lengths = np.diff(np.append(graph.starts, len(graph.neighbours)))
        # What one step carries along each entry: damping * D^-1/2 W D^-1/2.
        self._carried = (
            damping
            * graph.weights
            / (np.repeat(self._roots, lengths) * self._roots[graph.neighbours])
        )

    def rank(self, reset: Floats, tolerance: float = TOLERANCE) -> Floats:
        """Rank of every node, adding up to 1; `reset` holds one weight of at least 0 per node.

        ValueError where no weight is positive: there is nowhere to start from.
        """
        total = float(reset.sum())
        if len(reset) != self._graph.nodes or not total > 0 or (reset < 0).any():
            raise ValueError("reset must hold one weight per node, none below 0, not all 0")
        ranks: Floats = reset / total
        rows = self._graph.connected
        if len(rows) and self._damping:
            solved = self._solve(ranks[rows] / self._roots, steps(self._damping, tolerance))
            ranks[rows] = np.maximum(solved * self._roots, 0.0)
            ranks /= ranks.sum()
        return ranks

    def _solve(self, right: Floats, count: int) -> Floats:
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = right.copy()
        ratio = self._damping
        for _ in range(count):
            solution += direction
            residual -= direction - self._step(direction)
            following = 1.0 / (2.0 / self._damping - ratio)
            direction *= following * ratio
            direction += (2.0 * following / self._damping) * residual
            ratio = following
        return solution + direction

    def _step(self, mass: Floats) -> Floats:
        moved = mass[self._graph.neighbours]
        moved *= self._carried
        carried: Floats = np.add.reduceat(moved, self._graph.starts)
        return carried


def personalised_pagerank(
    graph: Graph, reset: Floats, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Floats:
    """One ranking of a graph; `Walk` is cheaper where there are several."""
    return Walk(graph, damping).rank(reset, tolerance)
