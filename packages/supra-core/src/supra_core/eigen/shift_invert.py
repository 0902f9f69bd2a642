"""Shift-invert: ARPACK around a sparse factorisation, for graphs with small separators."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray

from supra_core import checks
from supra_core.eigen.dense import Dense
from supra_core.eigen.nullspace import EPS, NullSpace, null_space
from supra_core.eigen.result import Approximation, Array, margin, one_norm, residual_target
from supra_core.eigen.separators import estimated_cost, is_forest, levels
from supra_core.eigen.solver import one_blas_thread
from supra_core.eigen.symmetric import eigh
from supra_core.errors import SupraError

Solve = Callable[[Array], Array]

# Up to this size, or this multiple of k, the full decomposition is the better choice.
_SMALL, _TIMES_K = 60, 4
# Below this size a full factor is small whatever the graph.
_ALWAYS = 200


class FillError(SupraError):
    """The factors of a matrix would be too large."""


@dataclass(frozen=True)
class ShiftInvert:
    """Lanczos on (A − σI)⁻¹, which turns the smallest eigenvalues into the largest, far apart.

    Each step is a solve with the factors of A − σI. That takes a handful of steps where other methods need
    thousands, as on paths, trees, roads and grids, as long as the factors stay sparse; on graphs without
    small separators they do not, and this solver refuses before it begins.

    The signs of a factor's diagonal tell how many eigenvalues lie below σ (Sylvester's law of inertia). That
    places σ below the spectrum at the start, and at the end proves that no eigenvalue was skipped.

    Args:
        tol: the residual norm to reach.
        max_cost: the largest estimated cost of a factorisation, as a multiple of the matrix's entries.

    Raises:
        InvalidArgumentError: a parameter outside its range.
        FillError: from :meth:`solve`, where the estimate is above ``max_cost``.

    Example:
        >>> from supra_core import eigenpairs, laplacian
        >>> from supra_core.generators import path_layers
        >>> L = laplacian(path_layers(10_000, 1).adjacency(0))
        >>> [f"{value:.3e}" for value in eigenpairs(L, k=3, solver=ShiftInvert()).eigenvalues]
        ['0.000e+00', '9.870e-08', '3.948e-07']
    """

    tol: float = 1e-8
    max_cost: float = 10.0

    def __post_init__(self) -> None:
        checks.check_nonnegative("tol", self.tol, positive=True)
        checks.check_nonnegative("max_cost", self.max_cost, positive=True)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs."""
        n = matrix.shape[0]
        if n <= max(_TIMES_K * k, _SMALL) or n < k + 4:
            return Dense().solve(matrix, k, x0, rng)
        null = null_space(matrix)
        if null is not None and null.count >= k:
            return Approximation(np.zeros(k), null.first(k), verified="components")
        if n > _ALWAYS:
            cost = estimated_cost(matrix, self.max_cost)
            if cost > self.max_cost:
                raise FillError(
                    f"max_cost={self.max_cost:g}: must be above {cost:.3g}, the estimate for this matrix, "
                    "whose factors fill up; choose Davidson() or Auto()"
                )
        start = rng.standard_normal(n) if x0 is None else x0.sum(axis=1) + 1e-3 * rng.standard_normal(n)
        with one_blas_thread():
            return _Run(matrix, residual_target(matrix, self.tol), null).solve(k, start, rng)


class _Run:
    """One call of :meth:`ShiftInvert.solve`."""

    def __init__(self, matrix: sp.csr_array, target: float, null: NullSpace | None) -> None:
        self.target, self.null, self.num_matvecs, self.num_solves = target, null, 0, 0
        self.norm = one_norm(matrix) or 1.0
        self.matrix = matrix
        self.order: NDArray[np.int64] | None = None
        self.ordering: Literal["MMD_AT_PLUS_A", "NATURAL"] = "MMD_AT_PLUS_A"
        if is_forest(matrix):  # from the leaves inwards: no fill, and no search for an ordering
            self.order = np.argsort(-levels(matrix), kind="stable")
            self.matrix = sp.csr_array(matrix[self.order][:, self.order])
            self.ordering = "NATURAL"

    def solve(self, k: int, start: Array, rng: np.random.Generator) -> Approximation:
        """Pairs by ARPACK, and a count that proves them to be the smallest."""
        n = self.matrix.shape[0]
        if self.order is not None:
            start = start[self.order]
            self.null = None if self.null is None else self.null.reordered(self.order)
        known = self.null.first(self.null.count) if self.null is not None else np.zeros((n, 0))
        wanted = k - known.shape[1]
        invert = self._below_the_spectrum()
        values, X, products = self._ritz(self._dominant(invert, wanted, start, np.zeros((n, 0)), rng))
        skipped: int | None = 0
        for _ in range(wanted + 1):
            if np.linalg.norm(products - X * values, axis=0).max() > self.target:
                values, X, products = self._polished(values, X)
            skipped = self._count_skipped(values, X, products, known.shape[1])
            if not skipped:
                break
            extra = self._dominant(invert, min(skipped, wanted), rng.standard_normal(n), X, rng)
            values, X, products = self._ritz(np.column_stack([X, extra]))
            values, X, products = values[:wanted], X[:, :wanted], products[:, :wanted]
        values = np.concatenate([np.zeros(known.shape[1]), values])
        X, products = np.column_stack([known, X]), np.column_stack([self.matrix @ known, products])
        if self.order is not None:
            place = np.argsort(self.order)
            X, products = X[place], products[place]
        matvecs = self.num_matvecs + known.shape[1]
        proof = "inertia" if skipped == 0 else None  # without a proof, others may look
        return Approximation(values, X, self.num_solves, matvecs, products=products, verified=proof)

    def _dominant(
        self, invert: Solve, count: int, start: Array, deflated: Array, rng: np.random.Generator
    ) -> Array:
        """The largest eigenvectors of the inverse, orthogonal to the null vectors and to ``deflated``."""
        n = self.matrix.shape[0]

        def complement(x: Array) -> Array:
            x = x.copy()
            self._project_out(deflated, x)
            return x

        def product(x: Array) -> Array:
            self.num_solves += 1
            y = invert(complement(x.ravel()))
            self._project_out(deflated, y)
            return y

        operator = sla.LinearOperator((n, n), matvec=product, dtype=np.float64)
        basis = min(n, max(2 * count + 1, 20))
        found = np.zeros((n, 0))
        for v0 in (start, rng.standard_normal(n)):
            try:
                settings: Any = {"v0": complement(v0), "ncv": basis, "maxiter": 200}
                found = sla.eigsh(operator, count, which="LA", **settings)[1]
            except sla.ArpackNoConvergence as stopped:
                found = np.asarray(stopped.eigenvectors, dtype=np.float64).reshape(n, -1)
            except sla.ArpackError:  # an invariant space that is too small, from this start
                continue
            break
        X = np.column_stack([found, rng.standard_normal((n, count - found.shape[1]))])
        for _ in range(2):  # inverse iteration takes away what rounding has left of the upper spectrum
            for x in X.T:
                self._project_out(deflated, x)
            X = np.ascontiguousarray(invert(X))
            for x in X.T:
                self._project_out(deflated, x)
            self.num_solves += count
            X = np.linalg.qr(X)[0]
        return X

    def _project_out(self, deflated: Array, x: Array) -> None:
        """Make ``x`` orthogonal to the null vectors and to the columns of ``deflated``, in place."""
        if deflated.shape[1]:
            x -= deflated @ (deflated.T @ x)
        if self.null is not None:
            self.null.project_out(x)

    def _ritz(self, X: Array) -> tuple[Array, Array, Array]:
        """Ritz values, vectors and their products in the span of X."""
        X = np.linalg.qr(X)[0]
        products = self.matrix @ X
        self.num_matvecs += X.shape[1]
        H = X.T @ products
        values, C = eigh((H + H.T) / 2)
        return values, X @ C, products @ C

    def _polished(self, values: Array, X: Array) -> tuple[Array, Array, Array]:
        """Inverse iteration with a σ next to the values: helps where the first was far below all of them."""
        spread = max(float(values[-1] - values[0]), 1e-3 * abs(float(values[0])), self.target)
        invert = self._factor(float(values[0]) - 0.1 * spread).solve
        products = X
        for _ in range(60):
            X = np.ascontiguousarray(invert(X))
            self.num_solves += X.shape[1]
            if self.null is not None:
                for x in X.T:
                    self.null.project_out(x)
            values, X, products = self._ritz(X)
            if np.linalg.norm(products - X * values, axis=0).max() <= self.target:
                break
        return values, X, products

    def _count_skipped(self, values: Array, X: Array, products: Array, num_null: int) -> int | None:
        """Eigenvalues below the largest found that are not among those found; None where no proof is had."""
        last, residual = float(values[-1]), float(np.linalg.norm(products - X * values, axis=0).max())
        if not residual <= self.target:  # what lies within such a residual of the last value would not count
            return None
        delta = margin(self.matrix, last, self.target, residual, semidefinite=self.null is not None)
        threshold = last - delta
        if self.null is not None and threshold <= 0:
            return 0
        below, error = self._factor(threshold).count_below()
        if below is None or error > delta / 2:
            return None
        return max(below - num_null - int(np.count_nonzero(values < threshold)), 0)

    def _below_the_spectrum(self) -> Solve:
        """Factors of A − σI for a σ that no eigenvalue lies below."""
        # Just below zero, where a Laplacian's spectrum begins; else Gershgorin's bound.
        shift = 1e-10 * self.norm
        factors = self._factor(-shift)
        if self.null is None and factors.count_below()[0] != 0:
            diagonal = self.matrix.diagonal()
            radius = np.asarray(abs(self.matrix).sum(axis=1)).ravel() - np.abs(diagonal)
            factors = self._factor(float(np.min(diagonal - radius)) - 1e-6 * self.norm)
        return factors.solve

    def _shifted(self, sigma: float) -> sp.csc_array:
        """A − σI by columns, which are the rows of a symmetric matrix."""
        A, n = self.matrix, self.matrix.shape[0]
        on_diagonal = A.indices == np.repeat(np.arange(n, dtype=A.indices.dtype), np.diff(A.indptr))
        if not A.has_canonical_format or np.count_nonzero(on_diagonal) < n:
            return sp.csc_array(A - sigma * sp.eye_array(n))
        shifted = sp.csc_array((A.data - sigma * on_diagonal, A.indices, A.indptr), shape=A.shape)
        return shifted

    def _factor(self, sigma: float) -> "_Factors":
        """Factors of A − σI."""
        asked = sigma
        for _ in range(8):
            shifted = self._shifted(sigma)
            try:
                factors = sla.splu(
                    shifted,
                    permc_spec=self.ordering,
                    diag_pivot_thresh=0.0,
                    options={"SymmetricMode": True},
                )
            except RuntimeError:  # exactly singular: σ is an eigenvalue
                sigma -= 1e-9 * self.norm
                continue
            return _Factors(factors, abs(asked - sigma))
        raise FillError(f"A - ({sigma:g}) I could not be factorised")


@dataclass(frozen=True, eq=False)
class _Factors:
    """Factors of A − σI.

    Attributes:
        factors: SuperLU's.
        moved: how far σ had to be moved.
    """

    factors: Any
    moved: float

    def solve(self, x: Array) -> Array:
        """(A − σI)⁻¹ x, shape (n,) or (n, any)."""
        y: Array = self.factors.solve(x)
        return y

    def count_below(self) -> tuple[int | None, float]:
        """How many eigenvalues lie below σ (None where pivoting hides it), and how far that may be off: it is
        the count of a matrix that differs from A − σI by at most this norm."""
        if not np.array_equal(self.factors.perm_r, self.factors.perm_c):
            return None, np.inf
        U = self.factors.U
        return int(np.sum(U.diagonal() < 0)), _factor_error(self.factors.L, U) + self.moved


def _factor_error(L: sp.csc_array, U: sp.csc_array) -> float:
    """A bound of ‖A − L D Lᵀ‖, D the pivots: the rounding of an elimination without exchanges of rows.

    Each entry of L U differs from that of A by at most γ |L| |U|, γ = m eps / (1 − m eps) for sums of m
    terms; U is D Lᵀ up to errors of the same size. Row sums bound the norm of a symmetric matrix.
    """
    terms = int(np.diff(L.indptr).max(initial=0)) + int(np.diff(U.indptr).max(initial=0)) + 2
    gamma = terms * EPS / (1 - terms * EPS)
    sums = abs(L) @ (abs(U) @ np.ones(U.shape[1]))
    return 4 * gamma * float(np.max(sums, initial=0.0)) if np.all(np.isfinite(sums)) else np.inf
