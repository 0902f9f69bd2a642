"""The supra-nodes of several temporal graphs laid end to end, and who is next to whom."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph

OUTER = -1
"""Stands where a neighbour in time is missing: the outer constant of Equation 5."""


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """What an update rule reads around each of N supra-nodes.

    A supra-node is a pair (v, t) of one of the graphs; its row is the graph's offset + t · num_nodes + v.

    Attributes:
        indptr, indices: the neighbours inside the layer of row i are ``indices[indptr[i]:indptr[i + 1]]``;
            the relation is symmetric.
        labels: the label of each of these edges, integers from 0, or None where there are none.
        num_labels: labels are below this; 1 where there are none.
        ordered: neighbours whose position matters, shape (q, N), ``OUTER`` where missing; the union of the
            q relations is symmetric.
        layer: what the layer index t adds to the multiset: t + 1, or 0 where the multiset is empty. Every
            entry of a multiset carries the same t, so once for each row is enough.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[Any]
    labels: NDArray[Any] | None
    num_labels: int
    ordered: NDArray[Any]
    layer: NDArray[Any]

    @property
    def num_rows(self) -> int:
        """The number of supra-nodes, N."""
        return len(self.layer)

    @functools.cached_property
    def degree(self) -> NDArray[np.int64]:
        """How many neighbours inside its layer each row has, shape (N,)."""
        return np.diff(self.indptr)

    def entries(self, rows: NDArray[Any]) -> NDArray[np.int64] | slice:
        """Where the neighbours of ``rows`` (ascending, distinct) stand in ``indices``, row after row."""
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
            return slice(int(self.indptr[rows[0]]), int(self.indptr[rows[-1] + 1]))
        return ragged(self.indptr[rows], self.degree[rows])


def ragged(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The concatenated ranges ``starts[i] .. starts[i] + lengths[i] - 1``.

    Example:
        >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + places


def of_graphs(
    graphs: Sequence[TemporalGraph], labels: NDArray[Any] | None = None, *, temporal: bool
) -> Neighbourhoods:
    """Lay graphs end to end.

    Args:
        graphs: temporal graphs with the same number of snapshots.
        labels: integers from 0, one for each edge, graph after graph in the order of their edge arrays.
        temporal: whether the same node one layer earlier and one layer later are (ordered) neighbours.
    """
    offsets = np.concatenate([[0], np.cumsum([g.num_snapshots * g.num_nodes for g in graphs])])
    low = np.concatenate(
        [o + g.time * g.num_nodes + g.source for g, o in zip(graphs, offsets[:-1], strict=True)]
    )
    high = np.concatenate(
        [o + g.time * g.num_nodes + g.target for g, o in zip(graphs, offsets[:-1], strict=True)]
    )
    widths = np.array([g.num_nodes for g in graphs], dtype=np.int64)
    return of_edges(low, high, labels, widths, graphs[0].num_snapshots, temporal=temporal)


def of_edges(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    labels: NDArray[Any] | None,
    widths: NDArray[np.int64],
    num_snapshots: int,
    *,
    temporal: bool,
) -> Neighbourhoods:
    """The same from edges between rows, for graphs of ``widths`` nodes and ``num_snapshots`` layers each."""
    num_rows = int(widths.sum()) * num_snapshots
    dtype = np.int32 if num_rows < 2**31 else np.int64
    num_labels = 1 if labels is None else int(labels.max(initial=0)) + 1
    indptr, indices, labels = _compressed(low, high, labels, num_rows, dtype)
    # Layer by layer within each graph: row i + width is the same node one layer later.
    width: NDArray[Any] = np.repeat(widths, widths * num_snapshots).astype(dtype)
    time = _concatenated_layers(widths, num_snapshots, dtype)
    ordered = np.empty((2 if temporal else 0, num_rows), dtype=dtype)
    if temporal:
        row: NDArray[Any] = np.arange(num_rows, dtype=dtype)
        ordered[0] = np.where(time > 0, row - width, OUTER)
        ordered[1] = np.where(time < num_snapshots - 1, row + width, OUTER)
    layer = np.where(np.diff(indptr) > 0, time + 1, 0).astype(dtype)
    return Neighbourhoods(indptr, indices, labels, num_labels, ordered, layer)


def _concatenated_layers(widths: NDArray[np.int64], num_snapshots: int, dtype: Any) -> NDArray[Any]:
    """The layer of each row: for each graph 0 (width times), 1 (width times), …"""
    layers = np.tile(np.arange(num_snapshots, dtype=dtype), len(widths))
    return np.repeat(layers, np.repeat(widths, num_snapshots))


def _compressed(
    low: NDArray[np.int64], high: NDArray[np.int64], labels: NDArray[Any] | None, num_rows: int, dtype: Any
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any] | None]:
    """Both directions of each edge, row after row: indptr, indices and labels."""
    indptr = np.zeros(num_rows + 1, dtype=np.int64)
    counts = np.bincount(low, minlength=num_rows) + np.bincount(high, minlength=num_rows)
    np.cumsum(counts, out=indptr[1:])
    # Row and column in one integer: sorting one array of integers is several times faster than a lexsort.
    shift = num_rows.bit_length()
    key = np.concatenate([(low << shift) | high, (high << shift) | low])
    if labels is None:
        key.sort()
    else:
        order = np.argsort(key)
        key, labels = key[order], np.concatenate([labels, labels])[order].astype(np.int32)
    key &= (1 << shift) - 1
    return indptr, key.astype(dtype), labels
