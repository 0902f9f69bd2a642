"""The same small graph in every layer; :mod:`supra_core.generators.spectra` has their spectra."""

import numpy as np
from numpy.typing import NDArray

from supra_core import checks
from supra_core.temporal_graph import TemporalGraph

Ids = NDArray[np.int64]


def path_layers(num_nodes: int, num_snapshots: int) -> TemporalGraph:
    """The path 0 – 1 – … – (n − 1) in every layer, as in the paper's Figure 3.

    Example:
        >>> path_layers(4, 2).adjacency(1).toarray().tolist()
        [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    ids = np.arange(num_nodes - 1)
    return _repeated(ids, ids + 1, num_nodes, num_snapshots)


def cycle_layers(num_nodes: int, num_snapshots: int) -> TemporalGraph:
    """The cycle 0 – 1 – … – (n − 1) – 0 in every layer; at least three nodes.

    Example:
        >>> cycle_layers(5, 2).num_edges
        10
    """
    num_nodes = checks.check_count("num_nodes", num_nodes, minimum=3)
    ids = np.arange(num_nodes)
    return _repeated(ids, (ids + 1) % num_nodes, num_nodes, num_snapshots)


def star_layers(num_nodes: int, num_snapshots: int) -> TemporalGraph:
    """Node 0 joined to all others, in every layer.

    Example:
        >>> star_layers(4, 1).adjacency(0).toarray()[0].tolist()
        [0, 1, 1, 1]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    leaves = np.arange(1, num_nodes)
    return _repeated(np.zeros_like(leaves), leaves, num_nodes, num_snapshots)


def complete_layers(num_nodes: int, num_snapshots: int) -> TemporalGraph:
    """Every pair of nodes joined, in every layer.

    Example:
        >>> complete_layers(5, 2).num_edges
        20
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    source, target = np.triu_indices(num_nodes, 1)
    return _repeated(source, target, num_nodes, num_snapshots)


def grid_layers(num_rows: int, num_columns: int, num_snapshots: int) -> TemporalGraph:
    """A rectangular grid in every layer; the node in row r and column c is ``r * num_columns + c``.

    Example:
        >>> grid_layers(2, 3, 1).snapshot(0)[0].tolist()
        [0, 0, 1, 1, 2, 3, 4]
    """
    num_rows = checks.check_count("num_rows", num_rows)
    num_columns = checks.check_count("num_columns", num_columns)
    ids = np.arange(num_rows * num_columns).reshape(num_rows, num_columns)
    source = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    target = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    return _repeated(source, target, num_rows * num_columns, num_snapshots)


def _repeated(source: Ids, target: Ids, num_nodes: int, num_snapshots: int) -> TemporalGraph:
    num_snapshots = checks.check_count("num_snapshots", num_snapshots)
    time = np.repeat(np.arange(num_snapshots), len(source))
    source, target = np.tile(source, num_snapshots), np.tile(target, num_snapshots)
    return TemporalGraph.from_edges(source, target, time, num_nodes=num_nodes, num_snapshots=num_snapshots)
