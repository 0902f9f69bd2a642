"""Conversion from and to NetworkX (the extra ``networkx``)."""

import numbers
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.extras import require
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    import networkx


def edges_of_networkx(
    graphs: Sequence["networkx.Graph"], nodes: Sequence[Hashable] | None = None
) -> tuple[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], int]:
    """Source, target, time and weight of all edges, and the number of nodes.

    Args:
        graphs: one a snapshot. Directed edges lose their direction; parallel and opposite ones add up.
        nodes: the labels in the order of their ids; not needed where labels are integers >= 0 themselves.

    Raises:
        InvalidGraphError: a label that is no id and not in ``nodes``.
        InvalidArgumentError: no graphs, or a label twice in ``nodes``.

    Example:
        >>> import networkx
        >>> snapshot = networkx.Graph([("a", "b")])
        >>> (source, target, time, weight), num_nodes = edges_of_networkx([snapshot], nodes="ab")
        >>> source.tolist(), target.tolist(), num_nodes
        ([0], [1], 2)
    """
    graphs = list(graphs)
    if not graphs:
        raise InvalidArgumentError.of("graphs", graphs, "at least one graph")
    ids = _ids(graphs) if nodes is None else {label: index for index, label in enumerate(nodes)}
    if nodes is not None and len(ids) != len(nodes):
        raise InvalidArgumentError.of("nodes", nodes, "free of repeated labels")
    rows = []
    for t, graph in enumerate(graphs):
        for label in graph:
            if label not in ids:
                raise InvalidGraphError.of(f"graphs[{t}] node", label, "one of nodes")
        rows += [(ids[u], ids[v], t, weight) for u, v, weight in graph.edges(data="weight", default=1)]
    source, target, time, weight = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = np.array(source, np.int64), np.array(target, np.int64), np.array(time, np.int64)
    num_nodes = len(nodes) if nodes is not None else max(ids.values(), default=-1) + 1
    return (*columns, np.array(weight) if rows else np.zeros(0, dtype=np.int64)), num_nodes


def networkx_of_graph(graph: TemporalGraph) -> list["networkx.Graph"]:
    """The snapshots as NetworkX graphs, each with all nodes and an edge attribute ``weight``.

    Example:
        >>> snapshot, = networkx_of_graph(TemporalGraph.from_edges([0], [1], [0], [2], num_nodes=3))
        >>> list(snapshot), list(snapshot.edges(data="weight"))
        ([0, 1, 2], [(0, 1, 2)])
    """
    nx = require("networkx", extra="networkx")
    snapshots = []
    for t in range(graph.num_snapshots):
        snapshot = nx.Graph()
        snapshot.add_nodes_from(range(graph.num_nodes))
        source, target, weight = (column.tolist() for column in graph.snapshot(t))
        snapshot.add_weighted_edges_from(zip(source, target, weight, strict=True))
        snapshots.append(snapshot)
    return snapshots


def _ids(graphs: Sequence["networkx.Graph"]) -> dict[Any, int]:
    """Labels that are ids already."""
    ids = {}
    for t, graph in enumerate(graphs):
        for label in graph:
            if isinstance(label, bool) or not isinstance(label, numbers.Integral) or int(label) < 0:
                allowed = "an integer >= 0, or nodes must list the labels"
                raise InvalidGraphError.of(f"graphs[{t}] node", label, allowed)
            ids[label] = int(label)
    return ids
