"""LAPACK on the dense matrix. Exact, cubic in n."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from supra_core.eigen.result import Approximation, Array
from supra_core.eigen.solver import one_blas_thread
from supra_core.eigen.symmetric import smallest


@dataclass(frozen=True)
class Dense:
    """The smallest pairs by LAPACK's symmetric solvers, which work on the whole matrix and skip none."""

    @property
    def tol(self) -> float:
        """Direct methods reach rounding; this is far above it."""
        return 1e-8

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs; ``x0`` and ``rng`` are not needed."""
        with one_blas_thread():  # so that the answer is the same, bit for bit, on any number of cores
            values, vectors = smallest(matrix.toarray(), k)
        return Approximation(values, vectors, verified="dense")
