"""How large are a graph's separators? Decides whether factorising its matrix is cheap, without doing it."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

from supra_core.eigen.nullspace import components, without_zeros

# Entries a row that count in the cost of a factorisation.
_MAX_ENTRIES = 10
# Levels from an outer node are rarely less than half as wide, and the cost goes with the cube.
_ABOUT = 8.0


def levels(matrix: sp.csr_array) -> NDArray[np.int64]:
    """The distance of each node from an outer node of its component, shape (n,).

    Nodes at one distance separate those nearer from those farther, so the sizes of these levels bound the
    separators of the graph: 1 on a path, √n on a square grid, a good part of n on an expander.
    """
    matrix = without_zeros(matrix)
    return _from_outer_nodes(matrix, *_from_any_nodes(matrix))


def _from_any_nodes(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The distance of each node from the first of its component, and the component."""
    count, labels = components(matrix)
    starts = np.unique(labels, return_index=True)[1] if count > 1 else np.zeros(1)
    return _distances(matrix, starts.astype(np.int64)), labels


def _from_outer_nodes(
    matrix: sp.csr_array, first: NDArray[np.int64], labels: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The last node of a search is an outer one; a second search from there has more and thinner levels."""
    order = np.lexsort((first, labels))
    last_of_component = np.append(np.flatnonzero(np.diff(labels[order])), matrix.shape[0] - 1)
    return _distances(matrix, order[last_of_component])


def _distances(matrix: sp.csr_array, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Hops from the nearest of ``starts``, of which there is one in each component."""
    n = matrix.shape[0]
    # One more node, from which an edge leads to each start, makes one search of many.
    indices = np.concatenate([matrix.indices, starts.astype(matrix.indices.dtype)])
    indptr = np.append(matrix.indptr, matrix.indptr.dtype.type(len(indices)))
    joined = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n + 1, n + 1))
    order, parents = breadth_first_order(joined, n)
    distance = np.zeros(n + 1, dtype=np.int64)
    # Parents come before their children, whole levels at a time: follow the order level by level.
    position = np.empty(n + 1, dtype=np.int64)
    position[order] = np.arange(n + 1)
    parent_position = position[parents[order[1:]]]
    begin, depth = 1, 0
    while begin <= n:
        # The level's nodes are those whose parents lie in the level before, which ends at `begin`.
        end = 1 + int(np.searchsorted(parent_position, begin))
        depth += 1
        distance[order[begin:end]] = depth
        begin = end
    return distance[:n] - 1


def is_forest(matrix: sp.csr_array) -> bool:
    """Whether the graph has no cycle: then elimination from the leaves inwards has no fill at all."""
    matrix = without_zeros(matrix)
    off_diagonal = matrix.nnz - int(np.count_nonzero(matrix.diagonal()))
    if off_diagonal > 2 * matrix.shape[0]:
        return False
    count, _ = connected_components(matrix, directed=False)
    return off_diagonal == 2 * (matrix.shape[0] - int(count))


def estimated_cost(matrix: sp.csr_array, enough: float = np.inf) -> float:
    """What a factorisation costs, roughly, as a multiple of the entries of the matrix.

    Ordered by levels, the matrix is block tridiagonal, and its factor has the blocks full. A good ordering
    does far better inside thick levels, but not better than one full block as large as the largest
    separator; its cube is the work, which begins to tell once it has hundreds of rows. No more than ten
    entries a row count: a graph is not thinner for having more edges.

    Args:
        matrix: symmetric, shape (n, n).
        enough: where it is below this, or far above, a rougher estimate will do, which is rather too large.
    """
    if matrix.nnz == 0 or is_forest(matrix):
        return 1.0
    entries = min(matrix.nnz, _MAX_ENTRIES * matrix.shape[0])

    def cost(levels: NDArray[np.int64]) -> float:
        banded, widest = float(np.sum(levels.astype(np.float64) ** 2)) / 20, float(levels.max())
        return max(1.0, max(banded, widest**2 * max(1.0, widest / 100)) / entries)

    matrix = without_zeros(matrix)
    first, labels = _from_any_nodes(matrix)
    about = cost(np.bincount(first))
    if about > _ABOUT * enough:
        return about / _ABOUT
    if about <= enough < np.inf:
        return about
    return cost(np.bincount(_from_outer_nodes(matrix, first, labels)))
