"""The picture of aligned encodings in the README: ``python packages/supra-core/docs/persistence.py``."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from supra_core import Encoder, generators

CHANNELS = 3


def values_of(**settings: Any) -> np.ndarray:
    """What is given out for each snapshot, shape (num_snapshots, num_nodes, CHANNELS)."""
    graph = generators.block_model(
        90, 16, num_blocks=4, p_in=0.14, p_out=0.003, persistence=0.99, seed=5
    ).unweighted()
    return Encoder(k=CHANNELS, **settings).encode_all(graph).values


def main() -> None:
    """Draw it beside this file."""
    before = values_of(align=None, absent="zeros")
    after = values_of()
    order = np.argsort(after[-1, :, 0])
    chart = Figure(figsize=(8, 4.6), layout="constrained")
    panels = chart.subplots(2, CHANNELS, sharex=True, sharey=True)
    titles = ("as solved, absent nodes zero", "aligned, absent nodes keep their rows")
    for row, (values, title) in enumerate(zip((before, after), titles, strict=True)):
        for channel in range(CHANNELS):
            axes = panels[row, channel]
            limit = np.quantile(np.abs(after[:, :, channel]), 0.97)
            picture = values[:, order, channel].T
            axes.imshow(picture, aspect="auto", cmap="RdBu", vmin=-limit, vmax=limit, interpolation="nearest")
            axes.set_title(
                f"channel {channel}: {title}" if channel == 0 else f"channel {channel}", fontsize=8
            )
            axes.set_yticks([])
        panels[row, 0].set_ylabel("node")
    for axes in panels[-1]:
        axes.set_xlabel("snapshot")
    chart.savefig(Path(__file__).with_name("persistence.png"), dpi=110)


if __name__ == "__main__":
    main()
