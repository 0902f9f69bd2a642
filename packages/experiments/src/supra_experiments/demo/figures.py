"""The figures of the page, each as an image that can stand inside an HTML file."""

import base64
import io
import math
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_experiments.training.summary import Row

INK, FAINT = "#1f2933", "#9aa5b1"
SHADES = ("#9aa7b6", "#7fa8d1", "#2563a8")
_STYLE = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 9.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "path",
}


def snapshots_figure(
    graph: TemporalGraph, shown: list[int], order: NDArray[np.int64], *, narrow: bool = False
) -> str:
    """Adjacency matrices of a few snapshots, of the nodes in ``order`` (all that ever have an edge)."""
    with matplotlib.rc_context(_STYLE):
        figure = _figure(4.2, 1.9) if narrow else _figure(8.6, 2.8)
        axes = figure.subplots(1, len(shown), squeeze=False)[0]
        position = np.zeros(graph.num_nodes, dtype=np.int64)
        position[order] = np.arange(len(order))
        for axis, t in zip(axes, shown, strict=True):
            source, target, _ = graph.snapshot(t)
            x, y = position[source], position[target]
            axis.scatter(np.r_[x, y], np.r_[y, x], s=0.8 if narrow else 2.2, color=INK, linewidths=0)
            size = len(order)
            axis.set(xlim=(-1, size), ylim=(size, -1), xticks=[], yticks=[], aspect="equal")
            axis.set_title(f"snapshot {t}\n{len(source)} edges")
            _frame(axis)
        return _image(figure)


def heat_maps_figure(
    alone: NDArray[Any], coupled: NDArray[Any], order: NDArray[np.int64], *, narrow: bool = False
) -> str:
    """Node × time, the first channels: layers on their own above, layers coupled below.

    Args:
        alone, coupled: (num_snapshots, num_nodes, channels).
        order: the nodes that are shown, from top to bottom.
        narrow: for a small screen: layers on their own to the left, coupled to the right.
    """
    with matplotlib.rc_context(_STYLE):
        channels = alone.shape[2]
        figure = _figure(4.2, 6.0) if narrow else _figure(8.6, 5.6)
        shape = (channels, 2) if narrow else (2, channels)
        axes = figure.subplots(*shape, sharex=True, sharey=True, squeeze=False)
        for column, (values, title) in enumerate(((alone, "each layer alone"), (coupled, "layers coupled"))):
            for channel in range(channels):
                axis = axes[channel, column] if narrow else axes[column, channel]
                picture = values[:, order, channel].T
                limit = float(np.quantile(np.abs(picture), 0.98)) or 1.0
                axis.imshow(
                    picture, aspect="auto", interpolation="none", cmap="RdBu_r", vmin=-limit, vmax=limit
                )
                axis.set_title(f"{title},\nchannel {channel}" if narrow else f"{title}, channel {channel}")
                axis.tick_params(length=2)
                _frame(axis)
        for axis in axes[:, 0]:
            axis.set_ylabel("node")
        for axis in axes[-1]:
            axis.set_xlabel("snapshot")
            axis.set_xticks(range(0, alone.shape[0], 2))
        return _image(figure)


def auc_figure(rows: list[Row], *, narrow: bool = False) -> str:
    """AUC of each model with and without encoding, and the scores without learning as lines to beat."""
    learned = [row for row in rows if row.pe]
    models = list(dict.fromkeys(row.model for row in learned))
    variants = list(dict.fromkeys(row.pe for row in learned))
    with matplotlib.rc_context(_STYLE):
        figure = _figure(4.2, 3.6) if narrow else _figure(8.6, 3.4)
        axis = figure.subplots()
        width = 0.76 / len(variants)
        for row in learned:
            place, variant = models.index(row.model), variants.index(row.pe)
            x = place + (variant - (len(variants) - 1) / 2) * width
            error = 0.0 if math.isnan(row.auc_std) else row.auc_std
            label = ("no encoding" if row.pe == "none" else row.pe) if place == 0 else None
            bar = {"color": SHADES[variant], "yerr": error, "ecolor": INK, "capsize": 2, "label": label}
            axis.bar(x, row.auc, width * 0.92, **bar)
            above = {"textcoords": "offset points", "ha": "center", "size": 7 if narrow else 8}
            axis.annotate(f"{row.auc:.1f}", (x, row.auc + error), (0, 3), **above)
        right = len(models) - 0.45
        others = [(row.auc, f"{row.model} {row.auc:.1f}") for row in rows if not row.pe]
        lines = sorted([*others, (50.0, "chance 50")])
        for (value, text), height in zip(lines, _apart([value for value, _ in lines], 3.6), strict=True):
            axis.axhline(value, lw=0.8, ls=(0, (4, 3)), color=FAINT, zorder=0)
            axis.annotate(text, (right, height), (4, 0), textcoords="offset points", va="center", size=8)
        axis.set(ylim=(40, 101), xlim=(-0.55, right), ylabel="test AUC in percent")
        axis.set_xticks(range(len(models)), [model.upper() for model in models])
        axis.legend(frameon=False, loc="lower left", ncols=len(variants), bbox_to_anchor=(-0.02, 1.0))
        return _image(figure)


def _frame(axis: Any) -> None:
    for spine in axis.spines.values():
        spine.set_visible(True)


def _apart(heights: list[float], gap: float) -> list[float]:
    """Increasing heights moved upwards as little as it takes for neighbours to be ``gap`` apart.

    Example:
        >>> _apart([50.0, 51.0, 80.0], 3.0)
        [50.0, 53.0, 80.0]
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    return placed


def _figure(width: float, height: float) -> Any:
    # No pyplot: it would keep every figure alive and choose a window system.
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _image(figure: Any) -> str:
    """A data URI, so that the page needs no other file."""
    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None}, transparent=True)
    return "data:image/svg+xml;base64," + base64.b64encode(content.getvalue()).decode()
