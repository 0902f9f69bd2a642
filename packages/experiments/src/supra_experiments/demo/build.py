"""The demo: from a temporal graph to a page, one step after another."""

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from supra_core import Encoder, TemporalGraph, laplacian, supra_graph, write_edges
from supra_core.files import write_whole
from supra_core.smoothness import smoothness, trace_energy
from supra_experiments import __version__
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.demo.figures import auc_figure, heat_maps_figure, snapshots_figure
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord
from supra_experiments.training.summary import Row, summarize

Report = Callable[[float, str], None]

# Zero features, and hidden states that start equal: whatever tells nodes apart then comes from the encoding.
SETTINGS = Config(features="zeros", hidden_init="constant", max_epochs=200, min_epochs=60, patience=40)
MODELS = ("grugcn", "egcn-h")
PES = ("none", "lpe-e", "slpe-e")
SHOWN_CHANNELS = 3


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demo left behind.

    Attributes:
        page: the HTML file.
        edges: the graph as an edge list.
        rows: the table.
        facts: the numbers of the page.
    """

    page: Path
    edges: Path
    rows: list[Row]
    facts: dict[str, Any]


def build_demo(folder: Path, *, seeds: int = 3, report: Report = lambda share, text: None) -> Demo:
    """Go the whole way and write ``index.html``, ``edges.csv`` and ``runs.jsonl``.

    Args:
        folder: made where it does not exist.
        seeds: runs of each variant.
        report: told how far things are, 0 .. 1, and what is being done.
    """
    dataset = load("demo")
    graph = dataset.graph
    edges = folder / "edges.csv"
    folder.mkdir(parents=True, exist_ok=True)
    write_edges(graph, edges)
    report(0.02, f"graph: {graph.num_nodes} nodes, {graph.num_snapshots} snapshots, {graph.num_edges} edges")
    alone, coupled, seconds, residual = _encodings(graph)
    report(0.06, f"encoded in {1000 * seconds:.0f} ms, largest residual {residual:.1e}")
    energy, smooth = _proposition(graph)
    report(0.08, f"Proposition 1 on integers: {energy} = {smooth.intra} + {smooth.inter}")
    records = _train(dataset, seeds, report)
    lines = "".join(record.to_json() + "\n" for record in records)
    write_whole(folder / "runs.jsonl", lines)
    rows = summarize(records)
    facts = _facts(dataset, rows, seconds, residual, energy, smooth)
    order = np.arange(graph.num_nodes)
    figures = {
        "snapshots": snapshots_figure(graph, [0, graph.num_snapshots // 2, graph.num_snapshots - 1], order),
        "heat_maps": heat_maps_figure(alone, coupled, order),
        "auc": auc_figure(rows),
    }
    page = folder / "index.html"
    write_whole(page, _render(facts, figures, rows, seeds))
    report(1.0, "page written")
    return Demo(page, edges, rows, facts)


def _encodings(graph: TemporalGraph) -> tuple[Any, Any, float, float]:
    """All layers at once without and with edges between them, and how exact the latter are."""
    last, window = graph.num_snapshots - 1, graph.num_snapshots
    settings: dict[str, Any] = {"k": SHOWN_CHANNELS, "window": window, "global_nodes": False}
    # An eigenvector's sign is the solver's whim; drawn at random here, as it may come out on any machine.
    alone = Encoder.paper(method="lpe", **settings).encode(graph, last).flip_signs(1)
    start = time.perf_counter()
    coupled = Encoder.paper(method="slpe", coupling=4.0, **settings).encode(graph, last)
    seconds = time.perf_counter() - start
    return alone.layers, coupled.layers, seconds, float(coupled.result.residual_norms.max())


def _proposition(graph: TemporalGraph) -> tuple[Any, Any]:
    """Both sides in exact integers."""
    X = np.random.default_rng(0).integers(-9, 10, size=(graph.num_snapshots * graph.num_nodes, 4))
    supra = supra_graph(graph, coupling=1, global_nodes=False, drop_isolated=False)
    return trace_energy(laplacian(supra.adjacency), X), smoothness(graph, X, coupling=1)


def _train(dataset: Dataset, seeds: int, report: Report) -> list[RunRecord]:
    runs = [
        SETTINGS.replace(model=model, pe=pe, seed=seed)
        for model in MODELS
        for pe in PES
        for seed in range(seeds)
    ]
    records = []
    for position, run in enumerate(runs):
        report(
            0.1 + 0.85 * position / len(runs),
            f"training {run.model.name} on zero features, encoding: {run.encoding.pe}",
        )
        records.append(fit(run, dataset=dataset))
    return records + [fit(Config(model=name), dataset=dataset) for name in BASELINES]


def _facts(
    dataset: Dataset, rows: list[Row], seconds: float, residual: float, energy: Any, smooth: Any
) -> dict[str, Any]:
    graph = dataset.graph
    auc = {(row.model, row.pe): row.auc for row in rows}
    gains = {model: auc[model, "slpe-e"] - auc[model, "none"] for model in MODELS}
    return {
        "nodes": graph.num_nodes,
        "snapshots": graph.num_snapshots,
        "temporal_edges": graph.num_edges,
        "split": str(make_split(SETTINGS, dataset)),
        "encoding_seconds": seconds,
        "max_residual": residual,
        "energy": int(energy),
        "intra": int(smooth.intra),
        "inter": int(smooth.inter),
        "proposition_1_holds": bool(energy == smooth.total),
        "auc": {f"{row.model} {row.pe}".strip(): row.auc for row in rows},
        "gain": gains,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "version": __version__,
    }


def _render(facts: dict[str, Any], figures: dict[str, str], rows: list[Row], seeds: int) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("supra_experiments.demo", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("demo.html.j2").render(
        facts=facts,
        figures=figures,
        rows=rows,
        seeds=seeds,
        settings=SETTINGS,
        learned=[r for r in rows if r.pe],
    )
