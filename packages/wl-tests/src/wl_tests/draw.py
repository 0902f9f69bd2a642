"""Two temporal graphs side by side, coloured by the last round, like the paper's Figure 4 (extra)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supra_core import InvalidArgumentError, TemporalGraph
from supra_core.extras import require
from wl_tests.distinguish import WLTest
from wl_tests.supra_wl import supra_wl

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SUPRA_NODES = 2000
"""More than this in one graph could not be read in a picture."""


def draw_pair(
    g: TemporalGraph, h: TemporalGraph, *, test: WLTest = supra_wl, numbers: bool = True, **options: Any
) -> "Figure":
    """Draw two temporal graphs, coloured by the last round of ``test`` on both together.

    Layers stand in columns, nodes in rows; edges of a layer are arcs, and dashed lines join a node to itself
    in the next layer. Equal colours (and numbers) mean equal in both graphs; the title gives the verdict.

    Args:
        test: :func:`supra_wl` or :func:`layer_wl`.
        numbers: write each colour's number into its node, for those who cannot tell colours well.
        options: passed to the test: ``node_features``, ``edge_labels``, ``max_rounds``.

    Returns:
        A figure of its own: save it with ``figure.savefig(path)``; no window opens.

    Raises:
        InvalidArgumentError: graphs with more than 2000 supra-nodes; what the test refuses.
        ImportError: matplotlib is not installed.

    Example:
        >>> from wl_tests import gallery
        >>> pair = gallery.moved_edge()
        >>> draw_pair(pair.first, pair.second).get_suptitle()
        'supra_wl: distinguished at round 2'
    """
    figure: Figure = require("matplotlib.figure", extra="plot", of="wl-tests").Figure(layout="constrained")
    colouring = test(g, h, **options)
    for name, graph in (("g", g), ("h", h)):
        size = graph.num_nodes * graph.num_snapshots
        if size > MAX_SUPRA_NODES:
            raise InvalidArgumentError.of(
                f"{name} supra-nodes", size, f"at most {MAX_SUPRA_NODES} to be drawn"
            )
    rows = max(g.num_nodes, h.num_nodes)
    figure.set_size_inches(3.0 + 2.4 * g.num_snapshots, 1.2 + 0.7 * rows)
    figure.suptitle(str(colouring.verdict()))
    last = colouring.rounds[-1]
    for axes, graph, colours, title in zip(
        figure.subplots(1, 2), (g, h), last, ("first", "second"), strict=True
    ):
        _draw(axes, graph, colours, _palette(colouring.num_colours()), numbers=numbers)
        axes.set_title(title)
    return figure


def _draw(
    axes: "Axes", graph: TemporalGraph, colours: NDArray[Any], palette: NDArray[np.float64], *, numbers: bool
) -> None:
    from matplotlib.patches import FancyArrowPatch

    for v in range(graph.num_nodes):
        axes.plot([0, graph.num_snapshots - 1], [v, v], color="0.6", linestyle="--", linewidth=1, zorder=1)
    for u, v, t in zip(graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), strict=True):
        # Neighbouring rows are joined straight; longer edges are bent, so that they do not cross nodes in
        # between.
        bow = 0.0 if v - u == 1 else 0.35
        axes.add_patch(
            FancyArrowPatch(
                (t, u),
                (t, v),
                connectionstyle=f"arc3,rad={bow}",
                arrowstyle="-",
                linewidth=1.6,
                color="0.15",
                zorder=2,
            )
        )
    layer, node = np.indices(colours.shape)
    fill = palette[colours.ravel()]
    axes.scatter(layer.ravel(), node.ravel(), s=260, c=fill, edgecolors="0.15", linewidths=1.0, zorder=3)
    if numbers:
        for t, v in np.ndindex(colours.shape):
            axes.annotate(str(colours[t, v]), (t, v), ha="center", va="center", fontsize=8, zorder=4)
    axes.set_xlim(-0.6, graph.num_snapshots - 0.4)
    axes.set_ylim(graph.num_nodes - 0.4, -0.6)
    axes.set_xticks(range(graph.num_snapshots), [f"t = {t}" for t in range(graph.num_snapshots)])
    axes.set_yticks(range(graph.num_nodes), [str(v) for v in range(graph.num_nodes)])
    axes.tick_params(length=0)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)


def _palette(count: int) -> NDArray[np.float64]:
    """Light, well separated colours for any number of classes: steps of the golden angle around the hues."""
    from matplotlib.colors import hsv_to_rgb

    steps = np.arange(count)
    hsv = np.column_stack(
        [(steps * 0.618033988749895) % 1.0, np.where(steps % 2, 0.35, 0.55), np.full(count, 0.97)]
    )
    return np.asarray(hsv_to_rgb(hsv), dtype=np.float64)
