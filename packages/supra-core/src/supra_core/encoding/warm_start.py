"""Starting vectors for a window from those of the window before."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.auto import Auto
from supra_core.eigen.davidson import Davidson
from supra_core.eigen.known_products import carry_products
from supra_core.eigen.result import Array, EigenResult
from supra_core.eigen.solver import Solver, one_blas_thread
from supra_core.encoding.layer_ritz import layer_ritz
from supra_core.laplacian import Normalization, degrees
from supra_core.supra_graph import GLOBAL, SupraGraph

# Old vectors are worth a try while the quotients of their best mixtures have grown by less than so many times
# the distance from the last eigenvalue to the spare ones; measured.
_WORTH = 25.0


@dataclass(frozen=True, eq=False)
class WarmStart:
    """The vectors of one window, put into the rows of the next one.

    Attributes:
        vectors: those of the answer first, shape (N, s).
        values: the eigenvalues that the answer had, shape (k,).
        layer: of each row, shape (N,).
        spent: products with the matrix that moving the vectors was worth.
        end: the largest Rayleigh quotient among the spare vectors; None where the solver gave none. Then the
            vectors are taken as they are: there is nothing to measure them by.
    """

    vectors: Array
    values: Array
    layer: NDArray[Any]
    spent: int = 0
    end: float | None = None

    @classmethod
    def of(
        cls, last: EigenResult, previous: SupraGraph, following: SupraGraph, normalization: Normalization
    ) -> "WarmStart":
        """What the answer of a window is worth trying for in the one that ends a snapshot later.

        A layer of the new window takes the vectors of the layer of the same time in the last window.
        """
        vectors, end = last.eigenvectors, None
        if last.spare is not None:
            vectors, end = np.column_stack([vectors, last.spare.vectors]), float(last.spare.values[-1])
        # Early windows grow at the end; later ones also lose their oldest layer.
        shift = min(previous.num_snapshots + 1 - following.num_snapshots, previous.num_snapshots - 1)
        move = Move.between(previous, following, shift)
        spent = move.cost(vectors.shape[1])
        return cls(move(vectors, normalization), last.eigenvalues, following.time, spent, end)

    def choose(self, matrix: sp.csr_array, solver: Solver) -> tuple[Array | None, int]:
        """Vectors to start from, None where old ones are worth nothing; and the products spent on it all.

        A solver that has no use for products gets the vectors as they are. For one that has, each layer takes
        the best mixture of them: what a window does from its first layer to its last has moved on by one. The
        matrix then carries the products with the mixtures. They are worth nothing where their quotients have
        grown far beyond what lies between the last eigenvalue and the spare ones: a random start is there
        after a few steps, and is not biased to an old answer.
        """
        k = len(self.values)
        if self.end is None or not (
            isinstance(solver, Davidson | Auto) and solver.takes_over_products(matrix, k)
        ):
            return self.vectors, self.spent
        with one_blas_thread():
            quotients, mixtures, products = layer_ritz(matrix, self.vectors.copy(), self.layer)
        spent, k = self.spent + self.vectors.shape[1], min(k, len(quotients))
        grown = float(np.mean(quotients[:k] - self.values[:k]))
        if grown > _WORTH * (self.end - float(self.values[-1])):
            return None, spent
        carry_products(matrix, mixtures, products)
        return mixtures, spent


@dataclass(frozen=True, eq=False)
class Move:
    """Where each row of a window finds its value in the window before.

    Attributes:
        previous, following: the windows.
        source: the row of ``previous`` that each row of ``following`` takes its value from, shape (N,): that
            of its node in the layer it is moved from, else in the layer nearest to that which has one; -1
            where none has. A layer's global node counts as a node.
    """

    previous: SupraGraph
    following: SupraGraph
    source: NDArray[np.int64]

    @classmethod
    def between(cls, previous: SupraGraph, following: SupraGraph, shift: int) -> "Move":
        """Layers take their values from those ``shift`` places further on, the last ones from the last."""
        rows, column = _rows(previous), _columns(following)
        source = np.full(following.num_rows, -1, dtype=np.int64)
        for layer in range(following.num_snapshots):
            here = np.flatnonzero(following.time == layer)
            origin = min(layer + shift, previous.num_snapshots - 1)
            for other in sorted(range(previous.num_snapshots), key=lambda s: (abs(s - origin), -s)):
                source[here] = rows[other, column[here]]
                here = here[source[here] < 0]
        return cls(previous, following, source)

    def __call__(self, vectors: Any, normalization: Normalization) -> Array:
        """Vectors, shape (N, k), of the last window's rows as vectors of the new one's.

        A row without a source takes the mean of its neighbours that have one, zero where none has. Vectors of
        a normalised Laplacian are divided by the roots of the old degrees before and multiplied by those of
        the new ones after: what varies slowly over a graph is the quotient.
        """
        vectors = np.asarray(vectors, dtype=np.float64)
        if normalization is not None:
            vectors = vectors / _roots(self.previous)[:, None]
        start, old, new = np.zeros((len(self.source), vectors.shape[1])), self.source >= 0, self._new
        start[old] = vectors[self.source[old]]
        beside = self.following.adjacency[new]
        known = beside @ old
        start[new] = (beside @ start) / np.where(known > 0, known, 1)[:, None]
        return start if normalization is None else start * _roots(self.following)[:, None]

    def cost(self, k: int) -> int:
        """Products with the matrix that moving ``k`` vectors is worth: those with the rows of new nodes."""
        entries = np.diff(self.following.adjacency.indptr)
        return math.ceil(k * float(entries[self._new].sum()) / max(1, int(entries.sum())))

    @property
    def _new(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.source < 0)


def _columns(supra: SupraGraph) -> NDArray[np.int64]:
    """The node of each row, with the global nodes after all others."""
    return np.where(supra.node == GLOBAL, supra.num_nodes, supra.node)


def _rows(supra: SupraGraph) -> NDArray[np.int64]:
    """The row of each node in each layer, -1 where it has none, shape (num_snapshots, num_nodes + 1)."""
    rows = np.full((supra.num_snapshots, supra.num_nodes + 1), -1, dtype=np.int64)
    rows[supra.time, _columns(supra)] = np.arange(supra.num_rows)
    return rows


def _roots(supra: SupraGraph) -> Array:
    degree = degrees(supra.adjacency).astype(np.float64)
    return np.sqrt(np.where(degree > 0, degree, 1.0))
