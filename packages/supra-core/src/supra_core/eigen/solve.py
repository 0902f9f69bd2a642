"""One function that runs any solver and measures its answer."""

import warnings
from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from threadpoolctl import ThreadpoolController

from supra_core import checks
from supra_core.eigen.result import Approximation, Array, EigenResult, residual_target
from supra_core.errors import InvalidArgumentError, TruncationWarning

DEFAULT_TOL = 1e-6


class Solver(Protocol):
    """A small immutable object that holds its settings; its ``repr`` names them."""

    @property
    def tol(self) -> float | None:
        """The residual norm asked for; ``None`` where the solver stops by steps alone."""

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs of ``matrix`` (float64, symmetric, 1 <= k <= n)."""


def eigenpairs(
    matrix: Any,
    k: int,
    solver: Solver | None = None,
    *,
    x0: ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
) -> EigenResult:
    """The ``k`` smallest eigenpairs of a symmetric matrix.

    Whatever the solver, the answer is ascending and orthonormal, and its residual norms are computed from
    the matrix. A solver that stops early says so in ``converged``; it does not raise.

    Args:
        matrix: symmetric, sparse or dense, shape (n, n).
        k: how many pairs; more than n gives n pairs and a :class:`TruncationWarning`.
        solver: ``Auto()`` where not given.
        x0: vectors to start from, shape (n,) or (n, any); solvers that cannot use them ignore them.
        rng: a generator or a seed; the same seed gives the same bits. Seed 0 where not given.

    Raises:
        InvalidArgumentError: k <= 0, or an ``x0`` that does not fit.
        InvalidGraphError: a matrix that is not square, symmetric and finite.

    Example:
        >>> result = eigenpairs([[1, -1, 0], [-1, 2, -1], [0, -1, 1]], k=2)
        >>> result.eigenvalues.round(6).tolist()
        [0.0, 1.0]
        >>> bool(result.converged.all())
        True
    """
    A = checks.check_symmetric("matrix", matrix).astype(np.float64, copy=False)
    k = checks.check_count("k", k)
    n = A.shape[0]
    if k > n:
        warnings.warn(
            f"k={k}: the matrix has only {n} eigenpairs; giving {n}", TruncationWarning, stacklevel=2
        )
        k = n
    if solver is None:
        from supra_core.eigen.auto import Auto

        solver = Auto()
    start = None if x0 is None else _check_start(x0, n)
    generator = np.random.default_rng(0 if rng is None else rng)
    if k == 0:
        return EigenResult.empty(repr(solver))
    return _measure(A, solver, solver.solve(A, k, start, generator))


def one_blas_thread() -> Any:
    """BLAS on one thread: on tall, skinny blocks several only get in each other's way."""
    return _threads().limit(limits=1, user_api="blas")


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def _check_start(x0: ArrayLike, n: int) -> Array:
    start = np.asarray(x0)
    if start.dtype.kind not in "biuf":
        raise InvalidArgumentError.of("x0.dtype", start.dtype, "real")
    start = start.astype(np.float64)
    if start.ndim == 1:
        start = start[:, None]
    if start.ndim != 2 or start.shape[0] != n:
        raise InvalidArgumentError.of("x0.shape", np.shape(x0), f"({n},) or ({n}, columns)")
    if not np.all(np.isfinite(start)):
        raise InvalidArgumentError("x0: must have finite entries only")
    return start


def _measure(A: sp.csr_array, solver: Solver, found: Approximation) -> EigenResult:
    order = np.argsort(found.eigenvalues, kind="stable")
    values, vectors = found.eigenvalues[order], np.ascontiguousarray(found.eigenvectors[:, order])
    matvecs = found.num_matvecs
    if found.products is None:
        products, matvecs = A @ vectors, matvecs + len(values)
    else:
        products = found.products[:, order]
    residual_norms = np.linalg.norm(products - vectors * values, axis=0)
    target = residual_target(A, solver.tol if solver.tol is not None else DEFAULT_TOL)
    return EigenResult(
        eigenvalues=values,
        eigenvectors=vectors,
        residual_norms=residual_norms,
        converged=residual_norms <= target,
        num_steps=found.num_steps,
        num_matvecs=matvecs,
        solver=found.solver or repr(solver),
        trajectory=found.trajectory,
    )
