"""Is an eigenvalue below σ missing? Conjugate gradients from a random vector find it, or rule it out.

Let X be orthonormal vectors, B the matrix restricted to what is orthogonal to them, and M a positive
diagonal. Conjugate gradients for (B − σ) z = w, preconditioned by M, are ordinary ones for
C = N^-½ (B − σ) N^-½, where N is M restricted in the same way. C has as many negative eigenvalues as B − σ
(Sylvester).

*Statement.* Suppose j steps meet only directions of positive curvature. Then the residual is q(C) ŵ for a
polynomial q with q(0) = 1 whose roots are all positive, so |q| >= 1 on the negative axis. If C had an
eigenvector u with a negative eigenvalue, the residual would keep at least the part of ŵ along u:
‖residual‖ >= |⟨ŵ, u⟩|. So once the residual is smaller than that, there is no such u.

ŵ is drawn uniformly on the sphere of dimension d = n − k, where |⟨ŵ, u⟩| < η ‖ŵ‖ has a probability below
η √(2d/π). The steps therefore go on until the residual has dropped to η = p √(π/2d) of its start, and p
bounds the probability that an eigenvalue below σ exists and was not seen. It is far smaller for an eigenvalue
well below σ, where |q| is large. A direction of negative curvature, on the other hand, has a Rayleigh
quotient below σ: that is the way to what was skipped.

*Guards.* Vectors G near the next eigenvectors may be at hand, orthogonal to X, with E = Gᵀ (B − σ) G positive
definite. Then the search need not go down to them: B − σ is positive definite exactly where its Schur
complement S = (B − σ) − (B − σ) G E⁻¹ Gᵀ (B − σ) is so among directions orthogonal to X and G (Sylvester
again). All of the above holds for S in place of B − σ, and its smallest eigenvalues are larger. Poor guards
help less, but the statement does not depend on how good they are.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs

from supra_core.eigen.precondition import Jacobi
from supra_core.eigen.result import Array, row_sums
from supra_core.eigen.sorted_rows import (
    SplitRows,
    as_it_is,
    is_small,
    longest_first,
    single_is_safe,
    without_diagonal,
)
from supra_core.eigen.symmetric import eigh

# The probability that an eigenvalue exists below the bound and is not seen.
MISS_PROBABILITY = 1e-3
# Products after which single, and then double precision gives up.
_MAX_SINGLE, _MAX_DOUBLE = 2_000, 20_000
# Steps after which the residual is made orthogonal to X again.
_EVERY = 8
# Guards that have more than this along X are no guards.
_NOT_BESIDE = 1e-10


class Found(NamedTuple):
    """What a look below σ has shown.

    Attributes:
        clear: nothing is there, up to :data:`MISS_PROBABILITY`.
        skipped: a unit vector orthogonal to X whose Rayleigh quotient is below σ, shape (n,), or None.
        num_matvecs: products spent.
    """

    clear: bool
    skipped: Array | None
    num_matvecs: int


def look_below(
    matrix: sp.csr_array,
    X: Array,
    sigma: float,
    margin: float,
    rng: np.random.Generator,
    *,
    guards: Array | None = None,
    lower: float | None = None,
    probability: float = MISS_PROBABILITY,
) -> Found:
    """Search for an eigenvalue below ``sigma`` among directions orthogonal to X.

    Args:
        matrix: symmetric, shape (n, n).
        X: orthonormal columns, shape (n, k).
        sigma: the bound σ.
        margin: how far σ lies below what matters; says whether single precision is accurate enough.
        rng: for the random vector, which must not know what the guards are.
        guards: vectors near the eigenvectors that come next, shape (n, any), as good as they happen to be.
        lower: a lower bound of all eigenvalues, where one is known.
        probability: that an eigenvalue below σ is not seen.

    Example:
        >>> A, X = sp.csr_array(np.diag([1.0, 2.0, 3.0, 4.0])), np.eye(4)[:, [0, 2]]
        >>> y = look_below(A, X, 2.9, 0.1, np.random.default_rng(0)).skipped
        >>> bool(y @ (A @ y) < 2.9)
        True
        >>> look_below(A, X, 1.9, 0.1, np.random.default_rng(0)).clear
        True
    """
    n, k = X.shape
    if n == k:
        return Found(True, None, 0)
    small = is_small(matrix)
    order, A = as_it_is(matrix) if small else longest_first(matrix)
    X = np.asfortranarray(X[order])
    G = _Guards.none(n) if guards is None else _Guards.beside(X, guards[order], A, sigma, margin)
    if G.skipped is not None:
        return Found(False, _in_order(G.skipped, order), G.num_matvecs)
    if k + len(G.values) == n:
        return Found(True, None, G.num_matvecs)
    jacobi = Jacobi(A, lower)
    M = jacobi.scale - np.minimum(0.7 * jacobi.scale, max(sigma - jacobi.bound, 0.0))
    enough = probability * math.sqrt(math.pi / (2 * (n - k)))
    matvecs = G.num_matvecs
    rest, level = without_diagonal(A)
    for single in (False,) if small else (True, False):
        if single and not _single_is_enough(A, row_sums(matrix)[order], X, margin, jacobi.spread):
            continue
        dtype = np.float32 if single else np.float64
        run = _Run(rest if small else SplitRows(rest, dtype), X, G, M, sigma - level, dtype)
        # Of covariance M, so that N^-½ times its part orthogonal to X has no preferred direction.
        w = np.sqrt(M) * rng.standard_normal(n)
        curve = run.until(w, enough, _MAX_SINGLE if single else _MAX_DOUBLE)
        matvecs += run.num_matvecs
        if run.clear:
            return Found(True, None, matvecs)
        if curve is not None:
            y = _beside(X, G, curve)
            matvecs += 1
            if float(y @ (A @ y)) < sigma:
                return Found(False, _in_order(y, order), matvecs)
    return Found(False, None, matvecs)


def _beside(X: Array, G: "_Guards", curve: NDArray[Any]) -> Array:
    """A direction of the search as a unit vector orthogonal to X, computed afresh in double precision: no
    rounding is to be taken for an eigenvector."""
    y = curve.astype(np.float64)
    y -= G.vectors @ ((G.products.T @ y) / G.values)
    for _ in range(2):
        y -= X @ (X.T @ y)
    return y / np.linalg.norm(y)


def _in_order(y: Array, order: NDArray[np.integer[Any]]) -> Array:
    """A vector of the sorted matrix as one of the matrix itself."""
    given = np.empty(len(y))
    given[order] = y
    return given


class _Guards(NamedTuple):
    """Directions that the search is spared, since they are known not to lead below σ by themselves.

    Attributes:
        vectors: G, orthonormal and orthogonal to X, shape (n, s).
        products: P (A − σ) G, P the projection away from X, shape (n, s).
        values: the diagonal of Gᵀ (A − σ) G, which has no other entries; positive, shape (s,).
        skipped: a unit vector within the guards whose Rayleigh quotient is below σ, or None.
        num_matvecs: products spent.
    """

    vectors: Array
    products: Array
    values: Array
    skipped: Array | None
    num_matvecs: int

    @classmethod
    def none(cls, n: int) -> "_Guards":
        """No guards at all."""
        return cls(np.zeros((n, 0)), np.zeros((n, 0)), np.zeros(0), None, 0)

    @classmethod
    def beside(cls, X: Array, given: Array, A: sp.csr_array, sigma: float, margin: float) -> "_Guards":
        """Those of the given vectors that are of use, turned so that the small matrix is diagonal."""
        G = given
        for _ in range(2):
            G = np.linalg.qr(G - X @ (X.T @ G))[0]
        if np.abs(X.T @ G).max(initial=0.0) > _NOT_BESIDE:
            return cls.none(len(X))
        products = A @ G - sigma * G
        products -= X @ (X.T @ products)
        inner = G.T @ products
        values, turn = eigh((inner + inner.T) / 2)
        G, products, spent = G @ turn, products @ turn, given.shape[1]
        if values.min(initial=0.0) < 0:
            return cls(G, products, values, G[:, 0], spent)
        # One would have to divide by a small value; what it belongs to is left to the search.
        keep = values > margin / 2
        return cls(G[:, keep], products[:, keep], values[keep], None, spent)


def _single_is_enough(A: sp.csr_array, sums: Array, X: Array, margin: float, spread: float) -> bool:
    """Whether what single precision gets wrong of the matrix is small beside the margin.

    What a vector x sees of it is xᵀ|E|x: the rounding of the entries, and that of the products, of the size
    of eps|A|. The vectors found stand for those that were not.
    """
    if X.shape[1] == 0 or not single_is_safe(float(sums.max()), spread):
        return False
    lost = sp.csr_array((A.data - A.data.astype(np.float32), A.indices, A.indptr), shape=A.shape)
    error = row_sums(lost) + float(np.finfo(np.float32).eps) / 2 * sums
    return float(np.max(error @ X**2)) <= margin


class _Run:
    """Conjugate gradients for P S P z = w in one precision, P the projection away from X and the guards.

    S is A − σ less what the guards account for. The preconditioner is z = M⁻¹ r − W (Yᵀ r) with Y = M⁻¹ X and
    W = Y (Xᵀ Y)⁻¹, guards among X: the inverse of P M P among vectors orthogonal to X. What r has along X has
    no effect on it, so one projection a step is enough.
    """

    def __init__(self, A: Any, X: Array, G: _Guards, M: Array, sigma: float, dtype: Any) -> None:
        self.A, self.sigma, self.num_matvecs, self.clear = A, sigma, 0, False
        self.X = np.asfortranarray(np.column_stack([X, G.vectors]), dtype=dtype)
        self.weights = (1 / M).astype(dtype)
        # C Cᵀ is what the guards account for.
        self.C = np.asfortranarray(G.products / np.sqrt(G.values), dtype=dtype)
        self.Y = np.multiply(self.X, self.weights[:, None], order="F")
        inner = self.X.T @ self.Y
        self.W = np.asfortranarray(self.Y @ np.linalg.inv((inner + inner.T) / 2))
        self.axpy, self.gemv = get_blas_funcs(("axpy", "gemv"), dtype=dtype)

    def until(self, w: Array, enough: float, max_products: int) -> NDArray[Any] | None:
        """Go on until the residual is ``enough`` of its start (``clear``), or give a direction of negative
        curvature; None with ``clear`` unset where the products ran out."""
        residual = w.astype(self.weights.dtype)
        self._subtract(self.X, self.X, residual, residual)
        z = self._precondition(residual)
        start = energy = float(np.dot(residual, z))
        p = z.copy()
        while energy > enough**2 * start:
            if self.num_matvecs >= max_products or not math.isfinite(energy):
                return None
            q = np.asarray(self.A @ p)
            self.num_matvecs += 1
            self.axpy(p, q, a=-self.sigma)
            self._subtract(self.C, self.C, p, q)
            curvature = float(np.dot(p, q))
            if not curvature > 0:
                return p if math.isfinite(curvature) else None
            self.axpy(q, residual, a=-energy / curvature)
            if self.num_matvecs % _EVERY == 0:  # rounding along X must not grow
                self._subtract(self.X, self.X, residual, residual)
            z = self._precondition(residual)
            before, energy = energy, float(np.dot(residual, z))
            p *= energy / before
            p += z
        self.clear = True
        return None

    def _precondition(self, residual: NDArray[Any]) -> NDArray[Any]:
        z: NDArray[Any] = self.weights * residual
        self._subtract(self.W, self.Y, residual, z)
        return z

    def _subtract(self, out: NDArray[Any], along: NDArray[Any], r: NDArray[Any], t: NDArray[Any]) -> None:
        """t −= out (alongᵀ r), in place."""
        if out.shape[1]:
            self.gemv(-1.0, out, np.dot(along.T, r), beta=1.0, y=t, overwrite_y=True)
