"""Preconditioners: cheap stand-ins for (A − λI)⁻¹ that turn a residual into a correction."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.errors import InvalidArgumentError

Preconditioner = str | Callable[[NDArray[np.float64]], NDArray[np.float64]] | Any | None


def check_preconditioner(value: Preconditioner) -> None:
    """None, ``"jacobi"``, a callable, or anything that multiplies a vector with ``@``."""
    if isinstance(value, str):
        allowed = value == "jacobi"
    else:
        allowed = value is None or callable(value) or hasattr(value, "__matmul__")
    if not allowed:
        raise InvalidArgumentError.of("preconditioner", value, "None, 'jacobi' or an operator")


class Jacobi:
    """The diagonal preconditioner (D − λI)⁻¹ of Davidson's method, kept positive definite.

    D is measured from a lower bound of the spectrum, and the shift λ takes away at most 0.7 of it.

    Args:
        matrix: symmetric, shape (n, n).
        bound: a lower bound of its eigenvalues; Gershgorin's where not given.
    """

    def __init__(self, matrix: sp.csr_array, bound: float | None = None) -> None:
        diagonal = matrix.diagonal()
        if bound is None:
            radius = np.asarray(abs(matrix).sum(axis=1)).ravel() - np.abs(diagonal)
            bound = float(np.min(diagonal - radius, initial=np.inf))
        self.bound = bound
        diagonal -= bound
        largest = float(np.max(diagonal, initial=0.0)) or 1.0
        # A row that touches the bound would get all of the correction; a row of zeros needs none.
        diagonal[diagonal <= 64 * np.finfo(np.float64).eps * largest] = 1e-3 * largest
        self.scale = diagonal
        self.spread = largest / float(np.min(diagonal, initial=largest))
        self.shift = np.nan
        self.weights: NDArray[Any] = np.ones(0)

    def __call__(self, residual: NDArray[Any], value: float) -> NDArray[Any]:
        """Correct the residual of a Ritz value, in place."""
        shift = max(value - self.bound, 0.0)
        # Ritz values move little from step to step, so the weights are good for many of them.
        if not abs(shift - self.shift) <= 0.02 * shift or self.weights.dtype != residual.dtype:
            self.shift = shift
            weights = np.minimum(self.scale * 0.7, shift)
            np.subtract(self.scale, weights, out=weights)
            self.weights = np.reciprocal(weights, out=weights).astype(residual.dtype, copy=False)
        residual *= self.weights
        return residual


def apply(operator: Any, r: NDArray[np.float64]) -> NDArray[np.float64]:
    """``operator`` on one vector, shape (n,)."""
    t = operator @ r if hasattr(operator, "__matmul__") else operator(r)
    return np.asarray(t, dtype=np.float64).reshape(len(r))
