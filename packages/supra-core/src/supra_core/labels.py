"""What the nodes of a graph are called."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, shorten

_PLAIN = (str, int, float, bool, type(None))


def label_array(labels: Any) -> NDArray[Any]:
    """Labels as int64 where all are integers that fit, else as objects, shape (n,)."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "i" and labels.ndim == 1:
        return labels.astype(np.int64)
    values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if values and all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):  # not array[:] = values: a tuple is one label
        array[index] = value
    return array


def check_labels(labels: Any, num_nodes: int) -> NDArray[Any] | None:
    """The labels of nodes 0 … num_nodes − 1; None where each is its own id.

    Raises:
        InvalidGraphError: not as many as there are nodes, or one of them twice, or one that is no name.
    """
    array = label_array(labels)
    if len(array) != num_nodes:
        raise InvalidGraphError.of("len(node_labels)", len(array), f"num_nodes={num_nodes}")
    if array.dtype.kind == "i":
        if np.array_equal(array, np.arange(num_nodes)):
            return None
        in_order = np.sort(array)
        if (in_order[1:] == in_order[:-1]).any():
            twice = in_order[1:][in_order[1:] == in_order[:-1]][0]
            raise InvalidGraphError.of("node_labels", twice, "free of repeated labels")
        return array
    seen: set[Any] = set()
    for index, label in enumerate(array.tolist()):
        try:
            known = label in seen
        except TypeError:
            raise InvalidGraphError.of(f"node_labels[{index}]", label, "hashable") from None
        if label is None or label != label:
            raise InvalidGraphError.of(f"node_labels[{index}]", label, "a name or a number")
        if known:
            raise InvalidGraphError.of(f"node_labels[{index}]", label, "free of repeated labels")
        seen.add(label)
    return array


def same_labels(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    """Whether both are the same, 1 and 1.0 and True told apart."""
    if one is None or other is None:
        return one is other
    if one.dtype.kind == "i" and other.dtype.kind == "i":
        return bool(np.array_equal(one, other))
    return list(map(_typed, one.tolist())) == list(map(_typed, other.tolist()))


def ids_of(columns: list[NDArray[Any]]) -> tuple[list[NDArray[np.int64]], NDArray[Any]]:
    """Give ids 0, 1, 2, … to the labels in some columns: by size or name, else in the order they come.

    Args:
        columns: integers or objects, shape (m,) each.

    Returns:
        ids: as the columns, with ids for labels.
        labels: the label of each id.

    Example:
        >>> ids, labels = ids_of([np.array([30, 10]), np.array([10, 20])])
        >>> [column.tolist() for column in ids], labels.tolist()
        ([[2, 0], [0, 1]], [10, 20, 30])
    """
    if all(column.dtype.kind in "iu" for column in columns):
        return _integer_ids([column.astype(np.int64, copy=False) for column in columns])
    lists = [column.tolist() for column in columns]
    known: dict[Any, int] = {}
    coded = [
        np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64, len(values))
        for values in lists
    ]
    names = label_array(list(known))
    try:
        order = np.array(sorted(range(len(known)), key=list(known).__getitem__), dtype=np.int64)
    except TypeError:  # labels of several kinds have no order
        return coded, names
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return [rank[column] for column in coded], names[order]


def _integer_ids(columns: list[NDArray[np.int64]]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    sizes = sum(map(len, columns))
    if sizes == 0:
        return columns, np.zeros(0, dtype=np.int64)
    low = min(int(column.min()) for column in columns if len(column))
    high = max(int(column.max()) for column in columns if len(column))
    if high - low < 4 * sizes + 1024:
        # A table of all integers in between is shorter than a sort.
        present = np.zeros(high - low + 1, dtype=bool)
        for column in columns:
            present[column - low] = True
        labels = np.flatnonzero(present) + low
        if len(labels) == len(present):
            return [column - low if low else column for column in columns], labels
        rank = np.cumsum(present) - 1
        return [rank[column - low] for column in columns], labels
    labels, ids = np.unique(np.concatenate(columns), return_inverse=True)
    return np.split(ids.astype(np.int64), np.cumsum([len(column) for column in columns])[:-1]), labels


def is_plain(labels: Iterable[Any]) -> bool:
    """Whether labels are text and numbers only, alone or in tuples."""
    return all(isinstance(label, _PLAIN) or (type(label) is tuple and is_plain(label)) for label in labels)


def check_json(labels: NDArray[Any]) -> None:
    """Refuse labels that a file cannot give back."""
    for index, label in enumerate(labels.tolist()):
        if type(label) not in _PLAIN:
            found = f"node_labels[{index}]={shorten(label)}"
            raise InvalidGraphError(f"{found}: must be text or a number to be written to a file")


def _typed(label: Any) -> Any:
    return type(label), tuple(map(_typed, label)) if type(label) is tuple else label
