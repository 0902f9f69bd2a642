"""The encodings of all windows of a graph, one after the other here or spread over a cluster."""

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import ConvergenceWarning, Encoder, TemporalGraph
from supra_core.encoding.align import Anchor, Link
from supra_core.encoding.decomposition import Decomposition, Layer
from supra_core.encoding.encoding import newest_rows
from supra_core.encoding.windows import pieces

if TYPE_CHECKING:
    from supra_experiments.cluster.connect import Cluster
    from supra_experiments.encoding.local_processes import LocalProcesses

_LONGEST_STRETCH = 16


@dataclass(frozen=True, eq=False)
class EncodedWindow:
    """What is kept of a window.

    Attributes:
        values: the encoding of its newest snapshot, shape (num_nodes, dim).
        report: what the solver says of it, and the seconds it took.
        warned: warnings other than of convergence, which the report tells.
    """

    values: np.ndarray
    report: dict[str, Any]
    warned: tuple[tuple[type[Warning], str], ...] = ()


def encode_windows(
    encoder: Encoder,
    graph: TemporalGraph,
    cluster: "Cluster | LocalProcesses | None" = None,
    *,
    finished: Callable[[int], object] = lambda _: None,
) -> Iterator[EncodedWindow]:
    """All windows in the order of time, the same bits whether ``cluster`` helps or not.

    Args:
        encoder: the encoder.
        graph: the graph.
        cluster: computes stretches of windows side by side; where there is none, this process does.
        finished: told how many more windows are done.

    Example:
        >>> from supra_core import generators
        >>> graph = generators.path_layers(12, 4)
        >>> [window.values.shape for window in encode_windows(Encoder(k=3), graph)]
        [(12, 3), (12, 3), (12, 3), (12, 3)]
    """
    if cluster is None:
        whole = _walk(encoder, graph, range(graph.num_snapshots))
        for window in compose(encoder, graph, ([part] for part in whole)):
            finished(1)
            yield window
        return
    parts = stretches(encoder, graph.num_snapshots, cluster.num_cpus)
    told: set[tuple[type[Warning], str]] = set()
    results = cluster.spread(
        encode_stretch, (encoder, graph), parts, finished=lambda part: finished(len(part))
    )
    for window in compose(encoder, graph, results):
        for category, message in set(window.warned) - told:
            told.add((category, message))
            warnings.warn(message, category, stacklevel=2)
        yield window


def stretches(encoder: Encoder, num_snapshots: int, num_cpus: float) -> list[range]:
    """Windows that are computed together: chains of warm starts stay whole; else ever shorter stretches.

    Each stretch has a fourth of what would be an equal share of the windows left, so that no CPU waits long
    for another at the end.

    Example:
        >>> stretches(Encoder(init="previous", restart_every=4), 10, num_cpus=64)
        [range(0, 4), range(4, 8), range(8, 10)]
        >>> [len(stretch) for stretch in stretches(Encoder(), 24, num_cpus=2)]
        [3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    parts: list[range] = []
    while (start := parts[-1].stop if parts else 0) < num_snapshots:
        share = int((num_snapshots - start) / max(1, 4 * num_cpus))
        size = encoder.restart_every or min(max(share, 1), _LONGEST_STRETCH)
        parts.append(range(start, min(start + size, num_snapshots)))
    return parts


@dataclass(frozen=True, eq=False)
class Unturned:
    """A window as it is computed, apart from all others.

    Attributes:
        layer: the channels of its newest layer.
        link: what its turn depends on; None for the first window of a stretch, whose ``anchor`` tells.
        anchor: of the first and the last window of a stretch: what neighbouring stretches are compared by.
        report, warned: as in :class:`EncodedWindow`.
    """

    layer: Layer
    link: Link | None
    anchor: Anchor | None
    report: dict[str, Any]
    warned: tuple[tuple[type[Warning], str], ...] = ()


def encode_stretch(shared: tuple[Encoder, TemporalGraph], stretch: range) -> list[Unturned]:
    """Some windows of a graph, in a process of a cluster."""
    windows = []
    walk = _walk(*shared, stretch)
    for _ in stretch:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            window = next(walk)
        warned = tuple((warning.category, str(warning.message)) for warning in caught)
        windows.append(replace(window, warned=warned))
    return windows


def compose(
    encoder: Encoder, graph: TemporalGraph, stretches: Iterable[list[Unturned]]
) -> Iterator[EncodedWindow]:
    """All windows of a walk, from stretches of it in the order of time: each agrees with the one before."""
    look, before, t = encoder.look, None, 0
    recent: list[tuple[Layer, np.ndarray]] = []
    # One decomposition has all layers of SLPE's window; rows of LPE's older layers come from older windows.
    kept = encoder.window if (encoder.method, encoder.absent) == ("lpe", "last") else 1
    for stretch in stretches:
        for window in stretch:
            link = window.link
            if link is None and window.anchor is not None:
                link = Link.between(before, window.anchor, encoder.align)
            before = window.anchor or before
            if link is None:
                raise ValueError("a stretch has to tell how it begins")
            turned = link.turn(recent[-1][1] if recent else None)
            recent = [*recent, (window.layer, turned)][-kept:]
            first = max(0, t + 1 - encoder.window)
            active = np.stack([graph.active(s) for s in range(first, t + 1)]) if look.with_age else None
            values = newest_rows(recent, look)
            values = values if active is None else look.add_age(values, active)
            yield EncodedWindow(values, window.report, window.warned)
            t += 1


def _walk(encoder: Encoder, graph: TemporalGraph, stretch: range) -> Iterator[Unturned]:
    # One thread everywhere: sums over several are made in another order, and have other last bits.
    with threadpool_limits(1):
        walk = pieces(encoder, graph, stretch.start, stretch.stop)
        for t in stretch:
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it
                piece = next(walk)
            newest = piece.decomposition.supra.num_snapshots - 1
            layer = piece.decomposition.layer(newest, last=encoder.absent == "last")
            outer = encoder.align is not None and t in (stretch.start, stretch.stop - 1)
            yield Unturned(
                layer,
                piece.link,
                piece.anchor if outer else None,
                _report(piece.decomposition, time.perf_counter() - start),
            )


def _report(decomposition: Decomposition, seconds: float) -> dict[str, Any]:
    result = decomposition.result
    return {
        "rows": decomposition.supra.num_rows,
        "solver": result.solver,
        "matvecs": result.num_matvecs,
        "max_residual": float(np.max(result.residual_norms, initial=0.0)),
        "converged": int(np.sum(result.converged)),
        "eigenvectors": result.k,
        "eigenvalues": result.eigenvalues.tolist(),
        "seconds": seconds,
    }
