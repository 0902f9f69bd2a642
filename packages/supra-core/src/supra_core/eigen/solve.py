"""One function that runs any solver, measures its answer and makes sure that nothing is missing from it."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from supra_core import checks
from supra_core.eigen.auto import Auto
from supra_core.eigen.known_products import hand_on_products
from supra_core.eigen.nullspace import known_null_vector, with_null_vector
from supra_core.eigen.result import Array, EigenResult
from supra_core.eigen.solver import Solver
from supra_core.eigen.verified import Answer, solve_verified
from supra_core.eigen.verify import MISS_PROBABILITY
from supra_core.errors import InvalidArgumentError, TruncationWarning


def eigenpairs(
    matrix: Any,
    k: int,
    solver: Solver | None = None,
    *,
    x0: ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
) -> EigenResult:
    """The ``k`` smallest eigenpairs of a symmetric matrix.

    Whatever the solver, the answer is ascending and orthonormal, its residual norms are computed from the
    matrix, and it is checked that no smaller eigenvalue is missing: see :attr:`EigenResult.verified`. A
    solver that stops early says so in ``converged``; it does not raise.

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
        >>> bool(result.converged.all()), result.verified
        (True, 'dense')
    """
    A = checks.check_symmetric("matrix", matrix)
    k, n = checks.check_count("k", k), A.shape[0]
    if k > n:
        warnings.warn(
            f"k={k}: the matrix has only {n} eigenpairs; giving {n}", TruncationWarning, stacklevel=2
        )
        k = n
    start = None if x0 is None else _check_start(x0, n)
    return pairs_of_checked(with_null_vector(A, known_null_vector(matrix)), k, solver, x0=start, rng=rng)


def pairs_of_checked(
    matrix: sp.csr_array,
    k: int,
    solver: Solver | None,
    *,
    x0: Array | None = None,
    rng: np.random.Generator | int | None = None,
) -> EigenResult:
    """The same for a matrix that is known to be symmetric, which nobody else changes, and k <= n."""
    A = _with_narrow_indices(matrix).astype(np.float64, copy=False)
    A = hand_on_products(matrix, with_null_vector(A, known_null_vector(matrix)))
    solver = Auto() if solver is None else solver
    if k == 0:
        return EigenResult.empty(repr(solver))
    generator = np.random.default_rng(0 if rng is None else rng)
    return _result(solve_verified(solver, A, k, x0, generator), repr(solver))


def _with_narrow_indices(matrix: sp.csr_array) -> sp.csr_array:
    """The same matrix with indices of 32 bits where they fit: half as much to read in products."""
    if matrix.indices.dtype.itemsize <= 4 or max(matrix.nnz, *matrix.shape) >= 2**31:
        return matrix
    indices, indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, indptr), shape=matrix.shape)


def _result(answer: Answer, solver: str) -> EigenResult:
    found = answer.found
    return EigenResult(
        eigenvalues=found.eigenvalues,
        eigenvectors=found.eigenvectors,
        residual_norms=answer.residual_norms,
        converged=answer.converged,
        num_steps=found.num_steps,
        num_matvecs=found.num_matvecs,
        solver=found.solver or solver,
        trajectory=found.trajectory,
        verified=found.verified or "",
        miss_probability={"": 1.0, "random": MISS_PROBABILITY}.get(found.verified or "", 0.0),
        spare=found.spare,
    )


def _check_start(x0: ArrayLike, n: int) -> Array:
    start = checks.check_array("x0", x0)
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
