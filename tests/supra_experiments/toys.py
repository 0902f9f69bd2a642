"""A temporal graph small enough to train on in no time."""

import numpy as np

from supra_core import TemporalGraph
from supra_core.generators import block_model
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.datasets.splits import LastSnapshots

QUICK = Config(
    max_epochs=6, min_epochs=1, patience=50, hidden_channels=4, k=3, max_steps=3, random_channels=6
)


def toy(graph: TemporalGraph | None = None, *, test: int = 2, validation: int = 0) -> Dataset:
    graph = graph or block_model(24, 6, num_blocks=2, p_in=0.4, p_out=0.03, seed=3).unweighted()
    return Dataset(
        name="toy",
        graph=graph,
        split_rule=LastSnapshots(test=test, validation=validation),
    )


def with_other_future(graph: TemporalGraph, stop: int) -> TemporalGraph:
    """The same snapshots before ``stop``, quite different ones from there on."""
    before = graph.time < stop
    rng = np.random.default_rng(1)
    count = 40
    columns = [
        np.concatenate([graph.source[before], rng.integers(graph.num_nodes, size=count)]),
        np.concatenate([graph.target[before], rng.integers(graph.num_nodes, size=count)]),
        np.concatenate([graph.time[before], rng.integers(stop, graph.num_snapshots, size=count)]),
    ]
    sizes = {"num_nodes": graph.num_nodes, "num_snapshots": graph.num_snapshots}
    return TemporalGraph.from_edges(*columns, **sizes).unweighted()
