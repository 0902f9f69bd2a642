"""What the spectrum of the supra-Laplacian says about a node, whatever signs and bases a solver picks.

Eigenvectors are known up to sign, and up to rotation where an eigenvalue repeats; the projector P onto an
eigenspace is not. Its diagonal is the sign- and basis-invariant part of a positional encoding. How it relates
to Supra-WL:

* Nodes that an automorphism exchanges have equal diagonals, and equal colours.
* Stable colour classes are equitable, so for each class C the vector P·1_C is constant on every class. That
  is all colours imply in general; where classes are orbits (forests of one layer, say) the diagonals are
  equal too.
* The diagonals can separate nodes of one colour: see :func:`wl_tests.gallery.triangle_and_square`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import InvalidArgumentError, TemporalGraph, laplacian, supra_graph


@dataclass(frozen=True, eq=False)
class Projectors:
    """The eigenspaces of a supra-Laplacian.

    Attributes:
        eigenvalues: distinct, ascending, shape (s,).
        projectors: onto each eigenspace, shape (s, N, N); row t · num_nodes + v stands for node v in layer t.
        num_nodes: how many nodes a layer has.
    """

    eigenvalues: NDArray[np.float64]
    projectors: NDArray[np.float64]
    num_nodes: int

    def diagonal(self, node: int, layer: int) -> NDArray[np.float64]:
        """The entry of each projector's diagonal for one supra-node, shape (s,)."""
        row = layer * self.num_nodes + node
        return self.projectors[:, row, row]


def projectors(graph: TemporalGraph, *, coupling: float = 1.0, tol: float = 1e-8) -> Projectors:
    """The projectors onto the eigenspaces of the whole supra-Laplacian (no global nodes, no node dropped).

    Args:
        coupling: the weight of the edges in time.
        tol: eigenvalues closer than this, relative to the largest, count as one.

    Raises:
        InvalidArgumentError: a coupling that is negative or not finite.

    Example:
        >>> square = TemporalGraph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [0, 0, 0, 0])
        >>> spaces = projectors(square)
        >>> spaces.eigenvalues.round(6).tolist()
        [0.0, 2.0, 4.0]
        >>> spaces.diagonal(node=0, layer=0).round(6).tolist()
        [0.25, 0.5, 0.25]
    """
    values, vectors = np.linalg.eigh(_supra_laplacian(graph, coupling).astype(np.float64))
    gap = tol * max(1.0, float(np.abs(values).max()))
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > gap)
    spaces = np.split(vectors, starts[1:], axis=1)
    distinct = np.array([part.mean() for part in np.split(values, starts[1:])])
    return Projectors(np.abs(distinct), np.stack([space @ space.T for space in spaces]), graph.num_nodes)


def closed_walks(graph: TemporalGraph, *, coupling: int = 1) -> NDArray[Any]:
    """The diagonals of L, L², … L^(N-1) for the supra-Laplacian L of N supra-nodes, as exact integers, (N-1,
    N).

    Two supra-nodes have equal columns if and only if every eigenspace's projector has equal diagonal entries
    for
    them: each of the two families determines the other linearly.

    Raises:
        InvalidArgumentError: weights or a coupling that are not integers.

    Example:
        >>> closed_walks(TemporalGraph.from_edges([0], [1], [0], num_nodes=3)).tolist()
        [[1, 1, 0], [2, 2, 0]]
    """
    L = _supra_laplacian(graph, coupling)
    if L.dtype.kind == "f":
        given = f"graph.weight.dtype={graph.weight.dtype}, coupling={coupling!r}"
        raise InvalidArgumentError(f"{given}: must be integers, for exact powers")
    num_rows = len(L)
    # An entry of L^k is at most (largest absolute row sum)^k; beyond 63 bits Python's integers take over.
    bound = int(np.abs(L).sum(axis=1).max()) ** max(num_rows - 1, 1)
    L = L.astype(np.int64 if bound < 2**63 else object)
    power, diagonals = L, []
    for _ in range(num_rows - 1):
        diagonals.append(power.diagonal())
        power = power @ L if len(diagonals) < num_rows - 1 else power
    return np.array(diagonals, dtype=L.dtype).reshape(-1, num_rows)


def _supra_laplacian(graph: TemporalGraph, coupling: float) -> NDArray[Any]:
    whole = supra_graph(graph, coupling=coupling, global_nodes=False, drop_isolated=False)
    return laplacian(whole.adjacency).toarray()
