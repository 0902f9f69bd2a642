"""Nodes without an edge: their last row, their age; and the scale of what is given out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..encoders import plain
from .test_align import NUM_NODES, NUM_SNAPSHOTS, encode_all, graphs

METHODS = ["slpe", "lpe"]


@pytest.mark.parametrize("align", [None, "signs", "rotation"])
@pytest.mark.parametrize("method", METHODS)
@given(
    graph=graphs(),
    window=st.integers(1, 4),
    variant=st.sampled_from(["exact", "trajectory"]),
    with_eigenvalues=st.booleans(),
)
def test_the_last_row_of_a_node_against_the_definition(
    method, align, graph, window, variant, with_eigenvalues
):
    """Layer by layer, node by node, from the encoding that has zeros there."""
    settings = {"k": 2, "window": window, "max_steps": 2, "with_eigenvalues": with_eigenvalues}
    settings |= {"align": align, "scale": "rows"}
    zeros = encode_all(plain(method, variant, **settings), graph)
    last = encode_all(plain(method, variant, **settings, absent="last"), graph)
    for t in range(NUM_SNAPSHOTS):
        before = zeros[t].layers
        first = max(0, t + 1 - window)
        for layer in range(len(before)):
            for node in range(NUM_NODES):
                known = [s for s in range(layer + 1) if graph.active(first + s)[node]]
                expected = before[known[-1], node] if known else np.zeros(before.shape[2])
                np.testing.assert_allclose(last[t].layers[layer, node], expected, atol=1e-12)
        assert np.array_equal(last[t].layers[-1], last[t].values)


@pytest.mark.parametrize("drop_isolated", [True, False])
@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), window=st.integers(1, 4))
def test_ages_against_the_definition(method, drop_isolated, graph, window):
    encoder = plain(method, k=2, window=window, with_age=True, drop_isolated=drop_isolated)
    without = plain(method, k=2, window=window, drop_isolated=drop_isolated)
    assert encoder.dim == 3
    for t, (encoding, other) in enumerate(
        zip(encode_all(encoder, graph), encode_all(without, graph), strict=True)
    ):
        for node in range(NUM_NODES):
            ages = [age for age in range(min(window, t + 1)) if graph.active(t - age)[node]]
            assert encoding.age[node] == (ages[0] if ages else window)
        np.testing.assert_allclose(encoding.values[:, -1], encoding.age / window)
        assert np.array_equal(encoding.values[:, :-1], other.values)
        assert encoding.layers.shape == (*other.layers.shape[:2], 3)


@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), with_eigenvalues=st.booleans())
def test_scaled_vectors_are_as_long_as_the_root_of_their_rows(method, graph, with_eigenvalues):
    settings = {"k": 2, "window": 3, "with_eigenvalues": with_eigenvalues, "with_age": True}
    scaled = encode_all(plain(method, **settings, scale="rows"), graph)
    units = encode_all(plain(method, **settings), graph)
    for large, unit in zip(scaled, units, strict=True):
        rows = [part.supra.num_rows for part in unit.decompositions]
        rows = rows * len(unit.layers) if method == "slpe" else rows
        for layer, num_rows in enumerate(rows):
            expected = unit.layers[layer].copy()
            expected[:, :2] *= num_rows**0.5
            np.testing.assert_allclose(large.layers[layer], expected, atol=1e-12)


def test_isolated_nodes_that_are_kept_have_rows_of_their_own():
    """Without dropping no node is absent: it has a row that its neighbours in time hold in place."""
    graph_settings = {"k": 2, "window": 3, "drop_isolated": False}
    graph = generator()
    last, zeros = (encode_all(plain(**graph_settings, absent=a), graph) for a in ("last", "zeros"))
    assert np.array_equal(last.values, zeros.values)


def generator():
    from supra_core import TemporalGraph

    return TemporalGraph.from_edges([0, 1, 0, 2], [1, 2, 1, 3], [0, 0, 1, 2], num_nodes=5)
