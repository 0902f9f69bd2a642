"""Graphs on which eigensolvers fail, with what is known of their spectra without any solver."""

import numpy as np
import scipy.sparse as sp

from supra_core import generators, laplacian, supra_graph


def laplacian_of(
    n: int, source: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None
) -> sp.csr_array:
    """The Laplacian of an edge list, assembled without this package's own graphs."""
    weight = np.ones(len(source)) if weight is None else weight
    A = sp.coo_array((weight, (source, target)), shape=(n, n))
    A = sp.csr_array(A + A.T)
    return sp.csr_array(sp.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A)


def path(n: int) -> tuple[sp.csr_array, np.ndarray]:
    return laplacian_of(n, np.arange(n - 1), np.arange(1, n)), 4 * np.sin(np.pi * np.arange(n) / (2 * n)) ** 2


def star(leaves: int) -> tuple[sp.csr_array, np.ndarray]:
    spectrum = np.concatenate([[0.0], np.ones(leaves - 1), [leaves + 1.0]])
    return laplacian_of(leaves + 1, np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)), spectrum


def complete(n: int) -> tuple[sp.csr_array, np.ndarray]:
    return sp.csr_array(n * np.eye(n) - np.ones((n, n))), np.concatenate([[0.0], np.full(n - 1, float(n))])


def grid(rows: int, columns: int) -> tuple[sp.csr_array, np.ndarray]:
    (A, a), (B, b) = path(rows), path(columns)
    return sp.csr_array(sp.kronsum(B, A)), np.sort(np.add.outer(a, b).ravel())


def random_tree(n: int, seed: int = 0) -> sp.csr_array:
    child = np.arange(1, n)
    return laplacian_of(n, child, np.random.default_rng(seed).integers(0, child))


def many_components() -> tuple[sp.csr_array, np.ndarray]:
    """500 components: 250 paths and 250 complete graphs."""
    (P, p), (K, c) = path(20), complete(9)
    matrix = sp.block_diag([P] * 250 + [K] * 250, format="csr")
    return sp.csr_array(matrix), np.sort(np.concatenate([np.tile(p, 250), np.tile(c, 250)]))


def spread_weights(n: int, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Weights from 1e-6 to 1e6 on a preferential-attachment graph; dense ``eigh`` is the oracle."""
    graph = generators.barabasi_albert(n, 1, seed=seed)
    weight = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, graph.num_edges)
    matrix = laplacian_of(n, graph.source, graph.target, weight)
    # Weights apart by 1e12: rounding of the large ones is 1e-10, so eigh knows values to about that.
    return matrix, np.linalg.eigvalsh(matrix.toarray())


def expander(n: int, seed: int = 0) -> sp.csr_array:
    return laplacian(generators.barabasi_albert(n, 1, m=4, seed=seed).adjacency(0)).astype(float)


def dense_layers(num_nodes: int, num_snapshots: int = 5, seed: int = 0) -> sp.csr_array:
    """Snapshots with thirty edges a node, joined in time: many edges, no small separators but layers."""
    graph = generators.barabasi_albert(num_nodes, num_snapshots, m=15, seed=seed)
    return laplacian(supra_graph(graph, global_nodes=True).adjacency)


def chain_of_cliques(count: int, size: int) -> sp.csr_array:
    """Cliques in a row, each joined to the next by one edge: many edges and thin nevertheless."""
    cliques = sp.block_diag([np.ones((size, size)) - np.eye(size)] * count, format="lil")
    for i in range(count - 1):
        a, b = (i + 1) * size - 1, (i + 1) * size
        cliques[a, b] = cliques[b, a] = 1.0
    return laplacian(sp.csr_array(cliques))
