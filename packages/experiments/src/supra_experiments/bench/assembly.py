"""Seconds to assemble a supra-graph, as a ratio to SciPy's own conversion of the same entries."""

import time
import tracemalloc
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from supra_core import TemporalGraph, supra_graph
from supra_core.checks import check_count
from supra_experiments.bench.outcome import Measured, Outcome


@dataclass(frozen=True)
class AssemblyRecord(Measured):
    """One temporal graph.

    Attributes:
        num_edges: temporal edges.
        num_rows, num_entries: of the supra-adjacency matrix.
        seconds: of ``supra_graph``, median.
        scipy_seconds: of ``coo_array(...).tocsr()`` on the same entries in random order, median.
        bytes_per_entry: memory at the peak of the assembly over the entries of its answer.
    """

    num_edges: int
    num_rows: int
    num_entries: int
    seconds: float
    scipy_seconds: float
    bytes_per_entry: float
    derived = ("ratio",)

    @property
    def ratio(self) -> float:
        """Our time over SciPy's."""
        return self.seconds / self.scipy_seconds


def run(
    *, sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000), num_snapshots: int = 10, repeats: int = 5
) -> list[AssemblyRecord]:
    """Assemble random temporal graphs with so many edges, ten to a node, in turns with SciPy."""
    check_count("repeats", repeats)
    rng = np.random.default_rng(0)
    records = []
    for size in sizes:
        check_count("size", size)
        num_nodes = max(2, size // (2 * num_snapshots))
        source, target = rng.integers(0, num_nodes, size=(2, size))
        graph = TemporalGraph.from_edges(source, target, rng.integers(0, num_snapshots, size))
        ours, theirs = [], []
        for _ in range(repeats):
            start = time.perf_counter()
            matrix = supra_graph(graph).adjacency
            ours.append(time.perf_counter() - start)
            entries = matrix.tocoo()
            order = rng.permutation(entries.nnz)
            columns = (entries.data[order], (entries.row[order], entries.col[order]))
            start = time.perf_counter()
            sp.coo_array(columns, shape=matrix.shape).tocsr()
            theirs.append(time.perf_counter() - start)
        tracemalloc.start()
        matrix = supra_graph(graph).adjacency
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        seconds = float(np.median(ours)), float(np.median(theirs))
        sizes_of = graph.num_edges, matrix.shape[0], matrix.nnz
        records.append(AssemblyRecord(*sizes_of, *seconds, peak / matrix.nnz))
    return records


def outcome(records: list[AssemblyRecord]) -> Outcome:
    """What is kept and shown."""
    columns = {
        "temporal edges": lambda r: f"{r.num_edges:,}",
        "rows": lambda r: f"{r.num_rows:,}",
        "entries": lambda r: f"{r.num_entries:,}",
        "ours ms": lambda r: f"{1000 * r.seconds:.1f}",
        "scipy ms": lambda r: f"{1000 * r.scipy_seconds:.1f}",
        "ratio": lambda r: f"{r.ratio:.2f}",
        "bytes an entry": lambda r: f"{r.bytes_per_entry:.0f}",
    }
    return Outcome(records, "Assembling a supra-graph", columns, left=0)
