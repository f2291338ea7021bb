"""Graphs and personalised PageRank, held against scipy's sparse solver."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.memory.graph import Floats, Graph, GraphBuilder
from runners.memory.graph_rank import Walk, personalised_pagerank
from runners.memory.graph_synonyms import Vectors, similar_pairs

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

Edge = tuple[int, int, float]
NODES = 9


def graph_of(edges: list[Edge], nodes: int = NODES) -> Graph:
    builder = GraphBuilder()
    for one, other, weight in edges:
        builder.add([one], [other], weight)
    return builder.build(nodes)


def reference(edges: list[Edge], reset: Floats, damping: float) -> Floats:
    """The PageRank equation solved by scipy: dangling nodes jump to the reset distribution."""
    matrix = sparse.lil_array((len(reset), len(reset)))
    for one, other, weight in edges:
        if one != other:
            matrix[one, other] += weight
            matrix[other, one] += weight
    degrees = np.asarray(matrix.sum(axis=0)).ravel()
    scale = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    walk = matrix.tocsc() @ sparse.diags_array(scale).tocsc()
    start = reset / reset.sum()
    solved: Floats = linalg.spsolve(
        sparse.eye_array(len(reset), format="csc") - damping * walk, start
    )
    scaled: Floats = solved / solved.sum()
    return scaled


edges_of_graphs = st.lists(
    st.tuples(
        st.integers(0, NODES - 1),
        st.integers(0, NODES - 1),
        st.floats(0.01, 20, allow_nan=False),
    ),
    max_size=25,
)
resets = st.lists(st.floats(0, 5), min_size=NODES, max_size=NODES).filter(lambda r: sum(r) > 1e-3)


@given(edges=edges_of_graphs, reset=resets, damping=st.sampled_from([0.0, 0.1, 0.5, 0.85, 0.95]))
def test_ranks_are_those_of_a_reference_library(
    edges: list[Edge], reset: list[float], damping: float
) -> None:
    start = np.array(reset)
    ranks = personalised_pagerank(graph_of(edges), start, damping)
    assert ranks == pytest.approx(reference(edges, start, damping), abs=2e-7)
    assert ranks.sum() == pytest.approx(1.0) and (ranks >= 0).all()


@given(edges=edges_of_graphs)
def test_a_graph_holds_every_edge_once(edges: list[Edge]) -> None:
    graph = graph_of(edges)
    wanted: dict[tuple[int, int], float] = {}
    for one, other, weight in edges:
        if one != other:
            for pair in ((one, other), (other, one)):
                wanted[pair] = wanted.get(pair, 0.0) + weight
    found = {}
    bounds = [*graph.starts.tolist(), len(graph.neighbours)]
    for row, (start, end) in enumerate(pairwise(bounds)):
        for entry in range(start, end):
            to = int(graph.connected[graph.neighbours[entry]])
            found[int(graph.connected[row]), to] = float(graph.weights[entry])
    assert found == pytest.approx(wanted)
    assert graph.edges == len(wanted) // 2
    assert list(found) == sorted(found)


def test_a_chain_by_hand() -> None:
    # a - b - c, all mass put on a, damping 1/2: y_a = 1 + y_b / 4, y_b = y_a / 2 + y_c / 2,
    # y_c = y_b / 4, hence y = (7, 4, 1) / 6 before it is scaled to add up to 1.
    ranks = personalised_pagerank(
        graph_of([(0, 1, 1), (1, 2, 1)], nodes=3), np.array([1.0, 0.0, 0.0])
    )
    assert ranks == pytest.approx(np.array([7, 4, 1]) / 12, abs=1e-7)


def test_the_promised_accuracy_in_a_third_of_the_steps() -> None:
    rng = np.random.default_rng(7)
    edges = [(int(a), int(b), 1.0) for a, b in rng.integers(0, 60, (150, 2))]
    reset = rng.random(60)
    exact = reference(edges, reset, 0.5)
    walk = Walk(graph_of(edges, 60))
    steps = []
    for digits in (2, 4, 8, 12):
        assert np.abs(walk.rank(reset, 10.0**-digits) - exact).max() < 10.0**-digits
        steps.append(walk.steps)
    # Power iteration gains a factor of 1 / damping a step: 40 of them for twelve digits.
    assert steps == sorted(steps) and steps[-1] <= 20
    stiff = Walk(graph_of([(i, i + 1, 1.0) for i in range(59)], 60), 0.99)
    ranks = stiff.rank(reset, 1e-10)
    assert ranks == pytest.approx(
        reference([(i, i + 1, 1.0) for i in range(59)], reset, 0.99), abs=1e-8
    )


def test_hubs_carry_what_every_neighbour_brings() -> None:
    rng = np.random.default_rng(3)
    edges = [(hub, int(other), float(w)) for hub in (0, 5) for other, w in
             zip(rng.permutation(200)[: 40 + 60 * hub % 150], rng.random(200) + 0.1, strict=False)]  # fmt: skip
    reset = rng.random(200)
    ranks = personalised_pagerank(graph_of(edges, 200), reset, 0.85, 1e-12)
    assert ranks == pytest.approx(reference(edges, reset, 0.85), abs=1e-11)


def test_nowhere_to_start_and_edges_outside_are_refused() -> None:
    graph = graph_of([(0, 1, 1.0)])
    for reset in (np.zeros(NODES), np.full(NODES, np.nan), -np.ones(NODES), np.ones(3)):
        with pytest.raises(ValueError, match="reset"):
            personalised_pagerank(graph, reset)
    with pytest.raises(ValueError, match="damping"):
        Walk(graph, 1.0)
    with pytest.raises(ValueError, match="outside"):
        graph_of([(0, NODES, 1.0)])
    with pytest.raises(ValueError, match="positive"):
        graph_of([(0, 1, 0.0)])
    empty = GraphBuilder().build(0)
    assert empty.edges == 0 and not len(empty.degrees())


def unit(rows: list[list[float]]) -> Vectors:
    vectors = np.array(rows, np.float32)
    scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def test_pairs_of_similar_vectors_by_hand() -> None:
    vectors = unit([[1, 0], [0.9, 0.1], [0, 1], [1, 0.05]])
    found = similar_pairs(vectors, 0.8, most=10)
    assert list(zip(found.one.tolist(), found.other.tolist(), strict=True)) == [
        (0, 1), (0, 3), (1, 3),
    ]  # fmt: skip
    assert found.cosines == pytest.approx([0.993884, 0.998752, 0.998138], abs=1e-4)
    # One neighbour each: 0 and 3 have each other, 1 has 3; 1 is nobody's nearest.
    nearest = similar_pairs(vectors, 0.8, most=1)
    assert list(zip(nearest.one.tolist(), nearest.other.tolist(), strict=True)) == [(0, 3), (1, 3)]
    seeking = np.array([False, True, True, False])
    asked = similar_pairs(vectors, 0.8, most=10, seeking=seeking)
    assert list(zip(asked.one.tolist(), asked.other.tolist(), strict=True)) == [(0, 1), (1, 3)]
    assert not len(similar_pairs(np.zeros((0, 4), np.float32), 0.8, most=3).one)


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(1, 4))
def test_pairs_are_those_of_a_plain_search(seed: int, count: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = unit(rng.normal(1.0, 0.6, (count, 6)).tolist()) if count else np.zeros((0, 6), "f4")
    found = similar_pairs(vectors, 0.9, most)
    cosines = np.round(vectors @ vectors.T, 6)
    wanted = set()
    for row in range(count):
        near = [c for c in range(count) if c != row and cosines[row, c] >= 0.9]
        near.sort(key=lambda c: (-cosines[row, c], c))
        wanted |= {(min(row, c), max(row, c)) for c in near[:most]}
    assert set(zip(found.one.tolist(), found.other.tolist(), strict=True)) == wanted
