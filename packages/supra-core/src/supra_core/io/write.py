"""``write_edges``: files that come back exactly."""

import gzip
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING

from supra_core.errors import InvalidArgumentError
from supra_core.files import replacing
from supra_core.io.names import is_parquet
from supra_core.io.own_header import entries_of
from supra_core.io.parquet import write_parquet

if TYPE_CHECKING:
    from supra_core.temporal_graph import TemporalGraph

_COLUMNS = ("source", "target", "time", "weight")
_ROWS = 1 << 16


def write_edges(graph: "TemporalGraph", path: str | PathLike[str]) -> None:
    """Write a temporal graph so that :func:`~supra_core.read_edges` gives back an equal one.

    Edges are written with the ids of their nodes and the indices of their snapshots; what these are called
    is in comments above them (in Parquet, in the metadata).

    Args:
        graph: what to write.
        path: as for :func:`~supra_core.read_edges`; .tsv is separated by tabs, other text by commas.

    Raises:
        InvalidArgumentError: another suffix, or a folder that does not exist.
        InvalidGraphError: labels that are neither text nor numbers.

    Example:
        >>> import tempfile
        >>> from supra_core import TemporalGraph, read_edges
        >>> graph = TemporalGraph.from_edges([0], [1], [0], [0.1], num_nodes=2, node_labels=["ann", "bob"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_edges(graph, Path(folder, "edges.csv"))
        ...     print(Path(folder, "edges.csv").read_text())
        ...     read_edges(Path(folder, "edges.csv")) == graph
        # num_nodes=2 num_snapshots=1 weights=float
        # node_labels=["ann", "bob"]
        source,target,time,weight
        0,1,0,0.1
        <BLANKLINE>
        True
    """
    path = Path(path)
    write = write_parquet if is_parquet(path) else _write_text
    if not path.parent.is_dir():
        raise InvalidArgumentError(f"path={str(path)!r}: must be in a folder that exists")
    if path.is_dir():
        raise InvalidArgumentError(f"path={str(path)!r}: must be the name of a file, not of a folder")
    with replacing(path) as temporary:
        write(graph, temporary)


def _write_text(graph: "TemporalGraph", path: Path) -> None:
    entries = entries_of(graph)
    lists = {name: entries.pop(name) for name in ("node_labels", "snapshot_times") if name in entries}
    lines = ["# " + " ".join(f"{name}={value}" for name, value in entries.items())]
    lines += [f"# {name}={value}" for name, value in lists.items()]
    name = path.name.lower()
    delimiter = "\t" if name.endswith((".tsv", ".tsv.gz")) else ","
    with path.open("wb") as file:
        if not name.endswith(".gz"):
            _write_rows(graph, file, lines, delimiter)
            return
        # Without a time of day in it, the same graph gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            _write_rows(graph, packed, lines, delimiter)


def _write_rows(
    graph: "TemporalGraph", file: IO[bytes] | gzip.GzipFile, lines: list[str], delimiter: str
) -> None:
    file.write("".join(line + "\n" for line in [*lines, delimiter.join(_COLUMNS)]).encode())
    columns = [getattr(graph, name) for name in _COLUMNS]
    # repr gives the shortest text that reads back as the same float.
    form = delimiter.join(["%d", "%d", "%d", "%r"]) + "\n"
    for start in range(0, graph.num_edges, _ROWS):
        rows = zip(*(column[start : start + _ROWS].tolist() for column in columns), strict=True)
        file.write("".join(map(form.__mod__, rows)).encode())
