"""How a score is judged: on fixed links of every test snapshot, and of validation snapshots if any."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.config.data import NEGATIVES
from supra_experiments.datasets import Dataset
from supra_experiments.datasets.splits import LastSnapshots, Split
from supra_experiments.protocol.baselines import baseline
from supra_experiments.protocol.metrics import Metrics, mean_metrics, score_metrics
from supra_experiments.protocol.negatives import (
    LinkSet,
    Pairs,
    evaluation_links,
    new_links,
)

Scorer = Callable[[Pairs], NDArray[np.floating[Any]]]
"""From pairs (2, m) to scores (m,), higher for likelier links."""

ScorerAt = Callable[[int], Scorer]
"""From the index of a snapshot to what scores its links: from what comes before it."""


def make_split(config: Config, dataset: Dataset) -> Split:
    """The dataset's own split, or the one that the settings ask for.

    A network that learns to predict the next snapshot does well on those it has learned: without validation
    snapshots, the last training ones choose its epoch.

    Raises:
        InvalidArgumentError: more test, validation and held-out snapshots than there are.
    """
    split = _asked_split(config, dataset)
    chooses = config.model.is_network and config.training.protocol == "next" and not split.num_validation
    return replace(split, num_held_out=config.training.held_out) if chooses else split


def _asked_split(config: Config, dataset: Dataset) -> Split:
    num_snapshots = dataset.graph.num_snapshots
    own = dataset.split_rule.split(num_snapshots)
    follows = own.follows if config.data.follow is None else config.data.follow
    if config.data.test_snapshots is None and config.data.validation_snapshots is None:
        return replace(own, follows=follows)
    num_test = own.num_test if config.data.test_snapshots is None else config.data.test_snapshots
    rule = LastSnapshots(test=num_test, validation=config.data.validation_snapshots or 0, follows=follows)
    return rule.split(num_snapshots)


@dataclass(frozen=True, eq=False)
class Judge:
    """The links that every model is judged on.

    Attributes:
        validation: one set for each snapshot that chooses the epoch, and kind of negatives.
        test: one for each test snapshot.
        by_negatives: the same links beside each kind of negatives.
        test_new: those links that are not in the last snapshot that scores use.
        test_new_step: those that are not in the snapshot before, as HTGN counts new links.
    """

    validation: tuple[LinkSet, ...]
    test: tuple[LinkSet, ...]
    by_negatives: dict[str, tuple[LinkSet, ...]]
    test_new: tuple[LinkSet, ...]
    test_new_step: tuple[LinkSet, ...]

    @classmethod
    def of(
        cls, graph: TemporalGraph, split: Split, negatives: str, seed: int, choosing: tuple[str, ...] = ()
    ) -> "Judge":
        """The links of a graph; the same for every model, run and machine.

        Args:
            graph, split, negatives, seed: of the run.
            choosing: the kinds of negatives that choose the epoch; that of the run where not given.
        """
        common = (negatives, seed)
        by_negatives = {
            kind: tuple(evaluation_links(graph, split, t, kind, seed) for t in split.test)
            for kind in NEGATIVES
        }
        return cls(
            validation=tuple(
                evaluation_links(graph, split, t, kind, seed)
                for kind in choosing or (negatives,)
                for t in split.judging
            ),
            test=by_negatives[negatives],
            by_negatives=by_negatives,
            test_new=tuple(new_links(graph, split, t, *common) for t in split.test),
            test_new_step=tuple(new_links(graph, split, t, *common, since=t - 1) for t in split.test),
        )


def judge(links: tuple[LinkSet, ...], score_at: ScorerAt) -> tuple[Metrics, ...]:
    """The metrics of each snapshot; a snapshot without links has none."""
    return tuple(
        score_metrics(part.labels, score_at(part.snapshot)(part.pairs) if part.pairs.size else np.zeros(0))
        for part in links
    )


def judge_mean(links: tuple[LinkSet, ...], score_at: ScorerAt) -> Metrics:
    """Their mean over snapshots."""
    return mean_metrics(list(judge(links, score_at)))


def baseline_at(name: str, graph: TemporalGraph, split: Split) -> ScorerAt:
    """A score without learning, from the snapshots that the split lets it see."""

    @cache
    def by_seen(num_seen: int) -> Scorer:
        return baseline(name, graph, num_seen)

    return lambda snapshot: by_seen(split.seen(snapshot))
