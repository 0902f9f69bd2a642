"""The encodings of all windows of a graph, one after the other here or spread over a cluster."""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import ConvergenceWarning, Encoder, Encoding, TemporalGraph

if TYPE_CHECKING:
    from supra_experiments.cluster import Cluster

_STRETCHES_A_CPU = 4
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
    cluster: "Cluster | None" = None,
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
    if encoder.method == "lpe":
        # Only newest layers are kept, and that of LPE is the same whatever else the window holds.
        encoder = replace(encoder, window=1)
    if cluster is None:
        for window in _walk(encoder, graph, range(graph.num_snapshots)):
            finished(1)
            yield window
        return
    parts = stretches(encoder, graph.num_snapshots, cluster.num_cpus)
    told: set[tuple[type[Warning], str]] = set()
    results = cluster.spread(
        encode_stretch, (encoder, graph), parts, finished=lambda part: finished(len(part))
    )
    for windows in results:
        for window in windows:
            for category, message in set(window.warned) - told:
                told.add((category, message))
                warnings.warn(message, category, stacklevel=2)
            yield window


def stretches(encoder: Encoder, num_snapshots: int, num_cpus: float) -> list[range]:
    """Windows that are computed together: chains of warm starts stay whole, else some four for each CPU.

    Example:
        >>> stretches(Encoder(init="previous", restart_every=4), 10, num_cpus=64)
        [range(0, 4), range(4, 8), range(8, 10)]
        >>> len(stretches(Encoder(), 100, num_cpus=8))
        34
    """
    if encoder.init == "previous":
        size = encoder.restart_every
    else:
        size = int(num_snapshots / max(1, _STRETCHES_A_CPU * num_cpus))
        size = min(max(size, 1), _LONGEST_STRETCH)
    return [range(start, min(start + size, num_snapshots)) for start in range(0, num_snapshots, size)]


def encode_stretch(shared: tuple[Encoder, TemporalGraph], stretch: range) -> list[EncodedWindow]:
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


def _walk(encoder: Encoder, graph: TemporalGraph, stretch: range) -> Iterator[EncodedWindow]:
    # One thread everywhere: sums over several are made in another order, and have other last bits.
    with threadpool_limits(1):
        walk = encoder.walk(graph, start=stretch.start, stop=stretch.stop)
        for _ in stretch:
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it
                encoding = next(walk)
            values = encoding.values
            yield EncodedWindow(values, _report(encoding, time.perf_counter() - start))


def _report(encoding: Encoding, seconds: float) -> dict[str, Any]:
    result = encoding.result
    return {
        "rows": encoding.decompositions[-1].supra.num_rows,
        "solver": result.solver,
        "matvecs": result.num_matvecs,
        "max_residual": float(np.max(result.residual_norms, initial=0.0)),
        "converged": int(np.sum(result.converged)),
        "eigenvectors": result.k,
        "eigenvalues": result.eigenvalues.tolist(),
        "seconds": seconds,
    }
