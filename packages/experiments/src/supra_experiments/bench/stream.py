"""A long stream from the file to its encodings: seconds of each stage, memory, products."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from supra_core import Encoder, TemporalGraph
from supra_core.io.raw_edges import Binning
from supra_core.io.text import read_text
from supra_experiments.bench.child import in_child
from supra_experiments.bench.outcome import Outcome, Report, figure_or_dash, gib, silent
from supra_experiments.bench.power_law import write_power_law
from supra_experiments.training.record import peak_memory

# Events, nodes and snapshots; the larger one is the size of TGB's largest stream for link prediction.
SMALL, LARGE = (5_000_000, 350_000, 10), (44_000_000, 1_000_000, 10)


def run(
    num_events: int,
    num_nodes: int,
    num_snapshots: int,
    *,
    window: int = 3,
    k: int = 8,
    init: Any = "normal",
    seed: int = 0,
    report: Report = silent,
) -> list[dict[str, Any]]:
    """Write a file of power-law events, and encode it snapshot by snapshot in a process of its own.

    Args:
        num_events, num_nodes, num_snapshots: of the stream.
        window, k, init: of the encoder.
        seed: of the events.
        report: told each stage when it is done.

    Returns:
        For each stage (reading, building, and each window) the processor's seconds, the most memory that the
        process had until then in bytes, and what there is to tell of it.

    Raises:
        InvalidArgumentError: a size or a setting that is not allowed.
        ChildError: the process did not end well.
    """
    Encoder(k=k, window=window, init=init)  # refuses what is not allowed before a file is written
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "events.csv")
        write_power_law(path, num_events, num_nodes, seed=seed)
        settings = (str(path), num_snapshots, window, k, init)
        stages: list[dict[str, Any]] = []
        for stage in in_child(measure, *settings, task=f"encoding {num_events:,} events"):
            stages.append(stage)
            report(len(stages), num_snapshots + 2, stage["stage"])
    return stages


def measure(path: str, num_snapshots: int, window: int, k: int, init: Any) -> Iterator[dict[str, Any]]:
    """Encode a file in this process, stage by stage."""
    start = time.process_time()

    def done(stage: str, **found: Any) -> dict[str, Any]:
        nonlocal start
        last, start = start, time.process_time()
        return {"stage": stage, "seconds": start - last, "peak": peak_memory(), **found}

    raw = read_text(Path(path), {})
    yield done("reading", events=len(raw.source))
    graph = raw.graph(path, Binning(num_snapshots=num_snapshots), TemporalGraph)
    del raw
    yield done("building", nodes=graph.num_nodes, edges=graph.num_edges)
    stream = Encoder(k=k, window=window, init=init).stream(graph.num_nodes)
    for t in range(graph.num_snapshots):
        edges = graph.snapshot(t)
        result = stream.push(*edges).result
        yield done(
            f"window {t}",
            edges=len(edges[0]),
            rows=len(result.eigenvectors),
            matvecs=result.num_matvecs,
            residual=float(result.residual_norms.max(initial=0.0)),
            converged=bool(result.converged.all()),
        )


def outcome(stages: list[dict[str, Any]], **settings: Any) -> Outcome:
    """What is kept and shown, the settings of the run with it."""
    columns = {
        "": lambda stage: stage["stage"],
        "edges": lambda stage: figure_or_dash(stage.get("edges"), ",", ""),
        "supra-nodes": lambda stage: figure_or_dash(stage.get("rows"), ",", ""),
        "seconds": lambda stage: f"{stage['seconds']:.1f}",
        "products": lambda stage: figure_or_dash(stage.get("matvecs"), ",", ""),
        "residual": lambda stage: figure_or_dash(stage.get("residual"), ".1e", ""),
        "peak GiB": lambda stage: figure_or_dash(gib(stage["peak"]), ".2f"),
    }
    sums = {name: sum(stage.get(name, 0) for stage in stages) for name in ("seconds", "matvecs")}
    whole = {"stage": "all", "peak": stages[-1]["peak"], **sums}
    title = f"A stream of {settings['events']:,} events"
    return Outcome([*stages, whole], title, columns, {"settings": settings, "stages": stages})
