"""Products that a matrix carries: they are used instead of new ones, and for no other vectors."""

import numpy as np
import pytest
import scipy.sparse as sp

from supra_core import Davidson, generators, laplacian
from supra_core.eigen.davidson.search_space import SearchSpace
from supra_core.eigen.known_products import carry_products, known_products
from supra_core.eigen.nullspace import find_null_space
from supra_core.eigen.solve import pairs_of_checked


def matrix():
    return laplacian(generators.barabasi_albert(600, 1, m=3, seed=0).adjacency(0)).astype(np.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_search_space_takes_products_over(dtype):
    L = matrix()
    null, rng = find_null_space(L), np.random.default_rng(0)
    X = np.linalg.qr(np.column_stack([null.vector, rng.standard_normal((600, 5))]))[0][:, 1:]
    A = sp.csr_array(L.astype(dtype))
    columns, products = list(X.T.copy()), list((L @ X).T.copy())
    space = SearchSpace(A, 8, null.astype(dtype), columns, products)
    assert (space.size, space.num_matvecs, columns, products) == (5, 0, [], [])
    V, W = space.V[:, :5].astype(float), space.W[:, :5].astype(float)
    tolerance = 100 * np.finfo(dtype).eps
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=tolerance)
    np.testing.assert_allclose(null.vector @ V, 0, atol=tolerance)
    np.testing.assert_allclose(W, L @ V, atol=tolerance * 100)
    np.testing.assert_allclose(space.H[:5, :5], V.T @ (L @ V), atol=tolerance * 100)


def test_columns_that_depend_on_others_are_taken_one_by_one():
    L = matrix()
    X = np.linalg.qr(np.random.default_rng(0).standard_normal((600, 3)))[0][:, [0, 1, 1, 2]]
    space = SearchSpace(L, 8, None, list(X.T.copy()), list((L @ X).T.copy()))
    assert space.size == 3
    V = space.V[:, :3]
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(space.W[:, :3], L @ V, atol=1e-10)


def test_a_solver_does_not_compute_what_is_known_and_gives_the_same():
    L = matrix()
    answer = pairs_of_checked(L, 6, Davidson(1e-8), rng=0).eigenvectors
    noisy = answer[:, 1:] + 1e-3 * np.random.default_rng(1).standard_normal((600, 5))
    x0 = np.linalg.qr(np.column_stack([answer[:, :1], noisy]))[0]
    plain = pairs_of_checked(L, 6, Davidson(1e-6), x0=x0, rng=0)
    carry_products(L, x0, L @ x0)
    known = pairs_of_checked(L, 6, Davidson(1e-6), x0=x0, rng=0)
    assert plain.converged.all()
    assert known.converged.all()
    np.testing.assert_allclose(known.eigenvalues, plain.eigenvalues, atol=1e-9)
    # One of the six is the null vector, which is known without a product.
    assert known.num_matvecs < plain.num_matvecs


def test_products_are_for_the_same_vectors_only():
    L, x0 = matrix(), np.ones((600, 1))
    assert known_products(L, x0) is None
    carry_products(L, x0, x0)
    assert known_products(L, x0) is x0
    assert known_products(L, x0.copy()) is None
    assert known_products(L, None) is None
