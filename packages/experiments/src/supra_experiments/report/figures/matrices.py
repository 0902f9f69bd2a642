"""Adjacency, supra-adjacency and reduced supra-adjacency of a window, side by side."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from supra_core import SupraGraph, TemporalGraph, layer_graph, supra_graph
from supra_core.supra_graph import GLOBAL
from supra_experiments.report.figures.canvas import finish, legend_below, new_figure, themed
from supra_experiments.report.figures.style import Theme
from supra_experiments.report.study import Study
from supra_experiments.words import percent

# What an entry joins, how it is called, and how it is drawn: colour, mark and size in points.
KINDS = (
    ("within", "edge within a snapshot", "ink", "o", 1.3),
    ("between", "a node and itself one snapshot on", "red", "s", 1.3),
    ("global", "global node", "blue", "^", 2.6),
)

CAPTION = (
    "Dots are entries that are not zero, with a global node in every snapshot. Snapshots stand on the "
    "diagonal; the lines beside it join each node to itself in the snapshots before and after."
)


def given(study: Study) -> tuple[TemporalGraph, str] | None:
    """The graph and its name."""
    return (study.graph, study.graph_name) if study.graph is not None else None


def title(graph: TemporalGraph, name: str) -> str:
    """How much smaller the reduced matrix is, and that it loses nothing but empty rows."""
    whole, reduced = _sizes(graph)
    if reduced == whole:
        return f"{name}: every node is active in every snapshot, so there is no row to drop from {whole:,}"
    return (
        f"{name}: dropping isolated nodes leaves {reduced:,} of {whole:,} rows "
        f"({percent(reduced, whole)}) of the supra-adjacency matrix"
    )


def alt(graph: TemporalGraph, name: str) -> str:
    """What the figure shows, for those who do not see it."""
    whole, reduced = _sizes(graph)
    return (
        f"Three matrices of {name} as dots where entries are: the newest snapshot with its global node; the "
        f"supra-adjacency of {graph.num_snapshots} snapshots, blocks on the diagonal and diagonals beside "
        f"them, {whole:,} rows; the same without isolated nodes, {reduced:,} rows."
    )


@themed
def draw(theme: Theme, graph: TemporalGraph, name: str) -> Figure:
    """The three matrices that the encodings can be computed from; all snapshots of the graph are coupled."""
    newest = layer_graph(graph, graph.num_snapshots - 1, drop_isolated=False)
    whole, reduced = supra_graph(graph, drop_isolated=False), supra_graph(graph)
    figure = new_figure(3.35)
    panels = (("one snapshot", newest), ("supra-adjacency", whole), ("reduced", reduced))
    for axes, (label, matrix) in zip(figure.subplots(1, 3), panels, strict=True):
        _spy(axes, theme, matrix)
        axes.set_title(f"{label}\n{matrix.num_rows:,} rows", linespacing=1.3)
    handles = [
        Line2D([], [], ls="none", marker=marker, ms=5, color=theme.colour(colour), label=label)
        for _, label, colour, marker, _ in KINDS
    ]
    legend_below(figure, handles, 2)
    return finish(figure, title(graph, name))


def _spy(axes: Axes, theme: Theme, matrix: SupraGraph) -> None:
    entries = matrix.adjacency.tocoo()
    row, column = entries.coords
    between = matrix.time[row] != matrix.time[column]
    hub = ((matrix.node[row] == GLOBAL) | (matrix.node[column] == GLOBAL)) & ~between
    scale = float(np.clip(185 / matrix.num_rows, 0.65, 3.0))
    chosen = {"within": ~between & ~hub, "between": between, "global": hub}
    for kind, _, colour, marker, size in KINDS:
        places = np.flatnonzero(chosen[kind])
        # Thousands of dots are a picture: as outlines they would make the file twenty times larger.
        axes.plot(column[places], row[places], ls="none", marker=marker, ms=size * scale, mew=0,
                  color=theme.colour(colour), rasterized=True)  # fmt: skip
    margin = 0.02 * matrix.num_rows + 0.5
    span = (-margin, matrix.num_rows - 1 + margin)
    axes.set(xlim=span, ylim=span[::-1], aspect="equal", xticks=[], yticks=[])
    for boundary in np.flatnonzero(np.diff(matrix.time)) + 0.5:
        axes.axhline(boundary, color=theme.shade, lw=0.8, zorder=0)
        axes.axvline(boundary, color=theme.shade, lw=0.8, zorder=0)
    for spine in axes.spines.values():
        spine.set_visible(True)


def _sizes(graph: TemporalGraph) -> tuple[int, int]:
    return supra_graph(graph, drop_isolated=False).num_rows, supra_graph(graph).num_rows
