"""Renaming the nodes of a temporal graph."""

import numpy as np
from numpy.typing import ArrayLike

from supra_core import InvalidArgumentError, TemporalGraph


def relabel(graph: TemporalGraph, permutation: ArrayLike) -> TemporalGraph:
    """The same temporal graph with node v renamed to ``permutation[v]``, in all layers alike.

    Args:
        permutation: each of 0 .. num_nodes - 1 once, shape (num_nodes,).

    Raises:
        InvalidArgumentError: anything that is no such permutation.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
        >>> renamed = relabel(graph, [2, 0, 1])
        >>> renamed.source.tolist(), renamed.target.tolist(), renamed.time.tolist()
        ([0, 0], [2, 1], [0, 1])
    """
    names = np.asarray(permutation)
    if names.shape != (graph.num_nodes,) or not np.array_equal(np.sort(names), np.arange(graph.num_nodes)):
        allowed = f"a permutation of 0 .. {graph.num_nodes - 1}"
        raise InvalidArgumentError.of("permutation", permutation, allowed)
    names = names.astype(np.int64)
    return TemporalGraph.from_edges(
        names[graph.source],
        names[graph.target],
        graph.time,
        graph.weight,
        num_nodes=graph.num_nodes,
        num_snapshots=graph.num_snapshots,
    )
