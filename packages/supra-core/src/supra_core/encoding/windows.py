"""Sliding windows: encodings of every snapshot, each window agreeing with the one before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, overload

import numpy as np

from supra_core.eigen.result import Array
from supra_core.encoding.align import Anchor, Link
from supra_core.encoding.cache import EigenCache
from supra_core.encoding.decomposition import Decomposition, canonical_signs
from supra_core.encoding.encoding import Encoding
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    from supra_core.encoding.encoder import Encoder


@dataclass(frozen=True, eq=False)
class Encodings(Sequence[Encoding]):
    """The encodings of snapshots 0 … T − 1.

    Attributes:
        encodings: one for each snapshot.
    """

    encodings: tuple[Encoding, ...]

    @property
    def num_matvecs(self) -> np.ndarray:
        """Products spent on each window, shape (num_snapshots,)."""
        return np.array([encoding.result.num_matvecs for encoding in self.encodings])

    @property
    def seconds(self) -> np.ndarray:
        """What decomposing each window took when it was computed, now or for the cache; likewise."""
        return np.array([encoding.decompositions[-1].seconds for encoding in self.encodings])

    @property
    def values(self) -> Array:
        """All snapshots' encodings, shape (num_snapshots, num_nodes, dim)."""
        return np.stack([encoding.values for encoding in self.encodings])

    @overload
    def __getitem__(self, t: int) -> Encoding: ...
    @overload
    def __getitem__(self, t: slice) -> Sequence[Encoding]: ...
    def __getitem__(self, t: int | slice) -> Encoding | Sequence[Encoding]:
        return self.encodings[t]

    def __len__(self) -> int:
        return len(self.encodings)

    def __repr__(self) -> str:
        spent = int(self.num_matvecs.sum())
        worst = max((float(e.result.residual_norms.max(initial=0.0)) for e in self.encodings), default=0.0)
        return f"Encodings({len(self)} snapshots, {spent} matvecs, largest residual {worst:.2g})"


@dataclass(frozen=True, eq=False)
class Piece:
    """One window of a walk before it is turned.

    Attributes:
        t: its newest snapshot.
        decomposition: of the window.
        anchor: what the next window is compared with.
        link: what its turn depends on beside the turn before; None where the window before is not known.
    """

    t: int
    decomposition: Decomposition
    anchor: Anchor
    link: Link | None


class Chain:
    """Windows decomposed one after the other, each from the last one's vectors where that is asked for."""

    def __init__(self, encoder: "Encoder", store: EigenCache | None = None) -> None:
        self.encoder, self.store = encoder, store
        self.last: Piece | None = None

    def step(self, window: TemporalGraph, t: int) -> Piece:
        """The window that ends with snapshot ``t``."""
        encoder, before = self.encoder, self.last
        is_warm = before is not None and encoder.restart_every is not None and t % encoder.restart_every
        found = encoder.decompose(window, before.decomposition if before and is_warm else None, self.store)
        anchor = Anchor.of(found, t)
        link = None
        if before is not None or encoder.align is None or t == 0:
            link = Link.between(before.anchor if before else None, anchor, encoder.align)
        self.last = Piece(t, found, anchor, link)
        return self.last


def walk(
    encoder: "Encoder",
    graph: TemporalGraph,
    *,
    cache: str | PathLike[str] | None = None,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[Encoding]:
    """The encoding of each snapshot, one after the other; see :meth:`supra_core.Encoder.walk`."""
    stop = graph.num_snapshots if stop is None else stop
    first = start if encoder.method == "slpe" else max(0, start + 1 - encoder.window)
    if encoder.align is not None and start < stop:
        first = 0  # what a window is turned to goes back to the first one
    recent = Recent(encoder)
    for piece in pieces(encoder, graph, first, stop, cache=cache):
        recent.add(piece.decomposition, piece.link)
        if piece.t >= start:
            yield recent.encoding


def pieces(
    encoder: "Encoder",
    graph: TemporalGraph,
    start: int,
    stop: int,
    *,
    cache: str | PathLike[str] | None = None,
) -> Iterator[Piece]:
    """The windows start … stop − 1, not yet turned: what stretches of a walk can be computed from apart.

    Decompositions are those of a whole walk, bit for bit. Links are as well, but that of the first window is
    None where the window before it was not computed: :meth:`Link.between` the last window of the stretch
    before and this one is the same.
    """
    every = encoder.restart_every
    first = start if every is None else start - start % every
    chain = Chain(encoder, EigenCache(cache))
    for t in range(first, stop):
        piece = chain.step(graph.window(t, encoder.span), t)
        if t >= start:
            yield piece


class Recent:
    """The decompositions that the encoding of the newest snapshot is made of, and their turns."""

    def __init__(self, encoder: "Encoder") -> None:
        self.encoder = encoder
        self.decompositions: list[Decomposition] = []
        self.turns: list[Array] = []

    def add(self, decomposition: Decomposition, link: Link | None) -> None:
        """Take the next window in, turned to agree with the last one."""
        if link is None:  # nothing older is read, so that any signs will do
            link = Link(canonical_signs(decomposition.vectors[-1]))
        turned = link.turn(self.turns[-1] if self.turns else None)
        # SLPE reads all layers out of one decomposition; LPE needs one for each layer of the window.
        kept = 1 if self.encoder.method == "slpe" else self.encoder.window
        self.decompositions = [*self.decompositions, decomposition][-kept:]
        self.turns = [*self.turns, turned][-kept:]

    @property
    def encoding(self) -> Encoding:
        """Of the newest snapshot."""
        return Encoding(tuple(self.decompositions), self.encoder.look, tuple(self.turns))
