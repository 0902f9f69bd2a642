"""Colour refinement side by side: ours (exact), networkx's WL hash and scikit-network's compiled colouring.

Two questions. *How fast* are three rounds on a supra-graph of 50,000 nodes and 180,000 edges, as a ratio to
networkx in the same run; and *how large* a graph reaches its stable colouring within 4 GiB of memory.
"""

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from supra_core import InvalidArgumentError, TemporalGraph, supra_graph
from supra_core.checks import check_count
from supra_experiments.bench.child import in_child
from supra_experiments.bench.outcome import OTHERS, OURS, Measured, Outcome, bars, figure_or_dash, gib
from supra_experiments.training.record import peak_memory
from wl_tests import layer_wl, supra_wl

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class WLRecord(Measured):
    """One measurement.

    Attributes:
        tool: what was measured.
        exact: whether its colours are those of an injective hash, whatever the graph.
        num_supra_nodes, num_edges: of the supra-graph, edges in time included.
        rounds: how many rounds were run.
        seconds: the fastest of the repeats; None where the tool is not installed.
        speedup: networkx's seconds over these; None where either is missing.
        peak_gib: the largest resident memory of the process, where it ran in one of its own.
        stable: whether the colouring is stable; None where the tool does not say.
    """

    tool: str
    exact: bool
    num_supra_nodes: int
    num_edges: int
    rounds: int
    seconds: float | None
    speedup: float | None = None
    peak_gib: float | None = None
    stable: bool | None = None


def run(
    *,
    num_nodes: int = 5_000,
    num_snapshots: int = 10,
    num_edges: int = 180_000,
    rounds: int = 3,
    repeats: int = 5,
    large: bool = True,
) -> list[WLRecord]:
    """Measure every tool on one random temporal graph, turn by turn, so that all meet the same machine.

    Args:
        num_edges: of the supra-graph, its ``num_nodes · (num_snapshots - 1)`` edges in time included.
        large: also refine one million supra-nodes with ten million edges until stable, see
            :func:`measure_large`.

    Raises:
        InvalidArgumentError: fewer edges than the edges in time, or ``repeats`` below 1.
    """
    spatial = num_edges - num_nodes * (num_snapshots - 1)
    if spatial < 1:
        raise InvalidArgumentError.of(
            "num_edges", num_edges, f"more than {num_edges - spatial} edges in time"
        )
    check_count("repeats", repeats)
    graph = random_graph(num_nodes, num_snapshots, spatial, seed=0)
    supra = supra_graph(graph, global_nodes=False, drop_isolated=False).adjacency
    tools: dict[str, tuple[bool, Callable[[], object] | None]] = {
        "wl_tests.supra_wl": (True, lambda: supra_wl(graph, max_rounds=rounds)),
        "wl_tests.layer_wl": (True, lambda: layer_wl(graph, max_rounds=rounds)),
        "networkx WL hash": (False, _networkx(supra, rounds)),
        "scikit-network": (False, _sknetwork(supra, rounds)),
    }
    best: dict[str, float] = {}
    for _ in range(repeats):
        for name, (_, tool) in tools.items():
            if tool is not None:
                start = time.perf_counter()
                tool()
                best[name] = min(best.get(name, np.inf), time.perf_counter() - start)
    against = best.get("networkx WL hash")
    size = num_nodes * num_snapshots
    records = []
    for name, (exact, _) in tools.items():
        seconds = best.get(name)
        speedup = against / seconds if against is not None and seconds is not None else None
        records.append(WLRecord(name, exact, size, num_edges, rounds, seconds, speedup))
    if large:
        records.append(measure_large())
    return records


def outcome(records: list[WLRecord]) -> Outcome:
    """What is kept and shown."""
    answer = {None: "", True: "yes", False: "no"}
    columns = {
        "tool": lambda r: r.tool,
        "exact": lambda r: answer[r.exact],
        "supra-nodes": lambda r: f"{r.num_supra_nodes:,}",
        "edges": lambda r: f"{r.num_edges:,}",
        "rounds": lambda r: r.rounds,
        "seconds": lambda r: figure_or_dash(r.seconds, ".4f", "not installed"),
        "× networkx": lambda r: figure_or_dash(r.speedup, ".1f", ""),
        "peak GiB": lambda r: figure_or_dash(r.peak_gib, ".2f", ""),
        "stable": lambda r: answer[r.stable],
    }
    figures = {"wl.png": figure(records)}
    return Outcome(records, "Colour refinement, one thread", columns, figures=figures)


def figure(records: list[WLRecord]) -> "Figure":
    """Seconds of the tools that ran on the same graph, as bars."""
    shown = [r for r in records if r.seconds is not None and r.peak_gib is None]
    colours = [OURS if r.exact else OTHERS for r in shown]
    seconds = {r.tool: r.seconds or 0.0 for r in shown}
    chart = bars(seconds, "{:.3g} s", "seconds (logarithmic); blue: exact", colours)
    (axes,) = chart.axes
    axes.set_xscale("log")
    for first in shown[:1]:
        axes.set_title(f"{first.rounds} rounds, {first.num_supra_nodes:,} nodes, {first.num_edges:,} edges")
    return chart


def random_graph(num_nodes: int, num_snapshots: int, num_edges: int, seed: int) -> TemporalGraph:
    """Exactly ``num_edges`` distinct edges, drawn uniformly from all layers."""
    room = num_nodes * (num_nodes - 1) // 2 * num_snapshots
    if num_edges > room // 2:
        raise InvalidArgumentError.of("num_edges", num_edges, f"at most {room // 2}, half of what fits")
    rng = np.random.default_rng(seed)
    keys = np.zeros(0, dtype=np.int64)
    while len(keys) < num_edges:
        u, v = rng.integers(0, num_nodes, size=(2, num_edges - len(keys) + 16))
        t = rng.integers(0, num_snapshots, size=len(u))
        fresh = (t * num_nodes + np.minimum(u, v)) * num_nodes + np.maximum(u, v)
        keys = np.unique(np.concatenate([keys, fresh[u != v]]))
    keys = keys[np.sort(rng.permutation(len(keys))[:num_edges])]
    rest, target = np.divmod(keys, num_nodes)
    time_, source = np.divmod(rest, num_nodes)
    return TemporalGraph.from_edges(source, target, time_, num_nodes=num_nodes, num_snapshots=num_snapshots)


def measure_large(
    *,
    num_nodes: int = 100_000,
    num_snapshots: int = 10,
    num_edges: int = 10_000_000,
    memory_gib: float = 4.0,
) -> WLRecord:
    """Supra-WL until stable, in a process whose address space is limited to ``memory_gib``.

    Raises:
        ChildError: the process did not end well; its message is given.
    """
    task = f"refining {num_edges:,} edges within {memory_gib} GiB"
    (fields,) = in_child(refine, num_nodes, num_snapshots, num_edges, memory_gib, task=task)
    return WLRecord(**fields)


def refine(num_nodes: int, num_snapshots: int, num_edges: int, memory_gib: float) -> Iterator[dict[str, Any]]:
    """What :func:`measure_large` runs in a process of its own: the record's fields."""
    with contextlib.suppress(ImportError, ValueError):  # Windows knows no such limit, macOS refuses it
        import resource

        limit = int(memory_gib * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    graph = random_graph(num_nodes, num_snapshots, num_edges, seed=0)
    start = time.perf_counter()
    colouring = supra_wl(graph)
    seconds = time.perf_counter() - start
    yield WLRecord(
        "wl_tests.supra_wl, until stable",
        exact=True,
        num_supra_nodes=num_nodes * num_snapshots,
        num_edges=num_edges + num_nodes * (num_snapshots - 1),
        rounds=colouring.num_rounds,
        seconds=seconds,
        peak_gib=gib(peak_memory() or 0),
        stable=colouring.stable,
    ).to_dict()


def _networkx(supra: sp.csr_array, rounds: int) -> Callable[[], object] | None:
    try:
        import networkx as nx
    except ImportError:
        return None
    graph = nx.from_scipy_sparse_array(supra)

    def call() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that its hashes changed between versions
            return nx.weisfeiler_lehman_graph_hash(graph, iterations=rounds)

    return call


def _sknetwork(supra: sp.csr_array, rounds: int) -> Callable[[], object] | None:
    try:
        from sknetwork.topology import color_weisfeiler_lehman
    except ImportError:
        return None
    matrix = sp.csr_matrix(supra)  # it does not take sparse arrays
    return lambda: color_weisfeiler_lehman(matrix, rounds)
