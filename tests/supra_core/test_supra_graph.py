"""Supra-matrices against block matrices that are written down literally."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import TemporalGraph, layer_graph, supra_graph

from .strategies import RawEdges, raw_edges

OPTIONS = list(itertools.product([False, True], repeat=2))  # global_nodes, drop_isolated


def literal_supra(raw: RawEdges, coupling, global_nodes: bool, drop_isolated: bool):
    """Adjacency, time and node, supra-node by supra-node, from the definition."""
    rows = []
    for t in range(raw.num_snapshots):
        A = raw.dense(t)
        kept = [v for v in range(raw.num_nodes) if not drop_isolated or A[v].any()]
        rows += [(t, v) for v in kept]
        if global_nodes and kept:
            rows.append((t, -1))
    matrix = np.zeros((len(rows), len(rows)), dtype=object)
    for (i, (s, u)), (j, (t, v)) in itertools.product(enumerate(rows), repeat=2):
        if s == t and u >= 0 and v >= 0:
            matrix[i, j] = raw.dense(t)[u, v]
        elif s == t and (u < 0) != (v < 0):
            matrix[i, j] = 1 if raw.dense(t)[max(u, v)].any() else 0
        elif abs(s - t) == 1 and u == v:
            matrix[i, j] = coupling
    return matrix, [t for t, _ in rows], [v for _, v in rows]


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(raw=raw_edges(max_nodes=5, max_snapshots=3, max_edges=8), coupling=st.integers(0, 4))
def test_supra_graph_is_what_the_definition_says(global_nodes, drop_isolated, raw, coupling):
    options = {"global_nodes": global_nodes, "drop_isolated": drop_isolated}
    supra = supra_graph(raw.graph(), coupling=coupling, **options)
    matrix, time, node = literal_supra(raw, coupling, **options)
    assert supra.time.tolist() == time
    assert supra.node.tolist() == node
    np.testing.assert_array_equal(supra.adjacency.toarray(), matrix.astype(int).reshape(len(time), len(time)))
    assert supra.adjacency.dtype == np.int64  # integers in, integers out
    assert (supra.adjacency.data != 0).all()


@given(raw=raw_edges(kind="float"), coupling=st.floats(0, 5, allow_subnormal=False))
def test_the_papers_block_matrix(raw, coupling):
    """Appendix C.1: A_t on the diagonal, μI beside it, nothing else."""
    T, n = raw.num_snapshots, raw.num_nodes
    blocks = [[np.zeros((n, n))] * T for _ in range(T)]
    for t in range(T):
        blocks[t][t] = raw.dense(t).astype(float)
        for s in (t - 1, t + 1):
            if 0 <= s < T:
                blocks[t][s] = coupling * np.eye(n)
    supra = supra_graph(raw.graph(), coupling=coupling, global_nodes=False, drop_isolated=False)
    np.testing.assert_array_equal(supra.adjacency.toarray(), np.block(blocks))


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(raw=raw_edges(), data=st.data())
def test_layer_graph_is_the_diagonal_block(global_nodes, drop_isolated, raw, data):
    options = {"global_nodes": global_nodes, "drop_isolated": drop_isolated}
    t = data.draw(st.integers(0, raw.num_snapshots - 1))
    graph = raw.graph()
    layer, supra = layer_graph(graph, t, **options), supra_graph(graph, coupling=3, **options)
    rows = np.flatnonzero(supra.time == t)
    np.testing.assert_array_equal(layer.adjacency.toarray(), supra.adjacency.toarray()[np.ix_(rows, rows)])
    assert layer.node.tolist() == supra.node[rows].tolist()
    assert layer.adjacency.dtype == np.int64


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(raw=raw_edges())
def test_scatter_puts_rows_where_they_belong(global_nodes, drop_isolated, raw):
    supra = supra_graph(raw.graph(), global_nodes=global_nodes, drop_isolated=drop_isolated)
    values = np.arange(1, 2 * supra.num_rows + 1).reshape(-1, 2)
    layers = supra.scatter(values)
    assert layers.shape == (raw.num_snapshots, raw.num_nodes, 2)
    expected = np.zeros_like(layers)
    for row, (t, v) in enumerate(zip(supra.time, supra.node, strict=True)):
        if v >= 0:
            expected[t, v] = values[row]
    np.testing.assert_array_equal(layers, expected)
    is_node = supra.node >= 0
    np.testing.assert_array_equal(supra.gather(layers)[is_node], values[is_node])


def test_gather_gives_global_nodes_the_mean_of_their_layer():
    supra = supra_graph(TemporalGraph.from_edges([0, 1], [1, 2], [0, 0], num_nodes=4))
    rows = supra.gather(np.array([[[3.0], [6.0], [9.0], [100.0]]]))
    assert rows.ravel().tolist() == [3.0, 6.0, 9.0, 6.0]


@pytest.mark.parametrize("num_nodes", [50, 10_000_000])
def test_few_active_nodes_among_many(num_nodes):
    """Both ways of looking up rows, the table and the binary search, give the same matrix."""
    graph = TemporalGraph.from_edges([0, 1, 49], [1, 2, 3], [0, 1, 1], num_nodes=num_nodes)
    supra = supra_graph(graph, coupling=7)
    # Rows: 0 1 hub | 1 2 3 49 hub.
    assert supra.node.tolist() == [0, 1, -1, 1, 2, 3, 49, -1]
    expected = np.zeros((8, 8))
    edges = [(0, 1, 1), (0, 2, 1), (1, 2, 1), (3, 4, 1), (5, 6, 1)]
    edges += [(i, 7, 1) for i in (3, 4, 5, 6)] + [(1, 3, 7), (2, 7, 7)]
    for i, j, w in edges:
        expected[i, j] = expected[j, i] = w
    np.testing.assert_array_equal(supra.adjacency.toarray(), expected)


def test_a_graph_without_edges():
    graph = TemporalGraph.from_edges([], [], [], num_nodes=3, num_snapshots=2)
    assert supra_graph(graph).num_rows == 0
    assert supra_graph(graph, drop_isolated=False).num_rows == 8
    assert supra_graph(graph, drop_isolated=False, global_nodes=False).adjacency.nnz == 6
    assert supra_graph(graph, coupling=0, drop_isolated=False, global_nodes=False).adjacency.nnz == 0
