"""Proposition 1, both sides: supra-Laplacian energy is smoothness in space plus smoothness in time.

For X with a row for each node in each layer, X⁽ᵗ⁾ its rows of layer t, and layers coupled by μ,

    tr(Xᵀ L_supra X)  =  Σ_t tr(X⁽ᵗ⁾ᵀ L_t X⁽ᵗ⁾)  +  μ Σ_t ‖X⁽ᵗ⁾ − X⁽ᵗ⁻¹⁾‖²_F .

With global nodes and dropped nodes it reads, S_t being the nodes that have a row in layer t, V_t those that
have an edge there, and g⁽ᵗ⁾ the row of that layer's global node (the last sum runs over the neighbouring
layers that both have one),

    tr(Xᵀ L_supra X)  =  Σ_t Σ_{(u,v) ∈ E_t} w_uv ‖x_u⁽ᵗ⁾ − x_v⁽ᵗ⁾‖²  +  Σ_t Σ_{v ∈ V_t} ‖x_v⁽ᵗ⁾ − g⁽ᵗ⁾‖²
                      +  μ Σ_t Σ_{v ∈ S_t ∩ S_{t−1}} ‖x_v⁽ᵗ⁾ − x_v⁽ᵗ⁻¹⁾‖²  +  μ Σ_t ‖g⁽ᵗ⁾ − g⁽ᵗ⁻¹⁾‖² .

The first line is ``intra``, the second ``inter``. Integers go in, exact integers come out: there the two
sides are equal to the last digit, whatever their size.
"""

import numbers
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError
from supra_core.temporal_graph import TemporalGraph

# Everything that is added up in int64 stays below this; larger sums are done in Python's own integers.
_INT64_SAFE = 2**62


class Smoothness(NamedTuple):
    """How much X changes along edges (``intra``) and from layer to layer (``inter``), and their sum."""

    intra: float | int
    inter: float | int
    total: float | int


def smoothness(
    graph: TemporalGraph,
    X: ArrayLike,
    coupling: float = 1.0,
    *,
    global_nodes: bool = False,
    drop_isolated: bool = False,
) -> Smoothness:
    """The right side of Proposition 1, straight from the edges: no matrix is built.

    Args:
        graph: the temporal graph.
        X: one row for each supra-node, layer after layer, shape (N, k) or (N,). By default N is
            num_snapshots · num_nodes; otherwise rows are those of :func:`supra_core.supra_graph` with the
            same ``global_nodes`` and ``drop_isolated``.
        coupling: μ >= 0.
        global_nodes, drop_isolated: see :func:`supra_core.supra_graph`. The defaults are the proposition's.

    Returns:
        Python integers if weights, X and coupling are integers, else floats.

    Raises:
        InvalidArgumentError: X has another shape or is not finite, or coupling is negative.

    Example:
        >>> graph = TemporalGraph.from_edges([0], [1], [0], num_nodes=2, num_snapshots=2)
        >>> smoothness(graph, [[0], [3], [1], [1]], coupling=10)
        Smoothness(intra=9, inter=50, total=59)
    """
    coupling = checks.check_nonnegative("coupling", coupling)
    X = _check_rows("X", X, _num_rows(graph, bool(global_nodes), bool(drop_isolated)))
    weight = graph.weight
    if X.dtype.kind in "iO" and weight.dtype.kind == "i" and isinstance(coupling, int):
        # Each squared difference is at most (2 max|X|)², and each term's weights add up to no more than this.
        weights = int(weight.sum()) + 2 * graph.num_edges + coupling * len(X)
        X = _in_wide_enough_integers(X, 4 * weights)
    else:
        X, coupling = X.astype(np.float64), float(coupling)
    intra = inter = X.dtype.type(0) if X.dtype.kind != "O" else 0
    previous: _Layer | None = None
    for t, layer in enumerate(_layers(graph, X, bool(global_nodes), bool(drop_isolated))):
        u, v, w = graph.snapshot(t)
        intra = intra + _squared(layer.rows[u] - layer.rows[v], w)
        if global_nodes:
            active = graph.active(t)
            intra = intra + _squared(layer.rows[:-1][active] - layer.rows[-1])
        if previous is not None:
            both = layer.present & previous.present
            inter = inter + _squared(layer.rows[both] - previous.rows[both])
        previous = layer
    number = float if X.dtype.kind == "f" else int
    intra, inter = number(intra), coupling * number(inter)
    return Smoothness(intra, inter, intra + inter)


def trace_energy(matrix: Any, X: ArrayLike) -> float | int:
    """The left side of Proposition 1: tr(Xᵀ L X).

    Args:
        matrix: symmetric, sparse or dense, shape (N, N).
        X: shape (N, k) or (N,).

    Returns:
        A Python integer if both are integers, else a float.

    Raises:
        InvalidGraphError: the matrix is not square, symmetric and finite.
        InvalidArgumentError: X has another number of rows or is not finite.

    Example:
        >>> trace_energy([[1, -1], [-1, 1]], [[0], [3]])
        9
    """
    L = checks.check_symmetric("matrix", matrix)
    X = _check_rows("X", X, L.shape[0])
    if not (X.dtype.kind in "iO" and L.dtype.kind == "i"):
        X = X.astype(np.float64)
        return float(np.sum(X * (L @ X)))
    entries = L.tocoo()
    X = _in_wide_enough_integers(X, sum(abs(value) for value in entries.data.tolist()))
    row, column = entries.coords
    return int(np.sum(entries.data.astype(X.dtype) * np.sum(X[row] * X[column], axis=1)))


# ── how it is done ────────────────────────────────────────────────────────────────────────────────────────


class _Layer(NamedTuple):
    """The rows of one layer, spread over all nodes (and the global node, last), and which of them exist."""

    rows: NDArray[Any]
    present: NDArray[np.bool_]


def _layers(
    graph: TemporalGraph, X: NDArray[Any], global_nodes: bool, drop_isolated: bool
) -> Iterator[_Layer]:
    start = 0
    for t in range(graph.num_snapshots):
        present = _present(graph, t, global_nodes, drop_isolated)
        stop = start + int(present.sum())
        rows = np.zeros((len(present), X.shape[1]), dtype=X.dtype)
        rows[present] = X[start:stop]
        start = stop
        yield _Layer(rows, present)


def _present(graph: TemporalGraph, t: int, global_nodes: bool, drop_isolated: bool) -> NDArray[np.bool_]:
    """Which nodes of a layer have a row; a layer that lost all its nodes has no global node either."""
    present = graph.active(t) if drop_isolated else np.ones(graph.num_nodes, dtype=bool)
    return np.append(present, bool(present.any())) if global_nodes else present


def _num_rows(graph: TemporalGraph, global_nodes: bool, drop_isolated: bool) -> int:
    layers = range(graph.num_snapshots)
    return sum(int(_present(graph, t, global_nodes, drop_isolated).sum()) for t in layers)


def _squared(difference: NDArray[Any], weight: NDArray[Any] | None = None) -> Any:
    """Σ weight ‖row‖², in the arithmetic of the rows."""
    rows = np.sum(difference * difference, axis=1)
    return np.sum(rows if weight is None else rows * weight.astype(rows.dtype))


def _check_rows(name: str, X: ArrayLike, num_rows: int) -> NDArray[Any]:
    """An array of shape (num_rows, k) of finite numbers; integers too large for int64 come as objects."""
    array = checks.check_array(name, X)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or len(array) != num_rows:
        raise InvalidArgumentError.of(f"{name}.shape", np.shape(X), f"({num_rows}, k)")
    if array.dtype.kind == "O" and not all(isinstance(value, numbers.Integral) for value in array.flat):
        raise InvalidArgumentError.of(name, X, "an array of numbers")
    if array.dtype.kind in "bu":
        array = array.astype(np.int64 if array.dtype.itemsize < 8 else object)
    if array.dtype.kind not in "ifO":
        raise InvalidArgumentError.of(f"{name}.dtype", array.dtype, "real")
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise InvalidArgumentError(f"{name}: must have finite entries only")
    return array


def _in_wide_enough_integers(X: NDArray[Any], total_weight: int) -> NDArray[Any]:
    """X in int64 if ``total_weight`` · k · max|X|² fits, else as Python integers, which have no bound."""
    largest = max(abs(int(X.min())), abs(int(X.max()))) if X.size else 0
    fits = max(total_weight, 1) * X.shape[1] * largest**2 < _INT64_SAFE
    return X.astype(np.int64 if fits else object)
