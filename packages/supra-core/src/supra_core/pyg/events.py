"""Events as snapshots, and what was known of their nodes before."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import TemporalData

from supra_core import checks
from supra_core.eigen.result import Array
from supra_core.encoding import Encoder
from supra_core.errors import InvalidGraphError
from supra_core.pyg.attributes import array_of
from supra_core.temporal_graph import TemporalGraph

# All that from_events can be told of its snapshots; the rest of its arguments are in the events themselves.
BINNING = tuple(
    name
    for name, parameter in inspect.signature(TemporalGraph.from_events).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name not in ("num_nodes", "node_labels")
)


def snapshots_of(data: TemporalData, binning: dict[str, Any]) -> tuple[TemporalGraph, NDArray[np.int64]]:
    """The temporal graph of the events, and the snapshot each of them is in, shape (num_events,).

    Raises:
        InvalidGraphError: events without ends or times.
        InvalidArgumentError: a binning that :meth:`TemporalGraph.from_events` refuses.
    """
    for name in ("src", "dst", "t"):
        if data.get(name) is None:
            raise InvalidGraphError.of("data", data, f"TemporalData with src, dst and t; it has no {name}")
    source = checks.check_ids("data.src", array_of(data.src))
    target = checks.check_ids("data.dst", array_of(data.dst))
    time, weight = array_of(data.t), data.get("edge_weight")
    weight = None if weight is None else array_of(weight)
    num_nodes = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    graph = TemporalGraph.from_events(source, target, time, weight, num_nodes=max(num_nodes, 1), **binning)
    # One edge for each event, to a node of their own: nothing is merged, so that the bins can be read off.
    apart, hub = np.arange(len(source)), np.full(len(source), len(source))
    star = TemporalGraph.from_events(apart, hub, time, num_nodes=len(source) + 1, **binning)
    snapshot = np.empty(len(source), dtype=np.int64)
    snapshot[star.source] = star.time
    return graph, snapshot


def before_each(encoder: Encoder, graph: TemporalGraph) -> Iterator[Array]:
    """What is known when each snapshot begins: zeros, then the encoding of the snapshot before."""
    yield np.zeros((graph.num_nodes, encoder.dim))
    for encoding in encoder.walk(graph, stop=graph.num_snapshots - 1):
        yield encoding.values


def of_both_ends(
    encoder: Encoder, graph: TemporalGraph, data: TemporalData, snapshot: NDArray[np.int64]
) -> tuple[Array, Array]:
    """The rows of each event's two nodes, both of shape (num_events, dim).

    Window by window, so that memory is that of the events and not of all nodes in all snapshots.
    """
    ends = array_of(data.src), array_of(data.dst)
    rows = np.zeros((2, len(snapshot), encoder.dim))
    order = np.argsort(snapshot, kind="stable")
    bounds = np.searchsorted(snapshot[order], np.arange(graph.num_snapshots + 1))
    for s, values in enumerate(before_each(encoder, graph)):
        here = order[bounds[s] : bounds[s + 1]]
        for side in (0, 1):
            rows[side, here] = values[ends[side][here]]
    return rows[0], rows[1]
