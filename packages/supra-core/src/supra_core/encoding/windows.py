"""Sliding windows: encodings of every snapshot, each window started from the last one where asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import overload

import numpy as np

from supra_core.eigen.result import Array
from supra_core.encoding.cache import EigenCache
from supra_core.encoding.decomposition import Decomposition
from supra_core.encoding.encoder import Encoder
from supra_core.encoding.encoding import Encoding
from supra_core.encoding.warm_start import warm_start
from supra_core.temporal_graph import TemporalGraph


@dataclass(frozen=True, eq=False)
class Encodings(Sequence[Encoding]):
    """The encodings of snapshots 0 … T − 1.

    Attributes:
        encodings: one for each snapshot.
        num_matvecs: products spent on each window, shape (T,).
        num_matvecs_cold: products that a random start needs for each window, where that was measured.
    """

    encodings: tuple[Encoding, ...]
    num_matvecs: np.ndarray
    num_matvecs_cold: np.ndarray | None = None

    @property
    def values(self) -> Array:
        """All snapshots' encodings, shape (num_snapshots, num_nodes, dim)."""
        return np.stack([encoding.values for encoding in self.encodings])

    @property
    def matvecs_saved(self) -> int | None:
        """Products that warm starts saved over all windows; ``None`` where cold runs were not asked for."""
        if self.num_matvecs_cold is None:
            return None
        return int(self.num_matvecs_cold.sum() - self.num_matvecs.sum())

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
        saved = "" if self.matvecs_saved is None else f", {self.matvecs_saved} saved by warm starts"
        worst = max((float(e.result.residual_norms.max(initial=0.0)) for e in self.encodings), default=0.0)
        return f"Encodings({len(self)} snapshots, {spent} matvecs{saved}, largest residual {worst:.2g})"


def encode_all(
    encoder: Encoder,
    graph: TemporalGraph,
    *,
    cache: str | PathLike[str] | None = None,
    compare_cold: bool = False,
) -> Encodings:
    """See :meth:`supra_core.Encoder.encode_all`."""
    encodings, matvecs, cold = [], [], []
    for t, (encoding, spent) in enumerate(walk(encoder, graph, cache=cache)):
        encodings.append(encoding)
        matvecs.append(spent)
        if compare_cold:
            size = encoder.window if encoder.method == "slpe" else 1
            cold.append(encoder.decompose(graph.window(t, size)).result.num_matvecs)
    return Encodings(tuple(encodings), np.array(matvecs), np.array(cold) if compare_cold else None)


def walk(
    encoder: Encoder,
    graph: TemporalGraph,
    *,
    cache: str | PathLike[str] | None = None,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[tuple[Encoding, int]]:
    """The encoding of each snapshot in turn, and the matrix–vector products it took."""
    stop = graph.num_snapshots if stop is None else stop
    store = EigenCache(cache)
    size = encoder.window if encoder.method == "slpe" else 1
    recent: list[Decomposition] = []
    for t in range(first_window(encoder, start), stop):
        window = graph.window(t, size)
        x0 = None
        if encoder.init == "previous" and recent and t % encoder.restart_every:
            x0 = _start(encoder, recent[-1], window, t, size)
        recent.append(encoder.decompose(window, x0, store))
        # SLPE reads all layers out of one decomposition; LPE needs one for each layer of the window.
        recent = recent[-1:] if encoder.method == "slpe" else recent[-encoder.window :]
        if t >= start:
            yield encoder.combine(recent), recent[-1].result.num_matvecs


def first_window(encoder: Encoder, start: int) -> int:
    """The window at which a walk has to begin so that snapshot ``start`` comes out as in a walk from 0."""
    first = start if encoder.method == "slpe" else max(0, start + 1 - encoder.window)
    return first - first % encoder.restart_every if encoder.init == "previous" else first


def _start(encoder: Encoder, last: Decomposition, window: TemporalGraph, t: int, size: int) -> Array | None:
    """The last window's vectors, moved to this one."""
    following = encoder.supra(window)
    if last.result.k == 0 or following.num_rows == 0:
        return None
    shift = 1 if t >= size else 0  # early windows grow at the end; later ones also lose their oldest layer
    return warm_start(last.supra, last.result.eigenvectors, following, shift)
