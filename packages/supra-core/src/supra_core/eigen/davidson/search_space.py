"""The search space of the Davidson method: an orthonormal basis V, its products W = A V, and H = VᵀAV."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs

from supra_core.eigen.davidson.correction import correction
from supra_core.eigen.nullspace import NullSpace
from supra_core.eigen.sorted_rows import SplitRows
from supra_core.eigen.symmetric import eigh

# Rows of the basis that are rotated at a time, so that a restart needs no second basis.
CHUNK = 4096
# How far from orthonormal vectors may be that come with their products, in double precision.
_ORTHONORMAL = 1e-12


class SearchSpace:
    """A basis that grows by one vector at a time and is compressed in place.

    All of it lives in the precision of ``matrix``; only H, of the size of the basis, is always double.
    Columns are stored one after the other (Fortran order), so that the first m of them are one contiguous
    operand for BLAS. Nothing of the size of the basis is allocated after the constructor.

    Args:
        matrix: symmetric, shape (n, n).
        capacity: the most vectors.
        null: directions that every vector is kept orthogonal to.
        columns: vectors to begin with, in any precision; the list is emptied, to have them in memory once.
        products: those with the columns, where they are known; emptied as well.

    Attributes:
        size: vectors in the basis now.
        num_matvecs: products with the matrix so far.
    """

    def __init__(
        self, matrix: sp.csr_array, capacity: int, null: NullSpace | None, columns: list[NDArray[Any]],
        products: list[NDArray[Any]] | None = None,
    ) -> None:  # fmt: skip
        n = matrix.shape[0]
        self.matrix: Any = matrix
        self.capacity, self.null = capacity, null
        self.W = np.empty((n, capacity), dtype=matrix.dtype, order="F")
        self.V = np.empty((n, capacity), dtype=matrix.dtype, order="F")
        given = 0
        while columns and given < capacity:
            self.V[:, given] = columns.pop(0)
            if products:
                self.W[:, given] = products.pop(0)
            given += 1
        self.H = np.zeros((capacity, capacity))
        self.size = self.num_matvecs = 0
        self._work = np.empty(n, dtype=matrix.dtype)
        self._axpy = get_blas_funcs("axpy", dtype=matrix.dtype)
        if products is None or not self._take_over(given):
            self._take_in(self.V, given)

    def append(self, t: NDArray[Any]) -> bool:
        """Take in the direction of ``t``, shape (n,), which is overwritten; False if the space has it."""
        m = self.size
        if not self._orthonormalise(t):
            return False
        self.V[:, m] = t
        self.W[:, m] = self._product(t)
        column = np.dot(self.V[:, : m + 1].T, self.W[:, m])
        self.H[: m + 1, m] = column
        self.H[m, : m + 1] = column
        self.size = m + 1
        return True

    def ritz(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ritz values (m,), ascending, and the vectors' coordinates in the basis (m, m)."""
        values, coordinates = eigh(self.H[: self.size, : self.size])
        return values, coordinates

    def residual(self, value: float, y: NDArray[np.float64], out: NDArray[Any]) -> NDArray[Any]:
        """Write the residual W y − value · V y into ``out``; the Ritz vector V y, in an own buffer."""
        y_ = y.astype(self.V.dtype)
        np.dot(self.W[:, : self.size], y_, out=out)
        x = np.dot(self.V[:, : self.size], y_, out=self._work)
        self._axpy(x, out, a=-value)
        return x

    def corrected(
        self,
        precondition: Callable[[NDArray[Any], float], NDArray[Any]],
        residual: NDArray[Any],
        value: float,
        steps: int,
    ) -> NDArray[Any]:
        """The correction of a Ritz value's residual, which is overwritten; see :func:`correction`."""
        return correction(self._product, precondition, residual, value, steps, self._work)

    def _product(self, x: NDArray[Any]) -> NDArray[Any]:
        self.num_matvecs += 1
        return np.asarray(self.matrix @ x)

    def compress(self, Z: NDArray[np.float64]) -> None:
        """Replace the basis by V Z for orthonormal coordinates ``Z``, shape (m, at most m)."""
        m, s = Z.shape
        Z_ = np.ascontiguousarray(Z.T, dtype=self.V.dtype)
        buffer = np.empty((s, CHUNK), dtype=self.V.dtype)
        for basis in (self.V.T, self.W.T):  # row-major views
            for start in range(0, basis.shape[1], CHUNK):
                part = basis[:m, start : start + CHUNK]
                part[:s] = np.matmul(Z_, part, out=buffer[:, : part.shape[1]])
        H = Z.T @ self.H[:m, :m] @ Z
        self.H[:s, :s] = (H + H.T) / 2
        self.size = s

    def refresh(self) -> None:
        """Orthonormalise the basis anew and recompute all products: undoes the drift of many restarts."""
        self._take_in(self.V, self.size)

    def _take_over(self, count: int) -> bool:
        """Start from the first columns of V and W, which are products already; False where the columns are
        not orthonormal, null vectors among them."""
        V, W = self.V[:, :count], self.W[:, :count]
        long = self.matrix.split if isinstance(self.matrix, SplitRows) else 0
        for v, w in zip(V.T, W.T, strict=True):
            if self.null is not None:  # the products with these are zero
                self.null.project_out(v)
            if long:  # sums of many terms, which show that v was rounded after them
                w[:long] = self.matrix.of_long_rows(v)
        if long:
            self.num_matvecs += math.ceil(count * self.matrix.share_of_long_rows)
        inner = np.matmul(V.T, V, dtype=np.float64)  # a sum of as many terms as rows
        most = max(_ORTHONORMAL, 4 * float(np.finfo(V.dtype).eps))
        if count == 0 or np.abs(inner - np.eye(count)).max() > most:
            return False
        H = V.T @ W
        self.H[:count, :count] = (H + H.T) / 2
        self.size = count
        return True

    def _take_in(self, source: NDArray[Any], count: int) -> None:
        """Start over from the first columns of ``source``, which may be V or W themselves."""
        self.size = 0
        if count and sp.issparse(self.matrix) and self._take_in_block(source[:, :count].copy()):
            return
        for j in range(count):
            self.append(source[:, j].copy())

    def _take_in_block(self, X: NDArray[Any]) -> bool:
        """All columns at once, which saves calls where products are cheap; False where some nearly depend on
        others, which only one after the other can tell."""
        lengths = np.linalg.norm(X, axis=0)
        if self.null is not None:
            for x in X.T:
                self.null.project_out(x)
        X, R = np.linalg.qr(X)
        if not np.all(np.abs(R.diagonal()) > 0.5 * lengths):
            return False
        m = self.size = X.shape[1]
        self.V[:, :m], self.W[:, :m] = X, self.matrix @ X
        self.num_matvecs += m
        H = X.T @ self.W[:, :m]
        self.H[:m, :m] = (H + H.T) / 2
        return True

    def _orthonormalise(self, t: NDArray[Any]) -> bool:
        """Gram–Schmidt against the null vectors and the basis, repeated while it cancels digits."""
        V = self.V[:, : self.size]
        start = before = norm = norm_of(t)
        if not 0 < start < math.inf:
            return False
        for _ in range(4):
            if self.null is not None:
                self.null.project_out(t)
            if self.size:
                t -= np.dot(V, np.dot(V.T, t), out=self._work)
            norm = norm_of(t)
            if norm <= 100 * float(np.finfo(t.dtype).eps) * start:  # all that is left is rounding
                return False
            if norm > 0.5 * before:
                break
            before = norm
        t *= 1 / norm
        return True


def norm_of(t: NDArray[Any]) -> float:
    """The Euclidean norm without the detours of ``np.linalg.norm``."""
    return math.sqrt(np.dot(t, t))
