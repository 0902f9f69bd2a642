"""Conversion from and to NetworkX (the extra ``networkx``)."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.extras import require
from supra_core.io.raw_edges import RawEdges
from supra_core.io.table_columns import times_in
from supra_core.labels import ids_of, label_array
from supra_core.times import Times

if TYPE_CHECKING:
    import networkx

    from supra_core.temporal_graph import TemporalGraph

Weights = NDArray[Any] | None


def edges_of_snapshots(
    graphs: Sequence["networkx.Graph[Any]"], nodes: Sequence[Hashable] | None, weight: str
) -> RawEdges:
    """The edges of some graphs, one a snapshot.

    Args:
        graphs: the snapshots. Directed edges lose their direction.
        nodes: the names of all nodes in the order of their ids; by size or name where not given.
        weight: the attribute of an edge that has its weight; 1 where it is missing.

    Raises:
        InvalidGraphError: a name that is not in ``nodes``.
        InvalidArgumentError: no graphs, or a name twice in ``nodes``.

    Example:
        >>> import networkx
        >>> raw = edges_of_snapshots([networkx.Graph([("b", "a")])], None, "weight")
        >>> raw.labels.tolist(), raw.source.tolist(), raw.target.tolist()
        (['a', 'b'], [1], [0])
    """
    if not graphs:
        raise InvalidArgumentError.of("graphs", list(graphs), "at least one graph")
    ids, labels = _ids(graphs, nodes)
    rows = [(ids[u], ids[v], t) for t, graph in enumerate(graphs) for u, v in graph.edges()]
    found = [given for graph in graphs for given in _given(graph, weight)]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), 3).T
    return RawEdges(columns[0], columns[1], Times(columns[2]), _weights(found), labels)


def edges_of_events(
    graph: "networkx.Graph[Any]", nodes: Sequence[Hashable] | None, time: str, weight: str
) -> RawEdges:
    """The edges of one graph, each with a time of its own.

    Args:
        graph: a multigraph, if an edge is to be there at several times.
        nodes, weight: as for :func:`edges_of_snapshots`.
        time: the attribute of an edge that has its time: a number, a datetime or an ISO date.

    Raises:
        InvalidGraphError: an edge without a time, or a graph without edges.
    """
    ids, labels = _ids([graph], nodes)
    stamps: list[Any] = []
    ends = []
    for (u, v, *_), stamp in zip(graph.edges(), _given(graph, time), strict=True):
        if stamp is None:
            allowed = f"an edge with the attribute {time!r}, or graphs a list of snapshots"
            raise InvalidGraphError.of("edge", (u, v), allowed)
        stamps.append(stamp)
        ends.append((ids[u], ids[v]))
    if not ends:
        raise InvalidGraphError.of("graphs", graph, "a graph with edges, or a list of snapshots")
    columns = np.array(ends, dtype=np.int64).T
    weights = _weights(_given(graph, weight))
    return RawEdges(columns[0], columns[1], times_in("graphs", stamps), weights, labels)


def networkx_of_graph(graph: "TemporalGraph") -> list["networkx.Graph[Any]"]:
    """The snapshots as NetworkX graphs, each with all nodes and an edge attribute ``weight``.

    Example:
        >>> from supra_core import TemporalGraph
        >>> snapshot, = networkx_of_graph(TemporalGraph.from_edges([0], [1], [0], [2], num_nodes=3))
        >>> list(snapshot), list(snapshot.edges(data="weight"))
        ([0, 1, 2], [(0, 1, 2)])
    """
    nx = require("networkx", extra="networkx")
    names = graph.node_labels.tolist()
    snapshots = []
    for t in range(graph.num_snapshots):
        snapshot = nx.Graph()
        snapshot.add_nodes_from(names)
        source, target, weight = (column.tolist() for column in graph.snapshot(t))
        ends = ([names[node] for node in column] for column in (source, target))
        snapshot.add_weighted_edges_from(zip(*ends, weight, strict=True))
        snapshots.append(snapshot)
    return snapshots


def _ids(
    graphs: Iterable["networkx.Graph[Any]"], nodes: Sequence[Hashable] | None
) -> tuple[dict[Any, int], NDArray[Any]]:
    """The id of each name, and the names in the order of ids."""
    if nodes is None:
        names = list(dict.fromkeys(name for graph in graphs for name in graph))
        (order,), labels = ids_of([label_array(names)])
        return dict(zip(names, order.tolist(), strict=True)), labels
    ids = {name: index for index, name in enumerate(nodes)}
    if len(ids) != len(nodes):
        raise InvalidArgumentError.of("nodes", nodes, "free of repeated labels")
    for t, graph in enumerate(graphs):
        for name in graph:
            if name not in ids:
                raise InvalidGraphError.of(f"graphs[{t}] node", name, "one of nodes")
    return ids, label_array(nodes)


def _given(graph: "networkx.Graph[Any]", attribute: str) -> list[Any]:
    """An attribute of each edge, None where it has none."""
    rows: Any = graph.edges(data=attribute)
    return [row[-1] for row in rows]


def _weights(found: list[Any]) -> Weights:
    """Weights where an edge has one; those without count 1."""
    if all(weight is None for weight in found):
        return None
    return np.array([1 if weight is None else weight for weight in found])
