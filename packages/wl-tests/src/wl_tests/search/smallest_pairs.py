"""The smallest temporal graphs that a test tells apart or misses, by going through all of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.checks import check_count
from wl_tests.pairs import NodePair, Pair
from wl_tests.search.batches import batches
from wl_tests.search.isomorphism_classes import MAX_NODES, classes
from wl_tests.spectral import closed_walks


def smallest_separating_pair(max_nodes: int, max_snapshots: int) -> Pair | None:
    """The smallest two temporal graphs that Supra-WL tells apart and Layer-WL does not.

    Smallest: by nodes, then snapshots, then edges; all isomorphism classes of each size are looked at.

    Raises:
        InvalidArgumentError: sizes that are no integers >= 1, or more than 8 nodes.

    Example:
        >>> pair = smallest_separating_pair(4, 3)
        >>> print(pair.first)
        TemporalGraph(num_nodes=3, num_snapshots=2, num_edges=2)
        >>> smallest_separating_pair(2, 4) is None  # two nodes are too few, and so is one snapshot
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
    check_count("max_nodes", max_nodes, 1, MAX_NODES)
    check_count("max_snapshots", max_snapshots)
    for n in range(1, max_nodes + 1):
        for T in range(1, max_snapshots + 1):
            table, best = classes(n), None
            for batch in batches(table, T):
                supra = batch.supra_class()
                if kind == "separating":
                    found = _first_two(batch.masks, batch.layer_class, supra)
                else:
                    found = _first_two(batch.masks, supra, np.arange(len(supra)))
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
    check_count("max_nodes", max_nodes, 1, MAX_NODES)
    check_count("max_snapshots", max_snapshots)
    check_count("min_snapshots", min_snapshots, 1, max_snapshots)
    sizes = [(n, T) for n in range(1, max_nodes + 1) for T in range(min_snapshots, max_snapshots + 1)]
    for n, T in sorted(sizes, key=lambda size: (size[0] * size[1], size[0])):
        table, best = classes(n), None
        for batch in batches(table, T):
            masks, colours = batch.masks, batch.supra_colours()
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


# ── small things ───────────────────────────────────────────────────────────────────────────────────────────


def _first_two(
    masks: NDArray[np.int64], coarse: NDArray[np.int64], fine: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Two graphs that ``coarse`` puts together and ``fine`` does not, with as few edges as any."""
    order = np.lexsort((fine, coarse, _num_edges(masks)))
    here, after = order[:-1], order[1:]
    parted = np.flatnonzero((coarse[here] == coarse[after]) & (fine[here] != fine[after]))
    return (masks[here[parted[0]]], masks[after[parted[0]]]) if len(parted) else None


def _num_edges(masks: NDArray[np.int64]) -> Any:
    """The number of bits set in each row of masks."""
    return (masks[..., None] >> np.arange(MAX_NODES * (MAX_NODES - 1) // 2) & 1).sum(axis=(-2, -1))


def _first_merged(colours: NDArray[Any], powers: NDArray[Any]) -> tuple[int, int] | None:
    for a in range(len(colours)):
        for b in range(a + 1, len(colours)):
            if colours[a] == colours[b] and (powers[:, a] != powers[:, b]).any():
                return a, b
    return None
