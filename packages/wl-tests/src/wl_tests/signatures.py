"""Which rows have the same signature: grouped by a hash, then verified exactly.

The signature of a row is what an update rule hands to its injective HASH: the row's own colour, the colours
    of its ordered neighbours, the layer index and the sorted multiset of (colour, label) of the others. A
    64-bit hash finds the candidates for equality quickly, and every candidate is then compared with another
    member of its group, entry by entry. Should the hash ever put two different signatures together, the
    comparison notices and the rows are grouped by comparing the signatures themselves. So the answer is
    exact, always; the hash only makes it fast.

The order of the groups depends on the signatures alone, never on the order of rows or edges.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wl_tests.neighbourhoods import Neighbourhoods, ragged

BLOCK = 1 << 19
"""How many neighbours are looked at together: bounds memory, and fits into a processor's cache."""

_Rows = NDArray[np.int64]
_Colours = NDArray[Any]
_ODD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_STEP = np.uint64(0x9E3779B97F4A7C15)


def group(hood: Neighbourhoods, rows: _Rows, colour: _Colours) -> tuple[_Rows, NDArray[np.bool_]]:
    """Sort ``rows`` by own colour, then by signature; equal signatures end up side by side.

    Args:
        rows: distinct row numbers, shape (m,).
        colour: the colours of all rows, integers in 0 .. N - 1, shape (N,).

    Returns:
        The sorted rows, and which of them start a group of equal signatures, both of shape (m,).
    """
    keys = _keys(hood, rows, colour)
    order = np.argsort(keys)
    keys, ranked = keys[order], rows[order]
    first = np.ones(len(rows), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    if _verified(hood, ranked, first, colour):
        return ranked, first
    return _group_by_comparison(hood, rows, colour)


def _keys(hood: Neighbourhoods, rows: _Rows, colour: _Colours) -> NDArray[np.uint64]:
    """The own colour in the upper bits, a hash of the rest of the signature in the lower ones."""
    signature = mix(hood.layer[rows].astype(np.uint64))
    if len(hood.ordered) == 0:
        # Mixed once, like an entry of the multiset, layer 1 beside entry 2 has the sum of layer 2 beside
        # entry 1, and small integers are what layers and entries are.
        signature = mix(signature)
    for neighbour in hood.ordered:
        signature += _STEP
        signature ^= _outer_or(colour, neighbour[rows]).astype(np.uint64)
        signature = mix(signature)  # at once, or the same colour earlier and later would cancel
    signature += _multisets(hood, rows, colour)
    signature = mix(signature)
    shift = hood.num_rows.bit_length()
    return (colour[rows].astype(np.uint64) << np.uint64(64 - shift)) | (signature >> np.uint64(shift))


def _multisets(hood: Neighbourhoods, rows: _Rows, colour: _Colours) -> NDArray[np.uint64]:
    """A hash of each row's multiset: the sum, modulo 2^64, of the mixed entries."""
    degrees = hood.degree[rows]
    if _uniform(hood, colour):
        return degrees.astype(np.uint64) * mix(colour[:1].astype(np.uint64))
    if hood.num_rows > len(rows) > hood.num_rows // 2:
        # Reading all in the order of memory is faster than picking out more than half.
        return _multisets(hood, np.arange(hood.num_rows), colour)[rows]
    sums = np.zeros(len(rows), dtype=np.uint64)
    # Without labels an entry is a colour: mix each node's once rather than each edge's, where that is less.
    table = None
    if hood.labels is None and int(degrees.sum()) > hood.num_rows:
        table = mix(colour.astype(np.uint64))
    for block in _blocks(degrees):
        entries = hood.entries(rows[block])
        if table is not None:
            mixed = table[hood.indices[entries]]
        else:
            mixed = mix(_tokens(hood, entries, colour).astype(np.uint64))
        if len(mixed):
            lengths = degrees[block]
            filled = lengths > 0
            starts = np.cumsum(lengths) - lengths
            sums[block][filled] = np.add.reduceat(mixed, starts[filled])
    return sums


def _verified(hood: Neighbourhoods, ranked: _Rows, first: NDArray[np.bool_], colour: _Colours) -> bool:
    """Whether neighbours in ``ranked`` that share a group truly have the same signature."""
    shared = ~first
    if not shared.any():
        return True
    # Only groups of two and more have anything to compare.
    shared[:-1] |= shared[1:]
    ranked, again = ranked[shared], ~first[shared]
    degrees = hood.degree[ranked]
    features = [degrees, hood.layer[ranked], *(_outer_or(colour, near[ranked]) for near in hood.ordered)]
    if any(((values[1:] != values[:-1]) & again[1:]).any() for values in features):
        return False
    if _uniform(hood, colour):
        return True
    for block in _blocks(degrees):
        # Each row is held against the one before it; the block's first one against the last of the block
        # before.
        part = slice(max(block.start - 1, 0), block.stop)
        if not _rows_repeat(hood, ranked[part], again[part], degrees[part], colour):
            return False
    return True


def _rows_repeat(
    hood: Neighbourhoods,
    rows: _Rows,
    again: NDArray[np.bool_],
    degrees: NDArray[np.int64],
    colour: _Colours,
) -> bool:
    """Whether each row marked ``again``, but the first, has the multiset of the one before it."""
    tokens = _tokens(hood, ragged(hood.indptr[rows], degrees), colour)
    bits = (hood.num_rows * hood.num_labels).bit_length()
    if bits + len(rows).bit_length() > 63:
        tokens = np.unique(tokens, return_inverse=True)[1].astype(np.int64)
        bits = len(tokens).bit_length()
    row = np.repeat(np.arange(len(rows), dtype=np.int64), degrees)
    keys = (row << bits) | tokens
    keys.sort()
    # Row i follows row i - 1 by `degree` places; equal tokens then differ by exactly one row.
    compared = np.flatnonzero((again & (np.arange(len(rows)) > 0))[row])
    return bool((keys[compared] - keys[compared - degrees[row[compared]]] == 1 << bits).all())


def _uniform(hood: Neighbourhoods, colour: _Colours) -> bool:
    """Whether all entries of all multisets are the same, so that sizes say all: mostly in the first round."""
    return hood.labels is None and bool(colour[0] == colour[-1]) and bool((colour == colour[0]).all())


def _group_by_comparison(
    hood: Neighbourhoods, rows: _Rows, colour: _Colours
) -> tuple[_Rows, NDArray[np.bool_]]:
    """The same answer without any hash: signatures as tuples, sorted."""
    signatures = []
    for row in rows:
        entries = slice(int(hood.indptr[row]), int(hood.indptr[row + 1]))
        ordered = tuple(int(_outer_or(colour, neighbour[row])) for neighbour in hood.ordered)
        multiset = tuple(sorted(_tokens(hood, entries, colour).tolist()))
        signatures.append((int(colour[row]), int(hood.layer[row]), ordered, multiset))
    order = sorted(range(len(rows)), key=signatures.__getitem__)
    first = [i == 0 or signatures[order[i]] != signatures[order[i - 1]] for i in range(len(order))]
    return rows[order], np.array(first, dtype=bool)


def _tokens(hood: Neighbourhoods, entries: _Rows | slice, colour: _Colours) -> _Rows:
    """One integer for each (colour, label); injective, since labels are below ``num_labels``."""
    tokens: _Rows = colour[hood.indices[entries]].astype(np.int64)
    if hood.labels is not None:
        tokens *= hood.num_labels
        tokens += hood.labels[entries]
    return tokens


def _outer_or(colour: _Colours, neighbours: NDArray[Any]) -> NDArray[Any]:
    """Colours of neighbours, shifted by one; 0 is the outer constant of the missing ones."""
    return np.where(neighbours < 0, 0, colour[neighbours] + 1)


def _blocks(degrees: NDArray[np.int64]) -> Iterator[slice]:
    """Consecutive rows with about ``BLOCK`` neighbours together, at least one row each."""
    ends = np.cumsum(degrees + 1)
    start = 0
    while start < len(degrees):
        base = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + BLOCK, side="right")))
        yield slice(start, stop)
        start = stop


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit integers, one to one (the finaliser of SplitMix64)."""
    mixed = values + _STEP
    mixed ^= mixed >> np.uint64(30)
    mixed *= _ODD[0]
    mixed ^= mixed >> np.uint64(27)
    mixed *= _ODD[1]
    mixed ^= mixed >> np.uint64(31)
    return mixed
