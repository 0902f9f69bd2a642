"""What a run is to learn and what it is judged on, and the record of how well it did."""

import os
import time
from dataclasses import dataclass, replace
from typing import Any, Self

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.datasets.splits import Split
from supra_experiments.protocol.evaluation import Judge, ScorerAt, judge, judge_mean, make_split
from supra_experiments.protocol.metrics import mean_metrics
from supra_experiments.training.record import RunRecord, machine, peak_memory, versions


@dataclass(frozen=True, eq=False)
class Task:
    """A dataset as a run meets it.

    Attributes:
        config: the settings, resolved.
        dataset: what they name.
        split: which snapshots are for training, and which for what else.
        judged: the links that scores are judged on.
    """

    config: Config
    dataset: Dataset
    split: Split
    judged: Judge

    @classmethod
    def of(
        cls,
        config: Config,
        dataset: Dataset | None = None,
        data_root: str | os.PathLike[str] | None = None,
    ) -> Self:
        """The task of some settings.

        Args:
            config: the settings.
            dataset: the dataset where it is at hand already; otherwise ``config.data.dataset`` is loaded.
            data_root: the folder of the published datasets.

        Raises:
            ExperimentError: settings and data that do not fit.
        """
        config = config.resolved()
        if dataset is None:
            dataset = load(config.data.dataset, root=data_root, **config.data.binning)
        split = make_split(config, dataset)
        # Who trains on past links as negatives chooses the epoch by them as well.
        mixed = config.training.train_negatives == "mixed"
        choosing = tuple(dict.fromkeys([config.data.negatives, *(["historical"] if mixed else [])]))
        links = (config.data.negatives, config.data.test_seed, choosing)
        return cls(config, dataset, split, Judge.of(dataset.graph, split, *links))

    @property
    def graph(self) -> TemporalGraph:
        """All snapshots."""
        return self.dataset.graph

    @property
    def seen(self) -> TemporalGraph:
        """What scores may use and no more, so that nothing later can leak into a model."""
        return self.graph.window(self.split.num_seen - 1, self.split.num_seen)

    def record(self, score_at: ScorerAt, **trained: Any) -> RunRecord:
        """The record of a run, with the metrics of all test links.

        Args:
            score_at: what was learned.
            trained: what training adds to a record.
        """
        start = time.perf_counter()
        judged = self.judged
        per_snapshot = judge(judged.test, score_at)
        record = RunRecord(
            config=self.config,
            graph_digest=self.graph.digest,
            test=mean_metrics(list(per_snapshot)),
            test_new=judge_mean(judged.test_new, score_at),
            test_new_step=judge_mean(judged.test_new_step, score_at),
            per_snapshot=per_snapshot,
            num_negatives=tuple(part.negatives.shape[1] for part in judged.test),
            by_negatives={kind: judge_mean(links, score_at) for kind, links in judged.by_negatives.items()},
            validation=judge_mean(judged.validation, score_at) if judged.validation else None,
            versions=dict(versions()),
            machine=machine(),
            **trained,
        )
        timings = replace(record.timings, scoring=time.perf_counter() - start)
        return replace(record, timings=timings, peak_memory=peak_memory())
