"""The one form in which a graph's edges are kept."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError

DUPLICATES = ("sum", "once")


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory as an array that nobody can make writeable again."""
    if array.dtype.kind == "O":
        view = array.view()
        view.flags.writeable = False
        return view
    array = np.ascontiguousarray(array)
    if array.base is None or array.flags.writeable:
        # NumPy makes an array writeable again if the one that owns the memory is; a memoryview never is.
        # datetime64 has no buffer interface of its own.
        plain: Any = array.view(np.int64) if array.dtype.kind == "M" else array
        memory = memoryview(plain).toreadonly() if array.size else bytes(array.itemsize)
        array = np.frombuffer(memory, dtype=array.dtype)[: array.size]
    return array


def canonical(
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    t: NDArray[np.int64],
    w: NDArray[Any] | None,
    num_nodes: int,
    duplicates: str,
) -> list[NDArray[Any]]:
    """Orient edges upwards, sort them by (time, source, target), merge duplicates, drop what is no edge.

    Args:
        u, v, t: ends and snapshot of each edge, shape (m,).
        w: weights, or None for one each.
        num_nodes: ids are below it.
        duplicates: ``"sum"`` adds up the weights of an edge that is listed several times, ``"once"`` takes
            it once.

    Raises:
        InvalidGraphError: weights that add up to infinity; or with ``"once"`` one edge with two weights.
    """
    if w is None and len(u) and _has_key(t, num_nodes):
        return _counted(u, v, t, num_nodes, duplicates)
    low, high = np.minimum(u, v), np.maximum(u, v)
    keep = low != high
    if w is not None:
        keep &= w > 0
    if not keep.all():
        low, high, t, w = low[keep], high[keep], t[keep], None if w is None else w[keep]
    if len(low) == 0:
        return [low, high, t.copy(), np.zeros(0, dtype=np.int64) if w is None else w]
    order, first = _sorted(low, high, t, num_nodes)
    starts = np.flatnonzero(first)
    chosen = order[starts]
    merged = _merged(w, order, starts, duplicates)
    columns = [low[chosen], high[chosen], t[chosen], merged]
    if merged.dtype.kind == "f" and not np.isfinite(merged).all():
        _refuse(columns, int(np.argmax(~np.isfinite(merged))), "weights that add up to a finite number")
    return columns


def _has_key(t: NDArray[np.int64], num_nodes: int) -> bool:
    """Whether time and both ends fit into one integer."""
    return float(t.max() + 1) * num_nodes * num_nodes < 2**63


def _keys(
    u: NDArray[np.int64], v: NDArray[np.int64], t: NDArray[np.int64], num_nodes: int
) -> NDArray[np.int64]:
    """Time, lower end and upper end as one integer."""
    key = t * num_nodes
    end = np.minimum(u, v)
    key += end
    key *= num_nodes
    key += np.maximum(u, v, out=end)
    return key


def _counted(
    u: NDArray[np.int64], v: NDArray[np.int64], t: NDArray[np.int64], num_nodes: int, duplicates: str
) -> list[NDArray[Any]]:
    """Edges without weights: the keys themselves are sorted, and taken apart again.

    Fresh memory costs more than arithmetic here, so that arrays are used again where they can be.
    """
    key = _keys(u, v, t, num_nodes)
    loops = u == v
    if loops.any():
        key = key[~loops]
    first = np.ones(len(key), dtype=bool)
    np.greater(key[1:], key[:-1], out=first[1:])
    weight = None
    if not first.all():
        key.sort()
        np.not_equal(key[1:], key[:-1], out=first[1:])
        if duplicates == "sum":
            weight = np.diff(np.flatnonzero(first), append=len(key))
        key = key[first]
    rest, high = np.divmod(key, num_nodes)
    time, low = np.divmod(rest, num_nodes, out=(rest, key))
    return [low, high, time, np.ones(len(key), dtype=np.int64) if weight is None else weight]


def _sorted(
    low: NDArray[np.int64], high: NDArray[np.int64], t: NDArray[np.int64], num_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The order of the edges, and which of them is not the same as the one before."""
    if _has_key(t, num_nodes):
        # One sort of one integer key: several times faster than a lexsort of three columns.
        key = _keys(low, high, t, num_nodes)
        if (key[1:] > key[:-1]).all():
            return np.arange(len(key)), np.ones(len(key), dtype=bool)
        order = np.argsort(key, kind="stable")
        key = key[order]
        return order, np.concatenate([[True], key[1:] != key[:-1]])
    order = np.lexsort((high, low, t))
    changes = [np.diff(column[order]) != 0 for column in (t, low, high)]
    return order, np.concatenate([[True], changes[0] | changes[1] | changes[2]])


def _merged(
    w: NDArray[Any] | None, order: NDArray[np.int64], starts: NDArray[np.int64], duplicates: str
) -> NDArray[Any]:
    if w is None:
        if duplicates == "once":
            return np.ones(len(starts), dtype=np.int64)
        return np.diff(np.append(starts, len(order)))
    w = w[order]
    if duplicates == "sum":
        with np.errstate(over="ignore"):
            return np.add.reduceat(w, starts)
    least, most = np.minimum.reduceat(w, starts), np.maximum.reduceat(w, starts)
    if (least != most).any():
        index = int(np.argmax(least != most))
        found = f"weights {least[index].item()!r} and {most[index].item()!r} for one edge"
        raise InvalidGraphError(f"duplicates='once': {found}: must be one weight, or duplicates='sum'")
    return least


def _refuse(columns: list[NDArray[Any]], index: int, allowed: str) -> None:
    source, target, time = (int(column[index]) for column in columns[:3])
    raise InvalidGraphError(f"edge ({source}, {target}) of snapshot {time}: must have {allowed}")
