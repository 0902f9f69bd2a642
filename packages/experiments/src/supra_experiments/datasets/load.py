"""One way in: a name or a file becomes a :class:`Dataset`."""

import difflib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_core.checks import check_count
from supra_core.generators import block_model
from supra_experiments.datasets.edge_file import SUFFIXES, read_edge_file
from supra_experiments.datasets.fetch import Progress, fetch
from supra_experiments.datasets.registry import ALIASES, DEMO, REGISTRY, Entry, find_entry
from supra_experiments.errors import DatasetError
from supra_experiments.splits import Fractions, LastSnapshots, SplitRule

MAX_SNAPSHOTS = 1000
"""More distinct times than this are events in continuous time, which want bins."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A temporal graph together with what its ids and layers are called, and how it is split.

    Attributes:
        name: a published name, ``demo`` or the file's path.
        graph: undirected; unweighted unless the user's file has weights.
        nodes: the label of each id, shape (num_nodes,).
        times: the label of each snapshot, shape (num_snapshots,).
        split_rule: which snapshots are tested.
        about: one line for people.
    """

    name: str
    graph: TemporalGraph
    nodes: NDArray[Any]
    times: NDArray[Any]
    split_rule: SplitRule = field(default_factory=lambda: LastSnapshots(test=1))
    about: str = ""

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
    progress: Progress | None = None,
) -> Dataset:
    """A dataset by name (``enron10``, ``demo``, …) or the path of an edge list.

    Args:
        dataset: a name in whatever case, or a CSV or Parquet file.
        root: the folder of the published files; see :func:`~supra_experiments.datasets.fetch.data_root`.
        num_snapshots: put a file's times into so many bins of equal width; without it each distinct time is a
            snapshot of its own.
        progress: told about a download.

    Raises:
        DatasetError: an unknown name, or data that cannot be had or read.

    Example:
        >>> load("demo").graph.num_snapshots
        10
    """
    name = os.fspath(dataset)
    if name.lower() == DEMO:
        _refuse_bins(name, num_snapshots)
        return _demo()
    if (entry := find_entry(name)) is not None:
        _refuse_bins(name, num_snapshots)
        return _published(entry, fetch(entry, root, progress=progress))
    path = Path(name).expanduser()
    if not path.exists() and path.suffix.lower() not in SUFFIXES:
        raise DatasetError(_unknown(name))
    return _user_file(path, num_snapshots)


def _refuse_bins(name: str, num_snapshots: int | None) -> None:
    if num_snapshots is not None:
        raise DatasetError(
            f"num_snapshots={num_snapshots!r}: must be left out for {name}, whose snapshots are given"
        )


def _unknown(name: str) -> str:
    known = [DEMO, *REGISTRY]
    near = difflib.get_close_matches(name.lower(), [*known, *ALIASES], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"dataset={name!r}: must be one of {', '.join(known)}, or the path of a CSV or Parquet file{hint}"


def _demo() -> Dataset:
    """A seeded dynamic block model: communities that members now and then leave, edges that come and go."""
    graph = block_model(
        120, 10, num_blocks=4, p_in=0.12, p_out=0.004, persistence=0.97, edge_persistence=0.5, seed=7
    ).unweighted()
    return Dataset(
        name=DEMO,
        graph=graph,
        nodes=np.arange(graph.num_nodes),
        times=np.arange(graph.num_snapshots),
        split_rule=LastSnapshots(test=3),
        about="a built-in dynamic block model: four communities whose members and edges change",
    )


def _published(entry: Entry, path: Path) -> Dataset:
    """The CSV as published; its checksum is right, so what differs from the registry is a mistake of ours."""
    table = pd.read_csv(path, usecols=["u", "i", "ts"])
    stamps, layer = np.unique(table["ts"].to_numpy(), return_inverse=True)
    graph = TemporalGraph.from_edges(
        table["u"].to_numpy() - entry.first_id,
        table["i"].to_numpy() - entry.first_id,
        layer,
        num_nodes=entry.num_nodes,
        num_snapshots=entry.num_snapshots,
    ).unweighted()
    found = (len(stamps), num_links(graph), graph.num_edges)
    if found != (entry.num_snapshots, entry.num_links, entry.num_temporal_edges):
        raise DatasetError(
            f"{path}: snapshots, links, temporal edges {found}: differ from the published ones"
        )
    return Dataset(
        name=entry.name,
        graph=graph,
        nodes=np.arange(entry.num_nodes) + entry.first_id,
        times=stamps.astype(np.int64),
        split_rule=entry.split,
        about=entry.about,
    )


def _user_file(path: Path, num_snapshots: int | None) -> Dataset:
    file = read_edge_file(path)
    nodes, ids = np.unique(np.concatenate([file.source, file.target]), return_inverse=True)
    source, target = np.split(ids.astype(np.int64), 2)
    times, layer = _layers(path, file.time, num_snapshots)
    # Without weights an edge listed in both directions is still one edge, so duplicates must not add up.
    graph = TemporalGraph.from_edges(
        source, target, layer, file.weight, num_nodes=len(nodes), num_snapshots=len(times)
    )
    if graph.num_edges == 0:
        raise DatasetError(f"{path}: has no edges between two different nodes")
    return Dataset(
        name=str(path),
        graph=graph if file.weight is not None else graph.unweighted(),
        nodes=nodes,
        times=times,
        # A quarter of a user's snapshots, at least one; a single snapshot can be encoded but not split.
        split_rule=Fractions(validation=0.0, test=0.25),
        about="an edge list of your own",
    )


def _layers(
    path: Path, time: NDArray[Any], num_snapshots: int | None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The label of each snapshot, and the snapshot of each edge."""
    if num_snapshots is None:
        times, layer = np.unique(time, return_inverse=True)
        if len(times) > MAX_SNAPSHOTS:
            raise DatasetError(
                f"{path}: has {len(times)} distinct times: say with --snapshots how many to make of them"
            )
        return times, layer.astype(np.int64)
    num_snapshots = check_count("num_snapshots", num_snapshots)
    start = time.min()
    offset = (time - start).astype(np.float64)
    span = float(offset.max()) or 1.0
    layer = np.minimum((offset / span * num_snapshots).astype(np.int64), num_snapshots - 1)
    starts = np.arange(num_snapshots) * (span / num_snapshots)
    times = start + (starts.astype("timedelta64[s]") if time.dtype.kind == "M" else starts)
    return times, layer


def num_links(graph: TemporalGraph) -> int:
    """Distinct undirected edges over all time, what the literature calls a dataset's links."""
    return len(np.unique(graph.source * graph.num_nodes + graph.target))
