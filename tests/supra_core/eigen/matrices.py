"""Laplacians with known or computed spectra: one table that every solver is tested on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from supra_core import Solver, TemporalGraph, eigenpairs, generators, laplacian, supra_graph


def _of_edges(n: int, edges: Any, weight: Any = None) -> sp.csr_array:
    edges = np.asarray(edges, dtype=int).reshape(-1, 2)
    graph = TemporalGraph.from_edges(
        edges[:, 0], edges[:, 1], np.zeros(len(edges), dtype=int), weight, num_nodes=n
    )
    return laplacian(graph.adjacency(0))


def path(n: int) -> sp.csr_array:
    return _of_edges(n, [(i, i + 1) for i in range(n - 1)])


def cycle(n: int) -> sp.csr_array:
    return _of_edges(n, [(i, (i + 1) % n) for i in range(n)])


def star(n: int) -> sp.csr_array:
    return _of_edges(n, [(0, i) for i in range(1, n)])


def complete(n: int) -> sp.csr_array:
    return _of_edges(n, [(i, j) for i in range(n) for j in range(i)])


def grid(rows: int, columns: int) -> sp.csr_array:
    right = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return _of_edges(rows * columns, right + down)


def disconnected() -> sp.csr_array:
    return sp.csr_array(sp.block_diag([cycle(6).toarray()] * 15 + [path(4).toarray()] * 3))


def weighted() -> sp.csr_array:
    rng = np.random.default_rng(0)
    edges = [(i, j) for i in range(90) for j in range(i) if rng.random() < 0.08]
    return _of_edges(90, edges, 10.0 ** rng.uniform(-2, 2, len(edges)))


def one_node_layers() -> sp.csr_array:
    """Layers of one node each, coupled in time: a path."""
    graph = TemporalGraph.from_edges([], [], [], num_nodes=1, num_snapshots=60)
    return laplacian(supra_graph(graph, global_nodes=False, drop_isolated=False).adjacency)


def empty_layers() -> sp.csr_array:
    """Only the first and the last of five layers have edges; the dropped ones leave two components."""
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 40, 120), rng.integers(0, 40, 120)
    graph = TemporalGraph.from_edges(source, target, np.where(np.arange(120) < 60, 0, 4), num_nodes=40)
    return laplacian(supra_graph(graph).adjacency)


def supra() -> sp.csr_array:
    return laplacian(supra_graph(generators.barabasi_albert(120, 4, m=2, seed=3)).adjacency)


def supra_sym() -> sp.csr_array:
    return laplacian(supra_graph(generators.barabasi_albert(120, 4, m=2, seed=3)).adjacency, "sym")


def no_edges() -> sp.csr_array:
    return sp.csr_array((30, 30))


def path_spectrum(n: int) -> np.ndarray:
    return 2 - 2 * np.cos(np.pi * np.arange(n) / n)


def cycle_spectrum(n: int) -> np.ndarray:
    return np.sort(2 - 2 * np.cos(2 * np.pi * np.arange(n) / n))


# name -> (matrix, the spectrum in closed form or None where dense eigh is the oracle)
TABLE: dict[str, tuple[Callable[[], sp.csr_array], np.ndarray | None]] = {
    "path": (lambda: path(150), path_spectrum(150)),
    "cycle": (lambda: cycle(120), cycle_spectrum(120)),
    "star": (lambda: star(200), np.array([0.0, *np.ones(198), 200.0])),
    "complete": (lambda: complete(60), np.array([0.0, *np.full(59, 60.0)])),
    "grid": (lambda: grid(9, 14), np.sort(np.add.outer(path_spectrum(9), path_spectrum(14)).ravel())),
    "disconnected": (disconnected, None),
    "weighted": (weighted, None),
    "one-node layers": (one_node_layers, path_spectrum(60)),
    "empty layers": (empty_layers, None),
    "supra": (supra, None),
    "supra sym": (supra_sym, None),
    "no edges": (no_edges, np.zeros(30)),
    "one node": (lambda: sp.csr_array((1, 1)), np.zeros(1)),
    "one edge": (lambda: path(2), np.array([0.0, 2.0])),
    "smaller than a block": (lambda: path(9), path_spectrum(9)),
}


def subspace_angle(vectors: np.ndarray, matrix: sp.csr_array) -> float:
    """The sine of the largest angle from ``vectors`` to the eigenspaces they should lie in.

    Eigenspaces are taken whole: those of all eigenvalues up to the k-th and its copies. Any orthonormal
    basis of them is right, so vectors are compared by subspace and not column by column.
    """
    values, exact = np.linalg.eigh(matrix.toarray())
    k = vectors.shape[1]
    reach = values <= values[k - 1] + 1e-6 * max(1.0, abs(values[k - 1]))
    space = exact[:, reach]
    return float(np.linalg.norm(vectors - space @ (space.T @ vectors), ord=2))


def check_solver(graph: str, solver: Solver) -> None:
    """A solver converges to the known spectrum of a graph of the table, and to its eigenspaces."""
    build, spectrum = TABLE[graph]
    matrix = build()
    k = min(6, matrix.shape[0])
    exact = np.linalg.eigvalsh(matrix.toarray()) if spectrum is None else spectrum
    result = eigenpairs(matrix, k, solver, rng=1)
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues, exact[:k], atol=1e-7)
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-10)
    assert subspace_angle(result.eigenvectors, matrix) < 1e-5
