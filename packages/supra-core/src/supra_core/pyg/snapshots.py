"""Snapshots of PyTorch Geometric as one temporal graph: lists of ``Data``, and a ``Batch`` taken apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Batch, Data

from supra_core import checks
from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.pyg.attributes import array_of
from supra_core.temporal_graph import TemporalGraph

Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def temporal_graph_of(snapshots: Sequence[Data]) -> TemporalGraph:
    """The temporal graph of a list of snapshots, oldest first.

    An edge that a snapshot lists in both directions counts once, with the larger weight (``edge_weight``, 1
    where missing).

    Raises:
        InvalidArgumentError: no list, or an empty one.
        InvalidGraphError: snapshots that differ in ``num_nodes`` or do not describe graphs.

    Example:
        >>> snapshot = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
        >>> temporal_graph_of([snapshot, snapshot]).num_edges
        2
    """
    if not isinstance(snapshots, (list, tuple)) or not snapshots:
        raise InvalidArgumentError.of("data", snapshots, "a list of at least one Data snapshot")
    columns = []
    num_nodes = None
    for t, snapshot in enumerate(snapshots):
        if not isinstance(snapshot, Data) or snapshot.edge_index is None:
            raise InvalidGraphError.of(f"data[{t}]", snapshot, "a Data with an edge_index")
        num_nodes = snapshot.num_nodes if num_nodes is None else num_nodes
        if snapshot.num_nodes != num_nodes:
            allowed = f"{num_nodes} as in data[0]"
            raise InvalidGraphError.of(f"data[{t}].num_nodes", snapshot.num_nodes, allowed)
        columns.append(undirected_edges(snapshot, f"data[{t}]"))
    source, target, weight = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    time = np.repeat(np.arange(len(columns)), [len(part[0]) for part in columns])
    return TemporalGraph.from_edges(
        source, target, time, weight, num_nodes=num_nodes, num_snapshots=len(columns)
    )


def undirected_edges(data: Data, name: str) -> Columns:
    """Each edge once: lower end, upper end, weight.

    PyG lists undirected edges twice; adding the two up would double every weight. Loops are left out.
    """
    ends, weight = directed_edges(data, name)
    shape = (data.num_nodes, data.num_nodes)
    A = sp.coo_array((weight, ends), shape=shape).tocsr()
    edges = sp.triu(A.maximum(A.T), k=1).tocoo()
    return edges.coords[0].astype(np.int64), edges.coords[1].astype(np.int64), edges.data


def directed_edges(data: Data, name: str) -> tuple[tuple[NDArray[np.int64], ...], NDArray[Any]]:
    """Ends and weights of the edges as they are listed, checked."""
    edge_index = array_of(data.edge_index)
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise InvalidGraphError.of(f"{name}.edge_index.shape", edge_index.shape, "(2, num_edges)")
    ends = []
    for side, ids in enumerate(edge_index):
        ends.append(checks.check_ids(f"{name}.edge_index[{side}]", ids))
        checks.check_below(f"{name}.edge_index[{side}]", ends[side], "num_nodes", data.num_nodes)
    if data.edge_weight is None:
        return tuple(ends), np.ones(len(ends[0]), dtype=np.int64)
    weight = checks.check_weights(f"{name}.edge_weight", array_of(data.edge_weight))
    checks.check_same_length(**{f"{name}.edge_index[0]": ends[0], f"{name}.edge_weight": weight})
    return tuple(ends), weight


def taken_apart(batch: Batch) -> list[Data]:
    """The graphs of a batch, oldest first, also after a transform has changed the edges of the batch.

    ``to_data_list`` cuts where the edges of each graph once were. ``T.ToUndirected`` and others move them, so
    that nodes and edges are cut here anew, by ``ptr`` and by the graph that an edge's end is in.

    Raises:
        InvalidGraphError: edges between two of the graphs, or a batch that no ``from_data_list`` has made.
    """
    try:
        parts: list[Data] = batch.to_data_list()
    except RuntimeError as error:
        raise InvalidGraphError.of("data", batch, "made by Batch.from_data_list") from error
    if not isinstance(batch, Data) or batch.edge_index is None:
        raise InvalidGraphError.of("data", batch, "a Batch of Data that have an edge_index")
    ends = batch.batch[batch.edge_index.long()]
    if bool((ends[0] != ends[1]).any()):
        raise InvalidGraphError.of("data", batch, "free of edges between two of its graphs")
    starts, stops = batch.ptr[:-1].tolist(), batch.ptr[1:].tolist()
    keys = set(batch.keys())
    keys -= {"batch", "ptr"} | {f"{key}_{end}" for key in keys for end in ("batch", "ptr")}
    for i, (part, start, stop) in enumerate(zip(parts, starts, stops, strict=True)):
        chosen = torch.nonzero(ends[0] == i).flatten()
        for key in keys:
            value = batch[key]
            if not isinstance(value, Tensor):
                continue
            if batch.is_edge_attr(key):
                part[key] = value.index_select(batch.__cat_dim__(key, value), chosen)
            elif key not in part and batch.is_node_attr(key):  # one that a transform has added
                part[key] = value.narrow(batch.__cat_dim__(key, value), start, stop - start)
        part.edge_index = part.edge_index - start
        part.num_nodes = stop - start
    return parts


def put_together(parts: list[Data], batch: Batch) -> Batch:
    """A batch of the graphs, followed as the first one was."""
    keys = batch.keys()
    return Batch.from_data_list(parts, follow_batch=[key for key in keys if f"{key}_batch" in keys])
