"""Encoders: shapes, exactness, causality, signs, padding, warm starts, the cache."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import (
    LOBPCG,
    ConvergenceWarning,
    Lanczos,
    TemporalGraph,
    TruncationWarning,
    generators,
    laplacian,
    layer_graph,
    supra_graph,
)

from ..encoders import plain

METHODS = ["slpe", "lpe"]
VARIANTS = ["exact", "inexact", "trajectory"]
GRAPH = generators.barabasi_albert(40, 6, m=2, seed=2)


def edge_lists(num_nodes: int = 6, num_snapshots: int = 5):
    """Temporal edges on few nodes: small enough that windows are often nearly empty."""
    node, time = st.integers(0, num_nodes - 1), st.integers(0, num_snapshots - 1)
    return st.lists(st.tuples(node, node, time), max_size=25)


def build(edges, num_nodes: int = 6, num_snapshots: int = 5) -> TemporalGraph:
    columns = np.array(edges, dtype=int).reshape(-1, 3).T
    return TemporalGraph.from_edges(*columns, num_nodes=num_nodes, num_snapshots=num_snapshots)


@pytest.mark.parametrize("with_eigenvalues", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("method", METHODS)
def test_shapes(method, variant, with_eigenvalues):
    encoder = plain(method, variant, k=3, window=4, max_steps=5, with_eigenvalues=with_eigenvalues)
    assert encoder.dim == 3 * (5 if variant == "trajectory" else 1) * (2 if with_eigenvalues else 1)
    for t, layers in ((0, 1), (2, 3), (5, 4)):
        encoding = encoder.encode(GRAPH, t)
        assert encoding.values.shape == (40, encoder.dim)
        assert encoding.layers.shape == (layers, 40, encoder.dim)
        assert np.array_equal(encoding.layers[-1], encoding.values)


@pytest.mark.parametrize("normalization", [None, "sym", "rw"])
@pytest.mark.parametrize("method", METHODS)
def test_exact_channels_are_eigenvectors(method, normalization):
    """Against the definition: L x = λ x for the Laplacian asked for, also the non-symmetric one."""
    encoder = plain(method, k=4, window=3, normalization=normalization, with_eigenvalues=True, tol=1e-9)
    encoding = encoder.encode(GRAPH, 5)
    supra = layer_graph(GRAPH, 5) if method == "lpe" else supra_graph(GRAPH.window(5, 3))
    L = laplacian(supra.adjacency, normalization)
    X = encoding.decompositions[-1].vectors[0]
    values = encoding.decompositions[-1].values[0]
    np.testing.assert_allclose(L @ X, X * values, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(X, axis=0), 1)
    exact = np.sort(np.linalg.eigvals(L.toarray()).real)
    np.testing.assert_allclose(values, exact[1:5], atol=1e-8)
    # ... and what is given out is those vectors' rows, up to one sign each.
    rows = supra.scatter(X)[-1]
    np.testing.assert_allclose(np.abs(encoding.values[:, :4]), np.abs(rows), atol=1e-12)
    active = GRAPH.active(5)
    np.testing.assert_allclose(encoding.values[active][:, 4:], np.tile(values, (active.sum(), 1)))


def test_lanczos_and_the_default_solver_give_the_same_encoding():
    default = plain(k=4, tol=1e-10).encode(GRAPH, 5)
    lanczos = plain(k=4, solver=Lanczos(tol=1e-10)).encode(GRAPH, 5)
    np.testing.assert_allclose(default.values, lanczos.values, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_trajectory_channels_are_the_steps_of_one_run(method):
    inexact = plain(method, "inexact", k=3, max_steps=6).encode(GRAPH, 4)
    steps = plain(method, "trajectory", k=3, max_steps=6).encode(GRAPH, 4)
    run = steps.result.trajectory
    assert len(run) == 6
    np.testing.assert_allclose(inexact.result.eigenvalues, steps.result.eigenvalues)
    supra = steps.decompositions[-1].supra
    for step in range(6):
        rows = supra.scatter(run.eigenvectors[step][:, 1:])[-1]
        block = steps.values[:, 3 * step : 3 * step + 3]
        np.testing.assert_allclose(np.abs(block), np.abs(rows), atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("method", METHODS)
@given(edges=edge_lists(), later=edge_lists(), t=st.integers(0, 4))
def test_an_encoding_looks_at_its_window_and_nothing_else(method, variant, edges, later, t):
    """Replace everything after t, and everything before the window: not one bit changes."""
    window = 2
    encoder = plain(method, variant, k=2, window=window, max_steps=3)
    inside = [edge for edge in edges if t - window < edge[2] <= t]
    outside = [edge for edge in later if edge[2] > t or edge[2] <= t - window]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        whole = encoder.encode(build(edges), t)
        replaced = encoder.encode(build(inside + outside), t)
        walked = encoder.encode_all(build(edges))[t]
    assert np.array_equal(whole.layers, replaced.layers)
    assert np.array_equal(whole.layers, walked.layers)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("method", METHODS)
def test_flipped_signs_are_one_per_eigenvector(method, variant):
    encoder = plain(method, variant, k=3, window=3, max_steps=4, with_eigenvalues=True)
    encoding = encoder.encode(GRAPH, 5)
    channels = encoder.dim // 2
    seen = set()
    for seed in range(12):
        flipped = encoding.flip_signs(np.random.default_rng(seed))
        assert np.array_equal(flipped.values[:, channels:], encoding.values[:, channels:])
        layers = [-1] if method == "lpe" else range(3)  # LPE's layers are separate problems
        for j in range(3):
            signs = set()
            for layer in layers:
                after, before = (
                    flipped.layers[layer][:, j:channels:3],
                    encoding.layers[layer][:, j:channels:3],
                )
                nonzero = np.abs(before) > 1e-14
                signs |= set(np.sign(after[nonzero] * before[nonzero]))
            assert len(signs) == 1
            seen |= signs
    assert seen == {-1.0, 1.0}


def test_dropped_nodes_get_zeros():
    graph = TemporalGraph.from_edges([0, 1, 0], [1, 2, 1], [0, 0, 1], num_nodes=5)
    layers = plain(k=2, window=2, with_eigenvalues=True).encode(graph, 1).layers
    dropped = [~graph.active(t) for t in (0, 1)]
    for t in (0, 1):
        assert (layers[t][dropped[t]] == 0).all()
        assert (np.abs(layers[t][~dropped[t]]).sum(axis=1) > 0).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_more_channels_than_the_graph_allows_are_zero_and_warned_of(variant):
    graph = TemporalGraph.from_edges([0], [1], [0], num_nodes=4)
    encoder = plain("lpe", variant, k=7, max_steps=3)
    with pytest.warns(TruncationWarning, match=r"k=7.*3 supra-nodes.*2"):
        encoding = encoder.encode(graph, 0)
    values = encoding.values.reshape(4, -1, 7)
    assert (values[:, :, 2:] == 0).all()
    assert (np.abs(values[:2, :, :2]) > 0).any()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("method", METHODS)
def test_a_graph_without_edges_is_encoded_by_zeros(method, variant):
    graph = TemporalGraph.from_edges([], [], [], num_nodes=3, num_snapshots=2)
    encoder = plain(method, variant, k=2, max_steps=3)
    with pytest.warns(TruncationWarning, match="0 supra-nodes"):
        assert (encoder.encode_all(graph).values == np.zeros((2, 3, encoder.dim))).all()


def test_the_trivial_vector_is_left_out_also_where_there_are_several_components():
    graph = TemporalGraph.from_edges([0, 2, 4], [1, 3, 5], [0, 0, 0])
    encoder = plain("lpe", k=4, global_nodes=False)
    vectors = encoder.encode(graph, 0).decompositions[0].vectors[0]
    np.testing.assert_allclose(vectors.sum(axis=0), 0, atol=1e-10)  # orthogonal to the constant one
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-10)
    kept = plain("lpe", k=1, skip_trivial=False).encode(graph, 0).values
    np.testing.assert_allclose(kept, kept[0, 0])


@pytest.mark.parametrize("solver", [None, LOBPCG(400, tol=1e-6, preconditioner="jacobi")])
@pytest.mark.parametrize("method", METHODS)
def test_warm_starts_do_not_change_exact_encodings_and_are_counted(method, solver):
    """Above the size of the dense shortcut, so that the default solver iterates."""
    graph = generators.barabasi_albert(500, 6, m=2, rewire=0.05, seed=5)
    cold, warm = (plain(method, k=4, solver=solver, init=init) for init in ("normal", "previous"))
    warm_ones, cold_ones = warm.encode_all(graph), cold.encode_all(graph)
    assert warm_ones.num_matvecs.shape == (6,)
    # The first window starts cold either way; the default solver has vectors beside the answer to hand on.
    first = warm_ones.num_matvecs[0] / cold_ones.num_matvecs[0]
    assert first == 1 if solver is not None else 0.9 < first < 1.1
    assert (warm_ones.num_matvecs > 0).all()
    assert f"{warm_ones.num_matvecs.sum()} matvecs" in repr(warm_ones)
    if solver is not None:
        assert warm_ones.num_matvecs.sum() < cold_ones.num_matvecs.sum()
    for a, b in zip(warm_ones, cold_ones, strict=True):
        np.testing.assert_allclose(a.result.eigenvalues, b.result.eigenvalues, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("variant", ["inexact", "trajectory"])
def test_products_of_inexact_windows_are_counted(method, variant):
    encodings = plain(method, variant, k=3, max_steps=4, init="previous").encode_all(GRAPH)
    assert (encodings.num_matvecs > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_an_exact_encoding_that_did_not_converge_says_so(method):
    """Cut short by its own settings an inexact one is as asked, and says nothing."""
    encoder = plain(method, k=4, solver=LOBPCG(2, tol=1e-12))
    with pytest.warns(ConvergenceWarning, match=r"a window of \d+ supra-nodes: EigenResult\(.*LOBPCG"):
        encoder.encode(GRAPH, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain(method, k=4).encode(GRAPH, 3)
        plain(method, "inexact", k=4, max_steps=2).encode(GRAPH, 3)


def test_walk_gives_the_same_one_by_one():
    encoder = plain(k=2)
    for walked, encoding in zip(encoder.walk(GRAPH), encoder.encode_all(GRAPH), strict=True):
        assert np.array_equal(walked.values, encoding.values)
