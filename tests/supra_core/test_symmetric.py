"""What counts as a symmetric matrix: entry by entry, whatever stands beside it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidGraphError, eigenpairs, generators, laplacian, trace_energy
from supra_core.checks import check_symmetric

MAKE = pytest.mark.parametrize(
    "make", [np.asarray, sp.csr_array, sp.coo_matrix], ids=lambda make: make.__name__
)
A = generators.barabasi_albert(60, 1, m=3, seed=1).adjacency(0)


def with_pair(a, b, *, beside, rows):
    """Symmetric but for (0, 1) and (1, 0); ``beside`` stands in rows 0 and 1, or in others."""
    matrix = np.diag([3.0, 4.0, 5.0, 6.0])
    matrix[0, 1], matrix[1, 0] = a, b
    if rows == "others":
        matrix[2, 3] = matrix[3, 2] = beside
    elif rows == "one":
        matrix[0, 3] = matrix[3, 0] = beside
    else:
        matrix[0, 0] = matrix[1, 1] = beside
    return matrix


@MAKE
@pytest.mark.parametrize(("rows", "beside"), [("others", 1e18), ("one", 1e18), ("both", 1e12)])
@pytest.mark.parametrize("pair", [(5.0, 7.0), (7.0, 5.0), (0.0, 1.0), (1.0, 0.0), (1.0, -1.0)])
def test_large_entries_elsewhere_allow_nothing(make, rows, beside, pair):
    matrix = make(with_pair(*pair, beside=beside, rows=rows))
    for call in (
        check_symmetric,
        lambda name, m: eigenpairs(m, 1),
        lambda name, m: trace_energy(m, np.ones(4)),
    ):
        with pytest.raises(InvalidGraphError, match=r"must be symmetric, but \[[01], [01]\] is"):
            call("matrix", matrix)


@MAKE
@pytest.mark.parametrize("relative", [1e-3, 1e-4, 1e-6, 1e-8, 3e-10])
def test_small_asymmetries_are_refused(make, relative):
    matrix = A.toarray().astype(float)
    i, j = np.argwhere(matrix)[0]
    matrix[i, j] *= 1 + relative
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        laplacian(make(matrix))


@given(st.integers(0, 2**62), st.integers(1, 1000))
def test_integers_are_symmetric_to_the_last_digit(value, more):
    matrix = np.array([[0, value], [value, 0]])
    np.testing.assert_array_equal(check_symmetric("A", matrix).toarray(), matrix)
    with pytest.raises(InvalidGraphError, match=r"\[0, 1\] is \d+ and \[1, 0\] is \d+"):
        check_symmetric("A", matrix + np.array([[0, more], [0, 0]]))


def test_integers_of_opposite_signs_do_not_wrap_around():
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        check_symmetric("A", np.array([[0, 2**62], [-(2**62) - 2**62, 0]]))
    with pytest.raises(InvalidGraphError, match=r"max\(A\)=9223372036854775813: must be below 2\*\*63"):
        check_symmetric("A", np.array([[2**63 + 5]], dtype=np.uint64))


# ── rounding passes ───────────────────────────────────────────────────────────────────────────────────────


@MAKE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_products_with_degrees_are_symmetric_enough(make, dtype, scale):
    """D^-1/2 A D^-1/2 as most people compute it: (i, j) and (j, i) are rounded in another order."""
    W = A.toarray() * np.random.default_rng(0).uniform(0.1, 9, A.shape)
    W = ((W + W.T) * scale).astype(dtype)
    root = (1 / np.sqrt(W.sum(axis=1))).astype(dtype)
    product = (root[:, None] * W) * root[None, :]
    assert (product != product.T).any()
    check_symmetric("A", make(product))
    diagonal = sp.diags_array(root)
    check_symmetric("A", sp.csr_array(diagonal @ sp.csr_array(W) @ diagonal))


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 80),
    spread=st.sampled_from([0, 3, 8]),
    rows=st.sampled_from([0, 3, 6]),
)
def test_products_of_dense_factors_are_symmetric_enough(seed, n, spread, rows):
    """Q Λ Qᵀ has entries that cancel to rounding noise; scaled rows scale their noise."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    values = 10 ** rng.uniform(0, spread, n)
    D = 10 ** rng.uniform(0, rows, n)
    check_symmetric("A", D[:, None] * ((Q * values) @ Q.T) * D)


def test_huge_and_tiny_floats_do_not_overflow():
    huge = np.array([[0.0, 1.7e308], [1.7e308, 0.0]])
    check_symmetric("A", huge)
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        check_symmetric("A", huge * [[1, 1], [-1, 1]])
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        check_symmetric("A", np.array([[0.0, 5e-320], [7e-320, 0.0]]))


def test_stored_zeros_and_duplicates_are_values_like_others():
    """A stored zero is a missing entry, and duplicates add up, as everywhere in SciPy."""
    stored = sp.coo_array(([1.0, 2.0, 3.0, 0.0], ([0, 0, 1, 2], [1, 1, 0, 0])), shape=(3, 3))
    np.testing.assert_array_equal(check_symmetric("A", stored).toarray(), stored.toarray())
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        check_symmetric("A", sp.coo_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3)))


# ── kinds of numbers ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", ["float16", ">f2", ">f4", ">f8", ">i2", ">i8", ">u4", "longdouble"])
def test_halves_and_other_byte_orders(dtype):
    matrix = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    other = matrix.astype(dtype)
    np.testing.assert_array_equal(laplacian(other).toarray(), laplacian(matrix).toarray())
    assert laplacian(other).dtype.kind == ("i" if other.dtype.kind in "iu" else "f")
    L = laplacian(matrix).toarray()
    expected = np.linalg.eigvalsh(L)
    np.testing.assert_allclose(
        eigenpairs(L.astype(dtype.replace(">u", ">i")), 3).eigenvalues, expected, atol=1e-12
    )
    assert trace_energy(other, [1, 1, 1]) == 6


def test_half_precision_rounding_passes_and_more_does_not():
    half = np.array([[0, 0.5], [0.5, 0]], dtype=np.float16)
    half[0, 1] = np.nextafter(half[1, 0], np.float16(1))
    check_symmetric("A", half)
    half[0, 1] = 0.6
    with pytest.raises(InvalidGraphError, match="must be symmetric"):
        check_symmetric("A", half)
    with pytest.raises(InvalidGraphError, match="finite entries only"):
        check_symmetric("A", np.array([[np.inf]], dtype=np.float16))


def test_shapes():
    for bad in (np.zeros((2, 3)), sp.csr_array((2, 3)), sp.coo_array(np.ones(3))):
        with pytest.raises(InvalidGraphError, match=r"A.shape=.*: must be square"):
            check_symmetric("A", bad)
    assert check_symmetric("A", np.zeros((0, 0), dtype=np.uint64)).shape == (0, 0)


# ── degrees ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("largest", [2**61, 2**62 - 1, 2**62, 2**63 - 1])
def test_integer_degrees_are_exact_or_refused(largest):
    matrix = np.zeros((3, 3), dtype=np.int64)
    matrix[0, 1:] = matrix[1:, 0] = largest
    if 2 * largest < 2**63:
        assert laplacian(matrix).toarray()[0].tolist() == [2 * largest, -largest, -largest]
        return
    with pytest.raises(InvalidGraphError, match=r"degree of adjacency=.*: must be below 2\*\*63"):
        laplacian(matrix)
    assert laplacian(matrix.astype(float)).toarray()[0, 0] == 2.0 * largest
