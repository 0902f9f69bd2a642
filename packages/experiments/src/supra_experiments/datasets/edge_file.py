"""A user's edge list: ``source, target, time[, weight]`` as CSV (delimiter and header sniffed) or Parquet."""

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow
from numpy.typing import NDArray

from supra_experiments.errors import DatasetError

SUFFIXES = {".csv", ".tsv", ".txt", ".edges", ".parquet", ".pq"}
COLUMNS: dict[str, tuple[str, ...]] = {
    "source": ("source", "src", "from", "u", "node1", "sender"),
    "target": ("target", "dst", "dest", "to", "i", "v", "node2", "receiver"),
    "time": ("time", "t", "ts", "timestamp", "date", "snapshot", "year"),
    "weight": ("weight", "w"),
}
DELIMITERS = {",": ",", "\t": "\t", ";": ";", "|": "|", r"\s+": None}


@dataclass(frozen=True, eq=False)
class EdgeFile:
    """The columns of an edge list, nothing merged yet.

    Attributes:
        source, target: node labels, all integers or all strings, shape (m,).
        time: numbers or datetimes, shape (m,).
        weight: shape (m,), or None.
    """

    source: NDArray[Any]
    target: NDArray[Any]
    time: NDArray[Any]
    weight: NDArray[np.float64] | None


def read_edge_file(path: str | os.PathLike[str]) -> EdgeFile:
    """Read an edge list from ``.csv``/``.tsv``/``.txt`` or ``.parquet``.

    Columns are taken by name where the header has names known here (``source``, ``src``, ``from``, ``u``, …),
    otherwise by position: source, target, time, weight. Lines that start with ``#`` or ``%`` are skipped.

    Raises:
        DatasetError: no such file, or one that is no edge list; the message says which row and why.
    """
    path = Path(path)
    if not path.is_file():
        raise DatasetError(f"{path}: no such file")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            table, named = pd.read_parquet(path), True
        else:
            table, named = _read_text(path)
    except DatasetError:
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:  # pandas' parser errors are ValueErrors
        raise DatasetError(f"{path}: cannot be read as an edge list ({_one_line(error)})") from None
    columns = _choose_columns(path, table, named)
    if table.empty:
        raise DatasetError(f"{path}: has no edges")
    labels = _labels(path, columns["source"], columns["target"])
    weight = _numbers(path, "weight", columns["weight"]) if "weight" in columns else None
    if weight is not None and not (np.isfinite(weight).all() and (weight >= 0).all()):
        row = int(np.argmax(~(np.isfinite(weight) & (weight >= 0))))
        raise DatasetError(f"{path}: weight={weight[row]!r} in edge {row + 1}: must be finite and >= 0")
    return EdgeFile(*labels, _times(path, columns["time"]), weight)


def _read_text(path: Path) -> tuple[pd.DataFrame, bool]:
    """The table as text, and whether it has a header."""
    with path.open(encoding="utf-8-sig", errors="strict", newline=None) as file:
        useful = (line.rstrip("\n") for line in file if line.strip() and line[0] not in "#%")
        head = list(itertools.islice(useful, 50))
    if not head:
        raise DatasetError(f"{path}: has no edges")
    delimiter = _sniff_delimiter(path, head)
    rows = [_cells(line, delimiter) for line in head[:2]]
    header = _is_header(rows)
    with path.open(encoding="utf-8-sig", newline=None) as file:
        lines = (line for line in file if line.strip() and line[0] not in "#%")
        table = pd.read_csv(
            _Lines(lines),  # type: ignore[call-overload]
            sep=delimiter,
            header=0 if header else None,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            index_col=False,
        )
    return table, header


class _Lines:
    """Lines as the file-like object that pandas reads from."""

    def __init__(self, lines: Any) -> None:
        self._lines = lines

    def __iter__(self) -> Any:
        return self._lines

    def read(self, size: int = -1) -> str:
        """Some lines, about a megabyte whatever the size asked for; an empty string at the end."""
        return "".join(itertools.islice(self._lines, 1 << 14))


def _sniff_delimiter(path: Path, head: Sequence[str]) -> str:
    for delimiter in DELIMITERS:
        counts = {len(_cells(line, delimiter)) for line in head}
        if len(counts) == 1 and counts.pop() >= 3:
            return delimiter
    raise DatasetError(
        f"{path}: must have at least the three columns source, target, time, separated by commas, tabs, "
        f"semicolons, bars or blanks; its first line is {head[0][:60]!r}"
    )


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.strip().split(DELIMITERS[delimiter])]


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """A row that names columns, or whose third cell is no time although the next row's is."""
    names = {cell.lower() for cell in rows[0]}
    if all(names & set(COLUMNS[column]) for column in ("source", "target", "time")):
        return True
    return not _is_time(rows[0][2]) and (len(rows) < 2 or _is_time(rows[1][2]))


def _is_time(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return re.match(r"\d{4}-\d\d", cell) is not None
    return True


def _choose_columns(path: Path, table: pd.DataFrame, named: bool) -> dict[str, pd.Series]:
    if named:
        known = {
            column: next((name for name in table if str(name).strip().lower() in names), None)
            for column, names in COLUMNS.items()
        }
        missing = [column for column in ("source", "target", "time") if known[column] is None]
        if not missing:
            return {column: table[name] for column, name in known.items() if name is not None}
        if len(missing) < 3:
            raise DatasetError(
                f"{path}: columns={[str(name) for name in table.columns]}: must have {', '.join(missing)} "
                f"(or {', '.join('/'.join(COLUMNS[column][1:]) for column in missing)})"
            )
    if table.shape[1] < 3:
        raise DatasetError(f"{path}: has {table.shape[1]} columns: must have source, target, time[, weight]")
    chosen = {column: table.iloc[:, position] for position, column in enumerate(("source", "target", "time"))}
    if table.shape[1] == 4:
        chosen["weight"] = table.iloc[:, 3]
    return chosen


def _labels(path: Path, source: pd.Series, target: pd.Series) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both ends, as integers where every label is one, else as strings."""
    ends = []
    for name, column in (("source", source), ("target", target)):
        text = column.astype(str).str.strip()
        bad = (column.isna() | (text == "")).to_numpy(dtype=bool)
        if bad.any():
            raise DatasetError(f"{path}: {name} is missing in edge {int(np.argmax(bad)) + 1}")
        ends.append(text)
    # "007" and "7" are two names, so only labels in the plain form of an integer become integers.
    if all(end.str.fullmatch(r"0|-?[1-9]\d{0,17}").all() for end in ends):
        return ends[0].to_numpy(dtype=np.int64), ends[1].to_numpy(dtype=np.int64)
    return ends[0].to_numpy(dtype=object), ends[1].to_numpy(dtype=object)


def _times(path: Path, column: pd.Series) -> NDArray[Any]:
    """Times as integers, floats or datetimes."""
    if not pd.api.types.is_datetime64_any_dtype(column):
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.dtype.kind in "iu":
            return numbers.to_numpy(dtype=np.int64)
        values = numbers.to_numpy(dtype=np.float64)
        bad = ~np.isfinite(values)
        if not bad.any():
            return values.astype(np.int64) if (values == np.floor(values)).all() else values
        if not bad.all():  # numbers and dates do not mix
            _refuse_time(path, column, bad)
        column = column.astype(str)
    dates = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601")
    bad = dates.isna().to_numpy(dtype=bool)
    if bad.any():
        _refuse_time(path, column, bad)
    return dates.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")


def _refuse_time(path: Path, column: pd.Series, bad: NDArray[np.bool_]) -> NoReturn:
    row = int(np.argmax(bad))
    found = f"time={column.iloc[row]!r} in edge {row + 1}"
    raise DatasetError(f"{path}: {found}: must be a number or an ISO date")


def _numbers(path: Path, name: str, column: pd.Series) -> NDArray[np.float64]:
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise DatasetError(f"{path}: {name}={column.iloc[row]!r} in edge {row + 1}: must be a number")
    return values


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
