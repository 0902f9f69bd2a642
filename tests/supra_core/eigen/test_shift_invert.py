"""Shift-invert on graphs with small separators, and its refusal of others."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import FillError, InvalidArgumentError, ShiftInvert, SupraError, eigenpairs
from supra_core.eigen.separators import estimated_cost, is_forest, levels

from . import spectra_oracles as oracles
from .matrices import TABLE, subspace_angle


@pytest.mark.parametrize("graph", TABLE)
def test_agrees_with_the_known_spectrum(graph):
    build, spectrum = TABLE[graph]
    matrix = build()
    k = min(6, matrix.shape[0])
    exact = np.linalg.eigvalsh(matrix.toarray()) if spectrum is None else spectrum
    result = eigenpairs(matrix, k, ShiftInvert(max_cost=1e6), rng=1)
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues, exact[:k], atol=1e-8)
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-10)
    assert subspace_angle(result.eigenvectors, matrix) < 1e-6


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(65, 110),
    k=st.integers(1, 5),
    copies=st.integers(1, 3),
    scale=st.sampled_from([1e-9, 1.0, 1e9]),
)
def test_indefinite_matrices_and_multiple_eigenvalues(seed, n, k, copies, scale):
    """σ goes below a spectrum that does not start at zero, and no copy of an eigenvalue is skipped."""
    rng = np.random.default_rng(seed)
    band = sp.diags_array([rng.standard_normal(n), rng.standard_normal(n - 1)], offsets=[0, 1])
    matrix = sp.block_diag([band + band.T] * copies, format="csr") * scale
    exact = np.linalg.eigvalsh(matrix.toarray())[:k]
    result = eigenpairs(matrix, k, ShiftInvert(1e-9))
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues / scale, exact / scale, atol=1e-7)


def test_a_graph_without_small_separators_is_refused():
    with pytest.raises(FillError, match=r"max_cost=10: must be above .* choose Davidson"):
        eigenpairs(oracles.expander(3000), 4, ShiftInvert())
    assert issubclass(FillError, SupraError)


def test_the_estimate_tells_thin_graphs_from_others():
    thin = [oracles.path(5000)[0], oracles.star(5000)[0], oracles.grid(80, 80)[0], oracles.random_tree(5000)]
    thin.append(oracles.chain_of_cliques(100, 30))
    thick = [oracles.expander(2000), oracles.expander(5000), oracles.complete(1500)[0]]
    thick += [oracles.dense_layers(n) for n in (300, 600)]
    assert max(map(estimated_cost, thin)) < 10 < min(map(estimated_cost, thick))
    assert [is_forest(matrix) for matrix in thin] == [True, True, False, True, False]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40))
def test_levels_are_distances_from_one_node_of_each_component(seed, n):
    from scipy.sparse.csgraph import connected_components, shortest_path

    rng = np.random.default_rng(seed)
    m = int(rng.integers(0, 2 * n))
    matrix = oracles.laplacian_of(n, rng.integers(0, n, m), rng.integers(0, n, m))
    distance = levels(matrix)
    hops = shortest_path(sp.csr_array(matrix != 0).astype(float), unweighted=True)
    _, labels = connected_components(matrix)
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        roots = members[distance[members] == 0]
        assert len(roots) == 1
        np.testing.assert_array_equal(distance[members], hops[roots[0], members])


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"tol": -1}, "tol=-1: must be"), ({"max_cost": 0}, "max_cost=0: must be a finite number > 0")],
)
def test_bad_settings_die_in_the_constructor(settings, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ShiftInvert(**settings)
