"""Pick a solver by the size and the shape of the matrix, and another where it does not converge."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from supra_core import checks
from supra_core.eigen.davidson import Davidson
from supra_core.eigen.dense import Dense
from supra_core.eigen.lanczos import Lanczos
from supra_core.eigen.result import Approximation, Array, residual_target
from supra_core.eigen.shift_invert import FillError, ShiftInvert
from supra_core.eigen.solver import Solver
from supra_core.eigen.verified import solve_verified

# Up to this size the full decomposition may be the last resort.
_LAST_RESORT = 6000


@dataclass(frozen=True)
class Auto:
    """The full decomposition for small matrices, shift-invert for thin graphs, Davidson for all others.

    Where the chosen solver does not converge, or its answer cannot be verified, the next is tried, and the
    best answer is given. The answer names the solver that gave it.

    Args:
        tol: the residual norm to reach.
        spare: as for :class:`Davidson`; the other solvers have none.

    Example:
        >>> from supra_core import eigenpairs, laplacian
        >>> from supra_core.generators import cycle_layers
        >>> eigenpairs(laplacian(cycle_layers(5000, 1).adjacency(0)), k=3).solver
        'Auto(tol=1e-06) -> ShiftInvert(tol=1e-06, max_cost=10.0)'
    """

    tol: float = 1e-6
    spare: int = field(default=0, repr=False)  # says nothing about the answer

    def __post_init__(self) -> None:
        checks.check_nonnegative("tol", self.tol, positive=True)
        checks.check_count("spare", self.spare, minimum=0)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs."""
        target = residual_target(matrix, self.tol)
        best, best_rank, matvecs, steps = None, (True, np.inf), 0, 0
        for solver in self._candidates(matrix, k):
            try:
                found, residuals, _ = solve_verified(solver, matrix, k, x0, rng)
            except FillError:
                continue
            matvecs, steps = matvecs + found.num_matvecs, steps + found.num_steps
            worst = float(residuals.max())
            rank = (not (found.verified and worst <= target), worst)
            if best is None or rank < best_rank:
                best, best_rank = found, rank
                best.solver = f"{self!r} -> {solver!r}"
            if not best_rank[0]:
                break
        if best is None:
            raise AssertionError("the last candidate always answers")
        best.num_matvecs, best.num_steps = matvecs, steps
        return best

    def takes_over_products(self, matrix: sp.csr_array, k: int) -> bool:
        """As for :class:`Davidson`, where that is what solves."""
        if _is_small(matrix.shape[0], k):
            return False
        return Davidson(self.tol).takes_over_products(matrix, k)

    def _candidates(self, matrix: sp.csr_array, k: int) -> Iterator[Solver]:
        """Solvers in the order in which they are tried."""
        n = matrix.shape[0]
        if _is_small(n, k):
            yield Dense()
            return
        yield ShiftInvert(self.tol)
        yield Davidson(self.tol, spare=self.spare)
        yield ShiftInvert(self.tol, max_cost=1e4)
        if n <= _LAST_RESORT:
            yield Dense()
        yield Lanczos(self.tol)


def _is_small(n: int, k: int) -> bool:
    """Whether the full decomposition is the fastest, as measured on graphs of few and of many neighbours."""
    return n <= max(300 + 5 * k, 8 * k)
