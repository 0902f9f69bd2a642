"""Node features: one-hot (as an index), random normal, zeros, or the user's own."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import torch
from numpy.typing import NDArray
from torch import Tensor

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import DatasetError


def node_features(config: Config, dataset: Dataset) -> tuple[Tensor, int]:
    """The features of all nodes, the same in every snapshot, and their number of channels.

    - ``one-hot``: integers (num_nodes,), which models read as one-hot rows; nothing n × n is formed;
    - ``random``: normal, drawn once from the run's seed, divided by √channels so that a row's length is about
      1, as a one-hot row's is (EvolveGCN-H diverges on longer ones);
    - ``zeros``: one channel of zeros;
    - a path: see :func:`read_features`.

    Returns:
        A tensor, integers (num_nodes,) or float32 (num_nodes, channels); and the channels.
    """
    num_nodes = dataset.graph.num_nodes
    if config.data.features == "one-hot":
        return torch.arange(num_nodes), num_nodes
    if config.data.features == "zeros":
        return torch.zeros(num_nodes, 1), 1
    if config.data.features == "random":
        channels = config.data.random_channels
        rng = np.random.default_rng([config.training.seed, 1])
        values = rng.standard_normal((num_nodes, channels)) / np.sqrt(channels)
        return torch.from_numpy(values.astype(np.float32)), channels
    own = read_features(config.data.features, dataset)
    return torch.from_numpy(own.astype(np.float32)), own.shape[1]


def read_features(path: str | os.PathLike[str], dataset: Dataset) -> NDArray[np.float64]:
    """A user's node features.

    A CSV or Parquet table has the column ``node`` with the labels of the edge list, and one further column a
    channel; nodes that it does not name get zeros. A ``.npy`` array has one row an id.

    Returns:
        An array (num_nodes, channels), finite.

    Raises:
        DatasetError: a file that is not such a table; the message says what is wrong with it.
    """
    path = Path(path)
    if not path.is_file():
        raise DatasetError(f"features={str(path)!r}: no such file")
    try:
        if path.suffix.lower() == ".npy":
            values = np.load(path, allow_pickle=False)
        elif path.suffix.lower() in (".parquet", ".pq"):
            values = _from_table(path, pd.read_parquet(path), dataset)
        else:
            values = _from_table(path, pd.read_csv(path, sep=_delimiter(path)), dataset)
    except DatasetError:
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise DatasetError(
            f"{path}: cannot be read as features ({' '.join(str(error).split())[:160]})"
        ) from None
    num_nodes = dataset.graph.num_nodes
    if (
        values.ndim != 2
        or len(values) != num_nodes
        or values.dtype.kind not in "biuf"
        or values.shape[1] == 0
    ):
        raise DatasetError(
            f"{path}: shape {values.shape} of {values.dtype}: must be numbers ({num_nodes}, channels)"
        )
    if not np.isfinite(values).all():
        raise DatasetError(f"{path}: must have finite values only")
    return values.astype(np.float64)


def _delimiter(path: Path) -> str:
    """The mark that parts the names of the header; a comma where there is but one name."""
    with path.open(encoding="utf-8-sig") as file:
        header = file.readline()
    return max(",;\t|", key=header.count)


def _from_table(path: Path, table: pd.DataFrame, dataset: Dataset) -> NDArray[Any]:
    if "node" not in table:
        raise DatasetError(
            f"{path}: columns={[str(name) for name in table.columns]}: must have the column node"
        )
    labels = table.pop("node")
    if 2 * len(labels) < dataset.graph.num_nodes:
        said = f"names {len(labels)} of {dataset.graph.num_nodes} nodes; the others get zeros"
        warnings.warn(f"{path}: {said}", stacklevel=2)
    if labels.duplicated().any():
        raise DatasetError(f"{path}: node {labels[labels.duplicated()].iloc[0]!r}: must be named once")
    for name, column in table.items():
        if not pd.api.types.is_numeric_dtype(column):
            raise DatasetError(f"{path}: column {name!r}: must hold numbers")
    if dataset.nodes.dtype.kind not in "iu":
        labels = labels.astype(str)
    values = np.zeros((dataset.graph.num_nodes, table.shape[1]))
    values[dataset.node_ids(labels.to_numpy())] = table.to_numpy(dtype=np.float64)
    return values
