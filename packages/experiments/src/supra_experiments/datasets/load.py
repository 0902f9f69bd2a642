"""One way in: a name or a file becomes a :class:`Dataset`."""

import os
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_core import SupraError, TemporalGraph, read_edges
from supra_core.generators import block_model
from supra_core.io import is_edge_file
from supra_experiments.datasets.fetch import Progress, fetch
from supra_experiments.datasets.registry import ALIASES, DEMO, REGISTRY, Entry, find_entry
from supra_experiments.datasets.splits import Fractions, LastSnapshots, SplitRule
from supra_experiments.errors import DatasetError, did_you_mean

MAX_SNAPSHOTS = 1000
"""More distinct times than this are events in continuous time, which want bins."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A temporal graph together with how it is split.

    Attributes:
        name: a published name, ``demo`` or the file's path.
        graph: undirected, with the names of its nodes and the times of its snapshots; unweighted unless the
            user's file has weights.
        split_rule: which snapshots are tested.
        about: one line for people.
    """

    name: str
    graph: TemporalGraph
    split_rule: SplitRule = field(default_factory=lambda: LastSnapshots(test=1))
    about: str = ""

    @property
    def nodes(self) -> NDArray[Any]:
        """The label of each id, shape (num_nodes,)."""
        return self.graph.node_labels

    @property
    def times(self) -> list[Any]:
        """What each snapshot is called: a number or an ISO date; midnights without a zone are days."""
        labels = self.graph.time_labels
        if self.graph.time_zone is None and all(str(label).endswith("T00:00:00") for label in labels):
            return [label.removesuffix("T00:00:00") for label in labels]
        return labels

    def node_ids(self, labels: Any) -> NDArray[np.int64]:
        """The ids of labels, the way back from :attr:`nodes`.

        Raises:
            DatasetError: a label that is no node's.
        """
        ids = pd.Index(self.nodes).get_indexer(labels)
        if (ids < 0).any():
            unknown = list(labels)[int(np.argmax(ids < 0))]
            raise DatasetError(f"node {unknown!r}: is not in {self.name}")
        return ids.astype(np.int64)


def load(
    dataset: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    num_snapshots: int | None = None,
    every: str | None = None,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """A dataset by name (``enron10``, ``demo``, …) or the path of an edge list.

    Args:
        dataset: a name in whatever case, or a CSV or Parquet file; see :func:`supra_core.read_edges`.
        root: the folder of the published files; see :func:`~supra_experiments.datasets.fetch.data_root`.
        num_snapshots: put a file's times into so many bins of equal width; without bins each distinct time is
            a snapshot of its own.
        every: put a file's dates into bins of the calendar: ``hour``, ``day``, ``week``, ``month``,
            ``quarter`` or ``year``.
        unit: a file's numbers are Unix times in ``s``, ``ms``, ``us`` or ``ns``.
        progress: told about a download.

    Raises:
        DatasetError: an unknown name, or data that cannot be had or read.

    Example:
        >>> load("demo").graph.num_snapshots
        10
    """
    name = os.fspath(dataset)
    binning = {"num_snapshots": num_snapshots, "every": every, "unit": unit}
    if name.lower() == DEMO:
        _refuse_bins(name, binning)
        return _demo()
    if (entry := find_entry(name)) is not None:
        _refuse_bins(name, binning)
        graph = read_shipped(entry)
        if graph is None:
            graph = read_published(entry, fetch(entry, root, progress=progress))
        return Dataset(entry.name, graph, entry.split, entry.about)
    path = Path(name).expanduser()
    if not path.exists() and not is_edge_file(path):
        known = [DEMO, *REGISTRY]
        allowed = f"one of {', '.join(known)}, or the path of a CSV or Parquet file"
        raise DatasetError(f"dataset={name!r}: must be {allowed}{did_you_mean(name, [*known, *ALIASES])}")
    return _user_file(path, binning)


def _refuse_bins(name: str, binning: dict[str, Any]) -> None:
    for setting, value in binning.items():
        if value is not None:
            raise DatasetError(f"{setting}={value!r}: must be left out for {name}, whose snapshots are given")


def _demo() -> Dataset:
    """A seeded dynamic block model: communities that members now and then leave, edges that come and go."""
    graph = block_model(
        120, 10, num_blocks=4, p_in=0.12, p_out=0.004, persistence=0.97, edge_persistence=0.5, seed=7
    ).unweighted()
    about = "a built-in dynamic block model: four communities whose members and edges change"
    return Dataset(DEMO, graph, LastSnapshots(test=3), about)


def read_shipped(entry: Entry) -> TemporalGraph | None:
    """The graph of a dataset that comes with the package; None for those that do not.

    It is checked whenever it is read: a file that was altered, or is not there, is a broken installation.

    Example:
        >>> from supra_experiments.datasets.registry import REGISTRY
        >>> read_shipped(REGISTRY["enron10"]).num_edges, read_shipped(REGISTRY["as733"])
        (2392, None)
    """
    if not entry.ships:
        return None
    with resources.as_file(resources.files(__package__) / "shipped" / f"{entry.name}.csv.gz") as path:
        try:
            graph = read_edges(path)
        except SupraError as error:
            raise DatasetError(f"{error}; install supra-experiments again") from None
    if graph.digest != entry.graph_digest:
        raise DatasetError(f"{path}: is not what came with the package; install supra-experiments again")
    return graph


def read_published(entry: Entry, path: Path) -> TemporalGraph:
    """The graph of a CSV as published, whose checksum is right: what differs now is a mistake of ours."""
    found = read_edges(path)
    ids = found.node_labels - entry.first_id
    graph = TemporalGraph.from_edges(
        ids[found.source],
        ids[found.target],
        found.time,
        num_nodes=entry.num_nodes,
        num_snapshots=found.num_snapshots,
        # Ids that never occur are published as well.
        node_labels=np.arange(entry.num_nodes) + entry.first_id,
        snapshot_times=found.snapshot_times,
    )
    counts = (graph.num_snapshots, num_links(graph), graph.num_edges)
    if counts != (entry.num_snapshots, entry.num_links, entry.num_temporal_edges):
        raise DatasetError(
            f"{path}: snapshots, links, temporal edges {counts}: differ from the published ones"
        )
    return graph


def _user_file(path: Path, binning: dict[str, Any]) -> Dataset:
    try:
        graph = read_edges(path, **binning, max_snapshots=MAX_SNAPSHOTS)
    except SupraError as error:
        raise DatasetError(str(error)) from None
    if graph.num_edges == 0:
        raise DatasetError(f"{path}: has no edges between two different nodes")
    # A quarter of a user's snapshots, at least one; a single snapshot can be encoded but not split.
    return Dataset(str(path), graph, Fractions(validation=0.0, test=0.25), "an edge list of your own")


def num_links(graph: TemporalGraph) -> int:
    """Distinct undirected edges over all time, what the literature calls a dataset's links."""
    return len(np.unique(graph.source * graph.num_nodes + graph.target))
