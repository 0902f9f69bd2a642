"""The checks at the door: everything a caller hands over passes through here once."""

import math
import numbers
from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from supra_core.errors import InvalidArgumentError, InvalidGraphError


def check_count(name: str, value: Any, minimum: int = 1, maximum: int | None = None) -> int:
    """An integer that is at least ``minimum``, and at most ``maximum`` where there is one."""
    allowed = f"an integer >= {minimum}" if maximum is None else f"an integer in {minimum} .. {maximum}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InvalidArgumentError.of(name, value, allowed)
    if int(value) < minimum or (maximum is not None and int(value) > maximum):
        raise InvalidArgumentError.of(name, value, allowed)
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


def check_array(name: str, values: Any) -> NDArray[Any]:
    """Anything NumPy can read, as an array. Masked entries are refused: arrays have no mask to keep."""
    parts = values if isinstance(values, (list, tuple)) else (values,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise InvalidGraphError.of(name, values, "free of masked entries: drop them or fill them first")
    return np.asarray(values)


def check_ids(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """A one-dimensional array of integers >= 0. Floats pass where each is a whole number."""
    array = check_array(name, values)
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
    array = check_array(name, values)
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
    """A square symmetric real matrix with finite entries, sparse or dense, as a CSR array.

    Integers come as int64 and are symmetric to the last digit. Of floats, a_ij and a_ji may differ by ``tol``
    relative to the two, and by what rounding leaves of sums that cancel in the rows i and j; large entries
    elsewhere allow nothing. Half floats come as float64, other byte orders as the machine's own.
    """
    if sp.issparse(matrix):
        given: Any = matrix
    else:
        given = check_array(name, matrix)
        if given.ndim != 2 or given.dtype.kind not in "biuf":
            raise InvalidGraphError.of(name, matrix, "a two-dimensional array of real numbers")
    if given.dtype.kind not in "biuf":
        raise InvalidGraphError.of(f"{name}.dtype", given.dtype, "real")
    if len(given.shape) != 2 or given.shape[0] != given.shape[1]:
        raise InvalidGraphError.of(f"{name}.shape", given.shape, "square")
    sparse = sp.csr_array(_in_wide_numbers(name, given))
    if sparse.dtype.kind == "f" and not np.all(np.isfinite(sparse.data)):
        raise InvalidGraphError(f"{name}: must have finite entries only")
    _refuse_asymmetry(name, sparse, max(tol, 8 * _eps(given.dtype)), _eps(given.dtype))
    return sparse


def _in_wide_numbers(name: str, given: Any) -> Any:
    """Integers as int64, since narrow or unsigned ones wrap around in sums; floats as SciPy can hold them."""
    if given.dtype.kind == "f":
        native = np.float64 if given.dtype.itemsize == 2 else given.dtype.newbyteorder("=")
        return given.astype(native, copy=False)
    if given.dtype.kind == "u" and 0 not in given.shape and (largest := int(given.max())) >= 2**63:
        raise InvalidGraphError.of(f"max({name})", largest, "below 2**63 where entries are integers")
    return given.astype(np.int64, copy=False)


def _eps(dtype: np.dtype[Any]) -> float:
    """The rounding unit the entries were computed with; integers have none."""
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def _refuse_asymmetry(name: str, matrix: sp.csr_array, tol: float, eps: float) -> None:
    """Compare each a_ij with a_ji, relative to the two of them and to the rows they are in."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    transposed = sp.csr_array(matrix.T)  # transposition by counting leaves the indices sorted
    if np.array_equal(matrix.indptr, transposed.indptr) and np.array_equal(
        matrix.indices, transposed.indices
    ):
        differ = np.flatnonzero(matrix.data != transposed.data)
        if len(differ) == 0:
            return
        row = np.searchsorted(matrix.indptr, differ, side="right") - 1
        column, a, b = matrix.indices[differ], matrix.data[differ], transposed.data[differ]
    else:
        unequal: Any = matrix != transposed
        row, column = unequal.nonzero()
        if len(row) == 0:
            return
        a, b = np.asarray(matrix[row, column]).ravel(), np.asarray(matrix[column, row]).ravel()
    worst = 0  # integers may not differ at all
    if eps:
        largest, count = _row_sizes(matrix)
        terms = 64 + np.maximum(count[row], count[column])
        rounding = terms * eps * np.sqrt(largest[row]) * np.sqrt(largest[column])
        allowed = tol * np.maximum(np.abs(a), np.abs(b)) + rounding
        excess = np.abs(a / 2 - b / 2) - allowed / 2  # halves, so that no difference overflows
        worst = int(np.argmax(excess))
        if excess[worst] <= 0:
            return
    i, j = int(row[worst]), int(column[worst])
    found = f"[{i}, {j}] is {a[worst].item()!r} and [{j}, {i}] is {b[worst].item()!r}"
    raise InvalidGraphError(
        f"{name}: must be symmetric, but {found}; where this is rounding, pass (A + A.T) / 2"
    )


def _row_sizes(matrix: sp.csr_array) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The largest absolute value and the number of entries of each row or column, whichever is more."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    largest, count = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[0], dtype=np.int64)
    for index in (row, matrix.indices):
        np.maximum.at(largest, index, np.abs(matrix.data).astype(np.float64))
        count = np.maximum(count, np.bincount(index, minlength=len(count)))
    return largest, count


def _refuse_first(name: str, array: NDArray[Any], bad: NDArray[np.bool_], allowed: str) -> None:
    if np.any(bad):
        index = int(np.argmax(bad))
        raise InvalidGraphError.of(f"{name}[{index}]", array[index], allowed)
