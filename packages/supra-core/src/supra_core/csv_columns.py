"""From rows of text to columns of numbers: fast where all is well, exact about the line where it is not."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError

Columns = dict[str, NDArray[Any]]

_BOUND_OF = {"source": "num_nodes", "target": "num_nodes", "time": "num_snapshots"}


def parse_rows(
    path: Path,
    rows: list[str],
    numbers: list[int],
    delimiter: str | None,
    positions: dict[str, int],
    width: int,
    sizes: dict[str, int],
) -> Columns:
    """Columns of numbers out of rows of text.

    Args:
        path: named in complaints.
        rows: the rows without header and comments.
        numbers: the line number of each row, named in complaints.
        delimiter: what separates fields; None for runs of blanks.
        positions: the field in which each column stands.
        width: how many fields each row must have.
        sizes: ``num_nodes`` and ``num_snapshots`` where stated: ids must be below them.

    Raises:
        InvalidGraphError: a row with too few or too many fields, or a field that is not allowed there.

    Example:
        >>> columns = {"source": 0, "target": 1, "time": 2}
        >>> parse_rows(Path("a.csv"), ["0,1,0", "1,2,x"], [1, 2], ",", columns, 3, {})
        Traceback (most recent call last):
            ...
        supra_core.errors.InvalidGraphError: a.csv, line 2: time='x': must be an integer >= 0 and below 2**62
    """
    for row, number in zip(rows, numbers, strict=True):
        if (found := _num_fields(row, delimiter)) != width:
            raise InvalidGraphError(f"{path}, line {number}: {row!r} has {found} fields: must have {width}")
    columns = {}
    for name, position in positions.items():
        allowed = "a finite number >= 0" if name == "weight" else "an integer >= 0 and below 2**62"
        values = _column(rows, delimiter, position)
        if values is None:
            bad = next(i for i, row in enumerate(rows) if _column([row], delimiter, position) is None)
        else:
            columns[name] = values
            wrong = _wrong(name, values)
            if not wrong.any() and (bound := _BOUND_OF.get(name)) in sizes:
                wrong, allowed = values >= sizes[bound], f"below {bound}={sizes[bound]}"
            if not wrong.any():
                continue
            bad = int(np.argmax(wrong))
        field = rows[bad].split(delimiter)[position].strip()
        raise InvalidGraphError(f"{path}, line {numbers[bad]}: {name}={field!r}: must be {allowed}")
    return columns


def _num_fields(row: str, delimiter: str | None) -> int:
    return len(row.split()) if delimiter is None else row.count(delimiter) + 1


def _column(rows: list[str], delimiter: str | None, position: int) -> NDArray[Any] | None:
    """One column, as int64 where every field is written as an integer, else as float64; None if neither."""
    if not rows:
        return np.zeros(0, dtype=np.int64)
    for dtype in (np.int64, np.float64):
        try:
            with warnings.catch_warnings():
                # Some versions of NumPy read "2.0" as an integer and warn; here that is a float.
                warnings.simplefilter("error")
                return np.loadtxt(
                    rows, dtype, comments=None, delimiter=delimiter, usecols=position, ndmin=1, quotechar='"'
                )
        except (ValueError, OverflowError, Warning):
            continue
    return None


def _wrong(name: str, values: NDArray[Any]) -> NDArray[np.bool_]:
    wrong = np.asarray(values < 0) | ~np.isfinite(values)
    return wrong if name == "weight" else wrong | (values != np.floor(values)) | (values >= 2**62)
