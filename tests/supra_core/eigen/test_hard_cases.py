"""Graphs on which eigensolvers fail: ``Auto`` answers each, right and in reasonable time."""

import numpy as np
import pytest

from supra_core import Auto, Davidson, eigenpairs

from . import spectra_oracles as oracles


def _check(matrix, result, exact, atol):
    assert result.converged.all(), result
    np.testing.assert_allclose(result.eigenvalues, exact[: result.k], atol=atol)
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(result.k), atol=1e-9)
    residuals = matrix @ result.eigenvectors - result.eigenvectors * result.eigenvalues
    np.testing.assert_allclose(np.linalg.norm(residuals, axis=0), result.residual_norms, atol=1e-8)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_long_path_has_each_tiny_eigenvalue_to_three_digits(tol):
    """They are about 2.5e-8 · j²: a residual of 1e-6 alone would accept almost anything."""
    matrix, exact = oracles.path(20_000)
    result = eigenpairs(matrix, 8, Auto(tol))
    assert result.converged.all()
    assert abs(result.eigenvalues[0]) < 1e-12
    np.testing.assert_allclose(result.eigenvalues[1:], exact[1:8], rtol=1e-3)


@pytest.mark.parametrize("solver", [Auto(), Davidson()], ids=repr)
def test_a_star_of_many_leaves_has_one_eigenvalue_many_times(solver):
    matrix, exact = oracles.star(100_000)
    _check(matrix, eigenpairs(matrix, 8, solver), exact, atol=1e-6)


@pytest.mark.parametrize("solver", [Auto(), Davidson()], ids=repr)
@pytest.mark.parametrize("k", [8, 500, 505])
def test_five_hundred_components_give_five_hundred_zeros(solver, k):
    matrix, exact = oracles.many_components()
    _check(matrix, eigenpairs(matrix, k, solver), exact, atol=1e-6)


def test_weights_over_twelve_orders_of_magnitude():
    matrix, exact = oracles.spread_weights(1500)
    result = eigenpairs(matrix, 8, Auto())
    _check(matrix, result, exact, atol=1e-8)
    np.testing.assert_allclose(result.eigenvalues[1:], exact[1:8], rtol=1e-3)


@pytest.mark.parametrize("solver", [Auto(), Davidson()], ids=repr)
def test_a_complete_graph(solver):
    matrix, exact = oracles.complete(2000)
    _check(matrix, eigenpairs(matrix, 8, solver), exact, atol=1e-6)


def test_a_square_grid_has_pairs_of_equal_eigenvalues():
    matrix, exact = oracles.grid(70, 70)
    _check(matrix, eigenpairs(matrix, 8), exact, atol=1e-9)
