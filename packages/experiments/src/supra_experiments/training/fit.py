"""A run is a function of its settings: ``fit(config) -> RunRecord``."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import torch

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.encoding.tensors import EncodedGraph, encode_graph
from supra_experiments.protocol.evaluation import Judge, ScorerAt, baseline_at, judge, judge_mean, make_split
from supra_experiments.protocol.features import node_features
from supra_experiments.protocol.metrics import Metrics, mean_metrics
from supra_experiments.protocol.negatives import Negatives
from supra_experiments.protocol.splits import Selection, Split
from supra_experiments.training.checkpoint import Checkpoint, checkpoint_digest
from supra_experiments.training.devices import check_device
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
    split = make_split(config, dataset)
    judged = Judge.of(dataset.graph, split, cast(Negatives, config.data.negatives), config.data.test_seed)
    if not config.model.is_learned:
        score_at = baseline_at(config.model.name, dataset.graph, split)
        return _record(config, dataset, judged, score_at, selection="none", best_epoch=0)
    with _torch_settings(config):
        return _fit_learned(
            config, dataset, split, judged, checkpoint, checkpoint_every, on_epoch, encode, device
        )


def _fit_learned(
    config: Config,
    dataset: Dataset,
    split: Split,
    judged: Judge,
    checkpoint: str | os.PathLike[str] | None,
    checkpoint_every: int,
    on_epoch: OnEpoch | None,
    encode: Encode,
    device: str | None,
) -> RunRecord:
    # Everything below sees what scores may stand on and no more, so that nothing later can leak into it.
    graph = dataset.graph.window(split.num_seen - 1, split.num_seen)
    encoded = encode(config, graph)
    x, in_channels = node_features(config, dataset)
    placed = config if device is None else config.replace(device=device)
    check_device(placed.training.device)
    trainer = Trainer(placed, graph, x, in_channels, encoded, split.num_train)
    progress = _Progress(trainer, split, checkpoint, checkpoint_digest(config, dataset.graph.digest))
    while not progress.finished:
        epoch = trainer.epoch(len(progress.history) + 1)
        if split.num_validation and math.isfinite(epoch.loss):
            start = time.perf_counter()
            auc = judge_mean(judged.validation, _score_at(trainer, split)).auc
            seconds = round(epoch.seconds + time.perf_counter() - start, 6)
            epoch = replace(epoch, validation_auc=auc, seconds=seconds)
        progress.add(epoch)
        if progress.finished or len(progress.history) % checkpoint_every == 0:
            progress.save()
        if on_epoch is not None:
            on_epoch(epoch)
    trainer.load_weights(progress.best_weights)
    return _record(
        config,
        dataset,
        judged,
        _score_at(trainer, split),
        selection=split.selection,
        best_epoch=progress.best_epoch,
        history=progress.history,
        num_parameters=trainer.num_parameters,
        encoded=encoded,
    )


def _score_at(trainer: Trainer, split: Split) -> ScorerAt:
    scorers = trainer.scorers()
    return lambda snapshot: scorers[split.seen(snapshot)]


class _Progress:
    """The epochs so far, the best of them, and whether to go on."""

    def __init__(
        self, trainer: Trainer, split: Split, path: str | os.PathLike[str] | None, digest: str
    ) -> None:
        self.trainer, self.selection, self.config = trainer, split.selection, trainer.config
        self.path = None if path is None else Path(path)
        self.digest = digest
        self.history: tuple[EpochRecord, ...] = ()
        self.best_epoch = 0
        self.best_weights = trainer.weights()
        saved = None if self.path is None else Checkpoint.load(self.path, digest)
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
    def finished(self) -> bool:
        """Whether there is nothing more to do: out of epochs, out of patience, or diverged."""
        done = len(self.history)
        if done == 0:
            return False
        if done >= self.config.training.max_epochs or not math.isfinite(self.history[-1].loss):
            return True
        return (
            done >= self.config.training.min_epochs
            and done - self.best_epoch >= self.config.training.patience
        )

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


def _record(
    config: Config,
    dataset: Dataset,
    judged: Judge,
    score_at: ScorerAt,
    *,
    selection: str,
    best_epoch: int,
    history: tuple[EpochRecord, ...] = (),
    num_parameters: int = 0,
    encoded: EncodedGraph | None = None,
) -> RunRecord:
    start = time.perf_counter()
    per_snapshot = judge(judged.test, score_at)
    validation: Metrics | None = judge_mean(judged.validation, score_at) if judged.validation else None
    new, new_step = judge_mean(judged.test_new, score_at), judge_mean(judged.test_new_step, score_at)
    by_negatives = {kind: judge_mean(links, score_at) for kind, links in judged.by_negatives.items()}
    scoring = time.perf_counter() - start
    return RunRecord(
        config=config,
        graph_digest=dataset.graph.digest,
        selection=selection,
        best_epoch=best_epoch,
        test=mean_metrics(list(per_snapshot)),
        test_new=new,
        test_new_step=new_step,
        per_snapshot=per_snapshot,
        num_negatives=tuple(part.negatives.shape[1] for part in judged.test),
        by_negatives={str(kind): metrics for kind, metrics in by_negatives.items()},
        validation=validation,
        num_parameters=num_parameters,
        history=history,
        diverged=bool(history) and not math.isfinite(history[-1].loss),
        timings=Timings(
            encoding=0.0 if encoded is None else encoded.seconds,
            training=sum(epoch.seconds for epoch in history),
            scoring=scoring,
        ),
        encoding={} if encoded is None else dict(encoded.report),
        peak_memory=peak_memory(),
        versions=dict(versions()),
    )


@contextmanager
def _torch_settings(config: Config) -> Iterator[None]:
    """Threads and random state for a run, both put back afterwards."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng():
        torch.set_num_threads(config.training.threads)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


__all__ = ["CHECKPOINT_EVERY", "Encode", "fit"]
