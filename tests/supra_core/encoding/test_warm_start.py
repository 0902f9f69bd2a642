"""Starts from the window before: what is moved where, how it is mixed, and when it is not taken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Davidson, Encoder, eigenpairs, generators, laplacian, supra_graph
from supra_core.eigen.known_products import known_products
from supra_core.eigen.result import Spare
from supra_core.encoding.cache import pack, unpack
from supra_core.encoding.warm_start import Move, WarmStart

from .test_align import graphs


def value_by_hand(previous, vector, following, row, shift):
    """The value of a row's node in the layer it is moved from, or the nearest one; None where none has it."""
    known = {(t, v): x for t, v, x in zip(previous.time, previous.node, vector, strict=True)}
    origin = min(following.time[row] + shift, previous.num_snapshots - 1)
    found = [
        (abs(t - origin), -t, known[t, following.node[row]])
        for t in range(previous.num_snapshots)
        if (t, following.node[row]) in known
    ]
    return min(found)[2] if found else None


@given(graph=graphs(), t=st.integers(1, 5), shift=st.integers(0, 1), global_nodes=st.booleans())
def test_values_go_to_their_node_or_the_mean_of_its_neighbours(graph, t, shift, global_nodes):
    previous, following = (supra_graph(graph.window(s, 3), global_nodes=global_nodes) for s in (t - 1, t))
    vector = np.arange(1.0, previous.num_rows + 1)
    moved = Move.between(previous, following, shift)(vector[:, None], None)[:, 0]
    expected = [value_by_hand(previous, vector, following, row, shift) for row in range(following.num_rows)]
    adjacency = following.adjacency.toarray()
    for row, value in enumerate(expected):
        if value is None:
            beside = [i for i in np.flatnonzero(adjacency[row]) if expected[i] is not None]
            weights = [adjacency[row, i] for i in beside]
            value = np.average([expected[i] for i in beside], weights=weights) if beside else 0.0
        assert moved[row] == pytest.approx(value)


@pytest.mark.parametrize("normalization", [None, "sym"])
def test_what_is_constant_stays_constant(normalization):
    """The null vector of one window becomes that of the next, whatever the degrees."""
    graph = generators.barabasi_albert(60, 4, m=2, rewire=0.3, seed=1)
    previous, following = (supra_graph(graph.window(t, 3), coupling=2.0) for t in (2, 3))
    degree = np.asarray(previous.adjacency.sum(axis=1))
    null = np.ones(previous.num_rows) if normalization is None else np.sqrt(degree)
    moved = Move.between(previous, following, 1)(null[:, None], normalization)
    assert np.abs(laplacian(following.adjacency, normalization) @ moved).max() < 1e-10


def solved(graph, t, window, k=5, normalization="sym"):
    supra = supra_graph(graph.window(t, window))
    L = laplacian(supra.adjacency, normalization)
    return supra, L, eigenpairs(L, k, Davidson(spare=5))


def test_spare_vectors_come_next_to_the_answer():
    supra, L, result = solved(generators.barabasi_albert(400, 3, m=2, seed=2), 2, 3)
    vectors, values = result.spare.vectors, result.spare.values
    assert vectors.shape == (supra.num_rows, 5)
    assert np.all(np.diff(values) >= 0)
    assert values[0] > result.eigenvalues[-1]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-4)
    np.testing.assert_allclose(result.eigenvectors.T @ vectors, 0, atol=1e-4)
    np.testing.assert_allclose(np.einsum("ij,ij->j", vectors, L @ vectors), values, rtol=1e-3)
    assert eigenpairs(L, 5, Davidson()).spare is None
    assert repr(Davidson(spare=5)) == repr(Davidson())
    again = unpack(pack(result)).spare
    assert np.array_equal(again.vectors, vectors)
    assert np.array_equal(again.values, values)


def test_old_vectors_are_taken_unless_their_quotients_have_grown_far():
    supra, L, result = solved(generators.barabasi_albert(400, 3, m=2, seed=2), 2, 3)
    end = float(result.spare.values[-1])
    noisy = result.eigenvectors + 0.03 * np.random.default_rng(0).standard_normal(result.eigenvectors.shape)
    chosen, spent = WarmStart(noisy, result.eigenvalues, supra.time, spent=3, end=end).choose(
        L, Davidson(1e-4, inner_steps=0)
    )
    assert spent == 3 + 5
    products = known_products(L, chosen)
    np.testing.assert_allclose(products, L @ chosen, atol=1e-10)
    before, after = (np.trace(Q.T @ (L @ Q)) for Q in (np.linalg.qr(noisy)[0], chosen))
    assert after < before
    random = np.random.default_rng(1).standard_normal(noisy.shape)
    assert WarmStart(random, result.eigenvalues, supra.time, end=end).choose(
        L, Davidson(1e-4, inner_steps=0)
    ) == (None, 5)
    # Where there is nothing to measure them by, they are taken as they are.
    assert (
        WarmStart(random, result.eigenvalues, supra.time).choose(L, Davidson(1e-4, inner_steps=0))[0]
        is random
    )


@pytest.mark.parametrize("t", [1, 2, 3, 4])
def test_the_next_window_starts_from_all_that_the_last_one_had(t):
    graph = generators.barabasi_albert(300, 5, m=2, rewire=0.2, seed=3)
    (previous, _, last), (following, _, _) = solved(graph, t - 1, 3), solved(graph, t, 3)
    assert WarmStart.of(last, previous, following, "sym").vectors.shape == (following.num_rows, 10)


@pytest.mark.parametrize("normalization", [None, "sym"])
def test_what_a_window_does_from_layer_to_layer_is_found_again(normalization):
    """Where no edge changes, each layer takes the multiples that the layer in its place had before: the old
    eigenvectors, layer for layer, which are those of the new window."""
    graph = generators.barabasi_albert(200, 6, m=2, rewire=0.0, seed=4)
    (previous, _, last), (following, L, _) = (solved(graph, t, 4, 7, normalization) for t in (4, 5))
    start = WarmStart.of(last, previous, following, normalization)
    as_it_is, mixtures = start.vectors, start.choose(L, Davidson(1e-4, inner_steps=0))[0]
    of_both = [
        np.linalg.norm(L @ way[:, :7] - way[:, :7] * last.eigenvalues, axis=0) for way in (as_it_is, mixtures)
    ]
    assert of_both[0].max() > 0.01
    assert (of_both[1] < 1e-4).all()


def ratio(graph, **settings):
    """Products of warm windows over those of cold ones."""
    warm, cold = (Encoder(init=init, **settings).encode_all(graph) for init in ("previous", "normal"))
    return warm.num_matvecs.sum() / cold.num_matvecs.sum()


def test_slow_streams_save_products_and_others_cost_next_to_none():
    blocks = {"num_blocks": 8, "p_in": 0.2, "p_out": 0.01, "seed": 0}
    slow = generators.block_model(800, 6, persistence=0.999, edge_persistence=0.99, **blocks)
    anew = generators.block_model(800, 6, persistence=0.0, edge_persistence=0.0, **blocks)
    assert ratio(slow, k=7, window=3, normalization=None) < 0.9
    assert ratio(anew, k=7, window=3, normalization=None) < 1.05
    # Lanczos starts from the sum of the old vectors.
    assert ratio(slow, k=7, window=3, normalization="sym") < 0.95
    assert ratio(anew, k=7, window=3, normalization="sym") < 1.05


def test_a_state_without_spare_vectors_can_be_kept():
    result = eigenpairs(np.diag([1.0, 2.0, 3.0]), 2)
    assert unpack(pack(result)).spare is None
    assert Spare(np.zeros(0), np.zeros((3, 0))).vectors.shape == (3, 0)
