"""Pictures of encodings (the extra ``plot``)."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.encoding import Encoder, Method
from supra_core.errors import InvalidArgumentError
from supra_core.extras import require
from supra_core.files import replacing
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def heat_maps(layers: ArrayLike, *, channels: Sequence[int] | None = None, title: str = "") -> "Figure":
    """One node × time picture for each channel of an encoding.

    Args:
        layers: shape (num_snapshots, num_nodes, dim), such as ``Encoding.layers`` or ``Encodings.values``.
        channels: which to draw; the first four where not given.
        title: above all of it.

    Raises:
        InvalidArgumentError: another shape, or a channel that is not there.
    """
    layers = _check_layers("layers", layers)
    chosen = _check_channels(channels, layers.shape[2])
    figure: Figure = _figure(2.4 * len(chosen) + 0.8, 3.4)
    axes = figure.subplots(1, len(chosen), squeeze=False, sharey=True)[0]
    for axis, channel in zip(axes, chosen, strict=True):
        values = layers[:, :, channel].T
        limit = float(np.abs(values).max(initial=0.0)) or 1.0
        scale = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
        image = axis.imshow(values, aspect="auto", interpolation="none", **scale)
        axis.set_title(f"channel {channel}", fontsize=9)
        axis.set_xlabel("time")
    axes[0].set_ylabel("node")
    bar = figure.colorbar(image, ax=list(axes), fraction=0.03)
    bar.set_ticks([-limit, 0, limit], labels=["−", "0", "+"])
    figure.suptitle(title, fontsize=10)
    return figure


def layers(graph: TemporalGraph, *, values: ArrayLike | None = None, title: str = "") -> "Figure":
    """A small temporal graph: snapshots from left to right, each node joined to itself in the next.

    Args:
        graph: up to some thirty nodes and ten snapshots can be followed by eye.
        values: shape (num_snapshots, num_nodes), such as one channel of an encoding, shown as colours:
            blue below zero, red above.
        title: above all of it.

    Raises:
        InvalidArgumentError: values of another shape.

    Example:
        >>> from supra_core import Encoder, TemporalGraph
        >>> graph = TemporalGraph.from_edges([0, 1, 0], [1, 2, 2], [0, 0, 1])
        >>> figure = layers(graph, values=Encoder(k=1, window=2).encode(graph, t=1).layers[:, :, 0])
    """
    shape = (graph.num_snapshots, graph.num_nodes)
    shown = None if values is None else np.asarray(values, dtype=np.float64)
    if shown is not None and shown.shape != shape:
        raise InvalidArgumentError.of("values.shape", shown.shape, f"{shape}")
    # No two nodes at one height, so that a node's line through time passes no other node.
    angle = np.pi / 2 - 2 * np.pi * (np.arange(graph.num_nodes) + 0.25) / graph.num_nodes
    # Circles seen from the side, so that lines between layers do not lie on those within.
    across = 0.45 * np.cos(angle) + 1.7 * np.arange(graph.num_snapshots)[:, None]
    up = np.broadcast_to(np.sin(angle), shape)
    figure = _figure(1.7 * graph.num_snapshots + 0.6, 3.0)
    axis = figure.subplots()
    axis.plot(across, up, color="0.75", linestyle="--", linewidth=0.8, zorder=1)
    ends = np.stack([graph.source, graph.target])
    axis.plot(across[graph.time, ends], up[graph.time, ends], color="0.3", linewidth=1.4, zorder=2)
    limit = 1.0 if shown is None else float(np.abs(shown).max(initial=0.0)) or 1.0
    scale = {"c": "white"} if shown is None else {"c": shown, "cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
    axis.scatter(across, up, s=190, edgecolors="0.2", zorder=3, **scale)
    dark = np.zeros(shape, bool) if shown is None else np.abs(shown) > 0.6 * limit
    for t, v in np.ndindex(shape):
        place = {"ha": "center", "va": "center", "fontsize": 8, "zorder": 4}
        axis.annotate(str(v), (across[t, v], up[t, v]), color="white" if dark[t, v] else "black", **place)
    axis.set_xticks(1.7 * np.arange(graph.num_snapshots), [f"t = {t}" for t in range(graph.num_snapshots)])
    axis.set_yticks([])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    figure.suptitle(title, fontsize=10)
    return cast("Figure", figure)


def coupling_lines(graph: TemporalGraph, *, coupling: float = 1.0, k: int = 2, seed: int = 0) -> "Figure":
    """Eigenvectors along the nodes, one line a layer, without and with edges between layers.

    On ``generators.path_layers`` this is the paper's Figure 3. Left: each layer is decomposed alone, so its
    eigenvectors come with signs of their own (drawn by ``seed``, as a solver's are arbitrary). Right: one
    decomposition of the supra-Laplacian, whose layers agree.
    """
    window = graph.num_snapshots
    figure: Figure = _figure(8.5, 2.1 * checks.check_count("k", k) + 0.6)
    axes = figure.subplots(k, 2, squeeze=False, sharex=True)
    methods: tuple[Method, Method] = ("lpe", "slpe")
    for column, method in enumerate(methods):
        encoder = Encoder.paper(method=method, k=k, window=window, coupling=coupling, global_nodes=False)
        layers = encoder.encode(graph, window - 1).flip_signs(seed).layers
        for channel in range(k):
            axis = axes[channel, column]
            for t in range(window):
                # Wide below narrow: lines that coincide stay visible.
                style = {"lw": 1.2 + 1.6 * (window - 1 - t), "color": _shade(t, window)}
                axis.plot(layers[t, :, channel], label=f"layer {t}", **style)
            axis.axhline(0, lw=0.5, color="0.7")
    for channel in range(k):
        axes[channel, 0].set_ylabel(f"eigenvector {channel + 1}")
    axes[0, 0].set_title("each layer alone (LPE)", fontsize=10)
    axes[0, 1].set_title(f"layers coupled by {coupling:g} (SLPE)", fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("node")
    axes[0, 1].legend(fontsize=7, loc="upper center", ncols=2)
    return figure


def save(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a figure; the suffix decides the format."""
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=110)


def _figure(width: float, height: float) -> Any:
    # No pyplot: it would keep every figure alive and choose a window system.
    figure = require("matplotlib.figure", extra="plot").Figure(figsize=(width, height), layout="constrained")
    require("matplotlib.backends.backend_agg", extra="plot").FigureCanvasAgg(figure)
    return figure


def _shade(t: int, count: int) -> tuple[float, float, float, float]:
    return tuple(require("matplotlib", extra="plot").colormaps["viridis"](t / max(1, count - 1) * 0.85))


def _check_layers(name: str, layers: ArrayLike) -> NDArray[Any]:
    array = np.asarray(layers)
    if array.ndim != 3 or array.dtype.kind not in "iuf":
        raise InvalidArgumentError.of(f"{name}.shape", array.shape, "(num_snapshots, num_nodes, dim)")
    return array


def _check_channels(channels: Sequence[int] | None, dim: int) -> list[int]:
    if channels is None:
        return list(range(min(4, dim)))
    if not channels:
        raise InvalidArgumentError.of("channels", channels, "at least one channel")
    return [checks.check_index("channels", channel, dim) for channel in channels]
