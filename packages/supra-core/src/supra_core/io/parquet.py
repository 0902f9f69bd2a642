"""Edge lists as Parquet (the extra ``parquet``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, SupraError
from supra_core.extras import require
from supra_core.io.names import choose_columns
from supra_core.io.opened import check_file
from supra_core.io.own_header import Stated, entries_of, stated_by
from supra_core.io.raw_edges import RawEdges
from supra_core.io.table_columns import names_of, refuse, times_in, weights_of
from supra_core.labels import ids_of
from supra_core.times import Times

if TYPE_CHECKING:
    from supra_core.temporal_graph import TemporalGraph

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
            source = parquet.ParquetFile(file, page_checksum_verification=True)
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
    if len({len(column) for column in found.values()}) > 1:
        raise InvalidGraphError(f"{path}: must be a whole Parquet file, but its columns differ in length")
    columns = {name: _values(path, name, column) for name, column in found.items()}
    weight = weights_of(str(path), columns["weight"]) if "weight" in columns else None
    times = times_in(str(path), columns["time"], _zone_name(getattr(found["time"].type, "tz", None)))
    if stated is not None:
        return _stated_edges(path, columns, times, weight, stated)
    ends, labels = ids_of([names_of(str(path), name, columns[name]) for name in ("source", "target")])
    return RawEdges(ends[0], ends[1], times, weight, labels)


def write_parquet(graph: "TemporalGraph", path: Path) -> None:
    """Write a graph; see :func:`~supra_core.write_edges`."""
    arrow, parquet = require("pyarrow", extra="parquet"), require("pyarrow.parquet", extra="parquet")
    table = arrow.table({name: getattr(graph, name) for name in _COLUMNS})
    parquet.write_table(table.replace_schema_metadata(entries_of(graph)), path, write_page_checksum=True)


def _values(path: Path, name: str, column: Any) -> NDArray[Any]:
    if column.null_count:
        index = int(np.argmax(column.is_null().to_numpy()))
        refuse(str(path), name, index, None, "there")
    kind = str(column.type)
    if kind.startswith(_STRANGE):
        more = {"time": "numbers or dates", "weight": "numbers"}.get(name, "text or numbers")
        raise InvalidGraphError(f"{path}, column {name}: is of type {kind}: must hold {more}")
    if kind.startswith("dictionary"):
        return np.asarray(column.to_pylist(), dtype=object)
    values: NDArray[Any] = column.to_numpy()
    return values


def _zone_name(zone: str | None) -> str | None:
    return "UTC" if zone is not None and zone.upper() in ("UTC", "Z", "+00:00") else zone


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
            refuse(str(path), name, int(np.argmax(wrong)), values[np.argmax(wrong)], allowed)
        checked.append(values.astype(np.int64))
    return RawEdges(checked[0], checked[1], Times(checked[2]), weight, None, stated)
