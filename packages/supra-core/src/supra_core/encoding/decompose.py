"""From a window to the eigenpairs of its Laplacian, computed or found in the cache, as channels of nodes."""

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supra_core.eigen.auto import Auto
from supra_core.eigen.lobpcg import LOBPCG
from supra_core.eigen.result import EigenResult
from supra_core.eigen.solve import pairs_of_checked
from supra_core.eigen.solver import Solver
from supra_core.encoding.cache import EigenCache
from supra_core.encoding.decomposition import Decomposition, select_channels
from supra_core.encoding.warm_start import WarmStart
from supra_core.errors import ConvergenceWarning, TruncationWarning
from supra_core.laplacian import laplacian_of_checked
from supra_core.supra_graph import SupraGraph
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    from supra_core.encoding.encoder import Encoder

# Vectors that a window hands on beside its answer: those next to it decide how fast the last pairs converge.
_SPARE = 5


def decompose(
    encoder: "Encoder", window: TemporalGraph, before: Decomposition | None, store: EigenCache
) -> Decomposition:
    """The eigenpairs of a window; see :meth:`supra_core.Encoder.decompose`."""
    began = time.perf_counter()
    supra = encoder.supra(window)
    n, wanted = supra.num_rows, encoder.k + encoder.skip_trivial
    if n < wanted:
        message = (
            f"k={encoder.k}: a window of {n} supra-nodes has only {max(n - encoder.skip_trivial, 0)} "
            "such eigenvectors; the rest of the channels are zero"
        )
        warnings.warn(message, TruncationWarning, stacklevel=4)
    start = None
    if before is not None and before.result.k and n:
        start = WarmStart.of(before.result, before.supra, supra, encoder.normalization)
    # Solve the random-walk Laplacian through the symmetric one, which is similar to it.
    normalization = "sym" if encoder.normalization == "rw" else encoder.normalization
    solver = _solver(encoder)
    matrix = (encoder.coupling, encoder.global_nodes, encoder.drop_isolated, normalization)
    key = store.key(window, (matrix, wanted, solver, encoder.seed), start)
    kept = store.load(key)
    if kept is not None:
        result, seconds = kept
    elif n == 0:
        result, seconds = EigenResult.empty(repr(solver)), 0.0
    else:
        L = laplacian_of_checked(supra.adjacency, normalization)
        x0, spent = (None, 0) if start is None else start.choose(L, solver)
        result = pairs_of_checked(L, min(wanted, n), solver, x0=x0, rng=encoder.seed)
        result = replace(result, num_matvecs=result.num_matvecs + spent)
        seconds = time.perf_counter() - began
        store.save(key, result, seconds)
    if encoder.variant == "exact" and not result.converged.all():
        message = f"a window of {n} supra-nodes: {result!r}; a larger tol or another solver may do"
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    return as_channels(encoder, window, supra, result, seconds)


def as_channels(
    encoder: "Encoder", window: TemporalGraph, supra: SupraGraph, result: EigenResult, seconds: float = 0.0
) -> Decomposition:
    """A window's eigenpairs, which took so many seconds, as channels of its nodes."""
    vectors, values, num_channels = select_channels(
        result,
        supra.adjacency,
        k=encoder.k,
        steps=encoder.trajectory_steps,
        skip_trivial=encoder.skip_trivial,
        exact=encoder.variant == "exact",
        normalization=encoder.normalization,
    )
    active = np.zeros((window.num_snapshots, window.num_nodes), dtype=bool)
    active[window.time, window.source] = active[window.time, window.target] = True
    return Decomposition(supra, result, vectors, values, num_channels, active, seconds)


def _solver(encoder: "Encoder") -> Solver:
    if encoder.variant == "exact":
        spare = _SPARE if encoder.init == "previous" else 0
        return encoder.solver or Auto(tol=encoder.tol or 0.0, spare=spare)
    return LOBPCG(
        max_steps=encoder.max_steps or 0,
        preconditioner=encoder.preconditioner,
        init=encoder.init,
        trajectory=encoder.variant == "trajectory",
    )
