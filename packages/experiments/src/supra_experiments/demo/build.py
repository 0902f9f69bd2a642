"""The demo: from a temporal graph to a page, one step after another."""

import itertools
import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supra_core import Encoder, TemporalGraph, write_edges
from supra_core.files import write_whole
from supra_core.proposition1 import Sides, sides_in_integers
from supra_experiments import __version__
from supra_experiments.analysis import paper_cells, runs
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.report.figures import Drawn, auc
from supra_experiments.report.figures.canvas import finish, new_figure, svg, themed
from supra_experiments.report.figures.style import SMALL, Theme
from supra_experiments.report.page import content_hash, environment, images, own_file
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord
from supra_experiments.training.summary import Row, summarize
from supra_experiments.words import counted, label

Report = Callable[[float, str], None]

DATASET = "enron10"
# Zero features, and hidden states that start equal: whatever tells nodes apart then comes from the encoding.
SETTINGS = Config(
    dataset=DATASET, features="zeros", hidden_init="constant", max_epochs=200, min_epochs=60, patience=40
)
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


@dataclass(frozen=True, eq=False)
class Encoded:
    """All snapshots encoded at once, to be looked at.

    Attributes:
        alone, coupled: without and with edges between layers, (num_snapshots, num_nodes, channels).
        seconds, residual: what the latter took, and how exact it is.
        order: the nodes that ever have an edge, like beside like.
    """

    alone: NDArray[Any]
    coupled: NDArray[Any]
    seconds: float
    residual: float
    order: NDArray[np.int64]


def build_demo(folder: Path, *, seeds: int = 3, report: Report = lambda share, text: None) -> Demo:
    """Go the whole way and write ``index.html``, ``edges.csv`` and ``runs.jsonl``.

    Args:
        folder: made where it does not exist.
        seeds: runs of each variant.
        report: told how far things are, 0 .. 1, and what is being done.
    """
    dataset = load(DATASET)
    graph = dataset.graph
    edges, page = folder / "edges.csv", folder / "index.html"
    folder.mkdir(parents=True, exist_ok=True)
    write_edges(graph, edges)
    report(0.02, f"graph: {graph.num_nodes} nodes, {graph.num_snapshots} snapshots, {graph.num_edges} edges")
    encoded = _encode(graph)
    report(0.06, f"encoded in {1000 * encoded.seconds:.0f} ms, largest residual {encoded.residual:.1e}")
    sides = sides_in_integers(graph)
    report(0.08, f"Proposition 1 on integers: {sides.energy} = {sides.intra} + {sides.inter}")
    records = _train(dataset, seeds, report)
    write_whole(folder / "runs.jsonl", "".join(record.to_json() + "\n" for record in records))
    rows = summarize(records)
    facts = _facts(dataset, rows, encoded, sides)
    write_whole(page, _render(facts, _figures(graph, encoded, records), rows, seeds))
    report(1.0, "page written")
    return Demo(page, edges, rows, facts)


def _encode(graph: TemporalGraph) -> Encoded:
    last = graph.num_snapshots - 1
    settings: dict[str, Any] = {"k": SHOWN_CHANNELS, "window": graph.num_snapshots}
    alone = Encoder(method="lpe", **settings).encode(graph, last)
    start = time.perf_counter()
    coupled = Encoder(method="slpe", **settings).encode(graph, last)
    seconds = time.perf_counter() - start
    # The first channel of a long window tells early from late, the second one group of nodes from another.
    place = coupled.layers[:, :, 1].mean(axis=0)
    active = np.union1d(graph.source, graph.target)
    return Encoded(
        alone=alone.layers,
        coupled=coupled.layers,
        seconds=seconds,
        residual=float(coupled.result.residual_norms.max()),
        order=active[np.argsort(place[active])],
    )


def _train(dataset: Dataset, seeds: int, report: Report) -> list[RunRecord]:
    variants = list(itertools.product(MODELS, PES, range(seeds)))
    records = []
    for position, (model, pe, seed) in enumerate(variants):
        what = f"training {model} on zero features, encoding: {pe}"
        report(0.1 + 0.85 * position / len(variants), what)
        records.append(fit(SETTINGS.replace(model=model, pe=pe, seed=seed), dataset=dataset))
    return records + [fit(Config(dataset=DATASET, model=name), dataset=dataset) for name in BASELINES]


def found(rows: list[Row]) -> str:
    """What the table says, in one sentence, whichever way it went."""
    auc = {(row.model, row.pe): row.auc for row in rows}
    changes = [_change(model, auc[model, "none"], auc[model, "slpe-e"]) for model in MODELS]
    learned = max((row for row in rows if row.pe), key=_known)
    counting = max((row for row in rows if not row.pe), key=_known)
    best = label(learned.model) + ("" if learned.pe == "none" else f" with {label(learned.pe)}")
    more = "more" if _known(counting) > _known(learned) else "no more"
    return (
        f"On nodes without features, supra-Laplacian encodings (SLPE-E) {' and '.join(changes)}; "
        f"the best score that only counts ({counting.model}) reaches {counting.auc:.1f}, "
        f"{more} than the best model here ({best}, {learned.auc:.1f})."
    )


def _change(model: str, before: float, after: float) -> str:
    if math.isnan(after):
        return f"let {label(model)} diverge"
    if f"{before:.1f}" == f"{after:.1f}":
        return f"leave {label(model)}'s test AUC at {before:.1f}"
    verb = "raise" if after > before else "lower"
    return f"{verb} {label(model)}'s test AUC from {before:.1f} to {after:.1f}"


def _known(row: Row) -> float:
    """A mean without a run counts as nothing."""
    return -math.inf if math.isnan(row.auc) else row.auc


def _facts(dataset: Dataset, rows: list[Row], encoded: Encoded, sides: Sides) -> dict[str, Any]:
    graph = dataset.graph
    auc = {(row.model, row.pe): row.auc for row in rows}
    return {
        "found": found(rows),
        "about": dataset.about,
        "nodes": graph.num_nodes,
        "snapshots": graph.num_snapshots,
        "temporal_edges": graph.num_edges,
        "split": str(make_split(SETTINGS, dataset)),
        "encoding_seconds": encoded.seconds,
        "max_residual": encoded.residual,
        "energy": int(sides.energy),
        "intra": int(sides.intra),
        "inter": int(sides.inter),
        "proposition_1_holds": sides.difference == 0,
        "auc": {f"{row.model} {row.pe}".strip(): row.auc for row in rows},
        "gain": {model: auc[model, "slpe-e"] - auc[model, "none"] for model in MODELS},
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "version": __version__,
    }


def _figures(graph: TemporalGraph, encoded: Encoded, records: list[RunRecord]) -> dict[str, Drawn]:
    """Each figure in both themes."""
    shown = [0, graph.num_snapshots // 2, graph.num_snapshots - 1]
    table = runs(records)
    return {
        "snapshots": _drawn(
            "Adjacency matrices of three snapshots",
            "Adjacency matrices of the first, a middle and the last snapshot, of all people who ever wrote.",
            partial(snapshots, graph, shown, encoded.order),
        ),
        "heat_maps": _drawn(
            "Encodings without and with edges between layers",
            "Each column is a snapshot, each row a person, colour is the value of one eigenvector: the first "
            f"after the trivial one, all {graph.num_snapshots} snapshots in one window. Signs of a layer "
            "alone are arbitrary; coupled layers have one sign for all of them together.",
            partial(heat_maps, encoded.alone, encoded.coupled, encoded.order),
        ),
        "auc": _drawn(auc.alt(table, DATASET), "", partial(auc.draw, table, paper_cells().iloc[:0], DATASET)),
    }


def _drawn(alt: str, caption: str, draw: Callable[..., Figure]) -> Drawn:
    light, dark = (svg(draw(theme=theme), f"demo-{alt}") for theme in ("light", "dark"))
    return Drawn("", "", alt, caption, light, dark)


def _render(facts: dict[str, Any], drawn: dict[str, Drawn], rows: list[Row], seeds: int) -> str:
    css = own_file("page.css")
    return environment("supra_experiments.demo").get_template("demo.html.j2").render(
        facts=facts,
        figures=drawn,
        images=images,
        label=label,
        rows=rows,
        seeds=seeds,
        settings=SETTINGS,
        css=css,
        css_hash=content_hash(css),
    )  # fmt: skip


@themed
def snapshots(theme: Theme, graph: TemporalGraph, shown: list[int], order: NDArray[np.int64]) -> Figure:
    """Adjacency matrices of a few snapshots, of the nodes in ``order`` (all that ever have an edge)."""
    figure = new_figure(2.5)
    panels = figure.subplots(1, len(shown), squeeze=False)[0]
    position = np.zeros(graph.num_nodes, dtype=np.int64)
    position[order] = np.arange(len(order))
    for axes, t in zip(panels, shown, strict=True):
        source, target, _ = graph.snapshot(t)
        x, y = position[source], position[target]
        axes.scatter(np.r_[x, y], np.r_[y, x], s=1.4, color=theme.ink, linewidths=0)
        size = len(order)
        axes.set(xlim=(-1, size), ylim=(size, -1), xticks=[], yticks=[], aspect="equal")
        axes.set_title(f"snapshot {t}\n{counted(len(source), 'edge')}", fontsize=SMALL)
        _frame(axes)
    return finish(figure, f"{counted(graph.num_edges, 'edge')} in {graph.num_snapshots} snapshots")


@themed
def heat_maps(theme: Theme, alone: NDArray[Any], coupled: NDArray[Any], order: NDArray[np.int64]) -> Figure:
    """Node × time, the first channels, nodes in ``order``: layers on their own above, coupled below."""
    channels = alone.shape[2]
    figure = new_figure(4.9)
    grid = figure.subplots(2, channels, sharex=True, sharey=True, squeeze=False)
    for row, (values, title) in enumerate(((alone, "each layer alone"), (coupled, "layers coupled"))):
        for channel, axes in enumerate(grid[row]):
            picture = values[:, order, channel].T
            limit = float(np.quantile(np.abs(picture), 0.98)) or 1.0
            axes.imshow(picture, aspect="auto", interpolation="none", cmap="RdBu_r", vmin=-limit, vmax=limit)
            axes.set_title(f"{title},\nchannel {channel}", fontsize=SMALL)
            axes.tick_params(length=2)
            _frame(axes)
        grid[row, 0].set_ylabel("node")
    for axes in grid[-1]:
        axes.set_xlabel("snapshot")
        axes.set_xticks(range(0, alone.shape[0], 5))
    return finish(figure, f"The first {channels} channels, node × time")


def _frame(axes: Any) -> None:
    for spine in axes.spines.values():
        spine.set_visible(True)
