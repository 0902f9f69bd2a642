"""Pick a solver by the size of the matrix."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from supra_core import checks
from supra_core.eigen.dense import Dense
from supra_core.eigen.lanczos import Lanczos
from supra_core.eigen.result import Approximation, Array


@dataclass(frozen=True)
class Auto:
    """The full decomposition for small matrices, Lanczos for others."""

    tol: float = 1e-6

    def __post_init__(self) -> None:
        checks.check_nonnegative("tol", self.tol, positive=True)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs."""
        solver = Dense() if matrix.shape[0] <= 500 else Lanczos(self.tol)
        return solver.solve(matrix, k, x0, rng)
