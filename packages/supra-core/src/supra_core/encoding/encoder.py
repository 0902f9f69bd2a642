"""Turns snapshots into positional encodings: LPE and SLPE, exact, inexact and trajectory."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Self, get_args

import numpy as np

from supra_core import checks
from supra_core.eigen.lobpcg import INITIALIZATIONS, Initialization
from supra_core.eigen.solver import Solver
from supra_core.encoding.align import ALIGNMENTS, Align
from supra_core.encoding.cache import EigenCache
from supra_core.encoding.decompose import decompose
from supra_core.encoding.decomposition import Decomposition, canonical_signs
from supra_core.encoding.encoding import Absent, Encoding, Look, Scale
from supra_core.encoding.stream import StreamEncoder
from supra_core.encoding.windows import Encodings, walk
from supra_core.errors import InvalidArgumentError
from supra_core.laplacian import NORMALIZATIONS, Normalization
from supra_core.supra_graph import SupraGraph, supra_graph
from supra_core.temporal_graph import TemporalGraph

Method = Literal["slpe", "lpe"]
Variant = Literal["exact", "inexact", "trajectory"]


@dataclass(frozen=True)
class Encoder:
    """Turns snapshots into positional encodings.

    The defaults are those that did best on held-out snapshots; :meth:`paper` has the paper's own settings.

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
        align: how a window of a walk agrees with the one before on the rows that both have (for LPE: the
            nodes active in both): ``"signs"`` by one sign a channel, ``"rotation"`` also by a turn within
            clusters of eigenvalues too close to be told apart, ``None`` not at all: canonical signs. The
            vectors of a cluster that falls apart are eigenvectors again from then on, each as near as its
            sign lets it come to what its channel held; a channel that joins a cluster goes on smoothly.
        absent: what a node without a row in a layer gets: ``"last"``, its row of the newest layer of the
            window, up to that one, in which it has one; or ``"zeros"``. Zeros where it has none at all. Where
            not given, ``"last"`` for SLPE, whose layers share their eigenvectors, and ``"zeros"`` for LPE,
            whose snapshots do not.
        scale: ``"rows"`` multiplies eigenvectors by the root of their length, so that entries are about 1
            whatever the size of the graph; ``None`` leaves unit vectors.
        with_age: add a last channel: the snapshots since the node's last edge over ``window``, 1 where the
            window has none.
        max_steps: steps of LOBPCG, for inexact and trajectory; 20 where not given.
        init: how LOBPCG's block is drawn. ``"previous"`` starts each window of :meth:`encode_all` from the
            last one's vectors (the exact variant as well, unless their Rayleigh quotients say that a random
            start is no worse); a single :meth:`encode` then starts from normal.
        restart_every: with ``init="previous"``, the windows after which the chain starts from normal again:
            windows 0, n, 2n … do; 16 where not given. What a window gives then depends, apart from its turn,
            on fewer than n earlier windows, so that stretches of n windows can be computed apart, on any
            number of machines, with the same result.
        preconditioner: of LOBPCG, for inexact and trajectory: ``None`` as in the paper, or ``"jacobi"``.
        solver: for the exact variant; ``Auto(tol)`` where not given. ``Lanczos()`` is the paper's.
        tol: the residual norm that ``Auto`` is asked for; 1e-6 where not given.
        seed: fixes every random start; an encoding is a function of the windows and these settings alone.

    Raises:
        InvalidArgumentError: a value that is not allowed, or a setting of another variant.

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
    k: int = 16
    window: int = 5
    coupling: float = 5.0
    normalization: Normalization = "sym"
    global_nodes: bool = True
    drop_isolated: bool = True
    skip_trivial: bool = True
    with_eigenvalues: bool = False
    align: Align = "signs"
    absent: Absent | None = None
    scale: Scale = "rows"
    with_age: bool = False
    max_steps: int | None = None
    init: Initialization = "normal"
    restart_every: int | None = None
    preconditioner: Literal["jacobi"] | None = None
    solver: Solver | None = None
    tol: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checks.check_choice("method", self.method, get_args(Method))
        checks.check_choice("variant", self.variant, get_args(Variant))
        checks.check_choice("normalization", self.normalization, NORMALIZATIONS)
        checks.check_choice("align", self.align, ALIGNMENTS)
        self._default("absent", "last" if self.method == "slpe" else "zeros", True, "")
        checks.check_choice("absent", self.absent, get_args(Absent))
        checks.check_choice("scale", self.scale, ("rows", None))
        checks.check_choice("init", self.init, INITIALIZATIONS)
        checks.check_choice("preconditioner", self.preconditioner, (None, "jacobi"))
        for name in ("k", "window"):
            checks.check_count(name, getattr(self, name))
        checks.check_count("seed", self.seed, minimum=0)
        checks.check_nonnegative("coupling", self.coupling)
        for name in ("global_nodes", "drop_isolated", "skip_trivial", "with_eigenvalues", "with_age"):
            checks.check_choice(name, getattr(self, name), (True, False))
        if self.solver is not None and not hasattr(self.solver, "solve"):
            raise InvalidArgumentError.of("solver", self.solver, "None or a solver such as Lanczos()")
        self._check_belonging()

    def _check_belonging(self) -> None:
        """Refuse settings that another one makes idle, and fill in the defaults of those that are not."""
        for name in ("max_steps", "restart_every"):
            if getattr(self, name) is not None:
                checks.check_count(name, getattr(self, name))
        if self.tol is not None:
            checks.check_nonnegative("tol", self.tol, positive=True)
        exact = self.variant == "exact"
        inexact = "left out: it belongs to variant='inexact' and 'trajectory'"
        self._default("max_steps", 20, not exact, inexact)
        self._default("preconditioner", None, not exact, inexact)
        if exact and self.init not in ("normal", "previous"):
            raise InvalidArgumentError.of("init", self.init, f"'normal' or 'previous', or {inexact}")
        self._default("restart_every", 16, self.init == "previous", "left out: it belongs to init='previous'")
        self._default("solver", None, exact, "left out: it belongs to variant='exact'")
        allowed = "left out: it belongs to variant='exact' without a solver, which has its own"
        self._default("tol", 1e-6, exact and self.solver is None, allowed)

    def _default(self, name: str, value: Any, applies: bool, allowed: str) -> None:
        given = getattr(self, name)
        if given is None:
            object.__setattr__(self, name, value if applies else None)
        elif not applies:
            raise InvalidArgumentError.of(name, given, allowed)

    @classmethod
    def paper(cls, **settings: Any) -> Self:
        """The paper's own settings: unit eigenvectors of D − A under canonical signs, zeros for the absent.

        Args:
            settings: any that are to differ, or that the paper searched over (``k``, ``window``).

        Example:
            >>> encoder = Encoder.paper(k=4)
            >>> encoder.k, encoder.normalization, encoder.align, encoder.absent, encoder.scale
            (4, None, None, 'zeros', None)
        """
        own: dict[str, Any] = {
            "k": 8,
            "window": 3,
            "coupling": 1.0,
            "normalization": None,
            "align": None,
            "absent": "zeros",
            "scale": None,
        }
        return cls(**own | settings)

    @property
    def dim(self) -> int:
        """Channels of an encoding."""
        return self.num_vectors * (2 if self.with_eigenvalues else 1) + self.with_age

    @property
    def num_vectors(self) -> int:
        """The first so many channels are eigenvectors: those that a sign or a turn changes."""
        return self.k * (self.trajectory_steps or 1)

    @property
    def trajectory_steps(self) -> int | None:
        """The length of a trajectory; None for the other variants."""
        return self.max_steps if self.variant == "trajectory" else None

    @property
    def span(self) -> int:
        """Snapshots that are decomposed together."""
        return self.window if self.method == "slpe" else 1

    @property
    def look(self) -> Look:
        """How channels are given out."""
        absent: Any = self.absent  # filled in by now
        return Look(self.k, self.window, self.with_eigenvalues, self.with_age, absent, self.scale)

    def encode(self, graph: TemporalGraph, t: int, *, cache: str | PathLike[str] | None = None) -> Encoding:
        """The encoding of snapshot ``t`` alone, under canonical signs.

        It looks at snapshots t − window + 1 … t and at nothing else. :meth:`encode_all` and :meth:`walk` give
        the same under the signs, or turns, that agree with the snapshots before.

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
    ) -> Encodings:
        """The encodings of all snapshots; ``cache`` as in :meth:`encode`."""
        return Encodings(tuple(self.walk(graph, cache=cache)))

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
                bit. What a window is aligned to goes back to snapshot 0, so that a walk begins there unless
                ``align=None``; then, with ``init="previous"``, it is cheapest where start is a multiple of
                ``restart_every``.
        """
        last = graph.num_snapshots
        stop = last if stop is None else checks.check_index("stop", stop, last + 1)
        start = checks.check_index("start", start, last + 1)
        return walk(self, graph, cache=cache, start=start, stop=stop)

    def stream(self, num_nodes: int) -> StreamEncoder:
        """For snapshots that come one by one: see :class:`supra_core.encoding.StreamEncoder`."""
        return StreamEncoder(self, num_nodes)

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
        self, window: TemporalGraph, before: Decomposition | None = None, store: EigenCache | None = None
    ) -> Decomposition:
        """The eigenpairs of a window's (supra-)Laplacian, from the cache where they are there.

        Args:
            window: some snapshots.
            before: of the window one snapshot earlier, to start from its vectors; None for a random start.
            store: the cache.
        """
        return decompose(self, window, before, store or EigenCache(None))

    def combine(self, decompositions: list[Decomposition]) -> Encoding:
        """The encoding that decompositions add up to, under canonical signs."""
        turns = tuple(np.diag(canonical_signs(d.vectors[-1])) for d in decompositions)
        return Encoding(tuple(decompositions), self.look, turns)
