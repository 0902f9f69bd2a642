"""Encodings as processes hand them to each other: plain arrays, which one machine's processes share."""

import warnings
from collections.abc import Callable
from typing import Any

import torch

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.encoding.tensors import EncodedGraph, encode_graph
from supra_experiments.protocol.evaluation import make_split

Packed = dict[str, Any]
"""The attributes of an :class:`EncodedGraph`, windows as arrays."""


def key_of(config: Config, graph: TemporalGraph, num_layers: int) -> str | None:
    """What determines the encodings of a graph: runs with equal keys share them. None without encoding.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
        >>> key_of(Config(pe="slpe-e", seed=0), graph, 1) == key_of(Config(pe="slpe-e", seed=1), graph, 1)
        True
    """
    encoder = config.encoder
    return None if encoder is None else f"{graph.digest} {encoder!r} {num_layers}"


def compute(config: Config, dataset: Dataset, num_layers: int) -> Packed:
    """The encodings of the snapshots of a dataset that a run may see."""
    num_seen = make_split(config, dataset).num_seen
    encoded = encode_graph(config, dataset.graph.window(num_seen - 1, num_seen), num_layers)
    if encoded is None:
        raise ValueError(f"pe={config.encoding.pe!r}: there is nothing to compute")
    return vars(encoded) | {"windows": [window.numpy() for window in encoded.windows]}


def unpack(packed: Packed) -> EncodedGraph:
    """The way back. The arrays are not copied, and may be read-only: models do not write to their inputs."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not writable.*")
        windows = tuple(torch.from_numpy(window) for window in packed["windows"])
    return EncodedGraph(**packed | {"windows": windows})


class Cache:
    """The last encodings of this process."""

    SIZE = 8
    _kept: dict[str, EncodedGraph] = {}  # noqa: RUF012 - one for the process

    @classmethod
    def get(cls, key: str, fetch: Callable[[], Packed]) -> EncodedGraph:
        """Those of ``key``, fetched where they are not here."""
        if key not in cls._kept:
            while len(cls._kept) >= cls.SIZE:
                del cls._kept[next(iter(cls._kept))]
            cls._kept[key] = unpack(fetch())
        return cls._kept[key]
