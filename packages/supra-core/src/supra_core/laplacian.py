"""Graph Laplacians: combinatorial, symmetric normalised, random-walk."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core import checks
from supra_core.eigen.nullspace import with_null_vector
from supra_core.errors import InvalidGraphError

Normalization = Literal["sym", "rw"] | None
NORMALIZATIONS = (None, "sym", "rw")


def laplacian(adjacency: Any, normalization: Normalization = None) -> sp.csr_array:
    """The Laplacian of a symmetric, non-negative adjacency matrix.

    ``None`` gives L = D − A (integers stay integers); ``"sym"`` gives D^-1/2 L D^-1/2; ``"rw"`` gives D^-1 L.
    A node without neighbours has a row of zeros in each of them, so that the null space always has the
    dimension of the number of connected components.

    Raises:
        InvalidArgumentError: a normalization that is none of these.
        InvalidGraphError: a matrix that is not square, symmetric, finite and free of negative entries, or
            integers whose degrees do not fit into 64 bits.

    Example:
        >>> laplacian([[0, 2], [2, 0]]).toarray().tolist()
        [[2, -2], [-2, 2]]
    """
    checks.check_choice("normalization", normalization, NORMALIZATIONS)
    A = checks.check_symmetric("adjacency", adjacency)
    if np.any(A.data < 0):
        raise InvalidGraphError.of("adjacency", float(A.data.min()), "free of negative entries")
    return laplacian_of_checked(A, normalization)


def laplacian_of_checked(A: sp.csr_array, normalization: Normalization) -> sp.csr_array:
    """The same for a matrix that is known to be symmetric and free of negative entries."""
    _refuse_overflow(A)
    degree = degrees(A)
    every = np.arange(len(degree) + 1, dtype=A.indices.dtype)
    L = sp.csr_array(sp.csr_array((degree, every[:-1], every), shape=A.shape) - A)
    if normalization is None:
        return L
    if normalization == "sym":
        # Entry by entry, so that (i, j) and (j, i) are rounded alike: symmetric to the last bit.
        root = inverse_root_degrees(degree)
        data = L.data * (np.repeat(root, np.diff(L.indptr)) * root[L.indices])
        normalized = sp.csr_array((data, L.indices, L.indptr), shape=L.shape)
        return with_null_vector(normalized, np.sqrt(np.where(degree > 0, degree, 1)))
    return sp.csr_array(sp.diags_array(inverse_root_degrees(degree) ** 2) @ L)


def _refuse_overflow(A: sp.csr_array) -> None:
    """Degrees of integers are added up in int64, which wraps around without a word."""
    if A.dtype.kind != "i":
        return
    if int(A.data.max(initial=0)) * int(np.diff(A.indptr).max(initial=0)) < 2**63:
        return  # nearly always
    # Halves of 32 bits: their sums over a row stay far from the bound.
    high, low = (
        sp.csr_array((half, A.indices, A.indptr), shape=A.shape) for half in np.divmod(A.data, 2**32)
    )
    sums = high.sum(axis=1) + low.sum(axis=1) // 2**32
    if np.any(sums >= 2**31):
        largest = float(np.max(A.astype(np.float64).sum(axis=1)))
        allowed = "below 2**63 where entries are integers; floats have no such bound"
        raise InvalidGraphError.of("largest degree of adjacency", largest, allowed)


def degrees(adjacency: sp.csr_array) -> NDArray[Any]:
    """Weighted degrees, shape (n,), in the matrix's own arithmetic."""
    return np.asarray(adjacency.sum(axis=1)).ravel().astype(adjacency.dtype)


def inverse_root_degrees(degree: NDArray[Any]) -> NDArray[np.float64]:
    """degree^-1/2, and zero where the degree is zero."""
    root = np.sqrt(degree.astype(np.float64))
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
