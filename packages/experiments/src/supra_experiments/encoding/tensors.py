"""Encodings as the models take them: computed once for a graph and an encoder, signs flipped cheaply."""

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from supra_core import ConvergenceWarning, Encoder, Encodings, TemporalGraph
from supra_experiments.config import Config


@dataclass(frozen=True, eq=False)
class EncodedGraph:
    """The encodings of the first snapshots of a graph, ready for a model.

    Attributes:
        windows: one tensor a snapshot, (layers, num_nodes, dim): its window's layers, newest last, under
            canonical signs; only the newest layer where a model reads one snapshot at a time.
        k: eigenvectors; channel c belongs to eigenvector c mod k, for the first ``num_vectors`` channels.
        num_vectors: channels that change sign: all but the eigenvalues.
        shared_signs: whether all layers of a window come from one decomposition, and so flip together.
        seconds: what the computation took.
        report: what the solver says of it, for the record.
    """

    windows: tuple[Tensor, ...]
    k: int
    num_vectors: int
    shared_signs: bool
    seconds: float
    report: dict[str, Any]

    @property
    def dim(self) -> int:
        """Channels."""
        return self.windows[0].size(2)

    def flipped(self, t: int, rng: np.random.Generator) -> Tensor:
        """The window of snapshot ``t`` under random signs, one an eigenvector and decomposition.

        The same signs hold in all layers of a supra-graph's window and along a trajectory.
        """
        window = self.windows[t]
        signs = rng.integers(2, size=(1 if self.shared_signs else window.size(0), self.k)) * 2 - 1
        channels = np.ones((len(signs), self.dim), dtype=np.float32)
        channels[:, : self.num_vectors] = np.tile(signs, self.num_vectors // self.k)
        return window * torch.from_numpy(channels).unsqueeze(1).to(window)


_CACHE: dict[tuple[Any, ...], EncodedGraph] = {}
_CACHE_SIZE = 8


def encode_graph(config: Config, graph: TemporalGraph, num_layers: int) -> EncodedGraph | None:
    """The encodings of all snapshots of ``graph``, for models that read ``num_layers`` at a time.

    Computed once for each (graph, encoder) of a process: runs that differ in features or seed share them.

    Args:
        config: the settings.
        graph: the snapshots that may be looked at.
        num_layers: how many layers of each window to keep.

    Returns:
        None for ``pe = "none"``.
    """
    encoder = config.encoder
    if encoder is None:
        return None
    key = (graph.digest, encoder, num_layers)
    if key not in _CACHE:
        while len(_CACHE) >= _CACHE_SIZE:
            del _CACHE[next(iter(_CACHE))]
        _CACHE[key] = _encode(encoder, graph, num_layers)
    return _CACHE[key]


def _encode(encoder: Encoder, graph: TemporalGraph, num_layers: int) -> EncodedGraph:
    start = time.perf_counter()
    with warnings.catch_warnings():
        # Inexact encodings stop early by design, and the record says how far they came.
        warnings.simplefilter("ignore", ConvergenceWarning)
        encodings = encoder.encode_all(graph)
    windows = []
    for encoding in encodings:
        layers = encoding.layers[-num_layers:] if num_layers > 1 else encoding.values[None]
        windows.append(torch.from_numpy(layers.astype(np.float32)))
    seconds = time.perf_counter() - start
    return EncodedGraph(
        windows=tuple(windows),
        k=encoder.k,
        num_vectors=encoder.num_vectors,
        shared_signs=encoder.method == "slpe",
        seconds=seconds,
        report=encoding_report(encoder, encodings, seconds),
    )


def encoding_report(encoder: Encoder, encodings: Encodings, seconds: float) -> dict[str, Any]:
    """What to tell of a computation: channels, work, and how exact the answer is."""
    results = [encoding.result for encoding in encodings]
    return {
        "channels": encoder.dim,
        "solver": results[-1].solver,
        "seconds": seconds,
        "num_matvecs": int(encodings.num_matvecs.sum()),
        "max_residual": max(float(np.max(result.residual_norms, initial=0.0)) for result in results),
        "num_unconverged": int(sum(np.sum(~result.converged) for result in results)),
    }
