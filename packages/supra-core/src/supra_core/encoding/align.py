"""Each window's eigenvectors turned so that they agree with those of the window before.

An eigenvector has no sign of its own, and the vectors of a multiple eigenvalue no directions of their own. A
window is therefore compared with the one before on the rows that both have, and the freedom that is left is
used to agree there:

* ``"signs"``: one sign a channel.
* ``"rotation"``: an orthogonal turn within each cluster of eigenvalues, a sign for a channel that is alone.
  A cluster holds neighbours that lie within one per cent of each other, or whose gap is no larger than the
  eigenvalues have moved since the window before. By Weyl's inequality the Laplacian has changed at least by
  that, and by Davis and Kahan's theorem a gap that small no longer keeps two vectors apart: they may have
  turned into each other, or changed places.

Where a channel of the newest layer, which is what is given out, still is clearly the opposite of the one
before (a vector that alternates in time), its sign is changed.

A turn is found from inner products of the two windows' vectors (k of them for signs, a k × k matrix for
turns) and from the turn before. So products can be computed anywhere, in any order; only these few numbers
have to be put together in time's.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supra_core.eigen.result import Array
from supra_core.eigen.solver import one_blas_thread
from supra_core.encoding.decomposition import Decomposition, canonical_signs

Align = Literal["rotation", "signs"] | None
ALIGNMENTS = ("rotation", "signs", None)

# An overlap below this is rounding: the canonical sign decides.
_FAINT = 1e-6
# The size of a cosine from which on two channels are taken for the same.
_MATCH = 0.5
# Eigenvalues that differ by less than this part of their size are taken for one.
CLOSE = 0.01


@dataclass(frozen=True, eq=False)
class Anchor:
    """What the next window is compared with.

    Attributes:
        vectors: the channels of each row (of a trajectory its last step's), shape (N, k).
        eigenvalues: of the channels that there are.
        time: the snapshot of each row, counted from the start of the graph, shape (N,).
        node: the node of each row, -1 for a global one, shape (N,).
        first: the oldest snapshot of the window.
        newest: its newest.
        signs: canonical ones of the channels, shape (k,).
        resolution: the largest residual norm: eigenvalues are known no better.
    """

    vectors: Array
    eigenvalues: Array
    time: NDArray[np.int64]
    node: NDArray[np.int64]
    first: int
    newest: int
    signs: Array
    resolution: float

    @classmethod
    def of(cls, decomposition: Decomposition, newest: int) -> "Anchor":
        """Of the window whose newest snapshot is ``newest``."""
        supra, vectors = decomposition.supra, decomposition.vectors[-1]
        first = newest + 1 - supra.num_snapshots
        return cls(
            vectors=vectors,
            eigenvalues=decomposition.values[-1][: decomposition.num_channels],
            time=supra.time + first,
            node=supra.node,
            first=first,
            newest=newest,
            signs=canonical_signs(vectors),
            resolution=float(decomposition.result.residual_norms.max(initial=0.0)),
        )


@dataclass(frozen=True, eq=False)
class Link:
    """All that a window's turn depends on beside the turn of the window before; here on nothing else.

    Attributes:
        signs: canonical ones, shape (k,).
    """

    signs: Array

    @staticmethod
    def between(previous: Anchor | None, current: Anchor, align: Align) -> "Link":
        """The link of two neighbouring windows."""
        if align is None or previous is None:
            return Link(current.signs)
        newest = _newest_vectors(previous, current)
        shared = _shared_vectors(previous, current) if current.first <= previous.newest else newest
        if align == "signs":
            return SignLink(current.signs, _products(*shared), _cosines(*newest))
        return TurnLink.of(previous, current, shared, newest)

    def turn(self, before: Array | None) -> Array:
        """The orthogonal matrix, shape (k, k), that the window's channels are multiplied by.

        Args:
            before: the turn of the window before, None where there is none.
        """
        return np.diag(self.signs)


@dataclass(frozen=True, eq=False)
class SignLink(Link):
    """Of ``"signs"``: turns before and now are signs, so that each channel is looked at alone.

    Attributes:
        shared: inner products of each channel now and before on the rows that both have, shape (k,).
        newest: cosines of each channel now and before in the newest layers of the two, shape (k,).
    """

    shared: Array
    newest: Array

    def turn(self, before: Array | None) -> Array:
        """See :meth:`Link.turn`."""
        if before is None:
            return super().turn(before)
        last = np.diagonal(before)
        # A channel of which the window before knows nothing keeps the canonical sign.
        signs = np.where(self.shared * last + _FAINT * self.signs < 0, -1.0, 1.0)
        # What is given out is the newest layer: a channel that is clearly the same there keeps its sign.
        signs[signs * self.newest * last < -_MATCH] *= -1.0
        return np.diag(signs)


@dataclass(frozen=True, eq=False)
class TurnLink(Link):
    """Of ``"rotation"``.

    Attributes:
        clusters: channels that turn together.
        shared: inner products of this window's channels (rows) and those of the window before (columns) on
            the rows that both have, shape (k, k).
        newest: the same between the newest layers of the two, on the nodes that both have.
    """

    clusters: tuple[slice, ...]
    shared: Array
    newest: "Newest"

    @classmethod
    def of(
        cls, previous: Anchor, current: Anchor, shared: tuple[Array, Array], newest: tuple[Array, Array]
    ) -> "TurnLink":
        """From the channels that the windows share, before and now: on all rows, and on the newest layers."""
        common = min(len(current.eigenvalues), len(previous.eigenvalues))
        moved = np.abs(current.eigenvalues[:common] - previous.eigenvalues[:common]).max(initial=0.0)
        width = max(float(moved), current.resolution, previous.resolution)
        parts = clusters(current.eigenvalues, np.maximum(width, CLOSE * current.eigenvalues[1:]))
        with one_blas_thread():  # several would add in another order
            before, now = newest
            products = Newest(now.T @ before, now.T @ now, before.T @ before)
            return cls(current.signs, tuple(parts), shared[1].T @ shared[0], products)

    def turn(self, before: Array | None) -> Array:
        """See :meth:`Link.turn`."""
        turned = super().turn(before)
        if before is None:
            return turned
        with one_blas_thread():
            # Directions of which the window before knows nothing keep the canonical signs.
            agreement = self.shared @ before + _FAINT * turned
            np.fill_diagonal(turned, np.where(np.diagonal(agreement) < 0, -1.0, 1.0))
            for part in self.clusters:
                if part.stop - part.start > 1:
                    U, _, Vt = np.linalg.svd(agreement[part, part])
                    turned[part, part] = U @ Vt
            # As for signs: what is clearly the same in the newest layer keeps its sign.
            turned[:, self.newest.cosines(turned, before) < -_MATCH] *= -1.0
        return turned


@dataclass(frozen=True, eq=False)
class Newest:
    """Inner products of channels in the newest layers of two windows, each of shape (k, k).

    Attributes:
        across: of this window's channels (rows) with those of the window before (columns).
        now, before: of each window's channels among themselves.
    """

    across: Array
    now: Array
    before: Array

    def cosines(self, now: Array, before: Array) -> Array:
        """Of each turned channel with the one of the same number, turned, before, shape (k,)."""
        products = np.sum(now * (self.across @ before), axis=0)
        squares = np.sum(now * (self.now @ now), axis=0) * np.sum(before * (self.before @ before), axis=0)
        return _ratios(products, squares)


def clusters(eigenvalues: Array, width: float | Array) -> list[slice]:
    """Runs of ascending eigenvalues in which no gap is larger than ``width``, of all or of each gap.

    Example:
        >>> clusters(np.array([0.1, 0.11, 0.5]), 0.02)
        [slice(0, 2, None), slice(2, 3, None)]
    """
    if len(eigenvalues) == 0:
        return []
    breaks = np.flatnonzero(np.diff(eigenvalues) > width) + 1
    ends = [0, *breaks.tolist(), len(eigenvalues)]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _products(before: Array, now: Array) -> Array:
    """The inner product of each channel before and now; no BLAS, so that threads change nothing."""
    return np.asarray(np.einsum("ij,ij->j", before, now))


def _cosines(before: Array, now: Array) -> Array:
    """Of each channel before and now; 0 where one of them is."""
    return _ratios(_products(before, now), _products(before, before) * _products(now, now))


def _ratios(products: Array, squares: Array) -> Array:
    """Products over the roots of squares, 0 where there is nothing to divide by."""
    sizes = np.sqrt(np.maximum(squares, 0.0))
    return np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)


def _newest_vectors(previous: Anchor, current: Anchor) -> tuple[Array, Array]:
    """The channels of the nodes that the newest layers of both have, before and now."""
    rows = [
        slice(int(np.searchsorted(anchor.time, anchor.newest)), len(anchor.time))
        for anchor in (previous, current)
    ]
    nodes = [anchor.node[part] for anchor, part in zip((previous, current), rows, strict=True)]
    keys = [np.where(node >= 0, node, -1 - side) for side, node in enumerate(nodes)]  # no global nodes
    return _common(previous.vectors[rows[0]], keys[0], current.vectors[rows[1]], keys[1])


def _shared_vectors(previous: Anchor, current: Anchor) -> tuple[Array, Array]:
    """The channels of the rows of the layers that both windows have, before and now."""
    # Rows run layer by layer: those of common layers are the end of one window and the start of the other.
    start = int(np.searchsorted(previous.time, current.first))
    stop = int(np.searchsorted(current.time, previous.newest, side="right"))
    width = int(max(previous.node.max(initial=0), current.node.max(initial=0))) + 2
    keys = previous.time[start:] * width + previous.node[start:]
    others = current.time[:stop] * width + current.node[:stop]
    return _common(previous.vectors[start:], keys, current.vectors[:stop], others)


def _common(
    before: Array, keys: NDArray[np.int64], now: Array, others: NDArray[np.int64]
) -> tuple[Array, Array]:
    """The rows whose keys both have, in one order and one layout, so that sums come out alike."""
    if not np.array_equal(keys, others):
        _, i, j = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
        before, now = before[i], now[j]
    return np.ascontiguousarray(before), np.ascontiguousarray(now)
