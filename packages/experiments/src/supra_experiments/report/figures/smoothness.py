"""An eigenvector over time, without and with edges between layers, and the energies of Proposition 1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from supra_core import SupraGraph, TemporalGraph, generators, laplacian, layer_graph, supra_graph
from supra_core.smoothness import Smoothness, smoothness
from supra_experiments.errors import ExperimentError
from supra_experiments.report.figures.canvas import finish, new_figure, themed
from supra_experiments.report.figures.style import DASHED, SMALL, Theme
from supra_experiments.report.study import Study
from supra_experiments.words import listed, ratio

Array = NDArray[np.float64]
MAX_ROWS = 4_000
NUM_DRAWN = 60
STACKS = ("layers alone", "signs made to agree", "layers joined")

CAPTION = (
    "Above, one line a node: the smoothest eigenvector that tells nodes apart. Layers on their own come "
    "with signs of their own; joined layers agree. Below, both sums of Proposition 1, for the smoothest "
    "vectors."
)


@dataclass(frozen=True, eq=False)
class Compared:
    """Eigenvectors of the layers alone and of the supra-Laplacian.

    Attributes:
        name: of the graph.
        alone, joined: the vectors that tell nodes apart best, shape (num_snapshots, nodes drawn), scaled to a
            root mean square of 1.
        energies: of all ``k`` vectors, their mean, in the order of :data:`STACKS`.
        k: how many there are.
    """

    name: str
    alone: Array
    joined: Array
    energies: tuple[Smoothness, ...]
    k: int


def example() -> TemporalGraph:
    """Two communities of 30 nodes that last over eight snapshots while half of their edges change."""
    return generators.block_model(
        60, 8, num_blocks=2, p_in=0.3, p_out=0.03, persistence=1.0, edge_persistence=0.5, seed=0
    )


def fits(graph: TemporalGraph, *, k: int = 8) -> bool:
    """Whether every layer has ``k`` vectors beside the constant, and all of it can be decomposed at once."""
    active = [int(graph.active(t).sum()) for t in range(graph.num_snapshots)]
    return min(active) > k and sum(active) + len(active) <= MAX_ROWS


def compare(graph: TemporalGraph, name: str, *, k: int = 8) -> Compared:
    """The ``k`` smoothest vectors that are not the constant, of each layer alone and of the joined layers.

    A solver gives each vector with either sign; for layers alone the signs are drawn.

    Raises:
        ExperimentError: a graph that does not fit (see :func:`fits`).
    """
    if not fits(graph, k=k):
        allowed = f"more than {k} active nodes in each snapshot, {MAX_ROWS:,} supra-nodes at most"
        raise ExperimentError(f"graph={graph!r}: must have {allowed}")
    supra = supra_graph(graph)
    rng, alone = np.random.default_rng(0), []
    for t in range(graph.num_snapshots):
        vectors = _smallest(layer_graph(graph, t), k + 1)[:, 1:]
        alone.append(vectors * rng.choice([-1.0, 1.0], size=k))
    agreeing = _aligned(supra, alone)
    joined = _smallest(supra, k + 1)[:, 1:]
    energies = tuple(
        _mean(smoothness(graph, X, global_nodes=True, drop_isolated=True), k)
        for X in (_stacked(alone), _stacked(agreeing), joined)
    )
    nodes = np.flatnonzero(np.all([graph.active(t) for t in range(graph.num_snapshots)], axis=0))
    nodes = nodes[np.linspace(0, len(nodes) - 1, min(len(nodes), NUM_DRAWN)).astype(int)]
    root = np.sqrt(supra.num_rows)
    chosen = _structural(supra, joined)
    return Compared(
        name,
        root * supra.scatter(_stacked(alone)[:, 0])[:, nodes],
        root * supra.scatter(joined[:, chosen])[:, nodes],
        energies,
        k,
    )


def given(study: Study) -> tuple[list[Compared]] | None:
    """Eigenvectors of an example and, beside it, of the graph."""
    if study.graph is None:
        return None
    found = [compare(example(), "two communities")]
    if fits(study.graph):
        found.append(compare(study.graph, study.graph_name))
    return (found,)


def title(compared: Sequence[Compared]) -> str:
    """How many times edges between layers cut the vectors' change over time, or raise it."""
    cut, raised = [], []
    for one in compared:
        alone, _, joined = one.energies
        if joined.inter < alone.inter:
            cut.append(f"{ratio(alone.inter, max(joined.inter, 1e-12))}-fold on {one.name}")
        else:
            raised.append(f"on {one.name}")
    if not cut:
        return f"Edges between layers do not cut the change of eigenvectors over time {listed(raised)}"
    finding = f"Edges between layers cut the change of eigenvectors over time {listed(cut)}"
    return finding + (f", but not {listed(raised)}" if raised else "")


def alt(compared: Sequence[Compared]) -> str:
    """What the figure shows, for those who do not see it."""
    bars = "; ".join(
        f"{one.name}, {label}: {energy.intra:.2f} along edges, {energy.inter:.2f} between layers"
        for one in compared
        for label, energy in zip(STACKS, one.energies, strict=True)
    )
    return (
        f"Above, an eigenvector of {compared[0].name} over time, one line a node: of layers alone, and of "
        f"layers joined by edges. Below, the mean energy of the {compared[0].k} smoothest eigenvectors. "
        f"{bars}."
    )


@themed
def draw(theme: Theme, compared: Sequence[Compared]) -> Figure:
    """Lines of nodes over time above, of the first graph; energies as bars below, of all."""
    first = compared[0]
    figure = new_figure(4.1 + 0.95 * len(compared))
    rows = figure.add_gridspec(2, 1, height_ratios=[2.2, 0.3 + 0.95 * len(compared)])
    columns = rows[0].subgridspec(1, 2)
    left = figure.add_subplot(columns[0])
    right = figure.add_subplot(columns[1], sharey=left)
    # Which side a node is on is read from the joined vector, so that both panels colour it alike.
    upper = first.joined.mean(axis=0) >= 0
    for axes, values, label in ((left, first.alone, STACKS[0]), (right, first.joined, STACKS[2])):
        _draw_lines(axes, theme, values, upper)
        axes.set_title(f"{first.name}: {label}", fontsize=SMALL)
    left.set_ylabel("entry of the eigenvector\n(root mean square 1)")
    right.tick_params(labelleft=False)
    _draw_energies(figure.add_subplot(rows[1]), theme, compared)
    return finish(figure, title(compared))


def _draw_lines(axes: Axes, theme: Theme, values: Array, upper: NDArray[np.bool_]) -> None:
    time = np.arange(len(values))
    for side, colour, line in ((True, "blue", "-"), (False, "red", DASHED)):
        if (upper == side).any():
            color = theme.colour(colour)
            axes.plot(time, values[:, upper == side], color=color, ls=line, lw=0.8, alpha=0.75)
    axes.axhline(0, color=theme.faint, lw=0.8, zorder=0)
    axes.set_xlabel("snapshot")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_energies(axes: Axes, theme: Theme, compared: Sequence[Compared]) -> None:
    widths = np.array([[energy.intra, energy.inter] for one in compared for energy in one.energies])
    place = np.array([group * 3.7 + row for group in range(len(compared)) for row in range(3)])
    parts = (("along edges of a layer", "blue", ""), ("from layer to layer, times μ", "red", "////"))
    for part, (label, colour, hatch) in enumerate(parts):
        start = widths[:, :part].sum(axis=1)
        axes.barh(place, widths[:, part], left=start, height=0.66, label=label, hatch=hatch,
                  facecolor=theme.colour(colour) if not hatch else theme.background,
                  edgecolor=theme.colour(colour), lw=1.0)  # fmt: skip
    for at, total in zip(place, widths.sum(axis=1), strict=True):
        axes.annotate(
            f"{total:.2f}", (total, at), (4, 0), textcoords="offset points", va="center", size=SMALL
        )
    names = [f"{one.name}: " if row == 0 else "" for one in compared for row in range(3)]
    axes.set_yticks(place, [name + label for name, label in zip(names, STACKS * len(compared), strict=True)])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.16 * float(widths.sum(axis=1).max()) or 1.0)
    axes.set_xlabel(f"energy, mean of the {compared[0].k} smoothest eigenvectors")
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)


def _smallest(graph: SupraGraph, count: int) -> Array:
    matrix = laplacian(graph.adjacency).toarray().astype(np.float64)
    return np.asarray(scipy.linalg.eigh(matrix, subset_by_index=[0, count - 1])[1])


def _stacked(layers: list[Array]) -> Array:
    """Unit vectors of the layers as vectors of the supra-graph, of norm 1 as well."""
    return np.concatenate(layers) / np.sqrt(len(layers))


def _aligned(supra: SupraGraph, layers: list[Array]) -> list[Array]:
    """Each layer's vectors under the signs that bring them closest to the layer before."""
    flipped: list[Array] = []
    for t, vectors in enumerate(layers):
        if t:
            last, now = supra.node[supra.time == t - 1], supra.node[supra.time == t]
            _, i, j = np.intersect1d(last, now, return_indices=True)
            agreement = (flipped[-1][i] * vectors[j]).sum(axis=0)
            vectors = vectors * np.where(agreement < 0, -1.0, 1.0)
        flipped.append(vectors)
    return flipped


def _structural(supra: SupraGraph, vectors: Array) -> int:
    """The first vector that mostly tells nodes of a layer apart; others only tell layers apart."""
    within = np.zeros(vectors.shape[1])
    for t in range(supra.num_snapshots):
        rows = vectors[supra.time == t]
        within += ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
    telling = np.flatnonzero(within >= 0.5)
    return int(telling[0]) if len(telling) else int(within.argmax())


def _mean(energy: Smoothness, k: int) -> Smoothness:
    return Smoothness(energy.intra / k, energy.inter / k, energy.total / k)
