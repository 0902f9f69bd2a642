"""A run is a function of its settings: ``fit(config) -> RunRecord``."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.datasets.splits import Selection, Split
from supra_experiments.encoding.tensors import EncodedGraph, encode_graph
from supra_experiments.protocol.evaluation import Judge, ScorerAt, baseline_at, judge, judge_mean, make_split
from supra_experiments.protocol.features import node_features
from supra_experiments.protocol.metrics import mean_metrics
from supra_experiments.training.checkpoint import Checkpoint
from supra_experiments.training.devices import check_device
from supra_experiments.training.learned_scores import learn_score
from supra_experiments.training.record import EpochRecord, RunRecord, Timings, peak_memory, versions
from supra_experiments.training.trainer import Trainer

CHECKPOINT_EVERY = 10

OnEpoch = Callable[[EpochRecord], None]
Encode = Callable[[Config, TemporalGraph], EncodedGraph | None]
"""From settings and graph to encodings, as ``encoding.tensors.encode_graph``."""


def fit(
    config: Config,
    *,
    dataset: Dataset | None = None,
    data_root: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = CHECKPOINT_EVERY,
    on_epoch: OnEpoch | None = None,
    encode: Encode = encode_graph,
    device: str | None = None,
) -> RunRecord:
    """Train and test one model. The same settings give the same numbers on the same machine.

    Args:
        config: the settings.
        dataset: the dataset where it is at hand already; otherwise ``config.data.dataset`` is loaded.
        data_root: the folder of the published datasets.
        checkpoint: a file that the run writes now and then, and goes on from where it exists.
        checkpoint_every: epochs between two writes.
        on_epoch: told about each epoch, e.g. to draw a progress bar.
        encode: where the encodings come from, e.g. a folder that several processes share.
        device: where to compute instead of ``config.training.device``: what a cluster happens to give to a
            run is no setting of it.

    Returns:
        The record, with the metrics of the epoch that the split's rule chose; the test set chooses nothing.

    Raises:
        ExperimentError: settings, data or a checkpoint that do not fit.

    Example:
        >>> record = fit(Config(dataset="demo", model="neighbours"))
        >>> 0.5 < record.test.auc < 1
        True
    """
    config = config.resolved()
    if dataset is None:
        dataset = load(config.data.dataset, root=data_root, **config.data.binning)
    graph, split = dataset.graph, make_split(config, dataset)
    # Who trains on past links as negatives chooses the epoch by them as well.
    mixed = config.training.train_negatives == "mixed"
    choosing = tuple(dict.fromkeys([config.data.negatives, *(["historical"] if mixed else [])]))
    judged = Judge.of(graph, split, config.data.negatives, config.data.test_seed, choosing)
    if not config.model.is_learned:
        score_at = baseline_at(config.model.name, graph, split)
        return _record(config, graph, judged, score_at, selection="none", best_epoch=0)
    with _torch_settings(config.training.threads):
        # The model sees what scores may use and no more, so that nothing later can leak into it.
        seen = graph.window(split.num_seen - 1, split.num_seen)
        encoded = encode(config, seen)
        if not config.model.is_network:
            return _fit_score(config, graph, seen, split, judged, encoded)
        placed = config if device is None else config.replace(device=device)
        check_device(placed.training.device)
        trainer = Trainer(placed, seen, *node_features(config, dataset), encoded, split.num_fitted)
        progress = _Progress(trainer, split.selection, checkpoint, config.run_name(graph.digest))
        while not progress.finished:
            epoch = _validated(trainer.epoch(len(progress.history) + 1), trainer, split, judged)
            progress.add(epoch)
            if progress.finished or epoch.epoch % checkpoint_every == 0:
                progress.save()
            if on_epoch is not None:
                on_epoch(epoch)
        trainer.load_weights(progress.best_weights)
        trained = _trained(progress, trainer, encoded)
        return _record(config, graph, judged, _score_at(trainer, split), **trained)


def _fit_score(
    config: Config,
    graph: TemporalGraph,
    seen: TemporalGraph,
    split: Split,
    judged: Judge,
    encoded: EncodedGraph | None,
) -> RunRecord:
    """The record of a score that is learned without a network, in one go and not in epochs."""
    start = time.perf_counter()
    score_at, learned = learn_score(config, seen, split, encoded)
    coefficients = learned.to_dict()
    return _record(
        config,
        graph,
        judged,
        score_at,
        selection="none",
        best_epoch=0,
        num_parameters=len(coefficients.get("weight", ())) + bool(coefficients),
        coefficients=coefficients,
        timings=Timings(
            encoding=0.0 if encoded is None else encoded.seconds, training=time.perf_counter() - start
        ),
        encoding={} if encoded is None else dict(encoded.report),
    )


def _validated(epoch: EpochRecord, trainer: Trainer, split: Split, judged: Judge) -> EpochRecord:
    """The epoch with its validation AUC, where there are snapshots to judge it by."""
    if not judged.validation or not math.isfinite(epoch.loss):
        return epoch
    start = time.perf_counter()
    auc = judge_mean(judged.validation, _score_at(trainer, split)).auc
    return replace(epoch, validation_auc=auc, seconds=round(epoch.seconds + time.perf_counter() - start, 6))


def _score_at(trainer: Trainer, split: Split) -> ScorerAt:
    scorers = trainer.scorers()
    return lambda snapshot: scorers[split.seen(snapshot)]


class _Progress:
    """The epochs so far, the best of them, and whether to go on.

    Args:
        trainer: what is trained; it goes on from the checkpoint if there is one.
        selection: what the best epoch is best in.
        path: of the checkpoint, if there is to be one.
        digest: what a checkpoint must agree with.
    """

    def __init__(
        self, trainer: Trainer, selection: Selection, path: str | os.PathLike[str] | None, digest: str
    ) -> None:
        self.trainer, self.selection, self.path, self.digest = trainer, selection, path, digest
        self.history: tuple[EpochRecord, ...] = ()
        self.best_epoch = 0
        self.best_weights = trainer.weights()
        saved = None if path is None else Checkpoint.load(path, digest)
        if saved is not None:
            self.history, self.best_epoch = saved.history, saved.best_epoch
            self.best_weights = saved.best_weights
            trainer.load_weights(saved.weights)
            trainer.load_optimizer_state(saved.optimizer)

    def add(self, epoch: EpochRecord) -> None:
        """Take an epoch in, and keep its weights if it is the best so far."""
        best = self.history[self.best_epoch - 1] if self.best_epoch else None
        self.history = (*self.history, epoch)
        if math.isfinite(epoch.loss) and (
            best is None or _key(epoch, self.selection) < _key(best, self.selection)
        ):
            self.best_epoch, self.best_weights = epoch.epoch, self.trainer.weights()

    @property
    def diverged(self) -> bool:
        """Whether the last loss is no number any more."""
        return bool(self.history) and not math.isfinite(self.history[-1].loss)

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to do: out of epochs, out of patience, or diverged."""
        done, limits = len(self.history), self.trainer.config.training
        out_of_patience = done >= limits.min_epochs and done - self.best_epoch >= limits.patience
        return done > 0 and (done >= limits.max_epochs or self.diverged or out_of_patience)

    def save(self) -> None:
        """Write the checkpoint, if one was asked for."""
        if self.path is not None:
            Checkpoint(
                digest=self.digest,
                history=self.history,
                best_epoch=self.best_epoch,
                weights=self.trainer.weights(),
                best_weights=self.best_weights,
                optimizer=self.trainer.optimizer_state(),
            ).save(self.path)


def _key(epoch: EpochRecord, selection: Selection) -> float:
    """What is to be small: the training loss, or minus the validation AUC."""
    if selection == "train_loss":
        return epoch.loss
    auc = epoch.validation_auc
    return math.inf if auc is None or math.isnan(auc) else -auc


def _trained(progress: _Progress, trainer: Trainer, encoded: EncodedGraph | None) -> dict[str, Any]:
    """What training adds to a record."""
    return {
        "selection": progress.selection,
        "best_epoch": progress.best_epoch,
        "num_parameters": trainer.num_parameters,
        "history": progress.history,
        "diverged": progress.diverged,
        "timings": Timings(
            encoding=0.0 if encoded is None else encoded.seconds,
            training=sum(epoch.seconds for epoch in progress.history),
        ),
        "encoding": {} if encoded is None else dict(encoded.report),
    }


def _record(
    config: Config, graph: TemporalGraph, judged: Judge, score_at: ScorerAt, **trained: Any
) -> RunRecord:
    """The record of a run, with the metrics of all test links."""
    start = time.perf_counter()
    per_snapshot = judge(judged.test, score_at)
    record = RunRecord(
        config=config,
        graph_digest=graph.digest,
        test=mean_metrics(list(per_snapshot)),
        test_new=judge_mean(judged.test_new, score_at),
        test_new_step=judge_mean(judged.test_new_step, score_at),
        per_snapshot=per_snapshot,
        num_negatives=tuple(part.negatives.shape[1] for part in judged.test),
        by_negatives={kind: judge_mean(links, score_at) for kind, links in judged.by_negatives.items()},
        validation=judge_mean(judged.validation, score_at) if judged.validation else None,
        versions=dict(versions()),
        **trained,
    )
    timings = replace(record.timings, scoring=time.perf_counter() - start)
    return replace(record, timings=timings, peak_memory=peak_memory())


@contextmanager
def _torch_settings(threads: int) -> Iterator[None]:
    """Threads and random state for a run, both put back afterwards."""
    before = torch.get_num_threads()
    with torch.random.fork_rng():
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


__all__ = ["CHECKPOINT_EVERY", "Encode", "fit"]
