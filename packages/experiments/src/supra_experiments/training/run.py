"""A network in training: its epochs, its checkpoint, and at the end its record."""

import math
import os
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from supra_experiments.encoding.tensors import EncodedGraph
from supra_experiments.protocol.evaluation import Scorer, ScorerAt, judge_mean
from supra_experiments.protocol.features import node_features
from supra_experiments.training.checkpoint import Checkpoint
from supra_experiments.training.devices import check_device
from supra_experiments.training.record import EpochRecord, RunRecord, Timings
from supra_experiments.training.task import Task
from supra_experiments.training.trainer import Trainer

CHECKPOINT_EVERY = 10

OnEpoch = Callable[[EpochRecord], None]


class Run:
    """A network, what it is to learn, and how far it has come.

    Args:
        task: what it is to learn.
        encoded: its encodings, or None.
        checkpoint: a file that the run writes now and then, and goes on from where it exists.
        checkpoint_every: epochs between two writes.
        judge_at: epochs after which the links that judge the run have a say before its end.
        device: where to compute instead of ``config.training.device``.

    Raises:
        ExperimentError: settings or a checkpoint that do not fit.
    """

    def __init__(
        self,
        task: Task,
        encoded: EncodedGraph | None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = CHECKPOINT_EVERY,
        judge_at: Collection[int] = (),
        device: str | None = None,
    ) -> None:
        self.task, self.encoded, self.path, self.every = task, encoded, checkpoint, checkpoint_every
        self.judge_at = judge_at
        config = task.config if device is None else task.config.replace(device=device)
        check_device(config.training.device)
        features = node_features(task.config, task.dataset)
        self.trainer = Trainer(config, task.seen, *features, encoded, task.split.num_fitted)
        self.name = task.config.run_name(task.graph.digest)
        self.history: tuple[EpochRecord, ...] = ()
        self.best_epoch = 0
        self.best_weights = self.trainer.weights()
        saved = None if checkpoint is None else Checkpoint.load(checkpoint, self.name)
        if saved is not None:
            self.history, self.best_epoch = saved.history, saved.best_epoch
            self.best_weights = saved.best_weights
            self.trainer.load_weights(saved.weights)
            self.trainer.load_optimizer_state(saved.optimizer)

    @property
    def diverged(self) -> bool:
        """Whether the last loss is no number any more."""
        return bool(self.history) and not math.isfinite(self.history[-1].loss)

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to train: out of epochs, out of patience, or diverged."""
        done, limits = len(self.history), self.task.config.training
        out_of_patience = done >= limits.min_epochs and done - self.best_epoch >= limits.patience
        return done > 0 and (done >= limits.max_epochs or self.diverged or out_of_patience)

    @property
    def next_epoch(self) -> int:
        """The number of the epoch to come."""
        return len(self.history) + 1

    def add(
        self,
        epoch: EpochRecord,
        scorers: dict[int, Scorer] | None = None,
        before_saving: Callable[[], None] | None = None,
    ) -> EpochRecord:
        """Take in an epoch that the trainer has gone through, and keep its weights if it is the best so far.

        Args:
            epoch: what it gave.
            scorers: those of the trainer, where they are at hand.
            before_saving: called before a checkpoint is written.

        Returns:
            The epoch with its validation AUC, where there are snapshots to choose it by.
        """
        epoch = self._validated(epoch, scorers)
        best = self.history[self.best_epoch - 1] if self.best_epoch else None
        self.history = (*self.history, epoch)
        if math.isfinite(epoch.loss) and (best is None or self._key(epoch) < self._key(best)):
            self.best_epoch, self.best_weights = epoch.epoch, self.trainer.weights()
        if epoch.epoch in self.judge_at and not self.diverged:
            epoch = replace(epoch, judged_auc=self._judged())
            self.history = (*self.history[:-1], epoch)
        if self.path is not None and (self.finished or epoch.epoch % self.every == 0):
            if before_saving is not None:
                before_saving()
            Checkpoint(
                digest=self.name,
                history=self.history,
                best_epoch=self.best_epoch,
                weights=self.trainer.weights(),
                best_weights=self.best_weights,
                optimizer=self.trainer.optimizer_state(),
            ).save(self.path)
        return epoch

    def record(self, pack: int = 1) -> RunRecord:
        """The record of the run, with the metrics of the epoch that the split's rule chose.

        Args:
            pack: how many runs trained together at first.
        """
        encoded = self.encoded
        self.trainer.load_weights(self.best_weights)
        return self.task.record(
            self._score_at(self.trainer.scorers()),
            selection=self.task.split.selection,
            best_epoch=self.best_epoch,
            num_parameters=self.trainer.num_parameters,
            history=self.history,
            diverged=self.diverged,
            timings=Timings(
                encoding=0.0 if encoded is None else encoded.seconds,
                training=sum(epoch.seconds for epoch in self.history),
                pack=pack,
            ),
            encoding={} if encoded is None else dict(encoded.report),
        )

    def _validated(self, epoch: EpochRecord, scorers: dict[int, Scorer] | None) -> EpochRecord:
        validation = self.task.judged.validation
        if not validation or not math.isfinite(epoch.loss):
            return epoch
        start = time.perf_counter()
        auc = judge_mean(validation, self._score_at(scorers or self.trainer.scorers())).auc
        seconds = epoch.seconds + time.perf_counter() - start
        return replace(epoch, validation_auc=auc, seconds=round(seconds, 6))

    def _judged(self) -> float:
        """The AUC of the best weights so far; training goes on as if nobody had asked."""
        now = self.trainer.weights()
        self.trainer.load_weights(self.best_weights)
        auc = judge_mean(self.task.judged.test, self._score_at(self.trainer.scorers())).auc
        self.trainer.load_weights(now)
        return auc

    def _score_at(self, scorers: dict[int, Scorer]) -> ScorerAt:
        return lambda snapshot: scorers[self.task.split.seen(snapshot)]

    def _key(self, epoch: EpochRecord) -> float:
        """What is to be small: the training loss, or minus the validation AUC."""
        if self.task.split.selection == "train_loss":
            return epoch.loss
        auc = epoch.validation_auc
        return math.inf if auc is None or math.isnan(auc) else -auc
