"""Scores without any learning, from the training snapshots alone: they show how easy the task is."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_core.checks import check_choice
from supra_experiments.protocol.negatives import Pairs

DECAY = 0.5
"""A snapshot counts half of the one after it."""

TIE_BREAK = 1e-6
"""The weight of the degree product beside counts: it orders pairs that are equal otherwise."""

NEIGHBOUR_WEIGHT = 0.1
"""The weight of a common neighbour beside a past occurrence of the edge itself."""

Score = Callable[[Pairs], NDArray[np.float64]]


def baseline(name: str, graph: TemporalGraph, num_train: int) -> Score:
    """A function from pairs (2, m) to scores (m,), fixed by the first ``num_train`` snapshots.

    - ``edgebank``: 1 where the pair was ever an edge;
    - ``degree``: the product of both ends' numbers of temporal edges;
    - ``count``: how often the pair was an edge, a snapshot counting half of the next, degree product as
      tie-break;
    - ``neighbours``: how often the pair was an edge + 0.1 · common neighbours in the union of the snapshots,
      degree product as tie-break.

    Raises:
        InvalidArgumentError: an unknown name.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 0, 1], [1, 2, 2], [0, 0, 1])
        >>> baseline("edgebank", graph, num_train=1)(np.array([[0, 1], [1, 2]])).tolist()
        [1.0, 0.0]
    """
    check_choice("model", name, tuple(BASELINES))
    return BASELINES[name](graph, num_train)


def _edgebank(graph: TemporalGraph, num_train: int) -> Score:
    return _entries((_total(graph, num_train) > 0).astype(np.float64))


def _degree(graph: TemporalGraph, num_train: int) -> Score:
    return _degree_product(_total(graph, num_train))


def _count(graph: TemporalGraph, num_train: int) -> Score:
    decayed = _total(graph, num_train, DECAY)
    occurrences, product = _entries(decayed), _degree_product(decayed)
    return lambda pairs: occurrences(pairs) + TIE_BREAK * product(pairs)


def _neighbours(graph: TemporalGraph, num_train: int) -> Score:
    total = _total(graph, num_train)
    occurrences, product = _entries(total), _degree_product(total)
    union = (total > 0).astype(np.float64)

    def common(pairs: Pairs) -> NDArray[np.float64]:
        """Row by row, so that the square of the union is never formed."""
        return np.asarray(union[pairs[0]].multiply(union[pairs[1]]).sum(axis=1)).ravel()

    return lambda pairs: occurrences(pairs) + NEIGHBOUR_WEIGHT * common(pairs) + TIE_BREAK * product(pairs)


def _total(graph: TemporalGraph, num_train: int, decay: float = 1.0) -> sp.csr_array:
    """The sum of the snapshots' unweighted adjacencies, older ones decayed."""
    unweighted = graph.unweighted()
    total = sp.csr_array((graph.num_nodes, graph.num_nodes), dtype=np.float64)
    for t in range(num_train):
        total = decay * total + unweighted.adjacency(t)
    return total


def _entries(matrix: sp.csr_array) -> Score:
    def entries(pairs: Pairs) -> NDArray[np.float64]:
        # SciPy cannot look up nothing.
        return np.asarray(matrix[pairs[0], pairs[1]]).ravel() if pairs.size else np.zeros(0)

    return entries


def _degree_product(matrix: sp.csr_array) -> Score:
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    return lambda pairs: degree[pairs[0]] * degree[pairs[1]]


BASELINES: dict[str, Callable[[TemporalGraph, int], Score]] = {
    "edgebank": _edgebank,
    "degree": _degree,
    "count": _count,
    "neighbours": _neighbours,
}
"""Every score without learning, by its name."""
