"""All temporal graphs of a size, each isomorphism class once.

A layer is a bit mask over the pairs of nodes. Two temporal graphs are isomorphic if one permutation of the
nodes carries every layer of one to that of the other. So a class is built layer by layer: after some layers,
the permutations that still leave all of them alone form a group, and the next layer need only be chosen up to
that group. Which masks are left to choose from, and which group follows each, depends on the group alone;
there are few groups, so the table of choices is small and the classes are read off it.
"""

import itertools
from collections.abc import Iterator
from functools import cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_core.checks import check_count

MAX_NODES = 8
"""With 9 nodes there are 2^36 masks, more than can be marked off."""

_Masks = NDArray[np.int64]


class Classes:
    """The isomorphism classes of temporal graphs on n nodes.

    Example:
        >>> [Classes(n).count(1) for n in (1, 2, 3, 4, 5)]  # graphs, up to isomorphism
        [1, 2, 4, 11, 34]
        >>> Classes(3).count(2)
        20
    """

    def __init__(self, num_nodes: int) -> None:
        self.num_nodes = check_count("num_nodes", num_nodes, 1, MAX_NODES)
        self.pairs = np.array(list(itertools.combinations(range(num_nodes), 2)), dtype=np.int64).reshape(
            -1, 2
        )
        self._action = _edge_permutations(num_nodes, self.pairs)
        self._groups: list[NDArray[np.int64]] = []  # members of each group, as rows of `_action`
        self._number: dict[bytes, int] = {}
        self._choices: dict[int, tuple[_Masks, NDArray[np.int64]]] = {}
        self._start = self._number_of(np.arange(len(self._action)))

    def count(self, num_snapshots: int) -> int:
        """How many classes there are, without listing them."""
        tally = {self._start: 1}
        for _ in range(num_snapshots - 1):
            following: dict[int, int] = {}
            for group, times in tally.items():
                groups, counts = np.unique(self.choices(group)[1], return_counts=True)
                for after, number in zip(groups.tolist(), counts.tolist(), strict=True):
                    following[after] = following.get(after, 0) + times * number
            tally = following
        return sum(times * len(self._masks(group)) for group, times in tally.items())

    def blocks(self, num_snapshots: int, limit: int = 1 << 18) -> Iterator[_Masks]:
        """One of every class, as rows of masks, shape (at most about ``limit``, num_snapshots) each."""
        yield from self._extend(
            np.zeros((1, 0), dtype=np.int64), np.array([self._start]), num_snapshots, limit
        )

    def _extend(
        self, prefix: _Masks, groups: NDArray[np.int64], missing: int, limit: int
    ) -> Iterator[_Masks]:
        if missing == 0:
            yield prefix
            return
        last = missing == 1  # nothing follows the last layer, so its groups are not needed
        numbers, where = np.unique(groups, return_inverse=True)
        for i, number in enumerate(numbers.tolist()):
            masks, after = (self._masks(number), None) if last else self.choices(number)
            rows = np.flatnonzero(where == i)
            step = max(1, limit // len(masks))
            for part in (rows[s : s + step] for s in range(0, len(rows), step)):
                longer = np.column_stack(
                    [np.repeat(prefix[part], len(masks), axis=0), np.tile(masks, len(part))]
                )
                if after is None:
                    yield longer
                else:
                    yield from self._extend(longer, np.tile(after, len(part)), missing - 1, limit)

    def graph(self, masks: _Masks) -> TemporalGraph:
        """The temporal graph of one row of masks."""
        time, pair = np.nonzero((masks[:, None] >> np.arange(len(self.pairs))) & 1)
        source, target = self.pairs[pair].T
        return TemporalGraph.from_edges(
            source, target, time, num_nodes=self.num_nodes, num_snapshots=len(masks)
        )

    def choices(self, group: int) -> tuple[_Masks, NDArray[np.int64]]:
        """The masks up to ``group``, the least of each orbit, and the number of the subgroup fixing each."""
        if group not in self._choices:
            members = self._groups[group]
            masks = self._masks(group)
            if len(members) == 1:
                after = np.full(len(masks), group)
            else:
                action = self._action[members]
                after = np.array([self._number_of(members[_images(action, x) == x]) for x in masks.tolist()])
            self._choices[group] = masks, after
        return self._choices[group]

    def _masks(self, group: int) -> _Masks:
        members = self._groups[group]
        if len(members) == 1:
            return np.arange(2 ** len(self.pairs), dtype=np.int64)
        return _least_of_orbits(self._action[members])

    def _number_of(self, members: NDArray[np.int64]) -> int:
        key = members.tobytes()
        if key not in self._number:
            self._number[key] = len(self._groups)
            self._groups.append(members)
        return self._number[key]


def burnside(num_nodes: int, num_snapshots: int) -> int:
    """The number of isomorphism classes by Burnside's lemma: the mean number of graphs a permutation fixes.

    Example:
        >>> burnside(4, 3) == Classes(4).count(3) == 12496
        True
    """
    pairs = np.array(list(itertools.combinations(range(num_nodes), 2)), dtype=np.int64).reshape(-1, 2)
    actions = _edge_permutations(num_nodes, pairs).tolist()
    total: int = sum(2 ** (num_snapshots * _num_cycles(action)) for action in actions)
    return total // factorial(num_nodes)


@cache
def classes(num_nodes: int) -> Classes:
    """The classes on so many nodes, with the tables made so far."""
    return Classes(num_nodes)


def _edge_permutations(num_nodes: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """How each permutation of the nodes permutes the pairs, shape (num_nodes!, pairs)."""
    permutations = np.array(list(itertools.permutations(range(num_nodes))), dtype=np.int64)
    number = np.zeros((num_nodes, num_nodes), dtype=np.int64)
    number[pairs[:, 0], pairs[:, 1]] = number[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    return number[permutations[:, pairs[:, 0]], permutations[:, pairs[:, 1]]]


def _images(action: NDArray[np.int64], mask: int) -> _Masks:
    """The images of one mask under all permutations of pairs in ``action``."""
    bits = [i for i in range(action.shape[1]) if mask >> i & 1]
    images: _Masks = np.left_shift(1, action[:, bits]).sum(axis=1)
    return images


def _least_of_orbits(action: NDArray[np.int64]) -> _Masks:
    """The least mask of every orbit, ascending: take the least not marked yet, mark its images, go on."""
    num_masks = 2 ** action.shape[1]
    marked = np.zeros(num_masks, dtype=bool)
    least, at = [], 0
    while at < num_masks:
        window = marked[at : at + 4096]
        step = int(window.argmin())
        if window[step]:
            at += len(window)
            continue
        at += step
        least.append(at)
        marked[_images(action, at)] = True
    return np.array(least, dtype=np.int64)


def _num_cycles(permutation: list[int]) -> int:
    seen, cycles = set(), 0
    for start in range(len(permutation)):
        if start not in seen:
            cycles += 1
            while start not in seen:
                seen.add(start)
                start = permutation[start]
    return cycles
