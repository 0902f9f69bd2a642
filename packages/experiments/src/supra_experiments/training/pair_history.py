"""What is known of pairs before a snapshot, and the pairs to train on: no model may see more."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_core.pairs import PairFeatures, PairPast
from supra_experiments.config import Config
from supra_experiments.encoding.tensors import EncodedGraph
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.negatives import Pairs, absent_links, edge_keys, training_non_edges


@dataclass(frozen=True, eq=False)
class PairHistory:
    """Features of pairs from the snapshots before one.

    Args:
        graph: the snapshots that may be looked at.
        encoded: their encodings, or None.
        decay: what a snapshot counts beside the one after it.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 1, 0], [1, 2, 1], [0, 0, 1])
        >>> PairHistory(graph, None, 0.5).before(1, np.array([[0], [1]])).column("links").tolist()
        [1.0]
    """

    graph: TemporalGraph
    encoded: EncodedGraph | None
    decay: float
    _pasts: dict[int, PairPast] = field(default_factory=dict, init=False, repr=False)

    def before(self, t: int, pairs: Pairs) -> PairFeatures:
        """The features of pairs (2, m) from the first ``t`` snapshots, and the encoding of the last of them.

        Raises:
            InvalidArgumentError: ``t`` is not in 1 .. num_snapshots.
        """
        encoding = None if self.encoded is None or t < 1 else self.encoded.windows[t - 1][-1].numpy()
        if t not in self._pasts:  # the same for all epochs
            self._pasts[t] = PairPast.of(self.graph, t - 1, self.decay)
        return self._pasts[t].features(pairs, encoding)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the features, in their order."""
        return self.before(1, np.zeros((2, 0), dtype=np.int64)).names


class TrainingPairs:
    """The links of training snapshots, and fresh non-edges beside them.

    Args:
        config: the settings of the run.
        graph: the snapshots.
        num_train: how many of them are trained on.
    """

    def __init__(self, config: Config, graph: TemporalGraph, num_train: int) -> None:
        self.num_nodes = graph.num_nodes
        self.share = config.training.historical_share
        self.keys = [edge_keys(graph, t) for t in range(num_train)]
        self.links: list[Pairs] = [np.stack(graph.snapshot(t)[:2]) for t in range(num_train)]
        mixed = config.training.train_negatives == "mixed"
        self._absent: list[NDArray[np.int64] | None] = [
            absent_links(graph, t) if mixed else None for t in range(num_train)
        ]

    def non_edges(self, t: int, count: int, rng: np.random.Generator) -> Pairs:
        """Pairs (2, m), m <= count, that are no links of snapshot ``t``."""
        return training_non_edges(
            self.keys[t], self.num_nodes, count, rng, absent=self._absent[t], share=self.share
        )


def training_features(
    config: Config, history: PairHistory, num_train: int
) -> tuple[PairFeatures, NDArray[np.bool_]]:
    """The links of all training snapshots but the first, non-edges beside them, and what came before each.

    Returns:
        Features (m, f), and which rows are links (m,).

    Raises:
        ConfigError: fewer than two training snapshots, or none with a link.
    """
    pairs = TrainingPairs(config, history.graph, num_train)
    rng = np.random.default_rng([config.training.seed, 4])
    rows: list[NDArray[np.float64]] = []
    labels: list[NDArray[np.bool_]] = []
    for t in range(1, num_train):
        links = pairs.links[t]
        drawn = pairs.non_edges(t, config.training.negatives_per_link * links.shape[1], rng)
        both: Pairs = np.concatenate([links, drawn], axis=1)
        rows.append(history.before(t, both).values)
        labels.append(np.arange(both.shape[1]) < links.shape[1])
    truth = np.concatenate(labels) if labels else np.zeros(0, dtype=bool)
    if truth.all() or not truth.any():
        raise ConfigError(
            f"model={config.model.name!r}: needs links and non-edges in the second of {num_train} training "
            "snapshots, or in a later one"
        )
    return PairFeatures(np.concatenate(rows), history.names), truth
