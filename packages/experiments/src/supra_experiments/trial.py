"""One trial of a sweep: a run with its checkpoint, its reports, and a plain word for what went wrong."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from supra_experiments.checkpoint import Checkpoint, checkpoint_digest
from supra_experiments.checkpoint_store import CheckpointStore, run_name
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import CheckpointError
from supra_experiments.records import EpochRecord, RunRecord
from supra_experiments.splits import Selection
from supra_experiments.train import Encode

REPORT_EVERY = 10
"""Epochs between two reports of a trial."""


class Objective(Protocol):
    """What a trial computes: :func:`~supra_experiments.train.fit`, or a function that takes its place."""

    def __call__(
        self,
        config: Config,
        *,
        dataset: Dataset | None,
        checkpoint: str | os.PathLike[str] | None,
        on_epoch: Callable[[EpochRecord], None] | None,
        encode: Encode,
        device: str | None,
    ) -> RunRecord:
        """The record of a run."""
        ...


@dataclass
class Best:
    """The best value of the criterion so far, larger being better; the test never counts.

    Example:
        >>> best = Best("train_loss")
        >>> best.add(EpochRecord(1, 0.5, None, 0.1))
        >>> best.add(EpochRecord(2, 0.7, None, 0.1))
        >>> best.score
        -0.5
    """

    selection: Selection
    score: float = -math.inf

    def add(self, epoch: EpochRecord) -> None:
        """Take an epoch in."""
        value = -epoch.loss if self.selection == "train_loss" else epoch.validation_auc
        if value is not None and math.isfinite(value):
            self.score = max(self.score, value)


def score_of(record: RunRecord, selection: Selection) -> float:
    """The criterion of a finished run, larger being better; −∞ where it diverged."""
    best = Best(selection)
    for epoch in record.history:
        best.add(epoch)
    return -math.inf if record.diverged else best.score


def run_trial(
    config: Config,
    *,
    dataset: Dataset,
    objective: Objective,
    store: CheckpointStore,
    encode: Encode,
    selection: Selection = "train_loss",
    report: Callable[[dict[str, Any]], None] = lambda result: None,
    report_every: int = REPORT_EVERY,
    device: str | None = None,
) -> RunRecord:
    """A run that goes on from its checkpoint and says now and then how far it is.

    Args:
        config: the settings.
        dataset: the dataset.
        objective: what computes the record.
        store: where the checkpoints are.
        encode: where the encodings come from.
        selection: the criterion that is reported.
        report: told ``epoch``, its ``loss``, ``score`` (the best so far, larger being better) and
            ``resumed_from``, the epochs that a checkpoint held.
        report_every: epochs between two reports.
        device: the device to use instead of the settings'.
    """
    best = Best(selection)
    digest = checkpoint_digest(config, dataset.graph.digest)
    with store.open(run_name(config, dataset.graph.digest)) as checkpoint:
        try:
            saved = Checkpoint.load(checkpoint.path, digest)
        except CheckpointError:
            # A checkpoint that cannot be read is worth no more than none.
            checkpoint.path.unlink(missing_ok=True)
            saved = None
        history = () if saved is None else saved.history
        for epoch in history:
            best.add(epoch)

        def on_epoch(epoch: EpochRecord) -> None:
            best.add(epoch)
            checkpoint.copy()
            if epoch.epoch % report_every == 0:
                report(
                    {
                        "epoch": epoch.epoch,
                        "loss": epoch.loss,
                        "score": best.score,
                        "resumed_from": len(history),
                    }
                )

        return objective(
            config,
            dataset=dataset,
            checkpoint=checkpoint.path if config.is_learned else None,
            on_epoch=on_epoch,
            encode=encode,
            device=device,
        )


def describe(error: BaseException) -> tuple[str, str]:
    """The kind of a failure (``memory`` or ``error``) and its reason in one line.

    Example:
        >>> describe(MemoryError())
        ('memory', 'MemoryError')
        >>> describe(ValueError("k=0: must be an integer >= 1"))
        ('error', 'ValueError: k=0: must be an integer >= 1')
    """
    text = " ".join(str(error).split())
    name = type(error).__name__
    # PyTorch's allocators: OutOfMemoryError of the GPU's, a RuntimeError with this text of the processor's.
    starved = isinstance(error, MemoryError) or name == "OutOfMemoryError" or "allocate memory" in text
    reason = f"{name}: {text}" if text else name
    return ("memory" if starved else "error"), reason[:500]
