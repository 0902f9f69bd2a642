"""Sliding windows: how much of the work a start from the last window's vectors saves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import Davidson, Encoder, TemporalGraph
from supra_experiments.bench.outcome import Measured, Outcome, Report, records_of, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class WindowRecord(Measured):
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


def run(
    graph: TemporalGraph,
    *,
    window: int = 5,
    k: int = 8,
    tol: float = 1e-4,
    report: Report = silent,
) -> list[WindowRecord]:
    """Encode all snapshots twice, each window from random vectors and from those of the window before.

    Args:
        graph: the temporal graph.
        window: snapshots in a window; fewer at the start.
        k: eigenpairs of each, beside the constant one.
        tol: the residual norm asked for.
        report: told how many windows are done, of how many.
    """
    settings: dict[str, Any] = {
        "k": k,
        "window": window,
        # Without inner steps it takes the fewest products, though not the least time.
        "solver": Davidson(tol, inner_steps=0),
    }
    cold = Encoder.paper(**settings)
    warm = Encoder.paper(**settings, init="previous", restart_every=max(1, graph.num_snapshots))
    records = []
    with threadpool_limits(1):
        for t, both in enumerate(zip(cold.walk(graph), warm.walk(graph), strict=True)):
            one, other = (encoding.result for encoding in both)
            records.append(
                WindowRecord(
                    snapshot=t,
                    num_rows=len(one.eigenvectors),
                    cold=one.num_matvecs,
                    warm=other.num_matvecs,
                    difference=float(np.abs(one.eigenvalues - other.eigenvalues).max(initial=0.0)),
                    residual=float(other.residual_norms.max(initial=0.0)),
                )
            )
            report(t + 1, graph.num_snapshots)
    return records


def ratio(records: list[WindowRecord]) -> float:
    """All warm products over all cold ones."""
    return sum(r.warm for r in records) / max(1, sum(r.cold for r in records))


def outcome(records: list[WindowRecord], **settings: Any) -> Outcome:
    """What is kept and shown, the settings of the run with it."""
    rows = [
        (
            r.snapshot,
            f"{r.num_rows:,}",
            r.cold,
            r.warm,
            f"{r.warm / max(1, r.cold):.2f}",
            f"{r.residual:.1e}",
        )
        for r in records
    ]
    warm, cold = sum(r.warm for r in records), sum(r.cold for r in records)
    return Outcome(
        records_of(records) | {"ratio": ratio(records), "settings": settings},
        f"Products of each window of {settings['dataset']}, residual {settings['tol']:g}",
        ("snapshot", "n", "cold", "warm", "ratio", "residual"),
        rows,
        left=0,
        lines=[f"all windows: {warm:,} of {cold:,} products, {ratio(records):.3f}"],
        figures={"windows.png": figure(records)},
    )


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
