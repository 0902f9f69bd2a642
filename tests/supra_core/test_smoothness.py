"""Proposition 1 as statements that run: the energy identity, what minimises it, and what follows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import (
    InvalidArgumentError,
    InvalidGraphError,
    Lanczos,
    TemporalGraph,
    eigenpairs,
    generators,
    laplacian,
    smoothness,
    supra_graph,
    trace_energy,
)

from .strategies import integer_matrices, raw_edges, temporal_graphs

pytestmark = pytest.mark.property

OPTIONS = list(itertools.product([False, True], repeat=2))
PAPER = {"global_nodes": False, "drop_isolated": False}
COUPLINGS = st.integers(0, 5)


def supra_laplacian(graph, coupling, **options):
    return laplacian(supra_graph(graph, coupling=coupling, **options).adjacency)


def by_hand(graph: TemporalGraph, X: np.ndarray, coupling: int) -> tuple[int, int]:
    """Equation by equation, in Python's integers: Σ tr(XᵀL_tX) from dense L_t, and μ Σ ‖X_t − X_{t−1}‖²."""
    layers = X.reshape(graph.num_snapshots, graph.num_nodes, -1).astype(object)
    intra = 0
    for t in range(graph.num_snapshots):
        A = graph.adjacency(t).toarray().astype(object)
        L = np.diag(A.sum(axis=1)) - A
        intra += np.trace(layers[t].T @ L @ layers[t])
    inter = sum(int(((layers[t] - layers[t - 1]) ** 2).sum()) for t in range(1, graph.num_snapshots))
    return int(intra), coupling * inter


# ── the identity ──────────────────────────────────────────────────────────────────────────────────────────


@given(graph=temporal_graphs(), coupling=COUPLINGS, data=st.data())
def test_identity_holds_exactly_in_integers(graph, coupling, data):
    X = data.draw(integer_matrices(graph.num_snapshots * graph.num_nodes))
    right = smoothness(graph, X, coupling)
    left = trace_energy(supra_laplacian(graph, coupling, **PAPER), X)
    assert left == right.total == right.intra + right.inter
    assert (right.intra, right.inter) == by_hand(graph, X, coupling)
    assert all(type(value) is int for value in (left, *right))


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(graph=temporal_graphs(), coupling=COUPLINGS, data=st.data())
def test_identity_with_global_and_dropped_nodes(global_nodes, drop_isolated, graph, coupling, data):
    options = {"global_nodes": global_nodes, "drop_isolated": drop_isolated}
    L = supra_laplacian(graph, coupling, **options)
    X = data.draw(integer_matrices(L.shape[0]))
    assert trace_energy(L, X) == smoothness(graph, X, coupling, **options).total


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(raw=raw_edges(kind="float"), coupling=st.floats(0.01, 100), seed=st.integers(0, 2**32 - 1))
def test_identity_in_floats(global_nodes, drop_isolated, raw, coupling, seed):
    options = {"global_nodes": global_nodes, "drop_isolated": drop_isolated}
    graph = raw.graph()
    L = supra_laplacian(graph, coupling, **options)
    X = np.random.default_rng(seed).standard_normal((L.shape[0], 3))
    left, right = trace_energy(L, X), smoothness(graph, X, coupling, **options).total
    assert left == pytest.approx(right, rel=1e-12, abs=0)


@given(graph=temporal_graphs(max_edges=30), coupling=st.integers(0, 10**6), data=st.data())
def test_integers_do_not_overflow(graph, coupling, data):
    """Energies far beyond 64 bits, from X in int64 and from X in Python's integers."""
    X = data.draw(integer_matrices(graph.num_snapshots * graph.num_nodes, largest=2**62))
    L = supra_laplacian(graph, coupling, **PAPER)
    expected = sum(by_hand(graph, X, coupling))
    assert trace_energy(L, X) == smoothness(graph, X, coupling).total == expected
    huge = X.astype(object) * 10**30
    assert trace_energy(L, huge) == smoothness(graph, huge, coupling).total == expected * 10**60


@pytest.mark.parametrize("below", [1, 2, 1000])
@given(graph=temporal_graphs(min_nodes=2), data=st.data())
def test_identity_holds_up_to_the_largest_integer_coupling(below, graph, data):
    """Just below the bound that supra_graph states, degrees are exact; on it, they are refused."""
    with pytest.raises(
        InvalidArgumentError, match=r"coupling=\d+: must be below (\d+), or a float"
    ) as caught:
        supra_graph(graph, coupling=2**63)
    bound = int(str(caught.value).split("below ")[1].split(",")[0])
    with pytest.raises(InvalidArgumentError):
        supra_graph(graph, coupling=bound)
    L = supra_laplacian(graph, bound - below, **PAPER)
    X = data.draw(integer_matrices(L.shape[0]))
    assert (
        trace_energy(L, X)
        == smoothness(graph, X, bound - below).total
        == sum(by_hand(graph, X, bound - below))
    )
    assert supra_graph(graph, coupling=float(2**63)).adjacency.dtype == np.float64


@pytest.mark.parametrize("coupling", [0, 1, 7])
@pytest.mark.parametrize("columns", [1, 4])
@pytest.mark.parametrize("bits", range(8, 32))
def test_energies_on_both_sides_of_64_bits(bits, columns, coupling):
    """Ends of an edge as far apart as X allows: (2 max|X|)², the most that a weight can meet."""
    X = np.array([[2**bits - 1], [1 - 2**bits]] * 2) * np.ones(columns, dtype=np.int64)
    for weight in (2 ** (62 - 2 * bits + extra) for extra in range(-4, 4) if 62 - 2 * bits + extra >= 0):
        graph = TemporalGraph.from_edges([0, 0], [1, 1], [0, 1], [weight, 1])
        assert smoothness(graph, X, coupling).total == sum(by_hand(graph, X, coupling))
        L = np.array([[1, -1], [-1, 1]]) * weight
        assert trace_energy(L, X[:2]) == 4 * weight * columns * (2**bits - 1) ** 2


def test_one_column_may_be_flat():
    graph = generators.path_layers(3, 2)
    X = np.array([0, 1, 3, 0, 1, 5])
    assert smoothness(graph, X, 10) == smoothness(graph, X[:, None], 10) == (1 + 4 + 1 + 16, 40, 62)
    assert trace_energy(supra_laplacian(graph, 10, **PAPER), X) == 62


# ── the minimisers ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(
    graph=temporal_graphs(min_nodes=2),
    coupling=st.integers(1, 5),
    k=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    mix=st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 1.0]),
)
def test_eigenvectors_minimise_the_energy(global_nodes, drop_isolated, graph, coupling, k, seed, mix):
    """No orthonormal X, wild or close to the minimiser, has a lower total; the eigenvectors attain it."""
    options = {"global_nodes": global_nodes, "drop_isolated": drop_isolated}
    L = supra_laplacian(graph, coupling, **options)
    k = min(k, L.shape[0])
    if k == 0:
        return
    values, vectors = np.linalg.eigh(L.toarray())
    lowest = values[:k].sum()
    scale = max(1.0, values[-1])
    noise = np.random.default_rng(seed).standard_normal((L.shape[0], k))
    X, _ = np.linalg.qr(vectors[:, :k] + mix * noise if mix < 1 else noise)
    assert smoothness(graph, X, coupling, **options).total >= lowest - 1e-12 * k * scale

    result = eigenpairs(L, k, rng=seed)
    attained = smoothness(graph, result.eigenvectors, coupling, **options).total
    # A Ritz value is off by at most its residual norm (and above the eigenvalue's sum by Courant–Fischer).
    assert lowest - 1e-10 * scale <= attained <= lowest + result.residual_norms.sum() + 1e-10 * scale


# ── what follows for the spectrum ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("global_nodes", "drop_isolated"), OPTIONS)
@given(graph=temporal_graphs(), coupling=COUPLINGS)
def test_symmetric_positive_semidefinite_and_null_space(global_nodes, drop_isolated, graph, coupling):
    networkx = pytest.importorskip("networkx")
    supra = supra_graph(graph, coupling=coupling, global_nodes=global_nodes, drop_isolated=drop_isolated)
    components = networkx.number_connected_components(networkx.from_numpy_array(supra.adjacency.toarray()))
    for normalization in (None, "sym"):
        L = laplacian(supra.adjacency, normalization).toarray()
        np.testing.assert_array_equal(L, L.T)
        values = np.linalg.eigvalsh(L) if len(L) else np.zeros(0)
        scale = max(1.0, np.abs(values).max(initial=0.0))
        assert (values >= -1e-12 * len(L) * scale).all()
        assert int((values < 1e-9 * scale).sum()) == components


@given(graph=temporal_graphs(kind="float"), coupling=st.sampled_from([1.0, 1e-2, 1e-5, 1e-9, 0.0]))
def test_weak_coupling_tends_to_the_layers_own_spectra(graph, coupling):
    """Weyl: coupling moves no eigenvalue by more than the norm of the coupling's Laplacian, 4μ."""
    values = np.linalg.eigvalsh(supra_laplacian(graph, coupling, **PAPER).toarray())
    layers = [np.linalg.eigvalsh(laplacian(graph.adjacency(t)).toarray()) for t in range(graph.num_snapshots)]
    union = np.sort(np.concatenate(layers))
    rounding = 1e-12 * max(1.0, union.max())
    assert (values >= union - rounding).all()
    assert (values <= union + 4 * coupling + rounding).all()


@pytest.mark.parametrize("coupling", [0.0, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("num_snapshots", [1, 2, 5])
@pytest.mark.parametrize("shape", ["path", "cycle", "star", "complete", "grid"])
def test_identical_layers_have_the_known_supra_spectrum(shape, num_snapshots, coupling):
    size = (3, 4) if shape == "grid" else (7,)
    graph = getattr(generators, f"{shape}_layers")(*size, num_snapshots)
    layer = getattr(generators, f"{shape}_spectrum")(*size)
    np.testing.assert_allclose(np.linalg.eigvalsh(laplacian(graph.adjacency(0)).toarray()), layer, atol=1e-12)
    expected = generators.supra_spectrum(layer, num_snapshots, coupling)
    found = np.linalg.eigvalsh(supra_laplacian(graph, coupling, **PAPER).toarray())
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(1.0, expected.max()))


def test_a_graph_too_large_for_dense_solvers():
    graph = generators.path_layers(400, 6)
    result = eigenpairs(supra_laplacian(graph, 2.0, **PAPER), 5, Lanczos(tol=1e-9))
    expected = generators.supra_spectrum(generators.path_spectrum(400), 6, 2.0)[:5]
    np.testing.assert_allclose(result.eigenvalues, expected, atol=1e-9)
    assert smoothness(graph, result.eigenvectors, 2.0).total == pytest.approx(expected.sum(), abs=5e-9)


# ── bad input ─────────────────────────────────────────────────────────────────────────────────────────────

GRAPH = generators.path_layers(3, 2)
REFUSED = {
    "too few rows": (np.zeros((5, 1)), 1, r"X.shape=\(5, 1\): must be \(6, k\)"),
    "three axes": (np.zeros((2, 3, 1)), 1, r"X.shape=\(2, 3, 1\): must be \(6, k\)"),
    "NaN": (np.full((6, 1), np.nan), 1, "X: must have finite entries only"),
    "text": (np.full((6, 1), "a"), 1, "X.dtype=.*: must be real"),
    "objects": (np.full((6, 1), None), 1, "X=.*: must be an array of numbers"),
    "complex": (np.zeros((6, 1), dtype=complex), 1, "X.dtype=.*: must be real"),
    "negative coupling": (np.zeros((6, 1)), -1, "coupling=-1: must be a finite number >= 0"),
    "infinite coupling": (np.zeros((6, 1)), float("inf"), "coupling=inf: must be a finite number >= 0"),
}


@pytest.mark.parametrize(("X", "coupling", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(X, coupling, message):
    with pytest.raises(InvalidArgumentError, match=message):
        smoothness(GRAPH, X, coupling)
    if coupling == 1:
        with pytest.raises(InvalidArgumentError, match=message):
            trace_energy(np.eye(6), X)


def test_trace_energy_refuses_a_matrix_that_is_not_symmetric():
    with pytest.raises(InvalidGraphError, match="matrix: must be symmetric"):
        trace_energy([[0, 1], [0, 0]], [1, 1])
