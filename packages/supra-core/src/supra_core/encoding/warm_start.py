"""Starting vectors for a window from those of the window before."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.eigen.result import Array, EigenResult
from supra_core.eigen.solver import one_blas_thread
from supra_core.laplacian import Normalization, degrees
from supra_core.supra_graph import GLOBAL, SupraGraph

# Old vectors are worth a try while their Rayleigh quotients have grown by less than so many times the
# distance from the last eigenvalue to the spare ones; measured.
_WORTH = 2.0
# The squared cosine from which two vectors of a layer count as the same but for a factor.
_ALIKE = 0.5


@dataclass(frozen=True, eq=False)
class WarmStart:
    """The vectors of one window, put into the rows of the next one in several ways.

    Attributes:
        candidates: the ways, each of shape (N, s), the vectors of the answer first.
        values: the eigenvalues that the answer had, shape (k,).
        spent: products with the matrix that making the candidates was worth.
        end: the largest Rayleigh quotient among the spare vectors; None where the solver gave none. A choice
            would then cost more than it saves, or count for nothing, so that there is one candidate.
    """

    candidates: tuple[Array, ...]
    values: Array
    spent: int = 0
    end: float | None = None

    @classmethod
    def of(
        cls, last: EigenResult, previous: SupraGraph, following: SupraGraph, normalization: Normalization
    ) -> "WarmStart":
        """What the answer of a window is worth trying for in the one that ends a snapshot later.

        A layer of the new window takes the vectors of the layer of the same time in the last window: what
        depends on who is connected to whom keeps its time. A second candidate scales them to what the layer
        in the same place had: what a window does from its first layer to its last keeps its place.
        """
        vectors, end = last.eigenvectors, None
        if last.spare is not None:
            vectors, end = np.column_stack([vectors, last.spare.vectors]), float(last.spare.values[-1])
        # Early windows grow at the end; later ones also lose their oldest layer.
        shift = min(previous.num_snapshots + 1 - following.num_snapshots, previous.num_snapshots - 1)
        shifts = (shift,) if end is None or shift == 0 else (shift, 0)
        moves = [Move.between(previous, following, each) for each in shifts]
        spent = sum(move.cost(vectors.shape[1]) for move in moves)
        candidates = [move(vectors, normalization) for move in moves]
        if len(candidates) == 2:
            candidates[1] = _scaled_by_layer(candidates[0], candidates[1], following.time)
        return cls(tuple(candidates), last.eigenvalues, spent, end)

    def choose(self, matrix: Any) -> tuple[Array | None, int]:
        """The candidate with the smallest Rayleigh quotients, None where old vectors are worth nothing; and
        the products spent on it all.

        They are worth nothing where the quotients have grown, on average, by more than lies between the last
        eigenvalue and the spare ones: a random start is there after a few steps, and brings vectors that are
        not biased to an old answer.
        """
        if self.end is None:
            return self.candidates[0], self.spent
        k = len(self.values)
        means = [_mean_quotient(matrix, start[:, :k]) for start in self.candidates]
        spent = self.spent + len(means)
        best = int(np.argmin(means))
        grown = means[best] - float(np.mean(self.values))
        if grown > _WORTH * (self.end - float(self.values[-1])):
            return None, spent
        return self.candidates[best], spent


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


def _scaled_by_layer(kept: Array, placed: Array, layer: NDArray[np.int64]) -> Array:
    """``kept``, each layer of each column scaled to be as near as it can to ``placed``, both of shape (N, k).

    Where the two have little in common a factor says nothing, and the layer is that of ``placed``.
    """
    scaled = placed.copy()
    for rows in (np.flatnonzero(layer == each) for each in np.unique(layer)):
        a, b = kept[rows], placed[rows]
        common, size = np.sum(a * b, axis=0), np.sum(a * a, axis=0)
        alike = common**2 > _ALIKE * size * np.sum(b * b, axis=0)
        scaled[np.ix_(rows, alike)] = a[:, alike] * (common[alike] / size[alike])
    return scaled


def _mean_quotient(matrix: Any, block: Array) -> float:
    """About the mean Rayleigh quotient within the span of a block, from one product.

    It is the quotient of the sum of orthonormal columns, apart from what the columns have in common through
    the matrix, which is small where they are nearly eigenvectors.
    """
    with one_blas_thread():
        basis = np.linalg.qr(block)[0]
        both = basis.sum(axis=1) / math.sqrt(basis.shape[1])
        return float(both @ (matrix @ both))
