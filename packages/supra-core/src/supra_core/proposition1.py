"""Proposition 1 as a statement that can be run: both of its sides, for any vectors or in integers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supra_core.laplacian import laplacian
from supra_core.smoothness import smoothness, trace_energy
from supra_core.supra_graph import supra_graph
from supra_core.temporal_graph import TemporalGraph


class Sides(NamedTuple):
    """The energy tr(XᵀLX), from the matrix; the change of X along edges and in time, from the edges."""

    energy: float | int
    intra: float | int
    inter: float | int

    @property
    def total(self) -> float | int:
        """The right side: ``intra`` and ``inter`` together."""
        return self.intra + self.inter

    @property
    def difference(self) -> float | int:
        """Between the two sides; exactly 0 in integers."""
        return abs(self.energy - self.total)


def both_sides(graph: TemporalGraph, X: ArrayLike, coupling: float = 1.0) -> Sides:
    """Both sides of Proposition 1, computed apart from each other.

    Args:
        graph: the temporal graph.
        X: a row for each node of each layer, shape (num_snapshots · num_nodes, k) or the same without k.
        coupling: μ >= 0.

    Returns:
        Python integers if weights, X and coupling are integers, else floats.

    Raises:
        InvalidArgumentError: X has another shape or is not finite, or coupling is negative.

    Example:
        >>> graph = TemporalGraph.from_edges([0], [1], [0], num_nodes=2, num_snapshots=2)
        >>> both_sides(graph, [[0], [3], [1], [1]], coupling=10)
        Sides(energy=59, intra=9, inter=50)
    """
    supra = supra_graph(graph, coupling=coupling, global_nodes=False, drop_isolated=False)
    right = smoothness(graph, X, coupling)
    return Sides(trace_energy(laplacian(supra.adjacency), X), right.intra, right.inter)


def sides_in_integers(graph: TemporalGraph, coupling: int = 1, *, seed: int = 0) -> Sides:
    """Both sides for four random vectors of integers: nothing is rounded, so that they must be equal.

    Args:
        graph: its weights are rounded up to integers.
        coupling: μ.
        seed: of the vectors.

    Example:
        >>> from supra_core import generators
        >>> sides_in_integers(generators.path_layers(5, 3)).difference
        0
    """
    whole = TemporalGraph.from_edges(
        graph.source,
        graph.target,
        graph.time,
        np.ceil(graph.weight).astype(np.int64),
        num_nodes=graph.num_nodes,
        num_snapshots=graph.num_snapshots,
    )
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(graph.num_snapshots * graph.num_nodes, 4))
    return both_sides(whole, X, coupling)
