"""The epochs of a run so far, and when it is done."""

import math
import os

from supra_experiments.datasets.splits import Selection
from supra_experiments.training.checkpoint import Checkpoint
from supra_experiments.training.record import EpochRecord
from supra_experiments.training.trainer import Trainer


class Progress:
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
