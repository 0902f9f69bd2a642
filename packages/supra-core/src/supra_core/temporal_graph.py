"""A temporal graph: a sequence of undirected, weighted snapshots on one set of nodes."""

import functools
import hashlib
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.canonical import DUPLICATES, canonical, frozen
from supra_core.doors import Doors
from supra_core.errors import InvalidGraphError
from supra_core.labels import check_labels, same_labels
from supra_core.times import MAX_BINS, SnapshotTimes, as_array, times_of

_COLUMNS = ("source", "target", "time", "weight")


class TemporalGraph(Doors):
    """An immutable sequence of snapshots; build one with :meth:`from_edges` or its siblings.

    Each edge is stored once, as ``source < target``, ordered by (time, source, target). Two graphs with the
    same content, names and times are equal and have the same hash.

    Attributes:
        num_nodes: ids run from 0 to ``num_nodes - 1``; ids without edges count.
        num_snapshots: layers run from 0 to ``num_snapshots - 1``; layers without edges count.
        source, target, time, weight: read-only arrays, one entry for each temporal edge.

    Example:
        >>> graph = TemporalGraph.from_edges(source=[0, 1, 0], target=[1, 2, 2], time=[0, 0, 1])
        >>> print(graph)
        TemporalGraph(num_nodes=3, num_snapshots=2, num_edges=3)
        >>> graph
        TemporalGraph.from_edges([0, 1, 0], [1, 2, 2], [0, 0, 1], num_nodes=3, num_snapshots=2)
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
    _labels: NDArray[Any] | None
    _times: SnapshotTimes | None

    def __init__(self) -> None:
        raise TypeError("build a TemporalGraph with from_edges, from_events, from_networkx or read_edges")

    @classmethod
    def _of(
        cls,
        columns: Sequence[NDArray[Any]],
        num_nodes: int,
        num_snapshots: int,
        labels: NDArray[Any] | None = None,
        times: SnapshotTimes | None = None,
        bounds: NDArray[np.int64] | None = None,
    ) -> Self:
        """Wrap columns (source, target, time, weight) that are canonical already."""
        self = object.__new__(cls)
        if bounds is None:
            bounds = np.searchsorted(columns[2], np.arange(num_snapshots + 1))
        parts: dict[str, Any] = dict(zip(_COLUMNS, map(frozen, columns), strict=True))
        parts |= {"num_nodes": num_nodes, "num_snapshots": num_snapshots, "_bounds": frozen(bounds)}
        parts |= {"_labels": None if labels is None else frozen(labels), "_times": times}
        for name, part in parts.items():
            object.__setattr__(self, name, part)
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
        duplicates: str = "sum",
        node_labels: Sequence[Hashable] | NDArray[Any] | None = None,
        snapshot_times: Any = None,
        time_zone: str | None = None,
    ) -> Self:
        """A temporal graph of edges, each in the snapshot ``time``.

        Edges are undirected; an edge that is listed several times within one snapshot (also in reverse) is
        one edge; self-loops and edges of weight zero are dropped. Integer weights stay integers, so that
        everything built from them can be exact.

        Args:
            source, target: node ids, integers >= 0, shape (m,).
            time: snapshot indices, integers >= 0, shape (m,).
            weight: finite and >= 0, shape (m,); one each where not given.
            num_nodes: the largest id + 1 where not given.
            num_snapshots: the largest time + 1 where not given.
            duplicates: ``"sum"`` adds up the weights of an edge that is listed several times; ``"once"``
                takes it once, and refuses one that is listed with two weights.
            node_labels: what the nodes are called, distinct, shape (num_nodes,).
            snapshot_times: when each snapshot was, ascending numbers or dates, shape (num_snapshots,); or the
                ends of its bins, shape (num_snapshots + 1,).
            time_zone: the zone of ``snapshot_times``, which are then instants in UTC.

        Raises:
            InvalidGraphError: ids, times, weights or labels that do not describe a graph.
            InvalidArgumentError: a size that is no integer >= 1, or another setting that is not allowed.
        """
        u, v = checks.check_ids("source", source), checks.check_ids("target", target)
        t = checks.check_ids("time", time)
        w = None if weight is None else checks.check_weights("weight", weight)
        checks.check_same_length(source=u, target=v, time=t, **({} if w is None else {"weight": w}))
        checks.check_choice("duplicates", duplicates, DUPLICATES)
        if num_nodes is None:
            num_nodes = _num_nodes(u, v) if node_labels is None else len(node_labels)
        num_snapshots = _num_snapshots(t) if num_snapshots is None else num_snapshots
        num_nodes = checks.check_count("num_nodes", num_nodes)
        num_snapshots = checks.check_count("num_snapshots", num_snapshots)
        for name, ids in (("source", u), ("target", v)):
            checks.check_below(name, ids, "num_nodes", num_nodes)
        checks.check_below("time", t, "num_snapshots", num_snapshots)
        names = None
        if snapshot_times is not None:
            found = times_of("snapshot_times", snapshot_times, zone=time_zone)
            names = SnapshotTimes.of(found, num_snapshots)
        return cls._from_checked((u, v, t, w), num_nodes, num_snapshots, duplicates, node_labels, names)

    @classmethod
    def _from_checked(
        cls,
        columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[Any] | None],
        num_nodes: int,
        num_snapshots: int,
        duplicates: str = "sum",
        node_labels: Sequence[Hashable] | NDArray[Any] | None = None,
        times: SnapshotTimes | None = None,
    ) -> Self:
        """A graph of columns (source, target, time, weight) that describe one; they are not written to."""
        labels = None if node_labels is None else check_labels(node_labels, num_nodes)
        return cls._of(canonical(*columns, num_nodes, duplicates), num_nodes, num_snapshots, labels, times)

    # ── what it holds ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def num_edges(self) -> int:
        """The number of temporal edges: an edge present in three snapshots counts three times."""
        return len(self.source)

    @functools.cached_property
    def node_labels(self) -> NDArray[Any]:
        """What the nodes are called, shape (num_nodes,); their ids where they have no names."""
        return frozen(np.arange(self.num_nodes)) if self._labels is None else self._labels

    @functools.cached_property
    def snapshot_times(self) -> NDArray[Any]:
        """When each snapshot was: integers, floats or datetime64, ascending, shape (num_snapshots,).

        Of events that were put into bins, the bins' ends, shape (num_snapshots + 1,): snapshot t holds what
        is at or after ``snapshot_times[t]`` and before ``snapshot_times[t + 1]``. The indices 0, 1, 2, …
        where no times are known. With a :attr:`time_zone`, instants in UTC.
        """
        return frozen(np.arange(self.num_snapshots) if self._times is None else self._times.values)

    @property
    def time_zone(self) -> str | None:
        """The zone of :attr:`snapshot_times`: ``UTC``, ``+02:00``, ``Europe/Berlin``; None without one."""
        return None if self._times is None else self._times.zone

    @property
    def time_labels(self) -> list[Any]:
        """What each snapshot is called: a number or an ISO date with its offset; of a bin, its beginning."""
        if self._times is None:
            return list(range(self.num_snapshots))
        return self._times.texts()[: self.num_snapshots]

    def snapshot_at(self, timestamp: Any) -> Any:
        """The snapshot of a time: the bin that it is in, or else the snapshot of exactly this time.

        Args:
            timestamp: a number or a date, as :attr:`snapshot_times` are; or an array of them.

        Returns:
            An integer; for an array, integers of its shape.

        Raises:
            InvalidArgumentError: a time that no snapshot has.
        """
        stamps, alone = as_array(timestamp)
        times = self._times
        if times is None:
            times = SnapshotTimes(np.arange(self.num_snapshots))
        found = times.find(stamps)
        return int(found[0]) if alone else found

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
        bounds = self._bounds[start : stop + 2]
        part = slice(bounds[0], bounds[-1])
        time = self.time[part] - start if start else self.time[part]
        columns = [self.source[part], self.target[part], time, self.weight[part]]
        times = None if self._times is None else self._times.part(start, stop + 1)
        return self._of(columns, self.num_nodes, stop + 1 - start, self._labels, times, bounds - bounds[0])

    def _with_times(self, times: SnapshotTimes | None) -> Self:
        columns = [self.source, self.target, self.time, self.weight]
        return self._of(columns, self.num_nodes, self.num_snapshots, self._labels, times, self._bounds)

    def unweighted(self) -> Self:
        """The same edges, each of weight 1 (an integer)."""
        columns = [self.source, self.target, self.time, np.ones(self.num_edges, dtype=np.int64)]
        sizes = (self.num_nodes, self.num_snapshots)
        return self._of(columns, *sizes, self._labels, self._times, self._bounds)

    # ── identity ───────────────────────────────────────────────────────────────────────────────────────────

    @functools.cached_property
    def digest(self) -> str:
        """A SHA-256 of the sizes, edges and weights, whatever nodes and snapshots are called.

        Equal for equal graphs, on every machine.
        """
        content = hashlib.sha256(f"{self.num_nodes} {self.num_snapshots} {self.weight.dtype.kind}".encode())
        for array in (self.source, self.target, self.time, self.weight):
            content.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes())
        return content.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TemporalGraph):
            return NotImplemented
        same = self._times is other._times or (self._times is not None and self._times.same_as(other._times))
        return same and same_labels(self._labels, other._labels) and self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TemporalGraph is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TemporalGraph is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        columns = (self.source, self.target, self.time, self.weight)
        return type(self)._of, (columns, self.num_nodes, self.num_snapshots, self._labels, self._times)

    def __str__(self) -> str:
        sizes = f"num_nodes={self.num_nodes}, num_snapshots={self.num_snapshots}, num_edges={self.num_edges}"
        return f"TemporalGraph({sizes})"

    def __repr__(self) -> str:
        """An expression that builds the graph again where it is small, else its sizes."""
        from supra_core.expression import expression_of

        return expression_of(self) or str(self)


def _num_nodes(u: NDArray[np.int64], v: NDArray[np.int64]) -> int:
    if len(u) == 0:
        raise InvalidGraphError("source=[]: must have an edge, or num_nodes must be given")
    return int(max(u.max(), v.max())) + 1


def _num_snapshots(t: NDArray[np.int64]) -> int:
    last = int(t.max()) if len(t) else 0
    if last >= MAX_BINS:
        allowed = f"below {MAX_BINS}; from_events puts timestamps into bins"
        raise InvalidGraphError.of("max(time)", last, allowed)
    return last + 1
