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
    is_operator = callable(value) or hasattr(value, "__matmul__")
    if not (value is None or value == "jacobi" or (is_operator and not isinstance(value, str))):
        raise InvalidArgumentError.of("preconditioner", value, "None, 'jacobi' or an operator")


def jacobi(matrix: sp.csr_array) -> NDArray[np.float64]:
    """The inverse of the diagonal, moved to be positive, shape (n,).

    The shift is Gershgorin's lower bound of the spectrum: zero for a Laplacian, where this is 1 / degree. It
    makes the preconditioner positive definite for any symmetric matrix.
    """
    diagonal = matrix.diagonal()
    radius = np.asarray(abs(matrix).sum(axis=1)).ravel() - np.abs(diagonal)
    gap = diagonal - np.min(diagonal - radius, initial=np.inf)
    largest = float(np.max(gap, initial=0.0))
    return 1.0 / np.maximum(gap, 64 * np.finfo(np.float64).eps * largest if largest > 0 else 1.0)


def apply(operator: Any, r: NDArray[np.float64]) -> NDArray[np.float64]:
    """``operator`` on one vector, shape (n,)."""
    t = operator @ r if hasattr(operator, "__matmul__") else operator(r)
    return np.asarray(t, dtype=np.float64).reshape(len(r))
