"""Every kind of input, one temporal graph; and the ways out again."""

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core.errors import InvalidArgumentError
from supra_core.io import write_edges
from supra_core.io.raw_edges import Binning
from supra_core.io.read import read_raw
from supra_core.networkx import edges_of_events, edges_of_snapshots, networkx_of_graph
from supra_core.pandas import edges_of_pandas
from supra_core.times import SnapshotTimes, snapshots_of, times_of

if TYPE_CHECKING:
    import networkx
    import pandas


class Doors:
    """What :class:`~supra_core.TemporalGraph` is built from beside arrays, and what it is turned into."""

    if TYPE_CHECKING:

        @classmethod
        def from_edges(cls, *columns: Any, **options: Any) -> Self:
            """See :class:`~supra_core.TemporalGraph`."""

        def _with_times(self, times: SnapshotTimes | None) -> Self: ...

    @classmethod
    def from_events(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        timestamp: Any,
        weight: ArrayLike | None = None,
        *,
        num_snapshots: int | None = None,
        width: Any = None,
        every: str | None = None,
        unit: str | None = None,
        num_nodes: int | None = None,
        duplicates: str = "sum",
        node_labels: Sequence[Hashable] | NDArray[Any] | None = None,
    ) -> Self:
        """A temporal graph of events in continuous time, put into bins.

        Give one of ``num_snapshots``, ``width`` and ``every``. A bin holds its left end and not its right;
        the last event falls into the last bin. Integers and dates are binned exactly. The ends of the bins
        are kept in :attr:`snapshot_times`.

        Args:
            source, target, weight, num_nodes, duplicates, node_labels: as for :meth:`from_edges`.
            timestamp: numbers, datetime64, datetimes, ISO dates or a pandas column of these, shape (m,).
            num_snapshots: that many bins of equal width from the first to the last event.
            width: the width of a bin, counted from the first event; a timedelta where timestamps are dates.
            every: ``"hour"``, ``"day"``, ``"week"`` (from Monday), ``"month"``, ``"quarter"`` or ``"year"``
                of the calendar, in the timestamps' own time zone if they have one.
            unit: numbers are Unix times in ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``.

        Raises:
            InvalidGraphError: ids, timestamps or weights that do not describe a graph.
            InvalidArgumentError: no binning, two of them, or one that these timestamps do not allow.

        Example:
            >>> days = ["2024-01-30", "2024-02-01", "2024-02-29"]
            >>> from supra_core import TemporalGraph
            >>> graph = TemporalGraph.from_events([0, 1, 0], [1, 2, 2], days, every="month")
            >>> graph.time.tolist(), graph.snapshot_times.astype(str).tolist()[1]
            ([0, 1, 1], '2024-02-01T00:00:00')
            >>> graph.snapshot_at("2024-02-14")
            1
        """
        times = times_of("timestamp", timestamp, unit=unit)
        binning = {"num_snapshots": num_snapshots, "width": width, "every": every}
        if all(value is None for value in binning.values()):
            said = ", ".join(f"{name}=None" for name in binning)
            raise InvalidArgumentError(f"{said}: must be one given")
        if len(times.values) == 0:
            index, names, count = np.zeros(0, dtype=np.int64), None, num_snapshots
        else:
            index, names, count = snapshots_of(times, **binning)
        graph = cls.from_edges(
            source, target, index, weight, num_nodes=num_nodes, num_snapshots=count,
            duplicates=duplicates, node_labels=node_labels,
        )  # fmt: skip
        return graph._with_times(names)

    @classmethod
    def from_pandas(
        cls,
        frame: "pandas.DataFrame",
        source: str = "source",
        target: str = "target",
        time: str = "time",
        weight: str | None = None,
        **binning: Any,
    ) -> Self:
        """A temporal graph of the rows of a table; names and dates are read as they are.

        Args:
            frame: one edge a row.
            source, target, time, weight: the names of its columns. Without weights, an edge that is listed
                several times in a snapshot counts once.
            binning: ``num_snapshots``, ``width``, ``every``, ``unit``, ``duplicates``, as for
                :func:`supra_core.read_edges`; without bins each distinct time is a snapshot.

        Raises:
            InvalidGraphError, InvalidArgumentError: a table that is no edge list; the message names the row.

        Example:
            >>> import pandas
            >>> from supra_core import TemporalGraph
            >>> days = pandas.to_datetime(["2024-01-30", "2024-02-01"])
            >>> frame = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "time": days})
            >>> TemporalGraph.from_pandas(frame, every="month").time_labels
            ['2024-01-01T00:00:00', '2024-02-01T00:00:00']
        """
        raw = edges_of_pandas(frame, source, target, time, weight)
        return cast(Self, raw.graph("frame", Binning.of(binning), cast(Any, cls)))

    @classmethod
    def from_networkx(
        cls,
        graphs: "Iterable[networkx.Graph[Any]] | networkx.Graph[Any]",
        *,
        nodes: Sequence[Hashable] | None = None,
        time: str = "time",
        weight: str = "weight",
        **binning: Any,
    ) -> Self:
        """A temporal graph of NetworkX graphs, one a snapshot; or of one whose edges carry a time.

        Args:
            graphs: snapshots in order, or one graph (a multigraph, if an edge may be there several times).
            nodes: the names of all nodes in the order of their ids; by size or name where not given.
            time, weight: the attributes of edges that have them; without a weight an edge counts 1.
            binning: for one graph, ``num_snapshots``, ``width``, ``every``, ``unit``, as for
                :func:`supra_core.read_edges`; and ``duplicates``, ``"sum"`` where not given.

        Raises:
            InvalidGraphError, InvalidArgumentError: what is no graph, or an edge without a time.
        """
        bins = Binning.of({"duplicates": "sum", **binning})
        if hasattr(graphs, "edges"):
            one = cast("networkx.Graph[Any]", graphs)
            return cast(Self, edges_of_events(one, nodes, time, weight).graph("graphs", bins, cast(Any, cls)))
        if bins.is_asked or bins.unit is not None:
            raise InvalidArgumentError(f"{binning}: must be left out where each graph is a snapshot")
        snapshots = list(cast("Iterable[networkx.Graph[Any]]", graphs))
        raw = edges_of_snapshots(snapshots, nodes, weight)
        return cls.from_edges(
            raw.source, raw.target, raw.times.values, raw.weight, num_snapshots=len(snapshots),
            duplicates=bins.duplicates or "sum", node_labels=raw.labels,
        )  # fmt: skip

    @classmethod
    def read_edges(
        cls,
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
    ) -> Self:
        """Read a temporal graph from an edge list.

        A file that :func:`~supra_core.write_edges` wrote comes back exactly. Any other is your own data: what
        stands for a node or a time is its label: a name, an integer with gaps or an ISO date. Nodes are
        numbered by size or name; each distinct time is a snapshot, in order, unless bins are asked for.

        Text files hold one edge a line: source, target, time and, optionally, weight, separated by commas,
        tabs, semicolons, bars or blanks. A header may name the columns, then in any order and among others;
        without one, a fourth column of words is no weight and is left out. Fields may be in double quotes.
        Lines that begin with ``#`` or ``%`` are comments. Parquet files have columns of the same names.

        Args:
            path: ends in .csv, .tsv, .txt or .edges, maybe with .gz, or in .parquet or .pq (extra
                ``parquet``).
            num_snapshots, width, every, unit: put the times into bins; see :meth:`from_events`.
            duplicates: ``"sum"`` or ``"once"``, for an edge that is listed several times in one snapshot;
                where not given, weights add up, and edges without weights count once; so do those of our own
                file when it is put into bins, where all its weights are the integer 1.
            max_snapshots: refuse more distinct times than this, where no bins are asked for.
            source, target, time, weight: the names of the columns, where they are none of the usual ones.

        Raises:
            InvalidGraphError: a file that is no edge list; the message names file, line, column and value.
            MissingFileError: there is no such file.
            InvalidArgumentError: another suffix, or bins that these times do not allow.

        Example:
            >>> import tempfile
            >>> from supra_core import read_edges  # the same as TemporalGraph.read_edges
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder, "mails.csv")
            ...     _ = path.write_text("from,to,date\\nann,bob,2024-05-01\\nbob,cy,2024-06-30\\n")
            ...     graph = read_edges(path, every="month")
            >>> graph.node_labels.tolist(), graph.num_snapshots, graph.snapshot_at("2024-06-05")
            (['ann', 'bob', 'cy'], 2, 1)
        """
        binning = Binning(num_snapshots, width, every, unit, duplicates, max_snapshots)
        raw = read_raw(Path(path), {"source": source, "target": target, "time": time, "weight": weight})
        return cast(Self, raw.graph(str(path), binning, cast(Any, cls)))

    # ── ways out ───────────────────────────────────────────────────────────────────────────────────────────

    def to_networkx(self) -> list["networkx.Graph[Any]"]:
        """The snapshots as NetworkX graphs, each with all nodes and an edge attribute ``weight``."""
        return networkx_of_graph(cast(Any, self))

    def write_edges(self, path: str | PathLike[str]) -> None:
        """Write a CSV or Parquet edge list; see :func:`supra_core.write_edges`."""
        write_edges(cast(Any, self), path)
