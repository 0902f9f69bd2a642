"""Columns of a table: names of nodes, times and weights."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, SupraError, shorten
from supra_core.labels import label_array
from supra_core.times import Times, times_of


def names_of(where: str, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Labels of nodes: integers, whole floats as integers, text or other objects.

    Raises:
        InvalidGraphError: an entry that is no label; the message names row, column and value.
    """
    if values.dtype.kind == "u" and (values >= 2**63).any():
        return np.array([str(value) for value in values.tolist()], dtype=object)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "f":
        wrong = ~((values == np.floor(values)) & (np.abs(values) < 2**53))
        if wrong.any():
            index = int(np.argmax(wrong))
            refuse(where, name, index, values[index], "a name or an integer below 2**53")
        return values.astype(np.int64)
    if values.dtype.kind not in "OUT":
        raise InvalidGraphError(
            f"{where}, column {name}: is of type {values.dtype}: must hold text or numbers"
        )
    for index, value in enumerate(values.tolist()):
        # A missing value is not equal to itself, and pandas' own is neither equal nor not.
        if value is None or value == "" or not isinstance(value == value, (bool, np.bool_)) or value != value:
            refuse(where, name, index, value, "a name or an integer")
    return label_array(values)


def times_in(where: str, values: Any, zone: str | None = None) -> Times:
    """Times; whole floats as integers, as 0.0, 1.0, … in many published files."""
    try:
        times = times_of("time", values)
        if zone is not None:
            times = times_of("time", times.values, zone=zone)
    except SupraError as error:
        raise InvalidGraphError(f"{where}: {error}") from None
    return Times(whole_numbers(times.values), times.zone)


def whole_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Floats as integers where all are whole and none is too large to be exact."""
    if values.dtype.kind == "f" and (np.abs(values) < 2**53).all() and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return values


def weights_of(where: str, values: NDArray[Any]) -> NDArray[Any]:
    """Finite numbers >= 0.

    Raises:
        InvalidGraphError: another; the message names row and value.
    """
    if values.dtype.kind not in "iuf":
        raise InvalidGraphError(f"{where}, column weight: is of type {values.dtype}: must hold numbers")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        index = int(np.argmax(wrong))
        refuse(where, "weight", index, values[index], "a finite number >= 0")
    return values


def refuse(where: str, name: str, index: int, value: Any, allowed: str) -> NoReturn:
    """Say which entry of a table is not what it must be."""
    text = "null" if value is None else shorten(value)
    raise InvalidGraphError(f"{where}, row {index + 1}, column {name}: {text}: must be {allowed}")
