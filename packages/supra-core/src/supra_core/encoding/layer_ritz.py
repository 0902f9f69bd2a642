"""The best vectors to be had from old ones, if each layer may take its own mixture of them.

Let X_l be some vectors cut down to the rows of layer l. A Rayleigh–Ritz step in the span of all X_l, which
has as many times more dimensions than X as there are layers, finds which mixture each layer should take. It
costs no more products than one with X: entries of a supra-matrix lie within a layer or between neighbouring
ones, and A times a cut vector has no other rows. The products with what was found are mixtures as well.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.result import Array
from supra_core.eigen.sorted_rows import some_entries
from supra_core.eigen.symmetric import eigh

# Directions of a layer whose squared length is below this part of the longest are rounding.
_NEGLIGIBLE = 1e-10


def layer_ritz(matrix: sp.csr_array, X: Array, layer: NDArray[Any]) -> tuple[Array, Array, Array]:
    """The smallest Ritz values, as many as X has columns, their vectors and the products with these.

    Args:
        matrix: symmetric, whose entries join rows of one layer or of neighbouring ones, shape (N, N).
        X: the old vectors, shape (N, s); overwritten.
        layer: of each row, shape (N,).

    Example:
        >>> A = sp.csr_array(np.diag([1.0, 1.0, 4.0]))
        >>> values, vectors, products = layer_ritz(A, np.ones((3, 1)), np.array([0, 0, 1]))
        >>> values.round(6).tolist()  # layer 1 takes none of it
        [1.0]
    """
    within, after, before = (part @ X for part in _by_layers(matrix, layer))
    rows = [np.flatnonzero(layer == each) for each in range(int(layer.max(initial=-1)) + 1)]
    bases = [_orthonormal(X[each]) for each in rows]
    ends = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    parts = [slice(a, b) for a, b in pairwise(ends)]
    H = np.zeros((ends[-1], ends[-1]))
    for i, (each, basis, part) in enumerate(zip(rows, bases, parts, strict=True)):
        H[part, part] = basis.T @ (X[each].T @ within[each]) @ basis
        if i + 1 < len(rows):
            H[part, parts[i + 1]] = basis.T @ (X[each].T @ after[each]) @ bases[i + 1]
            H[parts[i + 1], part] = H[part, parts[i + 1]].T
    values, C = eigh((H + H.T) / 2)
    s = min(X.shape[1], len(values))
    mixtures = [basis @ C[part, :s] for basis, part in zip(bases, parts, strict=True)]
    for i, each in enumerate(rows):
        product = within[each] @ mixtures[i]
        if i + 1 < len(rows):
            product += after[each] @ mixtures[i + 1]
        if i:
            product += before[each] @ mixtures[i - 1]
        X[each, :s], within[each, :s] = X[each] @ mixtures[i], product
    return values[:s], X[:, :s], within[:, :s]


def _by_layers(matrix: sp.csr_array, layer: NDArray[Any]) -> list[sp.csr_array]:
    """The entries within layers, those that lead to the layer after, and to the layer before."""
    distance = layer[matrix.indices] - np.repeat(layer, np.diff(matrix.indptr))
    return [some_entries(matrix, distance == step) for step in (0, 1, -1)]


def _orthonormal(X: Array) -> Array:
    """The mixtures of a layer's vectors, shape (s, at most s), that are orthonormal and not just rounding."""
    squares, turn = eigh(X.T @ X)
    keep = squares > _NEGLIGIBLE * squares.max(initial=0.0)
    return np.asarray(turn[:, keep] / np.sqrt(squares[keep]))
