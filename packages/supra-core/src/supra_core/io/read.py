"""``read_edges``: one meaning for a file, wherever it comes in."""

import os
from os import PathLike
from pathlib import Path
from typing import Any

from supra_core.errors import InvalidGraphError
from supra_core.io.names import is_parquet
from supra_core.io.parquet import read_parquet
from supra_core.io.raw_edges import Binning
from supra_core.io.text import read_text
from supra_core.temporal_graph import TemporalGraph


def read_edges(
    path: str | PathLike[str],
    *,
    num_snapshots: int | None = None,
    width: Any = None,
    every: str | None = None,
    unit: str | None = None,
    duplicates: str | None = None,
    max_snapshots: int | None = None,
    source: str | None = None,
    target: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    cls: type[TemporalGraph] = TemporalGraph,
) -> TemporalGraph:
    """Read a temporal graph from an edge list.

    A file that :func:`~supra_core.write_edges` wrote comes back exactly. Any other is your own data: what
    stands for a node or a time is its label, be it a name, an integer with gaps or an ISO date. Nodes are
    numbered by size or name; each distinct time is a snapshot, in order, unless bins are asked for.

    Text files hold one edge a line: source, target, time and, optionally, weight, separated by commas, tabs,
    semicolons, bars or blanks. A header may name the columns, then in any order and among others; without
    one, a fourth column of words is no weight and is left out. Fields may be in double quotes. Lines that
    begin with ``#`` or ``%`` are comments. Parquet files have columns of the same names.

    Args:
        path: ends in .csv, .tsv, .txt or .edges, maybe with .gz, or in .parquet or .pq (extra ``parquet``).
        num_snapshots, width, every, unit: put the times into bins; see :meth:`TemporalGraph.from_events`.
        duplicates: ``"sum"`` or ``"once"``, for an edge that is listed several times in one snapshot; where
            not given, weights add up, and edges without weights count once.
        max_snapshots: refuse more distinct times than this, where no bins are asked for.
        source, target, time, weight: the names of the columns, where they are none of the usual ones.
        cls: the class of the graph.

    Raises:
        InvalidGraphError: a file that is no edge list; the message names file, line, column and value.
        MissingFileError: there is no such file.
        InvalidArgumentError: another suffix, or bins that these times do not allow.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "mails.csv")
        ...     _ = path.write_text("from,to,date\\nann,bob,2024-05-01\\nbob,cy,2024-06-30\\n")
        ...     graph = read_edges(path, every="month")
        >>> graph.node_labels.tolist(), graph.num_snapshots, graph.snapshot_at("2024-06-05")
        (['ann', 'bob', 'cy'], 2, 1)
    """
    path = Path(path)
    if os.path.isdir(path):  # before its name is looked at: a folder may be called anything
        raise InvalidGraphError(f"{path}: is a folder: must be a file")
    asked = {"source": source, "target": target, "time": time, "weight": weight}
    raw = read_parquet(path, asked) if is_parquet(path) else read_text(path, asked)
    binning = Binning(num_snapshots, width, every, unit, duplicates, max_snapshots)
    return raw.graph(str(path), binning, cls)
