"""Edge lists as Parquet (the extra ``parquet``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, SupraError, shorten
from supra_core.extras import require
from supra_core.io.names import choose_columns
from supra_core.io.opened import check_file
from supra_core.io.own_header import Stated, entries_of, stated_by
from supra_core.io.raw_edges import RawEdges
from supra_core.labels import ids_of
from supra_core.temporal_graph import TemporalGraph
from supra_core.times import Times, times_of

_COLUMNS = ("source", "target", "time", "weight")
_STRANGE = (
    "list",
    "large_list",
    "fixed_size",
    "struct",
    "map",
    "union",
    "decimal",
    "time32",
    "time64",
    "binary",
)


def read_parquet(path: Path, asked: Mapping[str, str | None]) -> RawEdges:
    """The edges of a Parquet file.

    Raises:
        InvalidGraphError: a file that is no edge list; the message names column, row and value.
        ImportError: pyarrow is not installed.
    """
    parquet = require("pyarrow.parquet", extra="parquet")
    arrow = require("pyarrow", extra="parquet")
    check_file(path)
    try:
        with path.open("rb") as file:
            source = parquet.ParquetFile(file)
            names = source.schema_arrow.names
            positions = choose_columns(names, asked, str(path))
            metadata = source.schema_arrow.metadata or {}
            entries = {
                key.decode(errors="replace"): value.decode(errors="replace")
                for key, value in metadata.items()
            }
            stated = stated_by(entries, str(path))
            found = {name: source.read(columns=[names[p]]).column(0) for name, p in positions.items()}
    except SupraError:
        raise
    except (arrow.ArrowException, OSError, ValueError, IndexError, KeyError) as error:
        text = " ".join(str(error).split())[:160]
        raise InvalidGraphError(f"{path}: must be a Parquet file ({text})") from None
    columns = {name: _values(path, name, column) for name, column in found.items()}
    weight = _weights(path, columns["weight"]) if "weight" in columns else None
    times = _times(path, columns["time"], found["time"])
    if stated is not None:
        return _stated_edges(path, columns, times, weight, stated)
    ends, labels = ids_of([_names(path, name, columns[name]) for name in ("source", "target")])
    return RawEdges(ends[0], ends[1], times, weight, labels)


def write_parquet(graph: TemporalGraph, path: Path) -> None:
    """Write a graph; see :func:`~supra_core.write_edges`."""
    arrow, parquet = require("pyarrow", extra="parquet"), require("pyarrow.parquet", extra="parquet")
    table = arrow.table({name: getattr(graph, name) for name in _COLUMNS})
    parquet.write_table(table.replace_schema_metadata(entries_of(graph)), path)


def _values(path: Path, name: str, column: Any) -> NDArray[Any]:
    if column.null_count:
        index = int(np.argmax(column.is_null().to_numpy()))
        _refuse(path, name, index, "null", "there")
    kind = str(column.type)
    if kind.startswith(_STRANGE):
        more = {"time": "numbers or dates", "weight": "numbers"}.get(name, "text or numbers")
        raise InvalidGraphError(f"{path}, column {name}: is of type {kind}: must hold {more}")
    if kind.startswith("dictionary"):
        return np.asarray(column.to_pylist(), dtype=object)
    values: NDArray[Any] = column.to_numpy()
    return values


def _names(path: Path, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Node labels: integers, whole floats as integers, or text."""
    if values.dtype.kind == "u" and (values >= 2**63).any():
        return np.array([str(value) for value in values.tolist()], dtype=object)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "f":
        wrong = (values != np.floor(values)) | (np.abs(values) >= 2**53)
        if wrong.any():
            _refuse(
                path,
                name,
                int(np.argmax(wrong)),
                values[np.argmax(wrong)],
                "a name or an integer below 2**53",
            )
        return values.astype(np.int64)
    if values.dtype.kind == "O":
        for index, value in enumerate(values.tolist()):
            if not isinstance(value, str) or not value:
                _refuse(path, name, index, value, "a name or an integer")
        return values
    raise InvalidGraphError(f"{path}, column {name}: is of type {values.dtype}: must hold text or numbers")


def _times(path: Path, values: NDArray[Any], column: Any) -> Times:
    from supra_core.io.text import whole_numbers

    try:
        times = times_of("time", values)
    except SupraError as error:
        raise InvalidGraphError(f"{path}: {error}") from None
    zone = getattr(column.type, "tz", None)
    if zone is not None:
        times = times_of("time", times.values, zone=_zone_name(zone))
    return Times(whole_numbers(times.values), times.zone)


def _zone_name(zone: str) -> str:
    return "UTC" if zone.upper() in ("UTC", "Z", "+00:00") else zone


def _weights(path: Path, values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind not in "iuf":
        raise InvalidGraphError(f"{path}, column weight: is of type {values.dtype}: must hold numbers")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        _refuse(path, "weight", int(np.argmax(wrong)), values[np.argmax(wrong)], "a finite number >= 0")
    return values


def _stated_edges(
    path: Path, columns: dict[str, NDArray[Any]], times: Times, weight: NDArray[Any] | None, stated: Stated
) -> RawEdges:
    sizes = {"source": stated.num_nodes, "target": stated.num_nodes, "time": stated.num_snapshots}
    checked = []
    for name, size in sizes.items():
        values = times.values if name == "time" else columns[name]
        if values.dtype.kind not in "iu":
            kind = values.dtype
            raise InvalidGraphError(
                f"{path}, column {name}: is of type {kind}: must hold integers as it says"
            )
        wrong = (values < 0) | (values >= (2**62 if size is None else size))
        if wrong.any():
            allowed = f"an integer >= 0 and below {'2**62' if size is None else size}"
            _refuse(path, name, int(np.argmax(wrong)), values[np.argmax(wrong)], allowed)
        checked.append(values.astype(np.int64))
    return RawEdges(checked[0], checked[1], Times(checked[2]), weight, None, stated)


def _refuse(path: Path, name: str, index: int, value: Any, allowed: str) -> NoReturn:
    text = value if value == "null" else shorten(value)
    raise InvalidGraphError(f"{path}, row {index + 1}, column {name}: {text}: must be {allowed}")
