"""The supra-graph: all snapshots of a window as one graph, each node joined to itself in the next layer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError
from supra_core.temporal_graph import TemporalGraph

GLOBAL = -1


@dataclass(frozen=True, eq=False)
class SupraGraph:
    """A supra-adjacency matrix together with what each of its rows stands for.

    Attributes:
        adjacency: symmetric, shape (N, N); rows run layer by layer, a layer's global node last.
        time: the layer of each row, shape (N,).
        node: the node of each row, shape (N,); -1 for a layer's global node.
        num_nodes, num_snapshots: the sizes of the temporal graph it was built from.
    """

    adjacency: sp.csr_array
    time: NDArray[np.int64]
    node: NDArray[np.int64]
    num_nodes: int
    num_snapshots: int

    @property
    def num_rows(self) -> int:
        """The number of supra-nodes, N."""
        return len(self.time)

    def scatter(self, rows: Any) -> NDArray[Any]:
        """Values of rows, shape (N, ...), laid out as (num_snapshots, num_nodes, ...).

        Zeros where a node was dropped; the global nodes' rows are left out.
        """
        rows = checks.check_array("rows", rows)
        if rows.shape[:1] != (self.num_rows,):
            raise InvalidArgumentError.of("rows.shape", rows.shape, f"({self.num_rows}, ...)")
        layers = np.zeros((self.num_snapshots, self.num_nodes, *rows.shape[1:]), dtype=rows.dtype)
        is_node = self.node != GLOBAL
        layers[self.time[is_node], self.node[is_node]] = rows[is_node]
        return layers

    def gather(self, layers: Any) -> NDArray[Any]:
        """The inverse of :meth:`scatter`; a global node gets the mean of its layer's nodes."""
        layers = checks.check_array("layers", layers)
        expected = (self.num_snapshots, self.num_nodes)
        if layers.shape[:2] != expected:
            raise InvalidArgumentError.of("layers.shape", layers.shape, f"{(*expected, '...')}")
        is_node = self.node != GLOBAL
        rows = np.zeros((self.num_rows, *layers.shape[2:]), dtype=layers.dtype)
        rows[is_node] = layers[self.time[is_node], self.node[is_node]]
        for row in np.flatnonzero(~is_node):
            members = is_node & (self.time == self.time[row])
            rows[row] = rows[members].mean(axis=0) if members.any() else 0
        return rows

    def __repr__(self) -> str:
        return f"SupraGraph({self.num_rows} rows, {self.adjacency.nnz} entries, {self.num_snapshots} layers)"


def supra_graph(
    graph: TemporalGraph,
    *,
    coupling: float = 1.0,
    global_nodes: bool = True,
    drop_isolated: bool = True,
) -> SupraGraph:
    """The supra-graph of all snapshots of ``graph``.

    Snapshots are the blocks of the diagonal; ``coupling`` joins a node to itself in the next layer. A
    global node in each layer is joined (weight 1) to that layer's active nodes, and coupled to its
    neighbours in time.
    ``drop_isolated`` removes rows without an edge inside their layer, so that only nodes active in both of
    two neighbouring layers are coupled. With neither of the two it is exactly the block matrix
    [A_1, μI; μI, A_2, μI; …] of the paper's Appendix C.1.

    Integer weights and an integer coupling give an integer matrix.

    Raises:
        InvalidArgumentError: a coupling that is negative or not finite, or an integer so large that a degree
            would not fit into 64 bits.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
        >>> supra_graph(graph, coupling=5, global_nodes=False, drop_isolated=False).adjacency.toarray()
        array([[0, 1, 0, 5, 0, 0],
               [1, 0, 0, 0, 5, 0],
               [0, 0, 0, 0, 0, 5],
               [5, 0, 0, 0, 0, 0],
               [0, 5, 0, 0, 0, 1],
               [0, 0, 5, 0, 1, 0]])
        >>> supra_graph(graph).node.tolist()  # -1 marks the global nodes
        [0, 1, -1, 1, 2, -1]
    """
    coupling = checks.check_nonnegative("coupling", coupling)
    width = graph.num_nodes + int(bool(global_nodes))
    size = graph.num_snapshots * width
    _refuse_overflow(graph, coupling, size)

    # A supra-node's key orders rows layer by layer; the same node one layer later is `width` further on.
    low, high = graph.time * width + graph.source, graph.time * width + graph.target
    active = _distinct(np.concatenate([low, high]), size)
    hub = active // width * width + graph.num_nodes  # the global node of each active node's layer
    kept = _with_hubs(active, hub) if global_nodes else active
    keys = kept if drop_isolated else np.arange(size, dtype=np.int64)
    row_of = _Lookup(keys, size)

    dtype = np.result_type(graph.weight.dtype, type(coupling))
    edges = [(row_of(low), row_of(high), graph.weight.astype(dtype, copy=False))]
    if global_nodes:
        edges.append((row_of(active), row_of(hub), np.ones(len(active), dtype=dtype)))
    if coupling > 0:
        later = row_of(keys + width)
        present = np.flatnonzero(later >= 0)
        weight = np.full(len(present), coupling, dtype=dtype)
        edges.append((present.astype(later.dtype), later[present], weight))
    adjacency = _both_ways(edges, len(keys))
    time, node = np.divmod(keys, width)
    node[node == graph.num_nodes] = GLOBAL
    return SupraGraph(adjacency, time, node, graph.num_nodes, graph.num_snapshots)


def _with_hubs(active: NDArray[np.int64], hub: NDArray[np.int64]) -> NDArray[np.int64]:
    """The keys of active nodes, with that of their global node after those of each layer."""
    ends = np.flatnonzero(np.diff(hub, append=-1)) + 1
    return np.insert(active, ends, hub[ends - 1])


def _both_ways(edges: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]], num_rows: int) -> sp.csr_array:
    """The symmetric matrix of edges between these rows, with these weights."""
    heads, tails, weights = map(list, zip(*edges, strict=True))
    rows, columns = np.concatenate(heads + tails), np.concatenate(tails + heads)
    entries = (np.concatenate(weights + weights), (rows, columns))
    return sp.coo_array(entries, shape=(num_rows, num_rows)).tocsr()


def _refuse_overflow(graph: TemporalGraph, coupling: float | int, size: int) -> None:
    """Keys of rows have to fit int64, and so do integer degrees.

    These are at most all weights, a global node's edges and two couplings.
    """
    if size >= 2**62:
        raise InvalidArgumentError.of("num_snapshots * num_nodes", size, "below 2**62")
    if graph.weight.dtype.kind == "i" and isinstance(coupling, int):
        others = int(graph.weight.sum()) + 2 * graph.num_edges
        if (bound := (2**63 - others) // 2) <= coupling:
            raise InvalidArgumentError.of("coupling", coupling, f"below {bound}, or a float")


def layer_graph(
    graph: TemporalGraph, t: int, *, global_nodes: bool = True, drop_isolated: bool = True
) -> SupraGraph:
    """The same for snapshot ``t`` alone: the graph whose Laplacian gives the encodings LPE."""
    # Nothing to couple; an integer zero keeps integer weights integers.
    window = graph.window(t, 1)
    return supra_graph(window, coupling=0, global_nodes=global_nodes, drop_isolated=drop_isolated)


class _Lookup:
    """From keys to row numbers, -1 for a key that has no row.

    A table over all possible keys where that is no larger than a few times the rows, else binary search,
    so that memory stays proportional to the rows however few of the nodes are active.
    """

    def __init__(self, keys: NDArray[np.int64], bound: int) -> None:
        self.keys, self.bound, self.table = keys, bound, None
        # 32-bit indices halve the memory the assembly moves; SciPy picks the same for the result.
        self.dtype = np.int32 if len(keys) < 2**31 else np.int64
        if _is_dense(len(keys), bound):
            self.table = np.full(bound, -1, dtype=self.dtype)
            self.table[keys] = np.arange(len(keys), dtype=self.dtype)

    def __call__(self, query: NDArray[np.int64]) -> NDArray[Any]:
        if self.table is not None:
            inside = query < self.bound
            if inside.all():
                return self.table[query]
            return np.where(inside, self.table[np.where(inside, query, 0)], self.dtype(-1))
        position = np.searchsorted(self.keys, query).astype(self.dtype)
        position[position == len(self.keys)] = 0
        found = self.keys[position] == query if len(self.keys) else np.zeros(len(query), dtype=bool)
        return np.where(found, position, self.dtype(-1))


def _distinct(keys: NDArray[np.int64], bound: int) -> NDArray[np.int64]:
    """Sorted distinct keys, by a bitmap where that is small enough, else by sorting."""
    if _is_dense(len(keys), bound):
        seen = np.zeros(bound, dtype=bool)
        seen[keys] = True
        return np.flatnonzero(seen)
    return np.unique(keys)


def _is_dense(num_keys: int, bound: int) -> bool:
    return bound <= 8 * num_keys + 4096
