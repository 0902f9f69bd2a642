"""Laplacian encodings of one graph: our transform beside PyG's own, each case in a process with a limit."""

import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph, generators, laplacian
from supra_core.checks import check_choice, check_count, check_nonnegative
from supra_experiments.bench.child import ChildError, in_child
from supra_experiments.bench.outcome import Measured, Outcome, Report, figure_or_dash, silent

SIZES = (1_000, 10_000, 50_000, 200_000)
GRAPHS = ("barabasi-albert", "grid")
OURS, PYG, PYG_TOL = "AddLaplacianPE", "PyG", "PyG, tol=1e-6"
TOOLS = (OURS, PYG, PYG_TOL)

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

# A round takes at least so many seconds, by several calls.
_LONG_ENOUGH = 0.2
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 1_000_000)


@dataclass(frozen=True)
class PERecord(Measured):
    """One graph encoded by one transform.

    Attributes:
        graph, tool: which.
        num_nodes, num_edges: the size of the graph; each edge counts once.
        seconds: processor time on one thread of a call, the median of the rounds; None where there is no
            answer.
        residual: the largest ‖L x − λ x‖ over the columns as they come out, in 32 bits, scaled to length 1.
        largest: the largest Rayleigh quotient of the columns; a tool that skipped an eigenvector has more.
        outcome: ``"done"``, ``"over the limit"`` or what it failed with.
    """

    graph: str
    tool: str
    num_nodes: int
    num_edges: int
    seconds: float | None
    residual: float | None
    largest: float | None
    outcome: str


def run(
    sizes: Sequence[int] = SIZES,
    *,
    graphs: Sequence[str] = GRAPHS,
    tools: Sequence[str] = TOOLS,
    k: int = 8,
    repeats: int = 3,
    limit: float = 120.0,
    seed: int = 0,
    report: Report = silent,
) -> list[PERecord]:
    """Encode each graph with each transform.

    Args:
        sizes: nodes of the graphs; a grid has the nearest square number.
        graphs, tools: some of ``GRAPHS`` and ``TOOLS``.
        k: eigenvectors.
        repeats: rounds of one case; the median counts.
        limit: processor seconds after which a case is given up, all rounds together; where the platform has
            no such limit, seconds. A tool that needed more is not tried on larger graphs of that kind.
        seed: of the generated graphs.
        report: told what is being done.
    """
    for name, value in (("repeats", repeats), ("k", k), *(("size", size) for size in sizes)):
        check_count(name, value)
    check_nonnegative("limit", limit, positive=True)
    records: list[PERecord] = []
    total = len(graphs) * len(sizes) * len(tools)
    for graph in graphs:
        check_choice("graph", graph, GRAPHS)
        over: set[str] = set()
        for size in sizes:
            for tool in tools:
                check_choice("tool", tool, TOOLS)
                report(len(records), total, f"{graph} {size:,} {tool}")
                record = _measure(graph, size, tool, k, repeats, seed, 0.0 if tool in over else limit)
                if record.outcome == "over the limit":
                    over.add(tool)
                records.append(record)
    return records


def _measure(graph: str, size: int, tool: str, k: int, repeats: int, seed: int, limit: float) -> PERecord:
    made = make_graph(graph, size, seed)
    answer: dict[str, Any] = dict.fromkeys(("seconds", "residual", "largest"))
    outcome = "over the limit"
    if limit > 0:
        # The child limits its own processor time; a busy machine may take several times as long for it.
        patience = limit if resource is None else 60 + 10 * limit
        try:
            (answer,) = in_child(encode, graph, size, tool, k, repeats, seed, limit, patience=patience)
            outcome = "done"
        except TimeoutError:
            pass
        except ChildError as error:
            outcome = outcome if error.returncode == _OUT_OF_TIME else str(error)
    return PERecord(graph, tool, made.num_nodes, made.num_edges, **answer, outcome=outcome)


def encode(
    graph: str, size: int, tool: str, k: int, repeats: int, seed: int, limit: float | None = None
) -> Iterator[dict[str, float]]:
    """Seconds, residual and largest quotient of one case, in this process, which ends at the limit."""
    from threadpoolctl import threadpool_limits

    made = make_graph(graph, size, seed)
    data, transform = _data(made), _transform(tool, k)
    seconds = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the residual says it
        transform(_data(make_graph(graph, 200, seed)))  # imports and first calls are not what is measured
        if limit is not None:
            _limit_processor_time(limit)
        start = time.perf_counter()
        encoded = transform(data)
        # The processor's clock may tick no more than a few hundred times a second.
        count = math.ceil(_LONG_ENOUGH / max(time.perf_counter() - start, 1e-4))
        for _ in range(repeats):
            start = time.process_time()
            for _ in range(count):
                encoded = transform(data)
            seconds.append((time.process_time() - start) / count)
    residual, largest = quality(made, encoded.pe.numpy())
    yield {"seconds": float(np.median(seconds)), "residual": residual, "largest": largest}


def _limit_processor_time(seconds: float) -> None:
    """From now on; then the process ends by a signal."""
    if resource is not None:
        until = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (until, until + 5))


def make_graph(graph: str, size: int, seed: int) -> TemporalGraph:
    """One snapshot: preferential attachment with five edges a node, or a square grid."""
    if graph == "grid":
        side = round(math.sqrt(size))
        return generators.grid_layers(side, side, 1)
    return generators.barabasi_albert(size, 1, m=5, seed=seed)


def quality(graph: TemporalGraph, columns: NDArray[Any]) -> tuple[float, float]:
    """The largest residual norm and the largest Rayleigh quotient of columns, shape (num_nodes, k)."""
    L = laplacian(graph.adjacency(0), "sym")
    X = columns.astype(np.float64)
    X /= np.linalg.norm(X, axis=0)
    products = L @ X
    values = np.sum(X * products, axis=0)
    return float(np.linalg.norm(products - X * values, axis=0).max()), float(values.max())


def outcome(records: Sequence[PERecord]) -> Outcome:
    """What is kept and shown."""
    ours = {(r.graph, r.num_nodes): r.seconds for r in records if r.tool == OURS}

    def times_ours(r: PERecord) -> float | None:
        base = ours.get((r.graph, r.num_nodes))
        return None if r.seconds is None or not base else r.seconds / base

    columns: dict[str, Callable[[Any], object]] = {
        "graph": lambda r: r.graph,
        "nodes": lambda r: f"{r.num_nodes:,}",
        "transform": lambda r: r.tool,
        "seconds": lambda r: figure_or_dash(r.seconds, ".4f", r.outcome),
        "times ours": lambda r: figure_or_dash(times_ours(r), ".1f"),
        "residual": lambda r: figure_or_dash(r.residual, ".1e"),
        "largest λ": lambda r: figure_or_dash(r.largest, ".1e"),
    }
    return Outcome(records, "Laplacian encodings of one graph", columns, left=3)


def _data(graph: TemporalGraph) -> Any:
    import torch
    from torch_geometric.data import Data

    source, target, _ = (torch.from_numpy(column.copy()) for column in graph.snapshot(0))
    edge_index = torch.stack([torch.cat([source, target]), torch.cat([target, source])])
    return Data(edge_index=edge_index, num_nodes=graph.num_nodes)


def _transform(tool: str, k: int) -> Callable[[Any], Any]:
    from torch_geometric.transforms import AddLaplacianEigenvectorPE

    from supra_core.pyg import AddLaplacianPE

    # Edges are listed both ways: without being told so, PyG takes its solver for directed graphs.
    if tool == OURS:
        return AddLaplacianPE(k, "pe", is_undirected=True)
    settings = {"tol": 1e-6} if tool == PYG_TOL else {}
    return AddLaplacianEigenvectorPE(k, "pe", is_undirected=True, **settings)
