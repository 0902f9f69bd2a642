"""Colour refinement, exact and round by round, for any update rule that reads a :class:`Neighbourhoods`.

Three observations make it fast without giving up a single round:

* *Order.* A class is an interval of positions, and a round only ever cuts intervals. So the final order, with
  the round in which each cut was made, holds every round there was, in memory for one.
* *Who can change.* Two rows of one class saw the same neighbours a round ago. They part only if the class of
  some neighbour has been cut since.
* *All but the largest.* Of the pieces of a cut class one may be left out: what a row has in the others fixes
  what it has in that one. With the largest left out, a row is looked at O(log N) times on its neighbours'
  account (Hopcroft's argument), so that even a long path, which takes N/2 rounds, is quick.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wl_tests.neighbourhoods import Neighbourhoods, ragged
from wl_tests.signatures import group

_Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Refinement:
    """Every round of a refinement.

    Attributes:
        colours: of the last round, consecutive integers from 0, shape (N,).
        born: the round in which colour c was first told from colour c - 1, shape (number of colours,).
        num_rounds: how many rounds changed the partition.
        stable: whether one more round would change nothing.
    """

    colours: NDArray[Any]
    born: _Rows
    num_rounds: int
    stable: bool

    def at(self, r: int) -> NDArray[Any]:
        """The colours after round ``r`` (0 is the start), consecutive integers from 0, shape (N,)."""
        if r == self.num_rounds:
            return self.colours
        number = (np.cumsum(self.born <= r) - 1).astype(self.colours.dtype)
        colours: NDArray[Any] = number[self.colours]
        return colours

    def num_colours(self, r: int) -> int:
        """How many colours there are after round ``r``."""
        return int(np.count_nonzero(self.born <= r))


def refine(hood: Neighbourhoods, initial: NDArray[Any], max_rounds: int | None = None) -> Refinement:
    """Refine ``initial`` until it is stable, or for ``max_rounds`` rounds.

    Args:
        initial: colours to start from, consecutive integers from 0, shape (N,).
        max_rounds: no more rounds than this; None for as many as it takes (always fewer than N).
    """
    partition = _Partition(initial)
    rows = partition.divisible()
    num_rounds = 0
    while True:
        ranked, first = group(hood, rows, partition.colour)
        pieces = partition.pieces(ranked, first)
        if not pieces.any_cut:
            return partition.refinement(num_rounds, stable=True)
        if num_rounds == max_rounds:
            return partition.refinement(num_rounds, stable=False)
        num_rounds += 1
        partition.cut(pieces, num_rounds)
        rows = _affected(hood, partition, partition.all_but_largest(pieces))


def _affected(hood: Neighbourhoods, partition: "_Partition", moved: _Rows) -> _Rows:
    """The rows that see a row of ``moved``, in classes that can still be cut."""
    degrees = hood.degree[moved]
    if 4 * int(degrees.sum()) > len(hood.indices):
        return partition.divisible()  # nearly all are: finding out who is not costs more than it saves
    seen = np.concatenate([hood.indices[ragged(hood.indptr[moved], degrees)], hood.ordered[:, moved].ravel()])
    seen.sort()
    distinct = np.ones(len(seen), dtype=bool)
    np.not_equal(seen[1:], seen[:-1], out=distinct[1:])
    distinct &= seen >= 0
    rows: _Rows = seen[distinct].astype(np.int64)
    divisible: _Rows = rows[partition.size[partition.colour[rows]] > 1]
    return divisible


@dataclass(frozen=True, eq=False)
class _Pieces:
    """How classes fall apart: of each class the rows not looked at (the rest), then groups in order."""

    ranked: _Rows  # the rows looked at, class by class, group by group
    slot: _Rows  # the position each of them will have
    group_start: _Rows  # where groups start in `ranked`
    group_size: _Rows
    group_class: _Rows  # index of each group's class among the classes touched
    new_colour: _Rows  # of each group
    class_start: _Rows  # the colour (start of the interval) of each class touched
    rest: _Rows  # how many rows of each class were not looked at
    any_cut: bool


class _Partition:
    """Rows ordered so that classes are intervals; a row's colour is the start of its interval."""

    def __init__(self, initial: NDArray[Any]) -> None:
        num_rows = len(initial)
        self.order: _Rows = np.argsort(initial, kind="stable")
        self.position = np.empty(num_rows, dtype=np.int64)
        self.position[self.order] = np.arange(num_rows)
        counts = np.bincount(initial)
        starts = np.cumsum(counts) - counts
        # 32 bits where they do: colours are what is read most, all over memory.
        self.colour: NDArray[Any] = starts.astype(np.int32 if num_rows < 2**31 else np.int64)[initial]
        self.size = np.zeros(num_rows, dtype=np.int64)
        self.size[starts] = counts
        self.born = np.full(num_rows, -1, dtype=np.int64)
        self.born[starts] = 0
        self._looked_at = np.zeros(num_rows, dtype=bool)

    def divisible(self) -> _Rows:
        """All rows in classes of two and more."""
        return np.flatnonzero(self.size[self.colour] > 1)

    def pieces(self, ranked: _Rows, first: NDArray[np.bool_]) -> _Pieces:
        """How the classes of ``ranked`` fall apart, given where groups of equal signature start.

        The rows of these classes that are not in ``ranked`` have, by the second observation above, all the
        same signature, and none that a row in ``ranked`` has: they stay together and keep the class's colour.
        """
        group_start = np.flatnonzero(first)
        group_size = np.diff(group_start, append=len(ranked))
        group_colour = self.colour[ranked[group_start]]
        opens = np.ones(len(group_start), dtype=bool)
        np.not_equal(group_colour[1:], group_colour[:-1], out=opens[1:])
        group_class = np.cumsum(opens) - 1
        class_start = group_colour[opens]
        begins = group_start[opens]
        rest = self.size[class_start] - np.diff(begins, append=len(ranked))
        shift = (class_start + rest - begins)[group_class]
        new_colour = group_start + shift
        slot = np.arange(len(ranked)) + np.repeat(shift, group_size)
        any_cut = bool((new_colour != group_colour).any())
        return _Pieces(
            ranked, slot, group_start, group_size, group_class, new_colour, class_start, rest, any_cut
        )

    def cut(self, pieces: _Pieces, r: int) -> None:
        """Carry out what round ``r`` found."""
        ranked, slot = pieces.ranked, pieces.slot
        # The rows looked at move to the end of their interval; those that stood there take the places left.
        self._looked_at[ranked] = True
        standing = self.order[slot]
        displaced = standing[~self._looked_at[standing]]
        self._looked_at[ranked] = False
        old = self.position[ranked]
        tail = np.repeat((pieces.class_start + pieces.rest)[pieces.group_class], pieces.group_size)
        vacated = old[old < tail]
        self.order[vacated], self.position[displaced] = displaced, vacated
        self.order[slot], self.position[ranked] = ranked, slot
        self.colour[ranked] = np.repeat(pieces.new_colour, pieces.group_size)
        self.size[pieces.class_start] = pieces.rest
        self.size[pieces.new_colour] = pieces.group_size
        fresh = pieces.new_colour[self.born[pieces.new_colour] < 0]
        self.born[fresh] = r

    def all_but_largest(self, pieces: _Pieces) -> _Rows:
        """The rows of all pieces of the classes just cut, without the largest piece of each.

        Of several largest pieces the first is left out, so that the choice depends on nothing but sizes.
        """
        opens = np.flatnonzero(np.diff(pieces.group_class, prepend=-1))
        largest = np.maximum.reduceat(pieces.group_size, opens)
        rest_is_largest = pieces.rest >= largest
        is_largest = (pieces.group_size == largest[pieces.group_class]) & ~rest_is_largest[pieces.group_class]
        candidates = np.flatnonzero(is_largest)
        leads = np.diff(pieces.group_class[candidates], prepend=-1) > 0
        left_out = np.zeros(len(pieces.group_size), dtype=bool)
        left_out[candidates[leads]] = True
        moved: _Rows = pieces.ranked[np.repeat(~left_out, pieces.group_size)]
        stays = ~rest_is_largest & (pieces.rest > 0)
        if not stays.any():
            return moved
        return np.concatenate([moved, self.order[ragged(pieces.class_start[stays], pieces.rest[stays])]])

    def refinement(self, num_rounds: int, *, stable: bool) -> Refinement:
        """The rounds so far, with consecutive colours in the order of the intervals."""
        starts = self.born >= 0
        consecutive = (np.cumsum(starts) - 1).astype(np.int32 if len(starts) < 2**31 else np.int64)
        return Refinement(consecutive[self.colour], self.born[starts], num_rounds, stable)
