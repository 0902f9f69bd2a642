"""Products of a matrix that are known before a solver begins, and need not be computed again."""

import scipy.sparse as sp

from supra_core.eigen.result import Array

_CARRIED = "_supra_products"


def carry_products(matrix: sp.csr_array, vectors: Array, products: Array) -> None:
    """From now on the matrix carries its products with some vectors, which are not to change any more."""
    setattr(matrix, _CARRIED, (vectors, products))


def known_products(matrix: sp.csr_array, vectors: Array | None) -> Array | None:
    """The products with exactly these vectors, the same object, where the matrix carries them.

    Example:
        >>> A, x = sp.csr_array([[2.0]]), [[1.0]]
        >>> carry_products(A, x, [[2.0]])
        >>> known_products(A, x), known_products(A, [[1.0]])
        ([[2.0]], None)
    """
    known, products = getattr(matrix, _CARRIED, (None, None))
    return products if vectors is not None and known is vectors else None


def hand_on_products(matrix: sp.csr_array, other: sp.csr_array) -> sp.csr_array:
    """``other``, the same matrix in another form, which carries what ``matrix`` does."""
    if other is not matrix and hasattr(matrix, _CARRIED):
        setattr(other, _CARRIED, getattr(matrix, _CARRIED))
    return other
