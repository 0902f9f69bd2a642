"""The null vectors that a Laplacian is known to have: one for each connected component, without iterating."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

from supra_core.eigen.remembered import remembered

EPS = float(np.finfo(np.float64).eps)
_CARRIED = "_supra_null_vector"


@dataclass(frozen=True, eq=False)
class NullSpace:
    """Orthonormal null vectors with disjoint supports, stored as one vector and one label for each row.

    The null vector of component c is ``vector`` where ``labels == c`` and zero elsewhere, so that five
    hundred components take no more memory than one.

    Attributes:
        vector: positive, of unit norm within each component, shape (n,).
        labels: the component of each row, shape (n,).
        count: the number of components.
    """

    vector: NDArray[Any]
    labels: NDArray[np.int32]
    count: int

    def project_out(self, t: NDArray[Any]) -> None:
        """Make ``t``, shape (n,), orthogonal to all null vectors, in place."""
        if self.count == 1:
            t -= self.vector * np.dot(self.vector, t)
            return
        along = np.bincount(self.labels, weights=self.vector * t, minlength=self.count)
        t -= self.vector * along.astype(t.dtype)[self.labels]

    def first(self, k: int) -> NDArray[np.float64]:
        """The null vectors of the first ``k`` components as columns, shape (n, k)."""
        columns = np.zeros((len(self.vector), k))
        rows = np.flatnonzero(self.labels < k)
        columns[rows, self.labels[rows]] = self.vector[rows]
        return columns

    def reordered(self, order: NDArray[np.integer[Any]]) -> Self:
        """The same for the matrix whose row i is row ``order[i]`` of this one."""
        return type(self)(self.vector[order], self.labels[order], self.count)

    def astype(self, dtype: Any) -> Self:
        """The same with the vector in another precision."""
        return type(self)(self.vector.astype(dtype, copy=False), self.labels, self.count)


@remembered
def null_space(matrix: sp.csr_array) -> NullSpace | None:
    """The same as :func:`find_null_space`, found once for a matrix that nobody changes."""
    return find_null_space(matrix)


def find_null_space(matrix: sp.csr_array) -> NullSpace | None:
    """The whole null space of a matrix that turns out to be a graph Laplacian, else None.

    A symmetric matrix without positive off-diagonal entries that maps some positive vector v to zero is
    positive semi-definite, and its null space is spanned by v restricted to each connected component
    (Perron and Frobenius). Three candidates are tried: the vector that the matrix was built to have (the
    square roots of the degrees, for the symmetric normalised Laplacian of :func:`supra_core.laplacian`), the
    constant vector (combinatorial Laplacian) and the square roots of the numbers of neighbours (the symmetric
    normalised Laplacian of an unweighted graph, whoever built it).

    Example:
        >>> find_null_space(sp.csr_array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])).count
        2
        >>> find_null_space(sp.csr_array([[1.0, 1.0], [1.0, 1.0]])) is None
        True
    """
    known = known_null_vector(matrix)
    matrix = without_zeros(matrix)
    n = matrix.shape[0]
    diagonal = matrix.diagonal()
    if np.count_nonzero(matrix.data > 0) > np.count_nonzero(diagonal > 0):  # some lie off the diagonal
        return None
    neighbours = np.diff(matrix.indptr) - (diagonal != 0)
    candidates = [np.ones(n), np.sqrt(np.maximum(neighbours, 1))]
    if known is not None and known.shape == (n,) and np.all(known > 0):
        candidates.insert(0, known)
    for candidate in candidates:
        if _is_null(matrix, candidate, neighbours):
            count, labels = components(matrix)
            norms = np.sqrt(np.bincount(labels, weights=candidate**2, minlength=count))
            return NullSpace(candidate / norms[labels], labels, count)
    return None


def with_null_vector(matrix: sp.csr_array, vector: NDArray[np.float64] | None) -> sp.csr_array:
    """The same matrix, which carries a positive vector that it is built to map to zero.

    Weighted degrees cannot be read off a normalised Laplacian, but whoever builds it knows them. What is
    carried is only a candidate: :func:`null_space` checks it against the entries.
    """
    if vector is not None:
        setattr(matrix, _CARRIED, vector)
    return matrix


def known_null_vector(matrix: Any) -> NDArray[np.float64] | None:
    """The vector that :func:`with_null_vector` gave the matrix, or None."""
    vector = getattr(matrix, _CARRIED, None)
    return None if vector is None else np.asarray(vector, dtype=np.float64)


def _is_null(matrix: sp.csr_array, v: NDArray[np.float64], neighbours: NDArray[np.int64]) -> bool:
    """Whether each entry of ``matrix @ v`` is zero up to the rounding of its own row."""
    diagonal = np.abs(matrix.diagonal())
    # Without positive off-diagonal entries the row's terms are at most twice its diagonal one.
    return bool(np.all(np.abs(matrix @ v) <= 16 * EPS * np.sqrt(neighbours + 16) * diagonal * v))


def components(matrix: sp.csr_array) -> tuple[int, NDArray[np.int32]]:
    """The number of components and the component of each row; a connected graph takes one search."""
    n = matrix.shape[0]
    if n and len(breadth_first_order(matrix, 0, return_predecessors=False)) == n:
        return 1, np.zeros(n, dtype=np.int32)
    count, labels = connected_components(matrix, directed=False)
    return int(count), labels


def without_zeros(matrix: sp.csr_array) -> sp.csr_array:
    """The matrix itself, or a copy where it stores zeros, which graph searches would take for edges."""
    if np.all(matrix.data):
        return matrix
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    return matrix
