"""Exhaustive search: censuses of small temporal graphs, and the smallest the tests tell apart or miss."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import InvalidArgumentError
from wl_tests.enumerate import MAX_NODES, Classes, burnside, classes
from wl_tests.neighbourhoods import Neighbourhoods, of_edges
from wl_tests.pairs import NodePair, Pair
from wl_tests.refine import refine
from wl_tests.signatures import group, mix
from wl_tests.spectral import closed_walks

_BATCH = 1 << 20
"""About how many supra-nodes are refined together."""

_PASS = 1 << 22
"""About how many temporal graphs are held at a time; more are gone through in several passes."""


@dataclass(frozen=True)
class Census:
    """How many classes of temporal graphs there are, and how many a test makes of them.

    Attributes:
        num_nodes, num_snapshots: the size of the graphs counted.
        isomorphism: classes up to renaming the nodes.
        supra: classes that Supra-WL tells apart.
        layer: classes that Layer-WL tells apart.
    """

    num_nodes: int
    num_snapshots: int
    isomorphism: int
    supra: int
    layer: int


def census(num_nodes: int, num_snapshots: int) -> Census:
    """Count all temporal graphs of a size: up to isomorphism, up to Supra-WL and up to Layer-WL.

    Work grows with the number of isomorphism classes, about 2^(T·n(n-1)/2) / n!.

    Raises:
        InvalidArgumentError: sizes that are no integers >= 1, or more than 8 nodes.

    Example:
        >>> census(3, 2)
        Census(num_nodes=3, num_snapshots=2, isomorphism=20, supra=20, layer=16)
    """
    table = classes(_check_size("num_nodes", num_nodes, MAX_NODES))
    _check_size("num_snapshots", num_snapshots)
    total = supra = layer = 0
    for masks in _batches(table, num_snapshots):
        total += len(masks)
        supra += _num_classes(_classify(table, masks, temporal=True))
        layer += _num_classes(_classify(table, masks, temporal=False))
    return Census(num_nodes, num_snapshots, total, supra, layer)


def smallest_separating_pair(max_nodes: int, max_snapshots: int) -> Pair | None:
    """The smallest two temporal graphs that Supra-WL tells apart and Layer-WL does not.

    Smallest: by nodes, then snapshots, then edges; all isomorphism classes of each size are looked at.

    Raises:
        InvalidArgumentError: sizes that are no integers >= 1, or more than 8 nodes.

    Example:
        >>> pair = smallest_separating_pair(4, 3)
        >>> pair.first
        TemporalGraph(num_nodes=3, num_snapshots=2, num_edges=2)
        >>> smallest_separating_pair(2, 4) is None  # two nodes do not suffice, nor does one snapshot
        True
    """
    return _smallest_pair("separating", max_nodes, max_snapshots)


def smallest_merged_pair(max_nodes: int, max_snapshots: int) -> Pair | None:
    """The smallest two temporal graphs that are not isomorphic though Supra-WL cannot tell them apart.

    Ordered, and refusing, as :func:`smallest_separating_pair` does.

    Example:
        >>> smallest_merged_pair(3, 3) is None
        True
    """
    return _smallest_pair("merged", max_nodes, max_snapshots)


def _smallest_pair(kind: str, max_nodes: int, max_snapshots: int) -> Pair | None:
    _check_size("max_nodes", max_nodes, MAX_NODES)
    _check_size("max_snapshots", max_snapshots)
    for n in range(1, max_nodes + 1):
        for T in range(1, max_snapshots + 1):
            table, best = classes(n), None
            for masks in _batches(table, T):
                supra = _classify(table, masks, temporal=True)
                if kind == "separating":
                    found = _first_two(masks, _classify(table, masks, temporal=False), supra)
                else:
                    found = _first_two(masks, supra, np.arange(len(masks)))
                if found is not None and (best is None or _num_edges(found[0]) < _num_edges(best[0])):
                    best = found
            if best is not None:
                about = f"the smallest {kind} pair: {n} nodes, {T} snapshots"
                return Pair(f"smallest_{kind}_pair", table.graph(best[0]), table.graph(best[1]), about)
    return None


def smallest_spectral_pair(max_nodes: int, max_snapshots: int, *, min_snapshots: int = 1) -> NodePair | None:
    """The smallest temporal graph with two nodes that Supra-WL merges and the supra-Laplacian's spectrum
    separates.

    Two supra-nodes are separated if the projector onto some eigenspace of the supra-Laplacian (coupling 1, no
    global nodes, no node dropped) has different entries for them on its diagonal. That is so if and only if
    some power of the matrix has, which is decided in integers. Smallest: by supra-nodes, then nodes, then
    edges.

    Raises:
        InvalidArgumentError: sizes that are no integers >= 1, or more than 8 nodes.

    Example:
        >>> smallest_spectral_pair(6, 1) is None  # the smallest is a triangle beside a square
        True
    """
    _check_size("max_nodes", max_nodes, MAX_NODES)
    _check_size("max_snapshots", max_snapshots)
    _check_size("min_snapshots", min_snapshots, max_snapshots)
    sizes = [(n, T) for n in range(1, max_nodes + 1) for T in range(min_snapshots, max_snapshots + 1)]
    for n, T in sorted(sizes, key=lambda size: (size[0] * size[1], size[0])):
        table, best = classes(n), None
        for masks in _batches(table, T):
            colours = _colours(table, masks, temporal=True)[1].reshape(len(masks), T * n)
            ordered = np.sort(colours, axis=1)
            for row in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
                if best is not None and _num_edges(masks[row]) >= _num_edges(best[0]):
                    continue
                pair = _first_merged(colours[row], closed_walks(table.graph(masks[row])))
                if pair is not None:
                    best = masks[row], pair
        if best is not None:
            (a, b), graph = best[1], table.graph(best[0])
            about = f"the smallest nodes Supra-WL merges and the spectrum separates: {n} nodes, {T} snapshots"
            return NodePair("smallest_spectral_pair", graph, (a % n, a // n), (b % n, b // n), about)
    return None


# ── refining many small graphs at once ─────────────────────────────────────────────────────────────────────


def _batches(table: Classes, num_snapshots: int) -> Iterator[NDArray[np.int64]]:
    """All classes as rows of masks, in batches such that graphs in different batches are never equivalent.

    Layer-WL (hence Supra-WL) tells graphs apart whose layers have different degrees, so batches are unions of
    sets of graphs with the same degrees, layer by layer. Counting classes batch by batch is then exact.
    """
    passes = -(-burnside(table.num_nodes, num_snapshots) // _PASS)
    size = max(1, _BATCH // (table.num_nodes * num_snapshots))
    for turn in range(passes):
        kept, kept_keys = [], []
        for masks in table.blocks(num_snapshots):
            keys = _degree_keys(table, masks)
            mine = keys % np.uint64(passes) == turn
            kept.append(masks[mine].astype(np.int32))
            kept_keys.append(keys[mine])
        rows, keys = np.concatenate(kept), np.concatenate(kept_keys)
        order = np.argsort(keys, kind="stable")
        rows, keys = rows[order], keys[order]
        begins = np.flatnonzero(np.diff(keys, prepend=keys[:1] + np.uint64(1)) != 0)
        start = 0
        while start < len(rows):
            later = begins[np.searchsorted(begins, start + size) :]
            stop = int(later[0]) if len(later) else len(rows)
            yield rows[start:stop].astype(np.int64)
            start = stop


def _degree_keys(table: Classes, masks: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Integers that are equal where the degrees of all layers are; a clash only makes a batch larger."""
    keys = np.zeros(len(masks), dtype=np.uint64)
    for layer in masks.T:
        distinct, where = np.unique(layer, return_inverse=True)
        degrees = np.zeros((len(distinct), table.num_nodes), dtype=np.uint64)
        for pair, ends in enumerate(table.pairs):
            degrees[:, ends] += (distinct >> pair & 1).astype(np.uint64)[:, None]
        keys = mix(keys + mix(mix(degrees).sum(axis=1))[where])
    return keys


def _edges(table: Classes, masks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ends of all edges, as rows of the supra-nodes of all graphs, layer by layer, graph after graph."""
    layers = masks.ravel()
    low, high = [], []
    for pair, (u, v) in enumerate(table.pairs):
        base = np.flatnonzero(layers >> pair & 1) * table.num_nodes
        low.append(base + u)
        high.append(base + v)
    empty = np.zeros(0, dtype=np.int64)
    return np.concatenate([empty, *low]), np.concatenate([empty, *high])


def _colours(
    table: Classes, masks: NDArray[np.int64], *, temporal: bool
) -> tuple[Neighbourhoods, NDArray[Any]]:
    widths = np.full(len(masks), table.num_nodes)
    hood = of_edges(*_edges(table, masks), None, widths, masks.shape[1], temporal=temporal)
    return hood, refine(hood, np.zeros(hood.num_rows, dtype=np.int64)).colours


def _classify(table: Classes, masks: NDArray[np.int64], *, temporal: bool) -> NDArray[np.int64]:
    """A number for each graph, equal where the stable multisets of colours are: one more multiset, exact."""
    hood, colours = _colours(table, masks, temporal=temporal)
    num_graphs, num_rows = len(masks), hood.num_rows
    size = num_rows // num_graphs
    indptr = np.concatenate([np.zeros(num_rows, dtype=np.int64), np.arange(num_graphs + 1) * size])
    nothing = np.zeros(num_rows + num_graphs, dtype=np.int64)
    graphs = Neighbourhoods(indptr, np.arange(num_rows), None, 1, nothing[None, :0].reshape(0, 0), nothing)
    padded = np.concatenate([colours.astype(np.int64), nothing[:num_graphs]])
    ranked, first = group(graphs, np.arange(num_rows, num_rows + num_graphs), padded)
    numbers = np.empty(num_graphs, dtype=np.int64)
    numbers[ranked - num_rows] = np.cumsum(first) - 1
    return numbers


def _num_classes(numbers: NDArray[np.int64]) -> int:
    return int(numbers.max(initial=-1)) + 1


def _first_two(
    masks: NDArray[np.int64], coarse: NDArray[np.int64], fine: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Two graphs that ``coarse`` puts together and ``fine`` does not, with as few edges as any."""
    order = np.lexsort((fine, coarse, _num_edges(masks)))
    here, after = order[:-1], order[1:]
    parted = np.flatnonzero((coarse[here] == coarse[after]) & (fine[here] != fine[after]))
    return (masks[here[parted[0]]], masks[after[parted[0]]]) if len(parted) else None


def _num_edges(masks: NDArray[np.int64]) -> Any:
    return np.bitwise_count(masks).sum(axis=-1, dtype=np.int64)


# ── small things ───────────────────────────────────────────────────────────────────────────────────────────


def _first_merged(colours: NDArray[Any], powers: NDArray[Any]) -> tuple[int, int] | None:
    for a in range(len(colours)):
        for b in range(a + 1, len(colours)):
            if colours[a] == colours[b] and (powers[:, a] != powers[:, b]).any():
                return a, b
    return None


def _check_size(name: str, value: Any, largest: int | None = None) -> int:
    allowed = "an integer >= 1" if largest is None else f"an integer in 1 .. {largest}"
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InvalidArgumentError.of(name, value, allowed)
    if largest is not None and value > largest:
        raise InvalidArgumentError.of(name, value, allowed)
    return int(value)
