"""Sliding windows: how much of the work a start from the last window's vectors saves."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import Davidson, Encoder, TemporalGraph
from supra_core.checks import check_choice
from supra_core.eigen.solver import Solver
from supra_core.generators import block_model
from supra_core.laplacian import Normalization
from supra_experiments.bench.outcome import OTHERS, OURS, Measured, Outcome, Report, records_of, silent
from supra_experiments.bench.power_law import power_law_events

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STREAMS = ("blocks", "power-law")


@dataclass(frozen=True)
class WindowRecord(Measured):
    """One window.

    Attributes:
        snapshot: the newest snapshot of the window.
        num_rows: active supra-nodes.
        cold, warm: products from a random start, and from the last window's vectors.
        cold_seconds, warm_seconds: the processor's, with all that finding the start takes.
        difference: the largest difference between the two runs' eigenvalues.
        residual: the largest residual norm of the warm run.
    """

    snapshot: int
    num_rows: int
    cold: int
    warm: int
    cold_seconds: float
    warm_seconds: float
    difference: float
    residual: float


def stream(name: str, *, seed: int = 0) -> TemporalGraph:
    """A generated stream: ``"blocks"``, whose members move slowly, or ``"power-law"``, without structure.

    Raises:
        InvalidArgumentError: another name.
    """
    check_choice("name", name, STREAMS)
    if name == "blocks":
        moves: dict[str, Any] = {"persistence": 0.995, "edge_persistence": 0.98}
        return block_model(4000, 12, num_blocks=20, p_in=0.05, p_out=0.002, seed=seed, **moves)
    events = power_law_events(800_000, 60_000, seed=seed)
    return TemporalGraph.from_events(*events, num_snapshots=24, num_nodes=60_000, duplicates="once")


def run(
    graph: TemporalGraph,
    *,
    window: int = 5,
    k: int = 8,
    coupling: float = 1.0,
    normalization: Normalization = None,
    solver: Solver | None = None,
    report: Report = silent,
) -> list[WindowRecord]:
    """Slide a window over all snapshots and solve each twice; the first has no warm start, so both are cold.

    Args:
        window: snapshots in a window; fewer at the start.
        k: eigenpairs of each, beside the trivial one.
        coupling, normalization: of the supra-Laplacian.
        solver: ``Davidson(1e-4, inner_steps=0, spare=5)`` where not given: without inner steps it takes the
            fewest products, though not the least time.
        report: told how many windows are done, of how many.
    """
    solver = solver or Davidson(1e-4, inner_steps=0, spare=5)
    encoder = Encoder(
        k=k, window=window, coupling=coupling, normalization=normalization, solver=solver, init="previous"
    )
    records, last = [], None
    with threadpool_limits(1):
        for t in range(graph.num_snapshots):
            part = graph.window(t, window)
            start = time.process_time()
            cold = warm = encoder.decompose(part)
            cold_seconds = warm_seconds = time.process_time() - start
            if last is not None:
                start = time.process_time()
                warm = encoder.decompose(part, last)
                warm_seconds = time.process_time() - start
            last = warm
            difference = np.abs(warm.result.eigenvalues - cold.result.eigenvalues)
            records.append(
                WindowRecord(
                    snapshot=t,
                    num_rows=cold.supra.num_rows,
                    cold=cold.result.num_matvecs,
                    warm=warm.result.num_matvecs,
                    cold_seconds=cold_seconds,
                    warm_seconds=warm_seconds,
                    difference=float(difference.max(initial=0.0)),
                    residual=float(warm.result.residual_norms.max(initial=0.0)),
                )
            )
            report(t + 1, graph.num_snapshots)
    return records


def ratio(records: list[WindowRecord]) -> float:
    """All warm products over all cold ones."""
    return sum(r.warm for r in records) / max(1, sum(r.cold for r in records))


def seconds_ratio(records: list[WindowRecord]) -> float:
    """The same for the processor's seconds."""
    return sum(r.warm_seconds for r in records) / max(1e-9, sum(r.cold_seconds for r in records))


def outcome(records: list[WindowRecord], **settings: Any) -> Outcome:
    """What is kept and shown, the settings of the run with it."""
    columns = {
        "snapshot": lambda r: r.snapshot,
        "n": lambda r: f"{r.num_rows:,}",
        "cold": lambda r: r.cold,
        "warm": lambda r: r.warm,
        "ratio": lambda r: f"{r.warm / max(1, r.cold):.2f}",
        "residual": lambda r: f"{r.residual:.1e}",
    }
    ratios = {"ratio": ratio(records), "seconds_ratio": seconds_ratio(records)}
    warm, cold = sum(r.warm for r in records), sum(r.cold for r in records)
    return Outcome(
        records,
        f"Products of each window of {settings['dataset']}",
        columns,
        records_of(records) | ratios | {"settings": settings},
        left=0,
        lines=[
            f"all windows: {warm:,} of {cold:,} products, {ratios['ratio']:.3f}; "
            f"processor seconds {ratios['seconds_ratio']:.3f}"
        ],
        figures={"windows.png": figure(records)},
    )


def figure(records: list[WindowRecord]) -> "Figure":
    """Products of each window, cold and warm."""
    from matplotlib.figure import Figure

    chart = Figure(figsize=(8, 3.6), layout="constrained")
    axes = chart.subplots()
    time = [r.snapshot for r in records]
    axes.plot(time, [r.cold for r in records], "s-", color=OTHERS, label="random start")
    axes.plot(time, [r.warm for r in records], "o-", color=OURS, label="start from the last window")
    axes.set_xlabel("newest snapshot of the window")
    axes.set_ylabel("matrix–vector products")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    return chart
