"""Products with sorted and split rows, and what a matrix is allowed to remember, against dense products."""

import numpy as np
import pytest
import scipy.sparse as sp

from supra_core import Davidson, eigenpairs, laplacian
from supra_core.eigen.sorted_rows import SplitRows, longest_first
from supra_core.generators.adversarial import layers


def hubs(num_rows, num_hubs, seed=0):
    """A symmetric matrix whose first rows are full and whose others have a few entries, in mixed order."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.standard_normal((num_rows, num_rows)) * (rng.random((num_rows, num_rows)) < 0.02), 1)
    A[:num_hubs, num_hubs:] = rng.standard_normal((num_hubs, num_rows - num_hubs))
    order = rng.permutation(num_rows)
    return (A + A.T)[np.ix_(order, order)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("num_rows", "num_hubs"),
    [(300, 0), (300, 1), (300, 7), (153, 3), (154, 153), (1, 0), (129, 40), (170, 170)],
)
def test_a_product_is_the_dense_one(num_rows, num_hubs, dtype):
    A = np.ones((num_rows, num_rows)) if num_hubs == num_rows else hubs(num_rows, num_hubs)
    order, B = longest_first(sp.csr_array(A))
    assert (np.diff(B.indptr) == -np.sort(-np.count_nonzero(A, axis=1))).all()
    np.testing.assert_array_equal(B.toarray(), A[np.ix_(order, order)])
    rows = SplitRows(B, dtype)
    assert rows.split == np.count_nonzero(np.count_nonzero(A, axis=1) > 128)
    x = np.random.default_rng(1).standard_normal(num_rows).astype(dtype)
    product = rows @ x
    assert product.dtype == dtype
    exact, size = B.toarray() @ x.astype(np.float64), np.abs(B.toarray()) @ np.abs(x)
    assert (np.abs(product - exact) <= 16 * np.finfo(dtype).eps * size).all()
    # Long rows are summed in double precision; what is left is the rounding of the sum.
    long = slice(None, rows.split)
    assert (np.abs(product - exact)[long] <= (np.finfo(dtype).eps * np.abs(exact) + 1e-13 * size)[long]).all()


def test_a_matrix_that_is_changed_between_two_calls_is_looked_at_again():
    matrix = laplacian(layers(150, 4, 0.5, np.random.default_rng(1))).astype(float)
    before = eigenpairs(matrix, 4, Davidson(1e-8))
    matrix.data *= 3
    after = eigenpairs(matrix, 4, Davidson(1e-8))
    np.testing.assert_allclose(after.eigenvalues, 3 * before.eigenvalues, atol=1e-7)
    matrix.setdiag(matrix.diagonal() + 1)  # no Laplacian any more
    shifted = eigenpairs(matrix, 4, Davidson(1e-8))
    np.testing.assert_allclose(shifted.eigenvalues, 3 * before.eigenvalues + 1, atol=1e-7)
