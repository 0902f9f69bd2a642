"""What a temporal graph is like, in a dozen numbers; and how alike two of them are."""

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from supra_core import InvalidArgumentError, TemporalGraph
from supra_core.checks import check_count
from supra_experiments.datasets import REGISTRY, Dataset, load
from supra_experiments.files import write_atomically

REFERENCE_FILE = "reference_statistics.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStatistics:
    """Means over snapshots unless said otherwise; NaN where there is nothing to count.

    Attributes:
        num_nodes, num_snapshots: of the graph that was looked at.
        density: edges among the active nodes, as a share of the pairs of them.
        active: the share of all nodes that have an edge.
        silent: the share of all nodes that have no edge in any of these snapshots.
        repeated: the share of edges that were there in the snapshot before.
        seen_before: the share of edges that were there in any snapshot before.
        new_nodes: the share of active nodes that were never active before.
        degree_gini: how unequal the active nodes' degrees are: 0 all equal, near 1 a few have all edges.
        clustering: the share of paths of two edges that a third closes (transitivity).
        largest_component: the share of active nodes in the largest connected component.
        components: connected components for each active node.
        growth: the slope of the logarithm of 1 + edges over snapshots.
    """

    num_nodes: float
    num_snapshots: float
    density: float
    active: float
    silent: float
    repeated: float
    seen_before: float
    new_nodes: float
    degree_gini: float
    clustering: float
    largest_component: float
    components: float
    growth: float

    def compared(self) -> NDArray[np.float64]:
        """The numbers as they are compared: sizes and the density by their logarithms."""
        values = dataclasses.asdict(self)
        for name in ("num_nodes", "num_snapshots", "density"):
            values[name] = math.log10(values[name]) if values[name] > 0 else math.nan
        return np.array(list(values.values()))


NAMES = tuple(field.name for field in dataclasses.fields(GraphStatistics))


def graph_statistics(graph: TemporalGraph, num_train: int | None = None) -> GraphStatistics:
    """The statistics of the first ``num_train`` snapshots; later ones are not looked at.

    Args:
        graph: weights are ignored.
        num_train: all snapshots where not given.

    Raises:
        InvalidArgumentError: more snapshots than there are.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 0, 0, 1], [1, 2, 1, 2], [0, 0, 1, 1])
        >>> found = graph_statistics(graph)
        >>> round(found.density, 3), found.repeated, found.new_nodes
        (0.667, 0.5, 0.0)
    """
    num_train = graph.num_snapshots if num_train is None else check_count("num_train", num_train)
    seen = graph.window(num_train - 1, num_train).unweighted()
    layers = [_layer(seen.adjacency(t)) for t in range(num_train)]
    counts = _over_time(seen)
    sizes = np.array([seen.snapshot(t)[0].size for t in range(num_train)])
    return GraphStatistics(
        num_nodes=seen.num_nodes,
        num_snapshots=num_train,
        silent=1 - len(np.union1d(seen.source, seen.target)) / seen.num_nodes,
        growth=float(np.polyfit(np.arange(num_train), np.log1p(sizes), 1)[0]) if num_train > 1 else math.nan,
        **{name: _mean([layer[name] for layer in layers]) for name in layers[0]},
        **{name: _mean(values) for name, values in counts.items()},
    )


def training_statistics(dataset: Dataset) -> GraphStatistics:
    """The statistics of a dataset's training snapshots; of the only one where it cannot be split."""
    try:
        num_train = dataset.split_rule.split(dataset.graph.num_snapshots).num_train
    except InvalidArgumentError:
        num_train = dataset.graph.num_snapshots
    return graph_statistics(dataset.graph, num_train)


def similarity(
    target: GraphStatistics, references: Mapping[str, GraphStatistics], skip: str | None = None
) -> dict[str, float]:
    """How like each reference graph the target is: 1 for equal statistics, towards 0 for unlike ones.

    Every statistic is divided by its spread over the references; the distance of two graphs is the root mean
    square over those that both have; a distance as large as the median one between two references gives 1/2:
    1 / (1 + (distance / median)²). So a graph that is far from all of them is about equally unlike each, and
    no reference decides alone.

    Args:
        target: the graph in question.
        references: the graphs to compare with, by name.
        skip: a name to leave out: the target itself.

    Example:
        >>> known = reference_statistics()
        >>> found = similarity(known["enron10"], known)
        >>> found["enron10"], found["dblp"] > found["as733"]
        (1.0, True)
    """
    names = [name for name in references if name != skip]
    if not names:
        return {}
    table = np.array([references[name].compared() for name in names])
    spread = np.array([_spread(column) for column in table.T])
    distances = [_distance(target.compared(), row, spread) for row in table]
    between = [_distance(a, b, spread) for i, a in enumerate(table) for b in table[:i]]
    unit = float(np.median([value for value in between if value > 0] or [1.0]))
    return {
        name: 1.0 / (1.0 + (distance / unit) ** 2) for name, distance in zip(names, distances, strict=True)
    }


@cache
def reference_statistics() -> dict[str, GraphStatistics]:
    """The statistics of the published datasets' training snapshots, as they come with this package."""
    text = (resources.files(__package__) / REFERENCE_FILE).read_text(encoding="utf-8")
    return {name: GraphStatistics(**values) for name, values in json.loads(text).items()}


def write_reference_statistics(
    path: str | os.PathLike[str], root: str | os.PathLike[str] | None = None
) -> None:
    """Compute the file behind :func:`reference_statistics` from the published datasets.

    Args:
        path: where to write it.
        root: the folder of the datasets.
    """
    found = {}
    for name in REGISTRY:
        statistics = training_statistics(load(name, root=root))
        found[name] = {key: float(f"{value:.6g}") for key, value in dataclasses.asdict(statistics).items()}
    text = json.dumps(found, indent=1) + "\n"
    write_atomically(path, lambda file: file.write(text.encode()))


def _layer(A: sp.csr_array) -> dict[str, float]:
    """What one snapshot tells by itself."""
    num_nodes, degree = A.shape[0], np.diff(A.indptr)
    busy = np.flatnonzero(degree)
    if len(busy) == 0:
        nothing = ("density", "degree_gini", "clustering", "largest_component", "components")
        return {"active": 0.0, **dict.fromkeys(nothing, math.nan)}
    A, degree = A[busy][:, busy], degree[busy].astype(np.int64)
    num_components, member = connected_components(A, directed=False)
    return {
        "active": len(busy) / num_nodes,
        "density": float(degree.sum() / (len(busy) * (len(busy) - 1))),
        "degree_gini": _gini(degree),
        "clustering": _transitivity(A, degree),
        "largest_component": float(np.bincount(member).max() / len(busy)),
        "components": num_components / len(busy),
    }


def _over_time(graph: TemporalGraph) -> dict[str, list[float]]:
    """What each snapshot but the first shares with those before it."""
    found: dict[str, list[float]] = {"repeated": [], "seen_before": [], "new_nodes": []}
    last = seen = np.zeros(0, dtype=np.int64)
    known = np.zeros(graph.num_nodes, dtype=bool)
    for t in range(graph.num_snapshots):
        source, target, _ = graph.snapshot(t)
        edges = source * graph.num_nodes + target
        active = graph.active(t)
        if t > 0 and len(edges):
            found["repeated"].append(float(np.isin(edges, last).mean()))
            found["seen_before"].append(float(np.isin(edges, seen).mean()))
            found["new_nodes"].append(float((active & ~known).sum() / active.sum()))
        last, seen, known = edges, np.union1d(seen, edges), known | active
    return found


def _gini(degree: NDArray[np.int64]) -> float:
    """The mean absolute difference of two draws, divided by twice the mean."""
    n = len(degree)
    ranks = 2 * np.arange(1, n + 1) - n - 1
    return float((ranks * np.sort(degree)).sum() / (n * degree.sum()))


def _transitivity(A: sp.csr_array, degree: NDArray[np.int64]) -> float:
    """Three times the triangles over the paths of two edges; NaN where there is no such path."""
    paths = int((degree * (degree - 1) // 2).sum())
    if paths == 0:
        return math.nan
    # Every edge points to its end of higher degree, so that no row is long: m^1.5 work, hubs or not.
    rank = np.empty(len(degree), dtype=np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(len(degree))
    edges = A.tocoo()
    upwards = rank[edges.row] < rank[edges.col]
    ones = np.ones(int(upwards.sum()), dtype=np.int64)
    up = sp.csr_array((ones, (edges.row[upwards], edges.col[upwards])), shape=A.shape)
    return 3 * int((up @ up).multiply(up).sum()) / paths


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def _spread(column: NDArray[np.float64]) -> float:
    """The standard deviation over the references; 1 where they do not differ."""
    known = column[np.isfinite(column)]
    return float(known.std()) or 1.0 if len(known) else 1.0


def _distance(a: NDArray[np.float64], b: NDArray[np.float64], spread: NDArray[np.float64]) -> float:
    difference = (a - b) / spread
    known = difference[np.isfinite(difference)]
    return float(np.sqrt((known**2).mean())) if len(known) else math.inf
