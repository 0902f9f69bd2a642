"""Random graphs that change from layer to layer, from a seed."""

import numpy as np
from numpy.typing import NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError
from supra_core.temporal_graph import TemporalGraph

Ids = NDArray[np.int64]


def barabasi_albert(
    num_nodes: int, num_snapshots: int, *, m: int = 3, rewire: float = 0.2, seed: int = 0
) -> TemporalGraph:
    """A preferential-attachment graph, of which a share of the edges is rewired from layer to layer.

    The first layer starts from a clique of m + 1 nodes; every further node brings m edges to distinct
    earlier nodes, drawn in proportion to their degree. A rewired edge keeps the end with fewer edges and gets
    another in proportion to degree, so the heavy tail stays and hardly a node loses all its edges. All layers
    have the same number of edges, about m · n.

    Args:
        num_nodes: at least m + 1.
        num_snapshots: the number of layers.
        m: edges that a new node brings.
        rewire: the share of the edges that is rewired, 0 .. 1.
        seed: an integer >= 0; the same seed gives the same graph.

    Raises:
        InvalidArgumentError: a parameter outside its range.

    Example:
        >>> barabasi_albert(100, 3, seed=1)
        TemporalGraph(num_nodes=100, num_snapshots=3, num_edges=882)
    """
    num_nodes = checks.check_count("num_nodes", num_nodes, minimum=2)
    num_snapshots = checks.check_count("num_snapshots", num_snapshots)
    m = checks.check_count("m", m)
    if m >= num_nodes:
        raise InvalidArgumentError.of("m", m, f"below num_nodes={num_nodes}")
    rewire = checks.check_probability("rewire", rewire)
    rng = _rng(seed)
    edges = _preferential_attachment(num_nodes, m, rng)
    layers = [edges]
    for _ in range(1, num_snapshots):
        layers.append(_rewired(layers[-1], num_nodes, rewire, rng))
    return _stacked(layers, num_nodes)


def block_model(
    num_nodes: int,
    num_snapshots: int,
    *,
    num_blocks: int = 4,
    p_in: float = 0.1,
    p_out: float = 0.01,
    persistence: float = 0.9,
    edge_persistence: float = 0.5,
    seed: int = 0,
) -> TemporalGraph:
    """A dynamic stochastic block model: communities whose members, and edges, change over time.

    Blocks start out equal in size and contiguous in id. From layer to layer a node keeps its block with
    probability ``persistence`` and otherwise moves to a uniformly drawn one. A pair of nodes keeps its state
    (edge or none) with probability ``edge_persistence`` and is otherwise drawn anew: an edge with
    probability ``p_in`` inside a block and ``p_out`` between blocks.

    Args:
        num_nodes, num_snapshots: the sizes.
        num_blocks: the number of communities, at most ``num_nodes``.
        p_in, p_out, persistence, edge_persistence: probabilities, 0 .. 1.
        seed: an integer >= 0; the same seed gives the same graph.

    Raises:
        InvalidArgumentError: a parameter outside its range.

    Example:
        >>> block_model(60, 2, num_blocks=3, p_in=1.0, p_out=0.0, persistence=1.0).num_edges
        1140
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    num_snapshots = checks.check_count("num_snapshots", num_snapshots)
    num_blocks = checks.check_count("num_blocks", num_blocks)
    if num_blocks > num_nodes:
        raise InvalidArgumentError.of("num_blocks", num_blocks, f"at most num_nodes={num_nodes}")
    p_in, p_out = checks.check_probability("p_in", p_in), checks.check_probability("p_out", p_out)
    persistence = checks.check_probability("persistence", persistence)
    edge_persistence = checks.check_probability("edge_persistence", edge_persistence)
    rng = _rng(seed)
    block = np.arange(num_nodes) * num_blocks // num_nodes
    layers = [_block_edges(block, p_in, p_out, rng)]
    for _ in range(1, num_snapshots):
        moves = rng.random(num_nodes) >= persistence
        block = np.where(moves, rng.integers(num_blocks, size=num_nodes), block)
        old, fresh = layers[-1], _block_edges(block, p_in, p_out, rng)
        # Of the pairs without an edge, a share keeps that state whatever was drawn; an old edge is there
        # again if it is kept or drawn once more.
        kept = old[rng.random(len(old)) < edge_persistence]
        born = fresh[np.isin(fresh, old) | (rng.random(len(fresh)) >= edge_persistence)]
        layers.append(np.union1d(kept, born))
    return _stacked(layers, num_nodes)


# ── how it is done ─────────────────────────────────────────────────────────────────────────────────────────
# A layer is an array of keys, low * num_nodes + high with low < high, one for each edge.


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(checks.check_count("seed", seed, minimum=0))


def _stacked(layers: list[Ids], num_nodes: int) -> TemporalGraph:
    time = np.repeat(np.arange(len(layers)), [len(layer) for layer in layers])
    source, target = np.divmod(np.concatenate(layers), num_nodes)
    return TemporalGraph.from_edges(source, target, time, num_nodes=num_nodes, num_snapshots=len(layers))


def _keys(a: Ids, b: Ids, num_nodes: int) -> Ids:
    return np.minimum(a, b) * num_nodes + np.maximum(a, b)


def _preferential_attachment(num_nodes: int, m: int, rng: np.random.Generator) -> Ids:
    """Draw an end of an earlier edge uniformly and you have drawn a node in proportion to its degree.

    Each new edge therefore only remembers *which* end of which earlier edge it copies; all these references
    are then followed at once, in a logarithmic number of passes over the whole array.
    """
    clique = np.stack(np.triu_indices(m + 1, 1), axis=1).ravel()
    newcomers = np.repeat(np.arange(m + 1, num_nodes), m)
    slots = len(clique) + 2 * np.arange(len(newcomers)) + 1  # where a new edge's drawn end stands
    bounds = len(clique) + 2 * m * (newcomers - m - 1)  # ends that were there before the newcomer
    reference = np.arange(len(clique) + 2 * len(newcomers))
    reference[slots] = rng.integers(bounds)
    ends = np.concatenate([clique, np.repeat(newcomers, 2)])
    while True:
        origin = reference
        while not np.array_equal(origin, further := origin[origin]):
            origin = further
        targets = ends[origin[slots]].reshape(-1, m)
        order = np.argsort(targets, axis=1, kind="stable")
        repeated = np.diff(np.take_along_axis(targets, order, axis=1), axis=1) == 0
        rows, columns = np.nonzero(repeated)
        if len(rows) == 0:
            break
        again = rows * m + order[rows, columns + 1]  # a newcomer's edges must differ: draw these once more
        reference[slots[again]] = rng.integers(bounds[again])
    chosen = np.concatenate([clique[::2], newcomers]), np.concatenate([clique[1::2], targets.ravel()])
    return _keys(*chosen, num_nodes)


def _rewired(edges: Ids, num_nodes: int, share: float, rng: np.random.Generator) -> Ids:
    """The same number of edges, a share of them with another end."""
    count = round(share * len(edges))
    order = rng.permutation(len(edges))
    old, kept = edges[order[:count]], edges[order[count:]]
    ends = np.concatenate(np.divmod(edges, num_nodes))
    low, high = np.divmod(old, num_nodes)
    degree = np.bincount(ends, minlength=num_nodes)
    fixed = np.where(
        degree[low] < degree[high], low, high
    )  # a node of few edges keeps them, and stays active
    free = rng.choice(ends, size=count)
    attempts = 0
    while True:
        keys = np.concatenate([kept, _keys(fixed, free, num_nodes)])
        order = np.argsort(keys, kind="stable")  # stable: of equal keys, kept edges come first
        repeated = order[1:][np.diff(keys[order]) == 0] - len(kept)
        again = np.union1d(repeated, np.flatnonzero(fixed == free))
        if len(again) == 0:
            return keys
        attempts += 1
        free[again] = rng.choice(ends, size=len(again))
        if attempts > 16:  # a node that is joined to all others has no free partner: let go of both ends
            fixed[again], free[again] = rng.integers(num_nodes, size=(2, len(again)))


def _block_edges(block: Ids, p_in: float, p_out: float, rng: np.random.Generator) -> Ids:
    num_nodes = len(block)
    parts = []
    for probability, inside in ((p_in, True), (p_out, False)):
        source, target = _random_pairs(num_nodes, probability, rng)
        chosen = (block[source] == block[target]) == inside
        parts.append(source[chosen] * num_nodes + target[chosen])
    return np.concatenate(parts)


def _random_pairs(num_nodes: int, probability: float, rng: np.random.Generator) -> tuple[Ids, Ids]:
    """Each pair i < j with the given probability, in time proportional to the pairs that come out."""
    # Pairs are numbered row by row; the gaps between chosen ones are geometric.
    starts = np.concatenate([[0], np.cumsum(np.arange(num_nodes - 1, 0, -1))])
    total = int(starts[-1])
    if probability == 0 or total == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    expected = total * probability
    chosen, last = [], -1
    while last < total:
        gaps = rng.geometric(probability, size=int(expected + 4 * np.sqrt(expected)) + 16)
        chosen.append(last + np.cumsum(np.minimum(gaps, total + 1)))
        last = int(chosen[-1][-1])
    pairs = np.concatenate(chosen)
    pairs = pairs[pairs < total]
    row = np.searchsorted(starts, pairs, side="right") - 1
    return row, pairs - starts[row] + row + 1
