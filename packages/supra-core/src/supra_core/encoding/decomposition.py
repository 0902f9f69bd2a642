"""Eigenvectors laid out as channels of nodes, and the freedoms that a solver leaves in them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supra_core.eigen.result import Array, EigenResult
from supra_core.supra_graph import SupraGraph


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The eigenpairs of one (supra-)graph's Laplacian, with what each row stands for."""

    supra: SupraGraph
    result: EigenResult
    # (steps, N, k): the channels of each row; one step but for trajectories. Trivial vectors are left out.
    vectors: NDArray[np.float64]
    values: NDArray[np.float64]  # (steps, k)

    def channels(self, layer: int, with_eigenvalues: bool) -> Array:
        """Shape (num_nodes, dim): all channels of one layer's nodes; zeros for nodes that were dropped."""
        rows = np.flatnonzero((self.supra.time == layer) & (self.supra.node >= 0))
        steps, _, k = self.vectors.shape
        dim = steps * k * (2 if with_eigenvalues else 1)
        block = np.zeros((self.supra.num_nodes, dim))
        nodes = self.supra.node[rows]
        block[nodes, : steps * k] = self.vectors[:, rows].transpose(1, 0, 2).reshape(len(rows), steps * k)
        if with_eigenvalues:
            block[nodes, steps * k :] = self.values.ravel()
        return block


def trivial_first(vectors: Array, values: Array, trivial: Array) -> Array:
    """Turn the null space so that its first vector is the trivial one and the others are orthogonal to it.

    Where a graph falls into several components any basis of the null space is a valid answer of a solver;
    after this the trivial direction can be left out without taking a mix of the others with it.
    """
    spread = max(float(np.abs(values).max(initial=0.0)), 1e-300)
    null = int(np.sum(np.abs(values) <= 1e-7 * max(spread, 1.0)))
    if null < 2:
        return vectors
    overlap = vectors[:, :null].T @ (trivial / np.linalg.norm(trivial))
    turned = vectors.copy()
    turned[:, :null] = vectors[:, :null] @ np.linalg.qr(overlap[:, None], mode="complete")[0]
    return turned


def canonical_signs(vectors: Array) -> Array:
    """Signs that make each column's largest entry positive; among entries as large, the first decides."""
    if vectors.shape[0] == 0:
        return np.ones(vectors.shape[1])
    size = np.abs(vectors)
    first = np.argmax(size >= (1 - 1e-6) * size.max(axis=0), axis=0)
    leading = vectors[first, np.arange(vectors.shape[1])]
    return np.where(leading < 0, -1.0, 1.0)
