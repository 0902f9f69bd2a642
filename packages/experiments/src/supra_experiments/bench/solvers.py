"""Eigensolvers side by side: time, products, residuals, angles and memory, all in one run.

Times are medians over rounds, in each of which every method has its turn, so that a machine that slows down
does so for all. They are processor time of one thread: on an idle machine the same as by the clock, and on a
busy one without the waiting. Peak memory is what Python and NumPy allocate during a separate run, by
tracemalloc; of methods that allocate elsewhere it is not known.
"""

import functools
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from threadpoolctl import threadpool_limits

from supra_core import (
    Davidson,
    Dense,
    TemporalGraph,
    eigenpairs,
    generators,
    laplacian,
    layer_graph,
    supra_graph,
)
from supra_core.checks import check_choice, check_count
from supra_experiments.bench.outcome import Measured, Report, silent
from supra_experiments.bench.solver_methods import METHODS, Answer, Array, Method, Problem
from supra_experiments.datasets import REGISTRY, load
from supra_experiments.datasets.fetch import is_here

# A method that has used this many seconds on a case is not repeated.
PATIENCE = 8.0
# Beyond this size a reference to measure angles against would take longer than the benchmark.
REFERENCE_ROWS = 100_000
NUM_LAYERS = 5
NORMALIZATIONS = ("combinatorial", "sym")


@dataclass(frozen=True, eq=False)
class Case:
    """One matrix.

    Attributes:
        graph: ``generated`` or a dataset's name.
        part: ``supra`` (all layers of a window, coupled) or ``layer`` (the newest snapshot alone).
        normalization: ``combinatorial`` or ``sym``.
        matrix: the Laplacian, in double precision.
    """

    graph: str
    part: str
    normalization: str
    matrix: sp.csr_array

    @property
    def num_rows(self) -> int:
        """Rows of the matrix: active supra-nodes."""
        return int(self.matrix.shape[0])


def generated_graph(num_nodes: int, *, seed: int = 0) -> TemporalGraph:
    """Five layers of a preferential-attachment graph (m = 3); a fifth of the edges moves from layer to layer.

    The bulk of its spectrum starts where eigenvalues lie close together: of 50,005 supra-nodes, the eighth
    and the ninth differ by nine thousandths, where the largest is ten thousand.

    Example:
        >>> generated_graph(100).num_snapshots
        5
    """
    return generators.barabasi_albert(num_nodes, NUM_LAYERS, m=3, rewire=0.2, seed=seed)


def cases(
    sizes: Sequence[int], *, seed: int = 0, names: Sequence[str] = (), root: str | Path | None = None
) -> Iterator[Case]:
    """Generated graphs of about ``sizes`` active supra-nodes, then datasets, each with both Laplacians."""
    for size in sizes:
        graph = generated_graph(max(4, size // NUM_LAYERS), seed=seed)
        for normalization in NORMALIZATIONS:
            yield _case("generated", "supra", normalization, graph)
    for name in names:
        graph = load(name, root=root).graph
        window = graph.window(graph.num_snapshots - 1, NUM_LAYERS)
        for part in ("supra", "layer"):
            for normalization in NORMALIZATIONS:
                yield _case(name, part, normalization, window)


def warm_up_case() -> Case:
    """A small matrix that every method can do."""
    return _case("generated", "supra", "sym", generated_graph(100))


def present_datasets(root: str | Path | None = None, names: Sequence[str] | None = None) -> list[str]:
    """The published datasets (of these names) that are here; nothing is downloaded."""
    chosen = REGISTRY if names is None else {name: REGISTRY[name] for name in names}
    return [name for name, entry in chosen.items() if is_here(entry, root)]


def _case(name: str, part: str, normalization: str, graph: TemporalGraph) -> Case:
    joined = supra_graph(graph) if part == "supra" else layer_graph(graph, graph.num_snapshots - 1)
    matrix = laplacian(joined.adjacency, "sym" if normalization == "sym" else None)
    return Case(name, part, normalization, sp.csr_array(matrix.astype(np.float64)))


@dataclass(frozen=True)
class SolverRecord(Measured):
    """One method on one matrix.

    Attributes:
        graph, part, normalization: the case; see :class:`Case`.
        num_rows, num_entries: of the matrix.
        k: pairs computed.
        method: its name.
        seconds: of processor time, median over the rounds.
        rounds: how many there were.
        num_matvecs: products with one vector; None where the method does not tell.
        residual: the largest ‖A x − λ x‖, of Ritz pairs within the span of what it gave.
        angle: the sine of the largest angle to the exact eigenspaces; None where those are not known.
        peak_bytes: memory at the peak, without the matrix; None where it cannot be measured.
    """

    graph: str
    part: str
    normalization: str
    num_rows: int
    num_entries: int
    k: int
    method: str
    seconds: float
    rounds: int
    num_matvecs: int | None
    residual: float
    angle: float | None
    peak_bytes: int | None
    derived = ("peak_vectors",)

    @property
    def peak_vectors(self) -> float | None:
        """The peak in vectors of double precision, one entry for each row."""
        return None if self.peak_bytes is None else self.peak_bytes / (8 * self.num_rows)


def choose(names: Iterable[str] | None = None) -> list[Method]:
    """Methods by name, or all; those that are not installed are left out.

    Raises:
        InvalidArgumentError: a name that is no method's.
    """
    chosen = [check_choice("methods", name, METHODS) for name in (METHODS if names is None else names)]
    return [METHODS[name] for name in chosen if METHODS[name].installed]


def measure_all(
    cases: Iterable[Case],
    methods: Sequence[Method],
    *,
    k: int = 8,
    repeats: int = 3,
    num_cases: int | None = None,
    report: Report = silent,
) -> list[SolverRecord]:
    """Every method on every case, in so many rounds; a method that takes long has fewer."""
    check_count("k", k, minimum=2)
    check_count("repeats", repeats)
    _pin_torch()
    records: list[SolverRecord] = []
    with threadpool_limits(1):
        report(0, num_cases, "warming up")
        small, _ = _problem(warm_up_case(), k)
        for method in methods:  # so that no method's first time has the import of its package in it
            method.run(small)
        for done, case in enumerate(cases):
            tell = functools.partial(report, done, num_cases)
            records += measure(case, methods, k=k, repeats=repeats, tell=tell)
    return records


def measure(
    case: Case, methods: Sequence[Method], *, k: int, repeats: int, tell: Callable[[str], None]
) -> list[SolverRecord]:
    """Every method that can on one case; ``tell`` is told what is measured next."""
    k = min(k, case.num_rows - 1)
    fitting = [m for m in methods if case.num_rows <= m.max_rows and m.only in (None, case.normalization)]
    if k < 2 or not fitting:
        return []
    title = f"{case.graph} {case.part} {case.normalization} n={case.num_rows:,}"
    tell(f"{title}: reference")
    problem, exact = _problem(case, k)
    times: dict[str, list[float]] = {method.name: [] for method in fitting}
    answers: dict[str, Answer] = {}
    for _ in range(repeats):
        for method in fitting:
            if sum(times[method.name]) < PATIENCE:
                tell(f"{title}: {method.name}")
                start = time.process_time()
                answers[method.name] = method.run(problem)
                times[method.name].append(time.process_time() - start)
    records = []
    for method in fitting:
        tell(f"{title}: {method.name}, memory")
        residual, vectors = _ritz_residual(case.matrix, answers[method.name].vectors)
        records.append(
            SolverRecord(
                graph=case.graph,
                part=case.part,
                normalization=case.normalization,
                num_rows=case.num_rows,
                num_entries=int(case.matrix.nnz),
                k=k,
                method=method.name,
                seconds=float(np.median(times[method.name])),
                rounds=len(times[method.name]),
                num_matvecs=answers[method.name].num_matvecs,
                residual=residual,
                angle=None if exact is None else _angle(vectors, exact),
                peak_bytes=_peak(method, problem) if method.sees_memory else None,
            )
        )
    return records


def _problem(case: Case, k: int) -> tuple[Problem, Array | None]:
    """What methods are given, and the exact eigenvectors of all eigenvalues up to the k-th and its copies."""
    matrix, n = case.matrix, case.num_rows
    if n <= METHODS["full"].max_rows:
        reference = eigenpairs(matrix, n, Dense())
    else:
        reference = eigenpairs(matrix, k + 4, Davidson(1e-9 if n <= REFERENCE_ROWS else 1e-2))
    last = float(reference.eigenvalues[k - 1])
    rng = np.random.default_rng(0)
    largest = sla.eigsh(matrix, 1, which="LA", tol=1e-2, v0=rng.standard_normal(n), return_eigenvectors=False)
    problem = Problem(
        matrix=matrix,
        k=k,
        start=rng.standard_normal((n, k)),
        largest=float(largest[0]),
        last=last,
    )
    reach = reference.eigenvalues <= last + 1e-6 * max(1.0, last)
    # Known where the reference is exact and goes beyond the copies of the k-th eigenvalue.
    known = n <= REFERENCE_ROWS and (reference.k == n or not reach.all())
    return problem, reference.eigenvectors[:, reach] if known else None


def _ritz_residual(matrix: Any, vectors: Array) -> tuple[float, Array]:
    """The largest residual norm of the Ritz pairs in the span of ``vectors``, and their vectors.

    An answer is judged by its span: of all its rotations, the best one counts.
    """
    Q = np.linalg.qr(vectors)[0]
    product = matrix @ Q
    values, C = np.linalg.eigh(Q.T @ product)
    X = Q @ C
    return float(np.linalg.norm(product @ C - X * values, axis=0).max(initial=0.0)), X


def _angle(vectors: Array, exact: Array) -> float:
    return float(np.linalg.norm(vectors - exact @ (exact.T @ vectors), ord=2))


def _peak(method: Method, problem: Problem) -> int:
    tracemalloc.start()
    try:
        (method.rehearse or method.run)(problem)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _pin_torch() -> None:
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
