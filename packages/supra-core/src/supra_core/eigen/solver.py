"""What a solver is: a small immutable object with one method."""

from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from supra_core.eigen.result import Approximation, Array


class Solver(Protocol):
    """A small immutable object that holds its settings; its ``repr`` names them."""

    @property
    def tol(self) -> float | None:
        """The residual norm asked for; ``None`` where the solver stops by steps alone."""

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs of ``matrix`` (float64, symmetric, 1 <= k <= n)."""


def one_blas_thread() -> Any:
    """BLAS on one thread: several get in each other's way on tall, skinny blocks, and round differently."""
    return _threads().limit(limits=1, user_api="blas")


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()
