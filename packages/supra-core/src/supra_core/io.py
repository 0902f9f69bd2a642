"""Temporal edge lists in and out: delimited text (CSV and its relatives) and Parquet."""

import re
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from supra_core.csv_columns import Columns, parse_rows
from supra_core.errors import InvalidArgumentError, InvalidGraphError, shorten
from supra_core.extras import require
from supra_core.files import replacing
from supra_core.temporal_graph import TemporalGraph

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".edges")
PARQUET_SUFFIXES = (".parquet", ".pq")

# What the columns are called elsewhere; u, i, ts is what many published temporal datasets use.
ALIASES = {
    "source": ("source", "src", "u", "from"),
    "target": ("target", "dst", "v", "i", "to"),
    "time": ("time", "t", "ts", "snapshot"),
    "weight": ("weight", "w"),
}
_NAME_OF = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
_SIZES = ("num_nodes", "num_snapshots")


def read_edges(path: str | PathLike[str]) -> TemporalGraph:
    """Read a temporal graph from an edge list.

    Text files hold one edge a line: source, target, time and, optionally, weight, separated by comma,
    semicolon, tab or blanks. A header may name the columns, then in any order and among others. Lines that
    begin with ``#`` are comments; the first may state ``num_nodes=… num_snapshots=…``, without which the
    largest id and time decide. Parquet files have columns of the same names.

    Args:
        path: ends in .csv, .tsv, .txt or .edges, or in .parquet or .pq (needs the extra ``parquet``).

    Raises:
        InvalidGraphError: a file that is no edge list; the message names the line and the value.
        InvalidArgumentError: another suffix.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "edges.csv")
        ...     _ = path.write_text("source,target,time\\n0,1,0\\n1,2,1\\n")
        ...     print(read_edges(path))
        TemporalGraph(num_nodes=3, num_snapshots=2, num_edges=2)
    """
    return TemporalGraph.read_edges(path)


def write_edges(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Write a temporal graph so that :func:`read_edges` gives back an equal one.

    Args:
        graph: what to write.
        path: as for :func:`read_edges`; .tsv is separated by tabs, other text by commas.

    Raises:
        InvalidArgumentError: another suffix.

    Example:
        >>> import tempfile
        >>> graph = TemporalGraph.from_edges([0], [1], [0], [0.1], num_nodes=5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_edges(graph, Path(folder, "edges.csv"))
        ...     print(Path(folder, "edges.csv").read_text())
        ...     read_edges(Path(folder, "edges.csv")) == graph
        # num_nodes=5 num_snapshots=1 weights=float
        source,target,time,weight
        0,1,0,0.1
        <BLANKLINE>
        True
    """
    path = Path(path)
    write = _write_parquet if _is_parquet(path) else _write_text
    with replacing(path) as temporary:
        write(graph, temporary)


def read_columns(path: str | PathLike[str]) -> tuple[Columns, dict[str, int]]:
    """The columns of an edge list, and those of its sizes that the file states.

    Returns:
        columns: ``source``, ``target``, ``time`` and, where there is one, ``weight``, each of shape (m,).
        sizes: ``num_nodes`` and ``num_snapshots`` where stated.

    Raises:
        InvalidGraphError, InvalidArgumentError: as :func:`read_edges`.
    """
    path = Path(path)
    columns, sizes = _read_parquet(path) if _is_parquet(path) else _read_text(path)
    if len(columns["source"]) == 0 and "num_nodes" not in sizes:
        raise InvalidGraphError(f"{path}: must have an edge, or a first line '# num_nodes=… num_snapshots=…'")
    return columns, sizes


def _is_parquet(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in TEXT_SUFFIXES + PARQUET_SUFFIXES:
        allowed = "a name that ends in one of " + ", ".join(TEXT_SUFFIXES + PARQUET_SUFFIXES)
        raise InvalidArgumentError.of("path", str(path), allowed)
    return suffix in PARQUET_SUFFIXES


# ── text ──────────────────────────────────────────────────────────────────────────────────────────────────


def _read_text(path: Path) -> tuple[Columns, dict[str, int]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidGraphError(f"{path}: must be UTF-8 text, but {error}") from error
    stated = _stated(path, lines)
    # Line numbers travel with the lines, so that a complaint can name the place in the file.
    kept = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    rows = [lines[number].strip() for number in kept]
    numbers = [number + 1 for number in kept]
    delimiter = _sniff(rows[0]) if rows else None
    first = [field.strip().strip('"') for field in rows[0].split(delimiter)] if rows else []
    if first and not any(map(_is_number, first)):
        positions = _named_columns(first, f"{path}, line {numbers[0]}")
        rows, numbers = rows[1:], numbers[1:]
    else:
        positions = {name: position for position, name in enumerate(ALIASES) if position < max(3, len(first))}
        if first and len(first) not in (3, 4):
            found = f"{path}, line {numbers[0]}: {shorten(rows[0])} has {len(first)} fields"
            raise InvalidGraphError(f"{found}: must be source, target, time and, optionally, weight")
    sizes = {name: stated[name] for name in _SIZES if name in stated}
    columns = parse_rows(path, rows, numbers, delimiter, positions, len(first), sizes)
    if stated.get("weights") == "float" and "weight" in columns:
        columns["weight"] = columns["weight"].astype(np.float64)
    return columns, sizes


def _write_text(graph: TemporalGraph, path: Path) -> None:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    kind = "float" if graph.weight.dtype.kind == "f" else "integer"
    comment = f"# num_nodes={graph.num_nodes} num_snapshots={graph.num_snapshots} weights={kind}"
    # repr gives the shortest text that reads back as the same float.
    columns = [map(repr, column.tolist()) for column in _columns_of(graph).values()]
    rows = map(delimiter.join, zip(*columns, strict=True))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in (comment, delimiter.join(ALIASES), *rows))


def _stated(path: Path, lines: list[str]) -> dict[str, Any]:
    """What the first line says of the graph, if it is a comment."""
    if not lines or not lines[0].lstrip().startswith("#"):
        return {}
    stated: dict[str, Any] = dict(re.findall(r"(num_nodes|num_snapshots|weights)=(\S*)", lines[0]))
    for name in _SIZES:
        if name in stated:
            if not re.fullmatch(r"[0-9]+", stated[name]) or int(stated[name]) < 1:
                raise InvalidGraphError(f"{path}, line 1: {name}={stated[name]}: must be an integer >= 1")
            stated[name] = int(stated[name])
    return stated


def _sniff(row: str) -> str | None:
    """The delimiter of a row; None stands for runs of blanks."""
    return next((delimiter for delimiter in (",", ";", "\t") if delimiter in row), None)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _named_columns(names: list[str], where: str) -> dict[str, int]:
    """Where each column stands, by the names in the header."""
    positions: dict[str, int] = {}
    for position, field in enumerate(names):
        name = _NAME_OF.get(field.lower())
        if name in positions:
            raise InvalidGraphError(f"{where}: {field!r}: must be the only column for {name}")
        if name is not None:
            positions[name] = position
    for name in ("source", "target", "time"):
        if name not in positions:
            allowed = f"one of {', '.join(ALIASES[name])}"
            raise InvalidGraphError(f"{where}: header {names}: must name a column for {name}, {allowed}")
    return positions


# ── Parquet ───────────────────────────────────────────────────────────────────────────────────────────────


def _read_parquet(path: Path) -> tuple[Columns, dict[str, int]]:
    parquet = require("pyarrow.parquet", extra="parquet")
    arrow = require("pyarrow", extra="parquet")
    try:
        table = parquet.read_table(path)
    except arrow.ArrowInvalid as error:
        raise InvalidGraphError(f"{path}: must be a Parquet file, but {error}") from error
    positions = _named_columns(table.column_names, str(path))
    columns = {name: _numbers(table.column(position), name, path) for name, position in positions.items()}
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    return columns, {name: int(metadata[name]) for name in _SIZES if metadata.get(name, "").isdecimal()}


def _numbers(column: Any, name: str, path: Path) -> NDArray[Any]:
    if column.null_count:
        _refuse_parquet(path, name, f"null in {column.null_count} rows")
    values: NDArray[Any] = column.to_numpy()
    if values.dtype.kind not in "iuf":
        _refuse_parquet(path, name, column.type)
    return values


def _refuse_parquet(path: Path, name: str, found: Any) -> NoReturn:
    raise InvalidGraphError(f"{path}: column {name}={found}: must hold numbers only")


def _write_parquet(graph: TemporalGraph, path: Path) -> None:
    arrow, parquet = require("pyarrow", extra="parquet"), require("pyarrow.parquet", extra="parquet")
    sizes = {name: str(getattr(graph, name)) for name in _SIZES}
    parquet.write_table(arrow.table(_columns_of(graph)).replace_schema_metadata(sizes), path)


def _columns_of(graph: TemporalGraph) -> Columns:
    return {name: getattr(graph, name) for name in ALIASES}
