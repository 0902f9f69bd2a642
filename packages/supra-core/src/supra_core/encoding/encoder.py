"""Turns snapshots into positional encodings: LPE and SLPE, exact, inexact and trajectory."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import scipy.sparse as sp

from supra_core import checks
from supra_core.eigen.auto import Auto
from supra_core.eigen.lobpcg import INITIALIZATIONS, LOBPCG, Initialization
from supra_core.eigen.result import Array, EigenResult
from supra_core.eigen.solve import Solver, eigenpairs
from supra_core.encoding.cache import EigenCache
from supra_core.encoding.decomposition import Decomposition, canonical_signs, trivial_first
from supra_core.encoding.encoding import Encoding
from supra_core.errors import InvalidArgumentError, TruncationWarning
from supra_core.laplacian import NORMALIZATIONS, Normalization, degrees, inverse_root_degrees, laplacian
from supra_core.supra_graph import SupraGraph, supra_graph
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    from supra_core.encoding.windows import Encodings

Method = Literal["slpe", "lpe"]
Variant = Literal["exact", "inexact", "trajectory"]


@dataclass(frozen=True)
class Encoder:
    """Turns snapshots into positional encodings.

    Args:
        method: ``"slpe"`` works on the supra-graph of the window, ``"lpe"`` on each snapshot alone.
        variant: ``"exact"`` eigenvectors; ``"inexact"`` ones, of LOBPCG cut at ``max_steps``; or the whole
            ``"trajectory"`` of those steps, concatenated.
        k: eigenvectors, each one channel (``max_steps`` channels for a trajectory).
        window: snapshots up to and including t that the encoding of t looks at.
        coupling: the weight of the edges between a node and itself in the next layer.
        normalization: of the Laplacian: ``None``, ``"sym"`` or ``"rw"``.
        global_nodes, drop_isolated: see :func:`supra_core.supra_graph`.
        skip_trivial: leave out the eigenvector that is the same on every graph (the constant one).
        with_eigenvalues: add the eigenvalues as channels, after the eigenvectors.
        max_steps: steps of LOBPCG, for inexact and trajectory.
        init: how LOBPCG's block is drawn. ``"previous"`` starts each window of :meth:`encode_all` from the
            last one's vectors (the exact variant as well); a single :meth:`encode` then starts from normal.
        restart_every: with ``init="previous"``, the windows after which the chain starts from normal again:
            windows 0, n, 2n … do. What a window gives then hangs on fewer than n others, so that stretches
            of n windows can be computed apart, on any number of machines, with the same result.
        preconditioner: of LOBPCG, ``None`` as in the paper, or ``"jacobi"``.
        solver: for the exact variant; ``Auto(tol)`` where not given. ``Lanczos()`` is the paper's.
        tol: the residual norm that ``Auto`` is asked for.
        seed: fixes every random start; an encoding is a function of the window and these settings alone.

    Example:
        >>> from supra_core import generators
        >>> graph = generators.path_layers(12, 4)
        >>> encoder = Encoder(method="slpe", variant="exact", k=3, window=3)
        >>> encoder.encode(graph, t=3).values.shape
        (12, 3)
        >>> encoder.encode(graph, t=3).layers.shape
        (3, 12, 3)
    """

    method: Method = "slpe"
    variant: Variant = "exact"
    k: int = 8
    window: int = 3
    coupling: float = 1.0
    normalization: Normalization = None
    global_nodes: bool = True
    drop_isolated: bool = True
    skip_trivial: bool = True
    with_eigenvalues: bool = False
    max_steps: int = 20
    init: Initialization = "normal"
    restart_every: int = 16
    preconditioner: Literal["jacobi"] | None = None
    solver: Solver | None = None
    tol: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        checks.check_choice("method", self.method, get_args(Method))
        checks.check_choice("variant", self.variant, get_args(Variant))
        checks.check_choice("normalization", self.normalization, NORMALIZATIONS)
        checks.check_choice("init", self.init, INITIALIZATIONS)
        checks.check_choice("preconditioner", self.preconditioner, (None, "jacobi"))
        for name in ("k", "window", "max_steps", "restart_every"):
            checks.check_count(name, getattr(self, name))
        checks.check_count("seed", self.seed, minimum=0)
        checks.check_nonnegative("coupling", self.coupling)
        checks.check_nonnegative("tol", self.tol, positive=True)
        for name in ("global_nodes", "drop_isolated", "skip_trivial", "with_eigenvalues"):
            checks.check_choice(name, getattr(self, name), (True, False))
        if self.solver is not None and not hasattr(self.solver, "solve"):
            raise InvalidArgumentError.of("solver", self.solver, "None or a solver such as Lanczos()")

    @property
    def dim(self) -> int:
        """Channels of an encoding."""
        steps = self.max_steps if self.variant == "trajectory" else 1
        return self.k * steps * (2 if self.with_eigenvalues else 1)

    def encode(self, graph: TemporalGraph, t: int, *, cache: str | PathLike[str] | None = None) -> Encoding:
        """The encoding of snapshot ``t``. Looks at snapshots t − window + 1 … t and at nothing else.

        Args:
            graph: the temporal graph.
            t: the snapshot.
            cache: a folder in which decompositions are kept, and found again by content and settings.
        """
        t = checks.check_index("t", t, graph.num_snapshots)
        store = EigenCache(cache)
        if self.method == "slpe":
            return self.combine([self.decompose(graph.window(t, self.window), store=store)])
        first = max(0, t + 1 - self.window)
        layers = [self.decompose(graph.window(s, 1), store=store) for s in range(first, t + 1)]
        return self.combine(layers)

    def encode_all(
        self,
        graph: TemporalGraph,
        *,
        cache: str | PathLike[str] | None = None,
        compare_cold: bool = False,
    ) -> "Encodings":
        """The encodings of all snapshots.

        With ``compare_cold`` every warm-started window is solved from a random start as well, so that the
        products saved are counted and not guessed.
        """
        from supra_core.encoding.windows import encode_all

        return encode_all(self, graph, cache=cache, compare_cold=compare_cold)

    def walk(
        self,
        graph: TemporalGraph,
        *,
        cache: str | PathLike[str] | None = None,
        start: int = 0,
        stop: int | None = None,
    ) -> Iterator[Encoding]:
        """The encodings of all snapshots one by one, for graphs whose encodings do not fit together.

        Args:
            graph: the temporal graph.
            cache: see :meth:`encode`.
            start, stop: only the snapshots start … stop − 1. They come out as in a walk through all, bit for
                bit; with ``init="previous"`` that is cheapest where start is a multiple of ``restart_every``.
        """
        from supra_core.encoding.windows import walk

        last = graph.num_snapshots
        stop = last if stop is None else checks.check_index("stop", stop, last + 1)
        start = checks.check_index("start", start, last + 1)
        return (encoding for encoding, _ in walk(self, graph, cache=cache, start=start, stop=stop))

    # ── the parts, for those who walk windows themselves ───────────────────────────────────────────────────

    def supra(self, window: TemporalGraph) -> SupraGraph:
        """The graph whose Laplacian a window is encoded by."""
        return supra_graph(
            window,
            coupling=self.coupling,
            global_nodes=self.global_nodes,
            drop_isolated=self.drop_isolated,
        )

    def decompose(
        self, window: TemporalGraph, x0: Array | None = None, store: EigenCache | None = None
    ) -> Decomposition:
        """The eigenpairs of a window's (supra-)Laplacian, from the cache where they are there."""
        supra = self.supra(window)
        n, wanted = supra.num_rows, self.k + self.skip_trivial
        if n < wanted:
            message = (
                f"k={self.k}: a window of {n} supra-nodes has only {max(n - self.skip_trivial, 0)} "
                "such eigenvectors; the rest of the channels are zero"
            )
            warnings.warn(message, TruncationWarning, stacklevel=3)
        store = store or EigenCache(None)
        key = store.key(window.digest, repr(self), x0)
        result = store.load(key)
        # Solve the random-walk Laplacian through the symmetric one, which is similar to it.
        normalization = "sym" if self.normalization == "rw" else self.normalization
        if n == 0:
            result = EigenResult.empty(repr(self._solver()))
        elif result is None:
            L = laplacian(supra.adjacency, normalization)
            result = eigenpairs(L, min(wanted, n), self._solver(), x0=x0, rng=self.seed)
            store.save(key, result)
        vectors, values = self._select(result, supra.adjacency)
        return Decomposition(supra, result, vectors, values)

    def combine(self, decompositions: list[Decomposition]) -> Encoding:
        """The encoding that decompositions add up to, under canonical signs."""
        signs = np.stack([canonical_signs(d.vectors[-1]) for d in decompositions])
        return Encoding(tuple(decompositions), self.k, self.with_eigenvalues, signs)

    def _solver(self) -> Solver:
        if self.variant == "exact":
            return self.solver or Auto(tol=self.tol)
        return LOBPCG(
            max_steps=self.max_steps,
            preconditioner=self.preconditioner,
            init=self.init,
            trajectory=self.variant == "trajectory",
        )

    def _select(self, result: EigenResult, adjacency: sp.csr_array) -> tuple[Array, Array]:
        """Vectors (steps, N, k) and values (steps, k): without the trivial pair, padded with zeros."""
        if self.variant == "trajectory" and result.trajectory is not None:
            vectors, values = result.trajectory.eigenvectors, result.trajectory.eigenvalues
            # A run that ended early stays where it ended: the number of channels is fixed.
            last = [len(vectors) - 1] * (self.max_steps - len(vectors))
            order = [*range(len(vectors)), *last]
            vectors, values = vectors[order], values[order]
        else:
            vectors, values = result.eigenvectors[None], result.eigenvalues[None]
        degree = degrees(adjacency).astype(np.float64)
        if self.skip_trivial and vectors.shape[2]:
            trivial = np.ones(len(degree)) if self.normalization is None else np.sqrt(degree)
            if self.variant == "exact":
                vectors = trivial_first(vectors[0], values[0], trivial)[None]
            vectors, values = vectors[:, :, 1:], values[:, 1:]
        if self.normalization == "rw":
            scale = inverse_root_degrees(degree)
            vectors = vectors * np.where(degree > 0, scale, 1.0)[:, None]
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
        missing = self.k - vectors.shape[2]
        steps = self.max_steps if self.variant == "trajectory" else 1
        if len(vectors) != steps:  # an empty window has no steps at all
            vectors, values = np.zeros((steps, *vectors.shape[1:])), np.zeros((steps, values.shape[1]))
        return np.pad(vectors, ((0, 0), (0, 0), (0, missing))), np.pad(values, ((0, 0), (0, missing)))
