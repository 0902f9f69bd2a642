"""All temporal graphs of a size, refined thousands at a time: what censuses and searches go through."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wl_tests.neighbourhoods import Neighbourhoods, of_edges
from wl_tests.refine import refine
from wl_tests.search.isomorphism_classes import Classes, burnside
from wl_tests.signatures import group

_BATCH = 1 << 15
"""About how many supra-nodes are refined together: few enough to stay in a processor's cache."""

_PASS = 1 << 22
"""About how many temporal graphs are held at a time; more are gone through in several passes."""


@dataclass(frozen=True, eq=False)
class Layers:
    """Layer-WL on single layers, for every layer there is.

    A node with an edge never shares its colour with a node of another layer, so two temporal graphs have
    equal multisets of Layer-WL colours if and only if, layer by layer, their snapshots have. Each snapshot is
    therefore refined once, not once for each temporal graph it is part of.

    Attributes:
        masks: the snapshots, ascending, shape (s,).
        colours: stable, of their nodes, comparable between snapshots, shape (s, num_nodes).
        number: of the class each snapshot is in, shape (s,).
    """

    masks: NDArray[np.int64]
    colours: NDArray[Any]
    number: NDArray[np.int64]

    @classmethod
    def of(cls, table: Classes, num_snapshots: int) -> "Layers":
        """All snapshots that temporal graphs of this size are made of, up to isomorphism if that is one."""
        if num_snapshots == 1:
            masks = np.sort(np.concatenate(list(table.blocks(1))).ravel())
        else:
            masks = np.arange(2 ** len(table.pairs), dtype=np.int64)
        hood = _hood(table, masks[:, None], temporal=False)
        colours = refine(hood, np.zeros(hood.num_rows, dtype=np.int64)).colours.reshape(len(masks), -1)
        return cls(masks, colours, _equal_multisets(colours))

    def keys(self, graphs: NDArray[np.int64]) -> NDArray[np.int64]:
        """One integer for each temporal graph (a row of masks), equal where Layer-WL sees no difference."""
        radix = int(self.number.max()) + 1
        keys = np.zeros(len(graphs), dtype=np.int64)
        for layer in graphs.T:
            keys = keys * radix + self.number[np.searchsorted(self.masks, layer)]
        return keys


@dataclass(frozen=True, eq=False)
class Batch:
    """Some temporal graphs, and no graph outside looks to Layer-WL (or to Supra-WL) like one of them."""

    table: Classes
    layers: Layers
    masks: NDArray[np.int64]  # shape (graphs, num_snapshots)
    layer_class: NDArray[np.int64]  # ascending, shape (graphs,)

    def supra_colours(self, rows: NDArray[Any] | None = None) -> NDArray[Any]:
        """Stable Supra-WL colours of all graphs, or some, shape (graphs, num_snapshots · num_nodes).

        Refinement starts from the layer and the stable Layer-WL colour of each node. Supra-WL finds both out
        by itself (layers by their distance from the outer constant), so that the stable partition is the
        same, and is reached sooner.
        """
        masks = self.masks if rows is None else self.masks[rows]
        num_graphs, T = masks.shape
        inner = self.layers.colours[np.searchsorted(self.layers.masks, masks)]
        start = inner.astype(np.int64) * T + np.arange(T)[:, None]
        start = np.unique(start.ravel(), return_inverse=True)[1]
        colours = refine(_hood(self.table, masks, temporal=True), start).colours
        return colours.reshape(num_graphs, -1)

    def supra_class(self) -> NDArray[np.int64]:
        """The number of the class Supra-WL puts each graph into, from 0, shape (graphs,)."""
        differs = np.diff(self.layer_class, prepend=-1, append=-1) != 0
        alone = differs[1:] & differs[:-1]  # what Layer-WL tells from all others, Supra-WL does too
        numbers = np.cumsum(alone) - 1
        if not alone.all():
            together = ~alone
            numbers[together] = _equal_multisets(self.supra_colours(together)) + int(alone.sum())
        return numbers


def batches(table: Classes, num_snapshots: int) -> Iterator[Batch]:
    """All isomorphism classes of a size, in batches that can be counted one by one."""
    layers = Layers.of(table, num_snapshots)
    passes = -(-burnside(table.num_nodes, num_snapshots) // _PASS)
    size = max(1, _BATCH // (table.num_nodes * num_snapshots))
    for turn in range(passes):
        kept, kept_keys = [], []
        for masks in table.blocks(num_snapshots):
            keys = layers.keys(masks)
            mine = keys % passes == turn
            kept.append(masks[mine].astype(np.int32))
            kept_keys.append(keys[mine])
        rows, keys = np.concatenate(kept), np.concatenate(kept_keys)
        order = np.argsort(keys, kind="stable")
        rows, keys = rows[order], keys[order]
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        start = 0
        while start < len(rows):
            later = begins[np.searchsorted(begins, start + size) :]
            stop = int(later[0]) if len(later) else len(rows)
            yield Batch(table, layers, rows[start:stop].astype(np.int64), keys[start:stop])
            start = stop


def _hood(table: Classes, masks: NDArray[np.int64], *, temporal: bool) -> Neighbourhoods:
    """The supra-nodes of many temporal graphs: layer by layer, graph after graph."""
    layers = masks.ravel()
    low, high = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for pair, (u, v) in enumerate(table.pairs):
        base = np.flatnonzero(layers >> pair & 1) * table.num_nodes
        low.append(base + u)
        high.append(base + v)
    widths = np.full(len(masks), table.num_nodes, dtype=np.int64)
    return of_edges(
        np.concatenate(low), np.concatenate(high), None, widths, masks.shape[1], temporal=temporal
    )


def _equal_multisets(colours: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each row of ``colours``, from 0, equal where the rows are equal as multisets."""
    num_rows, size = colours.shape
    # Each row becomes a node whose neighbours are its entries, all of which are nodes without neighbours.
    entries = colours.size
    indptr = np.concatenate([np.zeros(entries, dtype=np.int64), np.arange(num_rows + 1) * size])
    nothing = np.zeros(entries + num_rows, dtype=np.int64)
    hood = Neighbourhoods(indptr, np.arange(entries), None, 1, np.zeros((0, 0), dtype=np.int64), nothing)
    padded = np.concatenate([colours.ravel().astype(np.int64), nothing[:num_rows]])
    ranked, first = group(hood, np.arange(entries, entries + num_rows), padded)
    numbers = np.empty(num_rows, dtype=np.int64)
    numbers[ranked - entries] = np.cumsum(first) - 1
    return numbers
