"""Settings judged before the test: the snapshots that are tested are cut off before a search begins."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from supra_experiments.config import Config
from supra_experiments.config.data import NEGATIVES
from supra_experiments.datasets import Dataset
from supra_experiments.datasets.registry import find_entry
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.evaluation import Judge, baseline_at, judge_mean, make_split
from supra_experiments.sweep.space import Value
from supra_experiments.training.record import RunRecord

Criterion = Literal["train_loss", "validation_auc", "held_out_auc", "held_out_lead"]
"""What a search makes best."""

HELD_OUT = ("held_out_auc", "held_out_lead")
"""Those that training snapshots decide, when a run is over; see :meth:`HeldOut.score`."""


@dataclass(frozen=True)
class HeldOut:
    """The snapshots of a dataset before the test, the last of which judge.

    A trial meets them as a run meets the whole dataset: where validation snapshots choose its epoch, as many
    before those that judge do. Where there are none, all are training snapshots.

    Attributes:
        dataset: without any snapshot that is tested.
        settings: those by which a run is judged by the last of its snapshots.
        opponents: by the kind of negatives, the best AUC of any score without learning on them; nothing
            where the criterion does not ask for it.

    Example:
        >>> from supra_experiments.datasets import load
        >>> demo = load("demo")
        >>> held_out = HeldOut.of(demo, Config(dataset="demo"), "held_out_auc", 2)
        >>> demo.graph.num_snapshots - held_out.dataset.graph.num_snapshots
        3
        >>> held_out.settings
        {'test_snapshots': 2, 'validation_snapshots': 0, 'follow': False}
    """

    dataset: Dataset
    settings: Mapping[str, Value]
    opponents: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset, config: Config, criterion: str, num_snapshots: int | None) -> Self:
        """Those under the split of the settings.

        Args:
            dataset: with all snapshots.
            config: of any run on it.
            criterion: one of :data:`HELD_OUT`.
            num_snapshots: how many judge; None: as many as are tested, and at most half of those trained on.

        Raises:
            ConfigError: no snapshot would be left to train on.
        """
        split = make_split(config, dataset)
        number = min(split.num_test, split.num_train // 2) if num_snapshots is None else num_snapshots
        if not 1 <= number < split.num_train:
            raise ConfigError(
                f"held_out={number}: must leave one of {dataset.name}'s {split.num_train} training snapshots"
            )
        num_left = split.num_train + split.num_validation
        graph = dataset.graph.window(num_left - 1, num_left)
        settings = {
            "test_snapshots": number,
            "validation_snapshots": split.num_validation,
            "follow": split.follows,
        }
        own = config.replace(**settings)
        cut = replace(dataset, graph=graph)
        return cls(cut, settings, _best_unlearned(own, cut) if criterion == "held_out_lead" else {})

    def score(self, record: RunRecord, criterion: str) -> float:
        """How good a run is, larger being better; -inf where nothing can be said.

        ``held_out_lead`` is the smallest difference to the opponents over all kinds of negatives: what is
        best by it is ahead under each, or least behind.
        """
        if criterion == "held_out_auc":
            found = record.test.auc
        else:
            found = min(record.by_negatives[kind].auc - best for kind, best in self.opponents.items())
        return found if math.isfinite(found) else -math.inf


def is_validated(config: Config) -> bool:
    """Whether validation snapshots judge the epochs of a run, as far as that is known without its data."""
    if config.model.is_network and config.training.protocol == "next":
        return True  # by the last training snapshots
    entry = find_entry(config.data.dataset)
    own = 0
    if entry is not None and config.data.test_snapshots is None:
        own = entry.split.split(entry.num_snapshots).num_validation
    given = config.data.validation_snapshots
    return bool(own if given is None else given)


def _best_unlearned(config: Config, dataset: Dataset) -> dict[str, float]:
    graph, split = dataset.graph, make_split(config, dataset)
    links = Judge.of(graph, split, config.data.negatives, config.data.test_seed).by_negatives
    scorers = [baseline_at(name, graph, split) for name in BASELINES]
    return {kind: max(judge_mean(links[kind], scorer).auc for scorer in scorers) for kind in NEGATIVES}
