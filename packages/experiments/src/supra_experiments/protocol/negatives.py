"""Pairs of nodes that are no edge: drawn for training, and fixed once and for all for testing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_core.checks import check_choice, check_count
from supra_experiments.config.data import NEGATIVES, TEST_SEED
from supra_experiments.datasets.splits import Split

Pairs = NDArray[np.int64]
"""Shape (2, m): both ends of each pair, the smaller id first."""


@dataclass(frozen=True, eq=False)
class LinkSet:
    """Positives and negatives of one snapshot.

    Attributes:
        snapshot: its index.
        positives: its edges, shape (2, m).
        negatives: as many non-edges where there are as many, shape (2, m').
    """

    snapshot: int
    positives: Pairs
    negatives: Pairs

    @property
    def pairs(self) -> Pairs:
        """Positives, then negatives, shape (2, m + m')."""
        return np.concatenate([self.positives, self.negatives], axis=1)

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Which of :attr:`pairs` are edges, shape (m + m',)."""
        return np.arange(self.positives.shape[1] + self.negatives.shape[1]) < self.positives.shape[1]


def edge_keys(graph: TemporalGraph, t: int) -> NDArray[np.int64]:
    """Each edge of a snapshot as one integer, source · num_nodes + target, in increasing order."""
    source, target, _ = graph.snapshot(t)
    return source * graph.num_nodes + target


def sample_non_edges(
    keys: NDArray[np.int64],
    num_nodes: int,
    count: int,
    rng: np.random.Generator,
    among: NDArray[np.int64] | None = None,
) -> Pairs:
    """Distinct pairs that are no edges, uniform over all of them.

    Args:
        keys: the edges to avoid, as :func:`edge_keys` gives them.
        num_nodes: ids run from 0 to ``num_nodes - 1``.
        count: how many pairs; fewer come back where fewer exist.
        rng: where chance comes from.
        among: the ids that may be ends, increasing; all where not given.

    Returns:
        Pairs (2, m) with m <= count, the smaller id first, no pair twice and none from a node to itself.

    Example:
        >>> edges = np.array([1, 2])  # of three nodes, 0–1 and 0–2
        >>> sample_non_edges(edges, 3, 5, np.random.default_rng(0)).tolist()
        [[1], [2]]
    """
    ids = np.arange(num_nodes) if among is None else among
    edges_inside = keys
    if among is not None:
        allowed = np.zeros(num_nodes, dtype=bool)
        allowed[ids] = True
        edges_inside = keys[allowed[keys // num_nodes] & allowed[keys % num_nodes]]
    available = len(ids) * (len(ids) - 1) // 2 - len(edges_inside)
    count = min(count, available)
    if count <= 0:
        return np.zeros((2, 0), dtype=np.int64)
    if 2 * count >= available:
        # Few pairs would be left to find by trial: list all of them and choose.
        low, high = np.triu_indices(len(ids), 1)
        every = np.setdiff1d(ids[low] * num_nodes + ids[high], edges_inside, assume_unique=True)
        return np.stack(np.divmod(rng.permutation(every)[:count], num_nodes))
    drawn = np.zeros(0, dtype=np.int64)
    while len(drawn) < count:
        missing = count - len(drawn)
        ends = ids[rng.integers(len(ids), size=(2, missing + missing // 8 + 8))]
        low, high = ends.min(axis=0), ends.max(axis=0)
        fresh = (low * num_nodes + high)[low < high]
        fresh = fresh[~_contains(keys, fresh)]
        # Of equal pairs the first counts; keeping the order of drawing keeps the choice uniform.
        drawn = np.concatenate([drawn, fresh])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])][:count]
    return np.stack(np.divmod(drawn, num_nodes))


def absent_links(graph: TemporalGraph, t: int) -> NDArray[np.int64]:
    """Edges of snapshots before ``t`` that are absent at ``t``, as :func:`edge_keys` gives them."""
    earlier = [edge_keys(graph, s) for s in range(t)]
    past = np.unique(np.concatenate(earlier)) if earlier else np.zeros(0, dtype=np.int64)
    return np.setdiff1d(past, edge_keys(graph, t), assume_unique=True)


def training_non_edges(
    keys: NDArray[np.int64],
    num_nodes: int,
    count: int,
    rng: np.random.Generator,
    *,
    absent: NDArray[np.int64] | None = None,
    share: float = 0.5,
) -> Pairs:
    """Non-edges to train on: uniform, or mixed with past edges.

    Args:
        keys, num_nodes, count, rng: as for :func:`sample_non_edges`.
        absent: past edges that are absent now, see :func:`absent_links`; None: all are uniform.
        share: of past edges among the pairs; where there are too few, uniform ones take their place.

    Returns:
        Pairs (2, m) with m <= count, past edges first.

    Example:
        >>> mixed = training_non_edges(
        ...     np.array([1, 2]), 9, 4, np.random.default_rng(0), absent=np.array([3, 4, 5])
        ... )
        >>> mixed.shape, mixed[0, :2].tolist()
        ((2, 4), [0, 0])
    """
    if absent is None:
        return sample_non_edges(keys, num_nodes, count, rng)
    past = _pairs(rng.permutation(absent)[: round(share * count)], num_nodes)
    return np.concatenate([past, sample_non_edges(keys, num_nodes, count - past.shape[1], rng)], axis=1)


def evaluation_links(
    graph: TemporalGraph, split: Split, snapshot: int, negatives: str = "uniform", seed: int = TEST_SEED
) -> LinkSet:
    """The links that a snapshot is tested on, the same for every model, run and machine.

    They depend on the graph, the split, the kind of negatives and the seed. Negatives are never edges of the
    snapshot and never repeat:

    - ``uniform``: both ends uniform over all ids, as published;
    - ``active``: both ends have an edge in some snapshot that scores use, the training ones as a rule;
    - ``historical``: edges of earlier snapshots that are absent now (fewer where fewer exist).

    Raises:
        InvalidArgumentError: an unknown kind of negatives, or a seed that is no integer >= 0.
    """
    check_choice("negatives", negatives, NEGATIVES)
    keys = edge_keys(graph, snapshot)
    return LinkSet(
        snapshot,
        _pairs(keys, graph.num_nodes),
        _negatives(graph, split, snapshot, len(keys), negatives, seed),
    )


def new_links(
    graph: TemporalGraph,
    split: Split,
    snapshot: int,
    negatives: str = "uniform",
    seed: int = TEST_SEED,
    *,
    since: int | None = None,
) -> LinkSet:
    """The same for links that are new: edges of ``snapshot`` that are not in snapshot ``since``.

    ``since`` is the newest snapshot that a model has seen where not given.
    """
    check_choice("negatives", negatives, NEGATIVES)
    since = split.seen(snapshot) - 1 if since is None else since
    keys = np.setdiff1d(edge_keys(graph, snapshot), edge_keys(graph, since), assume_unique=True)
    drawn = _negatives(graph, split, snapshot, len(keys), negatives, seed, stream=1)
    return LinkSet(snapshot, _pairs(keys, graph.num_nodes), drawn)


def _negatives(
    graph: TemporalGraph,
    split: Split,
    snapshot: int,
    count: int,
    negatives: str,
    seed: int,
    stream: int = 0,
) -> Pairs:
    seed = check_count("test_seed", seed, minimum=0)
    rng = np.random.default_rng([seed, snapshot, NEGATIVES.index(negatives), stream])
    keys = edge_keys(graph, snapshot)
    if negatives == "historical":
        return _pairs(rng.permutation(absent_links(graph, snapshot))[:count], graph.num_nodes)
    among = None
    if negatives == "active":
        among = np.flatnonzero(np.any([graph.active(t) for t in range(split.seen(snapshot))], axis=0))
    return sample_non_edges(keys, graph.num_nodes, count, rng, among)


def _pairs(keys: NDArray[np.int64], num_nodes: int) -> Pairs:
    return np.stack(np.divmod(keys, num_nodes))


def _contains(keys: NDArray[np.int64], query: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which entries of ``query`` are among the sorted ``keys``."""
    if len(keys) == 0:
        return np.zeros(len(query), dtype=bool)
    position = np.minimum(np.searchsorted(keys, query), len(keys) - 1)
    return keys[position] == query
