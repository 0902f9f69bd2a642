"""Names of nodes, gathered from the fields of a file as they come."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.io.tokens import Fields

_WIDEST = 64
_INTEGER = re.compile(r"(0|-?[1-9][0-9]{0,18})(?:\.0*)?")


class NameTable:
    """Gives a number to every name, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}

    def add(self, fields: Fields) -> NDArray[np.int64]:
        """The numbers of some names, shape (m,)."""
        lengths = fields.stops - fields.starts
        if len(fields) == 0:
            return np.zeros(0, dtype=np.int64)
        if int(lengths.max()) > _WIDEST or (fields.escaped is not None and fields.escaped.any()):
            return np.array(
                [self._number(fields.text(index)) for index in range(len(fields))], dtype=np.int64
            )
        distinct, inverse = _distinct(fields.matrix())
        return np.array([self._number(name) for name in distinct.tolist()], dtype=np.int64)[inverse]

    def _number(self, name: bytes) -> int:
        return self._known.setdefault(name, len(self._known))

    def ids(self, columns: list[NDArray[np.int64]]) -> tuple[list[NDArray[np.int64]], NDArray[Any]]:
        """Columns of these numbers as ids, by size or name; and the label of each id.

        Labels are integers where every name is one in plain form: ``007`` and ``7`` are two names.
        """
        names = [name.decode() for name in self._known]
        found = [_INTEGER.fullmatch(name) for name in names]
        labels: NDArray[Any]
        numbers = [int(each[1]) for each in found if each is not None]
        if len(numbers) == len(names) and all(-(2**63) <= number < 2**63 for number in numbers):
            labels, rank = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
        else:
            order = sorted(range(len(names)), key=names.__getitem__)
            labels = np.empty(len(names), dtype=object)
            labels[:] = [names[position] for position in order]
            rank = np.empty(len(names), dtype=np.int64)
            rank[order] = np.arange(len(names))
        return [rank[column] for column in columns], labels


def _distinct(names: NDArray[np.bytes_]) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
    """Distinct names, and the position among them of each: by a hash that is then checked, not by a sort."""
    width = -(-names.dtype.itemsize // 8) * 8
    words = names.astype(f"S{width}").view(np.uint64).reshape(len(names), width // 8)
    hashed = np.zeros(len(names), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for word in words.T:
            hashed = (hashed ^ word) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
    _, first, inverse = np.unique(hashed, return_index=True, return_inverse=True)
    if (words[first[inverse]] == words).all():
        return names[first], inverse
    distinct, inverse = np.unique(names, return_inverse=True)
    return distinct, inverse
