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

    D is measured from Gershgorin's lower bound of the spectrum (zero for a Laplacian), and the shift λ takes
    away at most 0.7 of it.

    Args:
        matrix: symmetric, shape (n, n).
        dtype: the precision it works in.
    """

    def __init__(self, matrix: sp.csr_array, dtype: Any = np.float64) -> None:
        diagonal = matrix.diagonal()
        radius = np.asarray(abs(matrix).sum(axis=1)).ravel() - np.abs(diagonal)
        self.bound = float(np.min(diagonal - radius, initial=np.inf))
        scale = diagonal - self.bound
        largest = float(np.max(scale, initial=0.0))
        least = 64 * np.finfo(np.float64).eps * largest if largest > 0 else 1.0
        self.scale = np.maximum(scale, least, out=scale)
        self.dtype = np.dtype(dtype)
        self.shift = np.nan
        self.weights = np.ones(0, dtype=dtype)

    def __call__(self, residual: NDArray[Any], value: float) -> NDArray[Any]:
        """Correct the residual of a Ritz value, in place."""
        shift = max(value - self.bound, 0.0)
        # Ritz values move little from step to step, so the weights are good for many of them.
        if not abs(shift - self.shift) <= 0.02 * shift:
            self.shift = shift
            weights = np.minimum(self.scale * 0.7, shift)
            np.subtract(self.scale, weights, out=weights)
            self.weights = np.reciprocal(weights, out=weights).astype(self.dtype, copy=False)
        residual *= self.weights
        return residual


def apply(operator: Any, r: NDArray[np.float64]) -> NDArray[np.float64]:
    """``operator`` on one vector, shape (n,)."""
    t = operator @ r if hasattr(operator, "__matmul__") else operator(r)
    return np.asarray(t, dtype=np.float64).reshape(len(r))
