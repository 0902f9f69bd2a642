"""Davidson: converged eigenpairs for about what a few dozen steps of LOBPCG cost."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from supra_core.eigen.davidson.run import Run
from supra_core.eigen.davidson.settings import Settings
from supra_core.eigen.dense import Dense
from supra_core.eigen.nullspace import null_space
from supra_core.eigen.result import Approximation, Array
from supra_core.eigen.solver import one_blas_thread
from supra_core.errors import InvalidArgumentError

# Up to this multiple of the basis the full decomposition is the better choice.
_TIMES_BASIS = 4


@dataclass(frozen=True)
class Davidson(Settings):
    """Generalised Davidson with thick restarts that keep previous directions (GD+k), for sparse matrices.

    The null vectors of a Laplacian are known without iterating and are set aside. The bulk of the steps is
    done in single precision on rows sorted by length, the last digits in double. Pairs that have converged
    stay in the basis and keep improving (soft locking). The residuals of the answer are computed afresh.

    Args:
        tol: the residual norm ‖A x − λ x‖ to reach.
        preconditioner: ``"jacobi"`` (the diagonal), ``None``, or a callable or operator that turns a
            residual, shape (n,), into a correction. It sees double precision and the matrix's own order.
        basis_size: vectors in the search space, at least k + 3; ``None`` is max(18, k + 10).
        inner_steps: products spent on each correction, beside the one that every vector of the basis takes;
            ``None`` is 2, or 4 where the diagonal is nearly constant, as in a ``sym`` Laplacian.
        max_steps: the most products with the matrix.
        mixed_precision: whether to begin in single precision.
        spare: the most vectors to give back beside the answer, for the start of a similar problem; at most
            five are there.

    Raises:
        InvalidArgumentError: a parameter outside its range.

    Example:
        >>> from supra_core import eigenpairs, laplacian
        >>> from supra_core.generators import barabasi_albert
        >>> L = laplacian(barabasi_albert(1000, 1, seed=0).adjacency(0))
        >>> result = eigenpairs(L, k=4, solver=Davidson(tol=1e-6))
        >>> bool(result.converged.all())
        True
    """

    def takes_over_products(self, matrix: sp.csr_array, k: int) -> bool:
        """Whether a start is worth more with its products: the search space begins with both."""
        capacity = self.basis_size or max(18, k + 10)
        return matrix.shape[0] > _TIMES_BASIS * capacity and not self.begins_with_lanczos(matrix)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs, started from ``x0`` where given."""
        capacity = self.basis_size or max(18, k + 10)
        if capacity < k + 3:
            raise InvalidArgumentError.of("basis_size", capacity, f"at least k + 3 = {k + 3}")
        n = matrix.shape[0]
        if n <= _TIMES_BASIS * capacity or n < capacity + 3:  # no advantage over the whole space
            return Dense().solve(matrix, k, x0, rng)
        null = null_space(matrix)
        if null is not None and null.count >= k:
            return Approximation(np.zeros(k), null.first(k), verified="components")
        with one_blas_thread():
            run = Run(self, matrix, k, capacity, null, rng)
            del null  # at a million rows each vector counts; the run has its own
            return run.solve(matrix, x0)
