"""Eigenvectors as channels of nodes, and what a solver leaves open in them."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.result import Array, EigenResult
from supra_core.eigen.solver import one_blas_thread
from supra_core.laplacian import Normalization, degrees, inverse_root_degrees
from supra_core.supra_graph import SupraGraph


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The eigenpairs of one (supra-)graph's Laplacian, with what each row stands for.

    Attributes:
        supra: the graph.
        result: its eigenpairs, as the solver gave them.
        vectors: the channels of each row, shape (steps, N, k); one step, or several for trajectories.
            Trivial vectors are left out, channels that the graph is too small for are zero.
        values: their eigenvalues, shape (steps, k).
        num_channels: how many of the k channels there are.
        active: which nodes have an edge in which layer, shape (num_layers, num_nodes).
        seconds: what computing the eigenpairs took, also where they come from a cache now.
    """

    supra: SupraGraph
    result: EigenResult
    vectors: NDArray[np.float64]
    values: NDArray[np.float64]
    num_channels: int
    active: NDArray[np.bool_]
    seconds: float = 0.0

    def layer(self, index: int, *, last: bool = False) -> "Layer":
        """The channels of one layer's nodes; with ``last``, of all nodes that have a row there or before."""
        supra = self.supra
        reached = supra.time <= index if last else supra.time == index
        rows = np.flatnonzero(reached & (supra.node >= 0))
        if last:
            # Rows run layer by layer, so that the newest one of a node is the last one written.
            newest = np.full(supra.num_nodes, -1)
            newest[supra.node[rows]] = rows
            rows = newest[newest >= 0]
        steps, _, k = self.vectors.shape
        vectors = self.vectors[:, rows].transpose(1, 0, 2).reshape(len(rows), steps * k)
        return Layer(supra.num_nodes, supra.node[rows], vectors, self.values, supra.num_rows)


@dataclass(frozen=True, eq=False)
class Layer:
    """The channels of one layer's nodes, as the solver's vectors have them.

    Attributes:
        num_nodes: of the graph.
        nodes: those that have a row, shape (m,).
        vectors: their rows, step by step, shape (m, steps * k).
        values: the eigenvalues, shape (steps, k).
        num_rows: the length of the vectors that these are a part of.
    """

    num_nodes: int
    nodes: NDArray[np.int64]
    vectors: Array
    values: Array
    num_rows: int

    def channels(self, turn: Array, *, with_eigenvalues: bool, scale: bool) -> Array:
        """Shape (num_nodes, dim): zeros for nodes that have no row.

        Args:
            turn: orthogonal, shape (k, k): channels are combined by it, those of each step alike.
            with_eigenvalues: add them, or the Rayleigh quotients of combined channels, as channels.
            scale: times the root of the vectors' length.
        """
        steps, k = self.values.shape
        block = np.zeros((self.num_nodes, steps * k * (2 if with_eigenvalues else 1)))
        signs = np.diagonal(turn)
        if np.count_nonzero(turn) == np.count_nonzero(signs):
            block[self.nodes, : steps * k] = self.vectors * np.tile(signs, steps)
        else:
            with one_blas_thread():  # several would add in another order
                for step in range(steps):
                    part = slice(step * k, (step + 1) * k)
                    block[self.nodes, part] = np.ascontiguousarray(self.vectors[:, part]) @ turn
        if scale:
            block *= np.sqrt(self.num_rows)
        if with_eigenvalues:
            block[self.nodes, steps * k :] = (self.values @ turn**2).ravel()
        return block


def select_channels(
    result: EigenResult,
    adjacency: sp.csr_array,
    *,
    k: int,
    steps: int | None,
    skip_trivial: bool,
    exact: bool,
    normalization: Normalization,
) -> tuple[Array, Array, int]:
    """Vectors (steps, N, k) and values (steps, k) without the trivial pair, and how many there are of k.

    Args:
        result: of the solver.
        adjacency: of the graph.
        k: channels; those that the result has no vectors for are zero.
        steps: the length of a trajectory; None for the final vectors alone.
        skip_trivial: whether the result has one vector more than is given out.
        exact: whether the null space may be turned so that the trivial vector is its first.
        normalization: of the Laplacian asked for; ``"rw"`` is solved as ``"sym"`` and mapped back here.
    """
    if steps is not None and result.trajectory is not None:
        vectors, values = result.trajectory.eigenvectors, result.trajectory.eigenvalues
        # A run that ended early stays where it ended: the number of channels is fixed.
        last = [len(vectors) - 1] * (steps - len(vectors))
        order = [*range(len(vectors)), *last]
        vectors, values = vectors[order], values[order]
    else:
        vectors, values = result.eigenvectors[None], result.eigenvalues[None]
    degree = degrees(adjacency).astype(np.float64)
    if skip_trivial and vectors.shape[2]:
        trivial = np.ones(len(degree)) if normalization is None else np.sqrt(degree)
        if exact:
            vectors = trivial_first(vectors[0], values[0], trivial)[None]
        vectors, values = vectors[:, :, 1:], values[:, 1:]
    if normalization == "rw":
        scale = inverse_root_degrees(degree)
        vectors = vectors * np.where(degree > 0, scale, 1.0)[:, None]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    there = vectors.shape[2]
    missing, length = k - there, steps or 1
    if len(vectors) != length:  # an empty window has no steps at all
        vectors, values = np.zeros((length, *vectors.shape[1:])), np.zeros((length, values.shape[1]))
    vectors = np.pad(vectors, ((0, 0), (0, 0), (0, missing)))
    return vectors, np.pad(values, ((0, 0), (0, missing))), there


def trivial_first(vectors: Array, values: Array, trivial: Array) -> Array:
    """Turn the null space so that its first vector is the trivial one and the others are orthogonal to it.

    Where a graph falls into several components any basis of the null space is a valid answer of a solver;
    after this the trivial direction can be left out without taking a mix of the others with it.
    """
    spread = max(float(np.abs(values).max(initial=0.0)), 1e-300)
    null = int(np.sum(np.abs(values) <= 1e-7 * max(spread, 1.0)))
    if null < 2:
        return vectors
    if not trivial.any():
        trivial = np.ones(len(trivial))  # no edge at all: every vector is in the null space
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
