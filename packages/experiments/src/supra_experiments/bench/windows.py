"""Sliding windows: how much of the work a start from the last window's vectors saves."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import Davidson, SupraGraph, TemporalGraph, eigenpairs, laplacian, supra_graph
from supra_core.checks import check_count, check_nonnegative
from supra_core.encoding.warm_start import warm_start

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class WindowRecord:
    """One window.

    Attributes:
        snapshot: the newest snapshot of the window.
        num_rows: active supra-nodes.
        cold, warm: products from a random start, and from the last window's vectors.
        difference: the largest difference between the two runs' eigenvalues.
        residual: the largest residual norm of the warm run.
    """

    snapshot: int
    num_rows: int
    cold: int
    warm: int
    difference: float
    residual: float

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)


def run(
    graph: TemporalGraph,
    *,
    window: int = 5,
    k: int = 8,
    tol: float = 1e-4,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[WindowRecord]:
    """Slide a window over all snapshots and solve each twice; the first has no warm start, so both are cold.

    Args:
        window: snapshots in a window; fewer at the start.
        k: eigenpairs of each.
        tol: the residual norm asked for.
        report: told how many windows are done, of how many.
    """
    check_count("window", window)
    check_count("k", k)
    check_nonnegative("tol", tol, positive=True)
    # Without inner steps it takes the fewest products, though not the least time.
    solver, records = Davidson(tol, inner_steps=0), []
    last: tuple[SupraGraph, np.ndarray] | None = None
    with threadpool_limits(1):
        for t in range(graph.num_snapshots):
            supra = supra_graph(graph.window(t, window))
            L = laplacian(supra.adjacency)
            cold = warm = eigenpairs(L, min(k, supra.num_rows), solver)
            if last is not None:
                x0 = warm_start(*last, supra, shift=int(t >= window))
                warm = eigenpairs(L, min(k, supra.num_rows), solver, x0=x0)
            last = supra, warm.eigenvectors
            difference = float(np.abs(warm.eigenvalues - cold.eigenvalues).max(initial=0.0))
            residual = float(warm.residual_norms.max(initial=0.0))
            records.append(
                WindowRecord(t, supra.num_rows, cold.num_matvecs, warm.num_matvecs, difference, residual)
            )
            report(t + 1, graph.num_snapshots)
    return records


def ratio(records: list[WindowRecord]) -> float:
    """All warm products over all cold ones."""
    return sum(r.warm for r in records) / max(1, sum(r.cold for r in records))


def figure(records: list[WindowRecord]) -> "Figure":
    """Products of each window, cold and warm."""
    from matplotlib.figure import Figure

    chart = Figure(figsize=(8, 3.6), layout="constrained")
    axes = chart.subplots()
    time = [r.snapshot for r in records]
    axes.plot(time, [r.cold for r in records], "s-", color="#a0aec0", label="random start")
    axes.plot(time, [r.warm for r in records], "o-", color="#2b6cb0", label="start from the last window")
    axes.set_xlabel("newest snapshot of the window")
    axes.set_ylabel("matrix–vector products")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    return chart
