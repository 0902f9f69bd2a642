"""A temporal graph: a sequence of undirected, weighted snapshots on one set of nodes."""

import functools
import hashlib
from collections.abc import Hashable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError, InvalidGraphError

if TYPE_CHECKING:
    import networkx

# More layers than this are taken for timestamps, unless num_snapshots says that they are meant.
MAX_INFERRED_SNAPSHOTS = 10_000_000


class TemporalGraph:
    """An immutable sequence of snapshots; build one with :meth:`from_edges` or its siblings.

    Each edge is stored once, as ``source < target``, ordered by (time, source, target). Two graphs with the
    same content are equal and have the same hash.

    Attributes:
        num_nodes: ids run from 0 to ``num_nodes - 1``; ids without edges count.
        num_snapshots: layers run from 0 to ``num_snapshots - 1``; layers without edges count.
        source, target, time, weight: read-only arrays, one entry for each temporal edge.

    Example:
        >>> graph = TemporalGraph.from_edges(source=[0, 1, 0], target=[1, 2, 2], time=[0, 0, 1])
        >>> graph
        TemporalGraph(num_nodes=3, num_snapshots=2, num_edges=3)
        >>> graph.adjacency(1).toarray().tolist()
        [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """

    num_nodes: int
    num_snapshots: int
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    time: NDArray[np.int64]
    weight: NDArray[Any]
    _bounds: NDArray[np.int64]

    def __init__(self) -> None:
        raise TypeError("build a TemporalGraph with from_edges, from_events, from_networkx or read_edges")

    @classmethod
    def _of(cls, columns: Sequence[NDArray[Any]], num_nodes: int, num_snapshots: int) -> Self:
        """Wrap columns (source, target, time, weight) that are canonical already."""
        self = object.__new__(cls)
        for name, array in zip(("source", "target", "time", "weight"), columns, strict=True):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "num_nodes", num_nodes)
        object.__setattr__(self, "num_snapshots", num_snapshots)
        bounds = np.searchsorted(columns[2], np.arange(num_snapshots + 1))
        object.__setattr__(self, "_bounds", bounds)
        return self

    # ── ways in ────────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        time: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        num_nodes: int | None = None,
        num_snapshots: int | None = None,
    ) -> Self:
        """A temporal graph of edges, each in the snapshot ``time``.

        Edges are undirected; duplicates within one snapshot (also in reverse) are merged and their weights
        summed; self-loops and edges of weight zero are dropped. Integer weights stay integers, so that
        everything built from them can be exact.

        Args:
            source, target: node ids, integers >= 0, shape (m,).
            time: snapshot indices, integers >= 0, shape (m,).
            weight: finite and >= 0, shape (m,); one each where not given.
            num_nodes: the largest id + 1 where not given.
            num_snapshots: the largest time + 1 where not given.

        Raises:
            InvalidGraphError: ids, times or weights that do not describe a graph.
            InvalidArgumentError: a size that is no integer >= 1.
        """
        u, v = checks.check_ids("source", source), checks.check_ids("target", target)
        t = checks.check_ids("time", time)
        w = np.ones(len(u), dtype=np.int64) if weight is None else checks.check_weights("weight", weight)
        checks.check_same_length(source=u, target=v, time=t, weight=w)
        if num_nodes is None:
            if len(u) == 0:
                raise InvalidGraphError("source=[]: must have an edge, or num_nodes must be given")
            num_nodes = int(max(u.max(), v.max())) + 1
        if num_snapshots is None:
            num_snapshots = int(t.max()) + 1 if len(t) else 1
            if num_snapshots > MAX_INFERRED_SNAPSHOTS:
                allowed = f"below {MAX_INFERRED_SNAPSHOTS}; from_events puts timestamps into bins"
                raise InvalidGraphError.of("max(time)", num_snapshots - 1, allowed)
        num_nodes = checks.check_count("num_nodes", num_nodes)
        num_snapshots = checks.check_count("num_snapshots", num_snapshots)
        for name, ids in (("source", u), ("target", v)):
            checks.check_below(name, ids, "num_nodes", num_nodes)
        checks.check_below("time", t, "num_snapshots", num_snapshots)
        return cls._of(_canonical(u, v, t, w, num_nodes), num_nodes, num_snapshots)

    @classmethod
    def from_events(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        timestamp: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        num_snapshots: int | None = None,
        width: float | None = None,
        num_nodes: int | None = None,
    ) -> Self:
        """A temporal graph of events in continuous time, put into bins of equal width.

        Give either ``num_snapshots`` (that many bins from the first to the last event) or ``width`` (the
        length of a bin, counted from the first event). A bin holds its left end; the last event falls into
        the last bin. Repeated events within a bin add up.

        Example:
            >>> graph = TemporalGraph.from_events([0, 1, 0], [1, 2, 2], [0.5, 9.0, 10.5], num_snapshots=2)
            >>> graph.time.tolist()
            [0, 1, 1]
        """
        stamps = np.asarray(timestamp)
        if stamps.ndim != 1 or stamps.dtype.kind not in "iuf":
            raise InvalidGraphError.of("timestamp", timestamp, "a one-dimensional array of numbers")
        if stamps.dtype.kind == "f" and not np.all(np.isfinite(stamps)):
            raise InvalidGraphError.of("timestamp", timestamp, "finite")
        if (num_snapshots is None) == (width is None):
            raise InvalidArgumentError(
                f"num_snapshots={num_snapshots!r}, width={width!r}: must be one given and the other not"
            )
        if len(stamps) == 0:
            bins = np.zeros(0, dtype=np.int64)
        elif width is not None:
            width = checks.check_nonnegative("width", width, positive=True)
            bins = np.floor((stamps - stamps.min()) / width).astype(np.int64)
        else:
            num_snapshots = checks.check_count("num_snapshots", num_snapshots)
            start, stop = stamps.min(), stamps.max()
            position = (stamps - start) / (stop - start) if stop > start else np.zeros(len(stamps))
            bins = np.minimum((position * num_snapshots).astype(np.int64), num_snapshots - 1)
        return cls.from_edges(source, target, bins, weight, num_nodes=num_nodes, num_snapshots=num_snapshots)

    @classmethod
    def from_networkx(
        cls, graphs: Sequence["networkx.Graph"], *, nodes: Sequence[Hashable] | None = None
    ) -> Self:
        """One snapshot a NetworkX graph; ``nodes`` lists the labels in id order where they are not ids."""
        from supra_core.networkx import edges_of_networkx

        columns, num_nodes = edges_of_networkx(graphs, nodes)
        return cls.from_edges(*columns, num_nodes=num_nodes, num_snapshots=len(graphs))

    @classmethod
    def read_edges(cls, path: str | PathLike[str]) -> Self:
        """Read a CSV or Parquet edge list; see :func:`supra_core.read_edges`."""
        from supra_core.io import read_columns

        columns, sizes = read_columns(path)
        order = ("source", "target", "time", "weight")
        return cls.from_edges(*(columns[name] for name in order if name in columns), **sizes)

    # ── ways out ───────────────────────────────────────────────────────────────────────────────────────────

    def to_networkx(self) -> list["networkx.Graph"]:
        """The snapshots as NetworkX graphs, each with all nodes and an edge attribute ``weight``."""
        from supra_core.networkx import networkx_of_graph

        return networkx_of_graph(self)

    def write_edges(self, path: str | PathLike[str]) -> None:
        """Write a CSV or Parquet edge list; see :func:`supra_core.write_edges`."""
        from supra_core.io import write_edges

        write_edges(self, path)

    # ── what it holds ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def num_edges(self) -> int:
        """The number of temporal edges: an edge present in three snapshots counts three times."""
        return len(self.source)

    def snapshot(self, t: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """Source, target and weight of the edges of snapshot ``t``, each edge once."""
        t = checks.check_index("t", t, self.num_snapshots)
        part = slice(self._bounds[t], self._bounds[t + 1])
        return self.source[part], self.target[part], self.weight[part]

    def adjacency(self, t: int) -> sp.csr_array:
        """The symmetric adjacency matrix of snapshot ``t``, shape (num_nodes, num_nodes)."""
        u, v, w = self.snapshot(t)
        rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
        shape = (self.num_nodes, self.num_nodes)
        return sp.coo_array((np.concatenate([w, w]), (rows, columns)), shape=shape).tocsr()

    def active(self, t: int) -> NDArray[np.bool_]:
        """Which nodes have an edge in snapshot ``t``, shape (num_nodes,)."""
        u, v, _ = self.snapshot(t)
        active = np.zeros(self.num_nodes, dtype=bool)
        active[u] = active[v] = True
        return active

    def window(self, stop: int, size: int) -> Self:
        """The ``size`` snapshots that end with snapshot ``stop``, fewer at the start of time."""
        stop = checks.check_index("stop", stop, self.num_snapshots)
        size = checks.check_count("size", size)
        start = max(0, stop + 1 - size)
        part = slice(self._bounds[start], self._bounds[stop + 1])
        columns = [self.source[part], self.target[part], self.time[part] - start, self.weight[part]]
        return self._of(columns, self.num_nodes, stop + 1 - start)

    def unweighted(self) -> Self:
        """The same edges, each of weight 1 (an integer)."""
        columns = [self.source, self.target, self.time, np.ones(self.num_edges, dtype=np.int64)]
        return self._of(columns, self.num_nodes, self.num_snapshots)

    # ── identity ───────────────────────────────────────────────────────────────────────────────────────────

    @functools.cached_property
    def digest(self) -> str:
        """A SHA-256 of the content: equal for equal graphs, on every machine."""
        content = hashlib.sha256(f"{self.num_nodes} {self.num_snapshots} {self.weight.dtype.kind}".encode())
        for array in (self.source, self.target, self.time, self.weight):
            content.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes())
        return content.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TemporalGraph):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TemporalGraph is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TemporalGraph is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        columns = (self.source, self.target, self.time, self.weight)
        return type(self)._of, (columns, self.num_nodes, self.num_snapshots)

    def __repr__(self) -> str:
        return (
            f"TemporalGraph(num_nodes={self.num_nodes}, num_snapshots={self.num_snapshots}, "
            f"num_edges={self.num_edges})"
        )


def _canonical(
    u: NDArray[np.int64], v: NDArray[np.int64], t: NDArray[np.int64], w: NDArray[Any], num_nodes: int
) -> list[NDArray[Any]]:
    """Orient edges upwards, sort them by (time, source, target), merge duplicates, drop what is no edge."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    keep = (low != high) & (w > 0)
    if not keep.all():
        low, high, t, w = low[keep], high[keep], t[keep], w[keep]
    if len(low) == 0:
        return [low, high, t.copy(), w]
    if float(t.max() + 1) * num_nodes * num_nodes < 2**63:
        # One sort of one integer key: several times faster than a lexsort of three columns.
        key = (t * num_nodes + low) * num_nodes + high
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.concatenate([[True], key[1:] != key[:-1]])
    else:
        order = np.lexsort((high, low, t))
        changes = [np.diff(column[order]) != 0 for column in (t, low, high)]
        first = np.concatenate([[True], changes[0] | changes[1] | changes[2]])
    starts = np.flatnonzero(first)
    chosen = order[starts]
    merged = np.add.reduceat(w[order], starts)
    return [low[chosen], high[chosen], t[chosen], merged]
