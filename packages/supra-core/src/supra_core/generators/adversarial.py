"""Graphs on which eigensolvers skip eigenvectors, to try a solver on.

Many equal eigenvalues, nearly equal ones, whole communities that a start has no part of, values over many
orders of magnitude: each family is hard in a way of its own. All are adjacency matrices, so that both
Laplacians can be made of them.

Example:
    >>> from supra_core import eigenpairs, laplacian
    >>> result = eigenpairs(laplacian(hypercube(9)), k=10)
    >>> result.eigenvalues.round(6).tolist()
    [0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from supra_core.generators.changing import barabasi_albert, block_model
from supra_core.laplacian import Normalization, laplacian
from supra_core.supra_graph import supra_graph

Rng = np.random.Generator


def hypercube(dimension: int) -> sp.csr_array:
    """2^d nodes; the Laplacian has the eigenvalue 2j as often as d over j."""
    edge, graph = np.array([[0.0, 1.0], [1.0, 0.0]]), sp.csr_array((1, 1))
    for _ in range(dimension):
        graph = sp.csr_array(sp.kronsum(graph, edge))
    return graph


def cycle(num_nodes: int) -> sp.csr_array:
    """All eigenvalues but one or two are double."""
    node = np.arange(num_nodes)
    return _of_edges(num_nodes, node, (node + 1) % num_nodes)


def path(num_nodes: int) -> sp.csr_array:
    """The smallest eigenvalues are tiny and close together."""
    node = np.arange(num_nodes - 1)
    return _of_edges(num_nodes, node, node + 1)


def clique(num_nodes: int) -> sp.csr_array:
    """One eigenvalue, n − 1 times."""
    return sp.csr_array(np.ones((num_nodes, num_nodes)) - np.eye(num_nodes))


def wheel(num_nodes: int) -> sp.csr_array:
    """A cycle and a hub: double eigenvalues that differ in the fourth digit."""
    rim = num_nodes - 1
    node = np.arange(rim)
    spokes = _of_edges(num_nodes, node, np.full(rim, rim))
    return sp.csr_array(spokes + _of_edges(num_nodes, node, (node + 1) % rim))


def torus(rows: int, columns: int) -> sp.csr_array:
    """Eigenvalues four or eight times."""
    return sp.csr_array(sp.kronsum(cycle(columns), cycle(rows)))


def complete_bipartite(left: int, right: int) -> sp.csr_array:
    """Two eigenvalues, each nearly as often as there are nodes on the other side."""
    return _of_edges(left + right, *(ends.ravel() for ends in np.mgrid[:left, left : left + right]))


def windmill(count: int, size: int) -> sp.csr_array:
    """Cliques that share one node: the eigenvalue 1 as often as there are cliques, less one."""
    blades = sp.block_diag([clique(size - 1)] * count + [np.zeros((1, 1))])
    rim, hub = np.arange(count * (size - 1)), count * (size - 1)
    return sp.csr_array(blades + _of_edges(hub + 1, rim, np.full(len(rim), hub)))


def ring_of_cliques(count: int, size: int) -> sp.csr_array:
    """Cliques, each joined to the next by one edge."""
    first = np.arange(count) * size
    joints = _of_edges(count * size, first, np.roll(first, -1) + 1)
    return sp.csr_array(sp.block_diag([clique(size)] * count) + joints)


def lollipop(size: int, tail: int) -> sp.csr_array:
    """A clique with a path joined to it."""
    graph = sp.block_diag([clique(size), path(tail)])
    return sp.csr_array(graph + _of_edges(size + tail, np.array([size - 1]), np.array([size])))


def barbell(size: int, bridge: int) -> sp.csr_array:
    """Two cliques at the ends of a path: a nearly double zero."""
    graph = sp.block_diag([clique(size), path(bridge), clique(size)])
    ends = np.array([size - 1, size + bridge - 1])
    return sp.csr_array(graph + _of_edges(2 * size + bridge, ends, ends + 1))


def random_tree(num_nodes: int, rng: Rng) -> sp.csr_array:
    """Each node is joined to one before it: many leaves of one parent, so many equal eigenvalues."""
    child = np.arange(1, num_nodes)
    return _of_edges(num_nodes, child, rng.integers(0, child))


def copies(graph: sp.csr_array, count: int, joint: float = 0.0) -> sp.csr_array:
    """Equal copies side by side, each joined to the next by one edge of weight ``joint``."""
    first = np.arange(count - 1) * graph.shape[0]
    joints = _of_edges(count * graph.shape[0], first, first + graph.shape[0], joint)
    return sp.csr_array(sp.block_diag([graph] * count) + joints)


def communities(
    num_nodes: int, num_snapshots: int, num_blocks: int, coupling: float, rng: Rng
) -> sp.csr_array:
    """The supra-graph of communities without any edge between them: one zero for each."""
    graph = block_model(
        num_nodes, num_snapshots, num_blocks=num_blocks, p_in=0.5, p_out=0.0, persistence=1.0,
        seed=int(rng.integers(2**31)),
    )  # fmt: skip
    return supra_graph(graph, coupling=coupling, global_nodes=False).adjacency.astype(float)


def layers(num_nodes: int, num_snapshots: int, coupling: float, rng: Rng) -> sp.csr_array:
    """The supra-graph of preferential-attachment snapshots with global nodes."""
    graph = barabasi_albert(num_nodes, num_snapshots, m=2, seed=int(rng.integers(2**31)))
    return supra_graph(graph, coupling=coupling).adjacency.astype(float)


def spread_weights(num_nodes: int, decades: float, rng: Rng) -> sp.csr_array:
    """A preferential-attachment graph whose weights span as many orders of magnitude."""
    graph = barabasi_albert(num_nodes, 1, m=3, seed=int(rng.integers(2**31))).adjacency(0)
    upper = sp.coo_array(sp.triu(graph, k=1))
    weight = 10.0 ** rng.uniform(-decades / 2, decades / 2, upper.nnz)
    source, target = upper.coords
    return _of_edges(num_nodes, source, target, weight)


class Case(NamedTuple):
    """One matrix to try a solver on.

    Attributes:
        name: its family and what was drawn.
        matrix: the Laplacian, rows and columns in random order.
        k: pairs to ask for: below, at or inside a cluster, as it falls.
        tol: the residual norm to ask for.
        warm: the share of the exact vectors to start from, or None for a random start.
    """

    name: str
    matrix: sp.csr_array
    k: int
    tol: float
    warm: str


# Each a little above the size up to which `Auto` takes the full decomposition.
FAMILIES: dict[str, Callable[[Rng], sp.csr_array]] = {
    "hypercube": lambda rng: hypercube(9),
    "cycle": lambda rng: cycle(int(rng.integers(460, 600))),
    "path": lambda rng: path(int(rng.integers(460, 600))),
    "wheel": lambda rng: wheel(int(rng.integers(460, 600))),
    "torus": lambda rng: torus(int(rng.integers(21, 25)), int(rng.integers(22, 26))),
    "complete bipartite": lambda rng: complete_bipartite(*(int(x) for x in rng.integers(228, 300, 2))),
    "windmill": lambda rng: windmill(int(rng.integers(18, 24)), int(rng.integers(27, 31))),
    "ring of cliques": lambda rng: ring_of_cliques(int(rng.integers(8, 13)), int(rng.integers(58, 62))),
    "long lollipop": lambda rng: lollipop(int(rng.integers(30, 100)), int(rng.integers(430, 500))),
    "barbell": lambda rng: barbell(int(rng.integers(180, 240)), int(rng.integers(100, 140))),
    "copies of a tree": lambda rng: copies(
        random_tree(int(rng.integers(58, 70)), rng), int(rng.integers(8, 10))
    ),
    "weakly joined copies": lambda rng: copies(
        random_tree(int(rng.integers(58, 70)), rng), int(rng.integers(8, 10)), 10.0 ** rng.uniform(-9, -1)
    ),
    "communities": lambda rng: communities(
        int(rng.integers(120, 160)), 4, int(rng.integers(2, 9)), float(rng.choice([0.5, 1.0, 2.0])), rng
    ),
    "layers": lambda rng: layers(int(rng.integers(115, 150)), 4, float(rng.choice([0.1, 1.0, 2.5])), rng),
    "spread weights": lambda rng: spread_weights(int(rng.integers(460, 600)), rng.uniform(0, 6), rng),
}


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """``count`` matrices of more than 450 rows, the families taking turns, drawn from ``seed``.

    Example:
        >>> case = next(cases(1))
        >>> case.name, case.matrix.shape
        ('hypercube combinatorial', (512, 512))
    """
    return (drawn_case(number, seed) for number in range(count))


def drawn_case(number: int, seed: int = 0) -> Case:
    """One of :func:`cases`, by its number."""
    rng = np.random.default_rng([seed, number])
    family = list(FAMILIES)[number % len(FAMILIES)]
    graph = FAMILIES[family](rng)
    order = rng.permutation(graph.shape[0])
    normalization: Normalization = "sym" if rng.integers(2) else None
    matrix = laplacian(sp.csr_array(graph[order][:, order]), normalization)
    return Case(
        name=f"{family} {normalization or 'combinatorial'}",
        matrix=matrix,
        k=int(rng.integers(1, 25)),
        tol=float(rng.choice([1e-3, 1e-6])),
        warm=str(rng.choice(["cold", "exact but one", "nearby", "random block"])),
    )


def start_of(case: Case, vectors: np.ndarray, rng: Rng) -> np.ndarray | None:
    """The start that a case asks for, from exact eigenvectors in columns, shape (n, at least k + 1)."""
    if case.warm == "cold":
        return None
    if case.warm == "exact but one":
        return np.delete(vectors[:, : case.k + 1], int(rng.integers(case.k)), axis=1)
    noise = rng.standard_normal((len(vectors), case.k))
    return noise if case.warm == "random block" else vectors[:, : case.k] + 1e-2 * noise


def _of_edges(num_nodes: int, source: Any, target: Any, weight: Any = 1.0) -> sp.csr_array:
    """The adjacency matrix of edges that are listed once."""
    weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), np.shape(source))
    half = sp.coo_array((weight, (source, target)), shape=(num_nodes, num_nodes))
    graph = sp.csr_array(half + half.T)
    graph.eliminate_zeros()
    return graph
