"""What every solver answers with, and when an answer counts as converged."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.remembered import remembered

Array = NDArray[np.float64]

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
# Eigenvalues that are known not to be zero are asked for to this part of themselves.
_RELATIVE = 0.02


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The Ritz pairs after each step of an iterative solver.

    Attributes:
        eigenvalues: shape (num_steps, k).
        eigenvectors: shape (num_steps, n, k).
    """

    eigenvalues: Array
    eigenvectors: Array

    def __len__(self) -> int:
        return len(self.eigenvalues)


@dataclass(frozen=True, eq=False)
class Spare:
    """The vectors of a solver's search space that come next to the answer; they have not converged.

    Attributes:
        values: their Rayleigh quotients, ascending, shape (s,).
        vectors: orthonormal columns, shape (n, s).
    """

    values: Array
    vectors: Array


@dataclass(frozen=True, eq=False)
class EigenResult:
    """The k smallest eigenpairs of a symmetric matrix, ascending, and how good they are.

    Attributes:
        eigenvalues: shape (k,).
        eigenvectors: orthonormal columns, shape (n, k).
        residual_norms: ‖A x − λ x‖ of each pair, computed from the matrix itself, shape (k,).
        converged: which pairs are as accurate as the solver was asked for, and verified, shape (k,).
        num_steps: iterations of the solver's outer loop (0 for a direct one).
        num_matvecs: products of the matrix with one vector, all told.
        solver: the solver that gave the answer, as its ``repr``.
        trajectory: the pairs after each step, where the solver was asked to keep them.
        verified: how it is known that no smaller eigenvalue was skipped: ``"dense"`` (LAPACK saw it all),
            ``"inertia"`` (a factorisation counted them), ``"components"`` (all are zeros of a Laplacian),
            ``"random"`` (a search from a random vector found none), or ``""`` where it is not known.
        miss_probability: an upper bound of the probability that one was skipped all the same: 0 for proofs,
            1 where nothing is known.
        spare: what a similar problem may start from beside the eigenvectors, where the solver was asked.
    """

    eigenvalues: Array
    eigenvectors: Array
    residual_norms: Array
    converged: NDArray[np.bool_]
    num_steps: int
    num_matvecs: int
    solver: str
    trajectory: Trajectory | None = None
    verified: str = ""
    miss_probability: float = 1.0
    spare: Spare | None = None

    @classmethod
    def empty(cls, solver: str) -> "EigenResult":
        """The answer for a matrix without rows."""
        none = np.zeros(0)
        return cls(none, np.zeros((0, 0)), none, np.zeros(0, dtype=bool), 0, 0, solver, None, "dense", 0.0)

    @property
    def k(self) -> int:
        """The number of pairs."""
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        worst = float(self.residual_norms.max(initial=0.0))
        return (
            f"EigenResult({int(self.converged.sum())} of {self.k} pairs converged, "
            f"verified={self.verified!r}, "
            f"n={len(self.eigenvectors)}, largest residual {worst:.2g}, {self.num_steps} steps, "
            f"{self.num_matvecs} matvecs, {self.solver})"
        )


@dataclass(eq=False)
class Approximation:
    """What a solver hands back: :func:`supra_core.eigenpairs` sorts, checks and measures it.

    ``products`` is A @ eigenvectors where the solver has it freshly computed, else None. ``verified`` says
    how the solver itself knows that it has skipped no pair, as in :class:`EigenResult`; ``""`` that it tried
    to find out and could not; None that it did not try. ``residual_norms`` are set once they are measured.
    """

    eigenvalues: Array
    eigenvectors: Array
    num_steps: int = 0
    num_matvecs: int = 0
    trajectory: Trajectory | None = None
    products: Array | None = None
    solver: str | None = None
    verified: str | None = None
    residual_norms: Array | None = None
    spare: Spare | None = None


def residual_target(matrix: sp.csr_array, tol: float) -> float:
    """The residual norm at which a pair counts as converged.

    ``tol`` itself for matrices of ordinary size; smaller in proportion for matrices whose typical row (half
    its absolute sum: the degree, for a Laplacian) is below one, so that scaling all weights down does not
    loosen the answer. Never below what double precision can reach for a matrix of this norm.
    """
    if matrix.shape[0] == 0:
        return tol
    sums = row_sums(matrix)
    typical = 0.5 * float(np.mean(sums))
    scale = min(1.0, typical) if typical > 0 else 1.0
    return max(tol * scale, _ROUNDING * float(np.max(sums)))


def value_tolerance(value: float, target: float, semidefinite: bool) -> float:
    """The residual norm that a pair of this eigenvalue is wanted to have.

    An eigenvalue is wrong by ρ²/gap. Where the matrix is a Laplacian, whose zeros are known, the others are
    not zero, and even those far below the target are wanted to some digits: ρ is also tied to the value.
    """
    if not semidefinite:
        return target
    return min(target, max(_RELATIVE * abs(value), 1e-4 * target))


def margin(
    matrix: sp.csr_array, value: float, target: float, residual: float, *, semidefinite: bool
) -> float:
    """How far below the largest value found an eigenvalue counts as skipped.

    As far as the value is promised to be right; never less than the residuals, or rounding, can tell.
    """
    return max(value_tolerance(value, target, semidefinite), 2 * residual, 4 * rounding_floor(matrix))


def rounding_floor(matrix: sp.csr_array) -> float:
    """The residual norm that rounding alone may leave: a small multiple of eps·‖A‖₁."""
    return _ROUNDING * one_norm(matrix)


def one_norm(matrix: sp.csr_array) -> float:
    """The largest absolute row sum, an upper bound of the largest |eigenvalue|."""
    return float(row_sums(matrix).max(initial=0.0))


@remembered
def row_sums(matrix: sp.csr_array) -> Array:
    """Sums of absolute values by row, shape (n,)."""
    absolute = sp.csr_array((np.abs(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    return np.asarray(absolute @ np.ones(matrix.shape[1]))
