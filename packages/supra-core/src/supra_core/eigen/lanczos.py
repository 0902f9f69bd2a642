"""Lanczos: ARPACK's implicitly restarted method, run until it converges. The paper's exact variant (E)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from supra_core import checks
from supra_core.eigen.dense import Dense
from supra_core.eigen.lobpcg import lobpcg
from supra_core.eigen.result import Approximation, Array, one_norm, residual_target
from supra_core.eigen.solver import one_blas_thread
from supra_core.eigen.symmetric import eigh

# Up to this size, or this multiple of k, the full decomposition is the better choice.
_SMALL, _TIMES_K = 40, 4
# Where ARPACK has given up with bases of this many vectors, a still larger one does not help.
_LARGEST_BASIS = 320


@dataclass(frozen=True)
class Lanczos:
    """ARPACK on ‖A‖·I − A, restarted with a larger basis where it does not converge.

    The smallest eigenvalues of A are the largest of ‖A‖·I − A, in the same Krylov space. ARPACK's tolerance
    is relative to the eigenvalue, so here it is relative to ‖A‖; asked for eigenvalues near zero directly,
    it would work on until rounding. A last run with the found vectors set aside looks for copies of multiple
    eigenvalues, which a Krylov space of one starting vector may miss.

    Args:
        tol: the residual norm to reach.
        max_steps: the most restarts in all; ``None`` goes on, with larger bases, until it converges.
    """

    tol: float = 1e-8
    max_steps: int | None = None

    def __post_init__(self) -> None:
        checks.check_nonnegative("tol", self.tol, positive=True)
        if self.max_steps is not None:
            checks.check_count("max_steps", self.max_steps)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs."""
        n = matrix.shape[0]
        if n <= max(_TIMES_K * k, _SMALL) or n < k + 4:  # too small for a Krylov basis with room in it
            return Dense().solve(matrix, k, x0, rng)
        run = _Run(matrix, residual_target(matrix, self.tol), self.max_steps, rng)
        start = rng.standard_normal(n) if x0 is None else x0.sum(axis=1) + 1e-3 * rng.standard_normal(n)
        with one_blas_thread():
            X = run.smallest(k, start, np.zeros((n, 0)))
            # Copies of multiple eigenvalues: below the largest found, and orthogonal to all of it.
            for _ in range(k):
                if X.shape[1] < k:
                    break
                values = run.rayleigh_ritz(X)[0]
                extra = run.smallest(1, rng.standard_normal(n), X)
                if extra.shape[1] == 0 or run.rayleigh_ritz(extra)[0][0] >= values[-1] - run.target:
                    break
                X = run.rayleigh_ritz(np.column_stack([X, extra]))[1][:, :k]
            if X.shape[1] < k:  # cut short: what ARPACK does not give back is approximated
                X = np.column_stack([X, rng.standard_normal((n, k - X.shape[1]))])
                finished = lobpcg(matrix, X, 20)
                finished.num_matvecs += run.num_matvecs
                finished.num_steps += run.num_steps
                return finished
            values, X, AX = run.rayleigh_ritz(X)
        return Approximation(values, X, run.num_steps, run.num_matvecs, products=AX)


class _Run:
    """ARPACK runs on one matrix, with counts of all they did."""

    def __init__(
        self, matrix: sp.csr_array, target: float, max_steps: int | None, rng: np.random.Generator
    ) -> None:
        self.matrix, self.target, self.max_steps, self.rng = matrix, target, max_steps, rng
        self.norm = one_norm(matrix) or 1.0
        self.num_matvecs = self.num_steps = 0

    def smallest(self, k: int, start: Array, deflated: Array) -> Array:
        """The k smallest eigenvectors orthogonal to ``deflated``; fewer where the steps ran out."""
        n = self.matrix.shape[0]
        basis = min(n - 1, max(2 * k + 1, 20))
        found = np.zeros((n, 0))
        while True:
            limit = 10 * n if basis >= min(n - 1, _LARGEST_BASIS) else max(300, n // basis)
            if self.max_steps is not None:
                limit = min(limit, self.max_steps - self.num_steps)
            if limit <= 0:
                return found
            before = self.num_matvecs
            try:
                _, found = sla.eigsh(
                    self._complement(deflated), k, which="LA", v0=start, ncv=basis, maxiter=limit,
                    tol=0.5 * self.target / self.norm,
                )  # fmt: skip
            except sla.ArpackNoConvergence as stopped:
                found = np.asarray(stopped.eigenvectors, dtype=np.float64)
            except sla.ArpackError:  # the start spans too small a space; another one has more in it
                start = self.rng.standard_normal(n)
            self.num_steps += max(1, (self.num_matvecs - before) // (basis - k))
            if found.shape[1] == k or basis >= min(n - 1, _LARGEST_BASIS):
                return np.linalg.qr(found)[0]
            basis = min(n - 1, 2 * basis, _LARGEST_BASIS)
            if found.shape[1]:
                start = found.sum(axis=1) + 1e-3 * start / np.linalg.norm(start)

    def rayleigh_ritz(self, X: Array) -> tuple[Array, Array, Array]:
        """Ritz values, vectors and their products, ascending, within the span of X."""
        X = np.linalg.qr(X)[0]
        AX = self.matrix @ X
        self.num_matvecs += X.shape[1]
        values, C = eigh(X.T @ AX)
        return values, X @ C, AX @ C

    def _complement(self, deflated: Array) -> sla.LinearOperator:
        """x ↦ (‖A‖·I − A) x, with the deflated directions moved to −‖A‖, the far end of the spectrum."""

        def product(x: Any) -> Any:
            self.num_matvecs += 1
            y = self.norm * x - self.matrix @ x
            if deflated.shape[1]:
                y -= deflated @ (2.0 * self.norm * (deflated.T @ x))
            return y

        return sla.LinearOperator(self.matrix.shape, matvec=product, dtype=np.float64)
