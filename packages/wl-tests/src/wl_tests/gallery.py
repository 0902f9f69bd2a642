"""Temporal graphs worth knowing: what each test sees, what it misses, and how long it takes.

:func:`pairs` lists them all with the round after which each test tells them apart; :func:`node_pairs` lists
nodes that Supra-WL merges although the spectrum of the supra-Laplacian separates them.
"""

from collections.abc import Iterable

from supra_core import TemporalGraph
from supra_core.checks import check_count
from wl_tests.pairs import NodePair, Pair

_Edge = tuple[int, int]

__all__ = [
    "NodePair",
    "Pair",
    "cycles",
    "distant_edge",
    "long_paths",
    "moved_edge",
    "node_pairs",
    "pairs",
    "prism_and_utility",
    "rook_and_shrikhande",
    "triangle_and_square",
    "turned_matching",
    "two_pentagons",
]


def pairs() -> tuple[Pair, ...]:
    """All pairs of graphs, the small ones first.

    Example:
        >>> for pair in pairs()[:2]:
        ...     print(pair.name, pair.layer_round, pair.supra_round)
        moved_edge None 2
        turned_matching None None
    """
    return (
        moved_edge(),
        turned_matching(),
        distant_edge(6),
        cycles(3, 2),
        prism_and_utility(2),
        rook_and_shrikhande(2),
        long_paths(20),
    )


def node_pairs() -> tuple[NodePair, ...]:
    """All pairs of nodes that Supra-WL merges and the spectrum of the supra-Laplacian separates."""
    return triangle_and_square(), two_pentagons()


# ── Supra-WL sees it, Layer-WL does not ────────────────────────────────────────────────────────────────────


def moved_edge() -> Pair:
    """The smallest pair that separates the two tests: three nodes, two layers, one edge in each.

    In the first graph the same edge twice; in the second, two edges that share a node. Every layer looks the
    same in both, so Layer-WL sees no difference; Supra-WL sees whether an edge meets the same nodes again.
    This is Proposition 2's strictness, and no smaller pair exists
    (:func:`wl_tests.search.smallest_separating_pair`).
    """
    return Pair(
        "moved_edge",
        _layers(3, [(0, 1)], [(0, 1)]),
        _layers(3, [(0, 1)], [(0, 2)]),
        "the same edge twice, against two edges that share a node",
        layer_round=None,
        supra_round=2,
    )


def distant_edge(num_snapshots: int) -> Pair:
    """The same with empty layers in between: what happened must travel through time before Supra-WL can tell.

    Raises:
        InvalidArgumentError: fewer than two snapshots.
    """
    check_count("num_snapshots", num_snapshots, 2)
    empty: list[list[_Edge]] = [[] for _ in range(num_snapshots - 2)]
    return Pair(
        "distant_edge",
        _layers(3, [(0, 1)], *empty, [(0, 1)]),
        _layers(3, [(0, 1)], *empty, [(0, 2)]),
        "an edge in the first and the last layer: the same, or one that shares a node",
        layer_round=None,
        supra_round=num_snapshots // 2 + 1,
    )


# ── neither test sees it ───────────────────────────────────────────────────────────────────────────────────


def turned_matching() -> Pair:
    """The smallest pair Supra-WL misses: four nodes, two layers, a matching in each, the same or not."""
    return Pair(
        "turned_matching",
        _layers(4, [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        _layers(4, [(0, 1), (2, 3)], [(0, 2), (1, 3)]),
        "a perfect matching twice, against two that form a square",
    )


def cycles(length: int = 3, num_snapshots: int = 1) -> Pair:
    """One cycle of 2·length nodes against two of ``length``, the same in every layer.

    Raises:
        InvalidArgumentError: a length below 3.
    """
    check_count("length", length, 3)
    one = _cycle(range(2 * length))
    two = _cycle(range(length)) + _cycle(range(length, 2 * length))
    return _repeated("cycles", one, two, 2 * length, num_snapshots, "one cycle against two half as long")


def prism_and_utility(num_snapshots: int = 1) -> Pair:
    """The triangular prism against K₃,₃: both 3-regular on six nodes, only one has triangles."""
    prism = _cycle(range(3)) + _cycle(range(3, 6)) + [(i, i + 3) for i in range(3)]
    utility = [(i, j) for i in range(3) for j in range(3, 6)]
    return _repeated(
        "prism_and_utility", prism, utility, 6, num_snapshots, "the triangular prism against K3,3"
    )


def rook_and_shrikhande(num_snapshots: int = 1) -> Pair:
    """Two strongly regular graphs of the same parameters (16, 6, 2, 2): even their spectra are equal."""
    cells = [(i, j) for i in range(4) for j in range(4)]
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    rook, shrikhande = [], []
    for a, (i, j) in enumerate(cells):
        for b, (k, m) in enumerate(cells[:a]):
            if i == k or j == m:
                rook.append((b, a))
            if ((i - k) % 4, (j - m) % 4) in steps:
                shrikhande.append((b, a))
    about = "the 4×4 rook's graph against the Shrikhande graph"
    return _repeated("rook_and_shrikhande", rook, shrikhande, 16, num_snapshots, about)


# ── both see it, after many rounds ─────────────────────────────────────────────────────────────────────────


def long_paths(length: int = 20) -> Pair:
    """Paths of ``length`` and ``length`` + 2 nodes against two of ``length`` + 1, in one layer.

    Every node looks like the middle of a path until what it sees reaches an end, so length // 2 + 1 rounds
    are needed.

    Raises:
        InvalidArgumentError: a length below 1.
    """
    check_count("length", length, 1)
    total = 2 * length + 2
    uneven = _path(0, length) + _path(length, total)
    even = _path(0, length + 1) + _path(length + 1, total)
    rounds = length // 2 + 1
    return Pair(
        "long_paths",
        _layers(total, uneven),
        _layers(total, even),
        "a shorter and a longer path against two of equal length",
        layer_round=rounds,
        supra_round=rounds,
    )


# ── Supra-WL does not see it, the spectrum does ────────────────────────────────────────────────────────────


def triangle_and_square() -> NodePair:
    """The smallest nodes that Supra-WL merges and SLPE separates: a triangle beside a square, in one layer.

    Every node has two neighbours that look like itself. But walks return sooner in a triangle: with L the
    Laplacian, (L³) is 18 on the diagonal for its nodes and 20 for the square's, and the projector onto the
    eigenspace of 0 has 1/3 there against 1/4. Found by :func:`wl_tests.search.smallest_spectral_pair`.
    """
    edges = _cycle(range(3)) + _cycle(range(3, 7))
    about = "a node of a triangle and a node of a square beside it"
    return NodePair("triangle_and_square", _layers(7, edges), (0, 0), (3, 0), about)


def two_pentagons() -> NodePair:
    """The smallest such nodes in more than one layer: five nodes, two layers, a pentagon in each.

    The pentagons 0-3-2-1-4 and 0-2-3-1-4 share three edges. Supra-WL gives all nodes of a layer one colour:
    each has two neighbours like itself, and itself in the other layer. The supra-Laplacian sees which edges
    repeat.
    """
    first, second = _cycle([0, 3, 2, 1, 4]), _cycle([0, 2, 3, 1, 4])
    about = "two nodes of a pentagon that another pentagon follows"
    return NodePair("two_pentagons", _layers(5, first, second), (0, 0), (2, 0), about)


# ── building ───────────────────────────────────────────────────────────────────────────────────────────────


def _layers(num_nodes: int, *layers: Iterable[_Edge]) -> TemporalGraph:
    edges = [(u, v, t) for t, layer in enumerate(layers) for u, v in layer]
    source, target, time = ([edge[i] for edge in edges] for i in range(3))
    return TemporalGraph.from_edges(source, target, time, num_nodes=num_nodes, num_snapshots=len(layers))


def _repeated(
    name: str, first: list[_Edge], second: list[_Edge], num_nodes: int, num_snapshots: int, about: str
) -> Pair:
    check_count("num_snapshots", num_snapshots, 1)
    one, other = (_layers(num_nodes, *[layer] * num_snapshots) for layer in (first, second))
    return Pair(name, one, other, about)


def _cycle(nodes: Iterable[int]) -> list[_Edge]:
    ring = list(nodes)
    return list(zip(ring, ring[1:] + ring[:1], strict=True))


def _path(start: int, stop: int) -> list[_Edge]:
    return [(v, v + 1) for v in range(start, stop - 1)]
