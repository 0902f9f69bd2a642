"""One trial of a sweep: a run with its checkpoint, its reports, and a plain word for what went wrong."""

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import CheckpointError
from supra_experiments.protocol.splits import Selection
from supra_experiments.sweep.book import Best
from supra_experiments.sweep.checkpoints import CheckpointStore, run_name
from supra_experiments.training.record import EpochRecord, RunRecord

if TYPE_CHECKING:
    from supra_experiments.training.fit import Encode

REPORT_EVERY = 10
"""Epochs between two reports of a trial."""


class Objective(Protocol):
    """What a trial computes: ``fit``, or a function that takes its place."""

    def __call__(
        self,
        config: Config,
        *,
        dataset: Dataset | None,
        checkpoint: str | os.PathLike[str] | None,
        on_epoch: Callable[[EpochRecord], None] | None,
        encode: "Encode",
        device: str | None,
    ) -> RunRecord:
        """The record of a run."""
        ...


def run_trial(
    config: Config,
    *,
    dataset: Dataset,
    objective: Objective,
    store: CheckpointStore,
    encode: "Encode",
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
    with store.open(run_name(config, dataset.graph.digest)) as checkpoint:
        history = _saved_history(checkpoint.path, config, dataset.graph.digest)
        for epoch in history:
            best.add(epoch)

        def on_epoch(epoch: EpochRecord) -> None:
            best.add(epoch)
            checkpoint.copy()
            if epoch.epoch % report_every == 0:
                told = {"epoch": epoch.epoch, "loss": epoch.loss, "resumed_from": len(history)}
                report(told | ({"score": best.score} if math.isfinite(best.score) else {}))

        return objective(
            config,
            dataset=dataset,
            checkpoint=checkpoint.path if config.model.is_learned else None,
            on_epoch=on_epoch,
            encode=encode,
            device=device,
        )


def _saved_history(path: Path, config: Config, graph_digest: str) -> tuple[EpochRecord, ...]:
    """The epochs that a checkpoint holds; one that cannot be read is worth no more than none, and removed."""
    if not path.exists():
        return ()
    from supra_experiments.training.checkpoint import Checkpoint, checkpoint_digest

    try:
        saved = Checkpoint.load(path, checkpoint_digest(config, graph_digest))
    except CheckpointError:
        path.unlink(missing_ok=True)
        return ()
    return () if saved is None else saved.history


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
