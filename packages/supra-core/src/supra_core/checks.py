"""The checks at the door: everything a caller hands over passes through here once."""

import math
import numbers
from collections.abc import Collection
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from supra_core.errors import InvalidArgumentError, InvalidGraphError


def check_count(name: str, value: Any, minimum: int = 1) -> int:
    """An integer that is at least ``minimum``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or value < minimum:
        raise InvalidArgumentError.of(name, value, f"an integer >= {minimum}")
    return int(value)


def check_index(name: str, value: Any, size: int) -> int:
    """An integer in ``0 .. size - 1``; negative indices are refused, since time has a direction."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InvalidArgumentError.of(name, value, "an integer")
    if not 0 <= int(value) < size:
        raise InvalidArgumentError.of(name, value, f"in 0 .. {size - 1}")
    return int(value)


def check_nonnegative(name: str, value: Any, *, positive: bool = False) -> float | int:
    """A finite real number that is not negative (or, with ``positive``, not zero). Integers stay integers."""
    allowed = f"a finite number {'>' if positive else '>='} 0"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InvalidArgumentError.of(name, value, allowed)
    if not math.isfinite(value) or value < 0 or (positive and value == 0):
        raise InvalidArgumentError.of(name, value, allowed)
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def check_probability(name: str, value: Any) -> float:
    """A number from 0 to 1, both included."""
    allowed = "a number in 0 .. 1"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InvalidArgumentError.of(name, value, allowed)
    if not 0 <= float(value) <= 1:
        raise InvalidArgumentError.of(name, value, allowed)
    return float(value)


def check_choice(name: str, value: Any, choices: Collection[Any]) -> Any:
    """One of a few named values."""
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices):
        raise InvalidArgumentError.of(name, value, "one of " + ", ".join(map(repr, choices)))
    return value


def check_ids(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """A one-dimensional array of integers >= 0. Floats pass where each is a whole number."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidGraphError.of(f"{name}.shape", array.shape, "one-dimensional")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "f":
        _refuse_first(name, array, array != np.floor(array), "an integer >= 0")
    elif array.dtype.kind not in "iu":
        raise InvalidGraphError.of(name, array, f"an array of integers >= 0, its dtype is {array.dtype}")
    _refuse_first(name, array, (array < 0) | (array >= 2**62), "an integer >= 0 and below 2**62")
    return array.astype(np.int64)


def check_weights(name: str, values: ArrayLike) -> NDArray[Any]:
    """A one-dimensional array of finite numbers >= 0, as int64 where they are integers, else float64."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidGraphError.of(f"{name}.shape", array.shape, "one-dimensional")
    if array.dtype.kind not in "biuf":
        raise InvalidGraphError.of(name, array, f"an array of numbers >= 0, its dtype is {array.dtype}")
    if array.dtype.kind == "f":
        _refuse_first(name, array, ~np.isfinite(array), "finite")
    _refuse_first(name, array, array < 0, ">= 0")
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    # Integer weights are added up exactly, so no sum of them may leave int64.
    if (total := float(array.sum(dtype=np.float64))) >= 2**62:
        raise InvalidGraphError.of(f"sum({name})", total, "below 2**62 where weights are integers")
    return array.astype(np.int64)


def check_same_length(**arrays: NDArray[Any]) -> None:
    """All arrays have as many entries as the first."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        stated = ", ".join(f"len({name})={length}" for name, length in lengths.items())
        raise InvalidGraphError(f"{stated}: must be equal")


def check_below(name: str, values: NDArray[np.int64], bound_name: str, bound: int) -> None:
    """Every id is smaller than the number of things it points into."""
    _refuse_first(name, values, values >= bound, f"below {bound_name}={bound}")


def check_symmetric(name: str, matrix: Any, *, tol: float = 1e-10) -> sp.csr_array:
    """A square symmetric real matrix with finite entries, sparse or dense, as a CSR array."""
    if sp.issparse(matrix):
        sparse = sp.csr_array(cast(Any, matrix))
    else:
        dense = np.asarray(matrix)
        if dense.ndim != 2 or dense.dtype.kind not in "biuf":
            raise InvalidGraphError.of(name, matrix, "a two-dimensional array of real numbers")
        sparse = sp.csr_array(dense)
    rows, columns = sparse.shape
    if rows != columns:
        raise InvalidGraphError.of(f"{name}.shape", sparse.shape, "square")
    if sparse.dtype.kind not in "biuf":
        raise InvalidGraphError.of(f"{name}.dtype", sparse.dtype, "real")
    if sparse.dtype.kind in "biu":
        sparse = sparse.astype(np.int64)  # narrow or unsigned integers would wrap around in sums
    if sparse.dtype.kind == "f" and not np.all(np.isfinite(sparse.data)):
        raise InvalidGraphError(f"{name}: must have finite entries only")
    scale = float(np.max(np.abs(sparse.data), initial=0.0))
    worst = _asymmetry(sparse)
    if worst > tol * scale:
        raise InvalidGraphError(f"{name}: must be symmetric, but differs from its transpose by {worst:.3g}")
    return sparse


def _asymmetry(matrix: sp.csr_array) -> float:
    """The largest |a_ij − a_ji|."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    transposed = sp.csr_array(matrix.T)  # transposition by counting leaves the indices sorted
    if np.array_equal(matrix.indptr, transposed.indptr) and np.array_equal(
        matrix.indices, transposed.indices
    ):
        difference = matrix.data - transposed.data
    else:
        difference = (matrix - transposed).data
    return float(np.max(np.abs(difference), initial=0.0))


def _refuse_first(name: str, array: NDArray[Any], bad: NDArray[np.bool_], allowed: str) -> None:
    if np.any(bad):
        index = int(np.argmax(bad))
        raise InvalidGraphError.of(f"{name}[{index}]", array[index], allowed)
