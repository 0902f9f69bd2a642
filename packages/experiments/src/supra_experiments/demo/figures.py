"""The figures of the page, in the look of the report's."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_experiments.report.figures.canvas import finish, new_figure, themed
from supra_experiments.report.figures.style import SMALL, Theme
from supra_experiments.words import counted


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
    """Node × time, the first channels: layers on their own above, layers coupled below.

    Args:
        alone, coupled: (num_snapshots, num_nodes, channels).
        order: the nodes that are shown, from top to bottom.
        theme: ``light`` or ``dark``.
    """
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
