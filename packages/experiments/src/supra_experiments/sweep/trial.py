"""One run of a sweep: its plan, its training with a checkpoint, and in plain words what went wrong."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import CheckpointError
from supra_experiments.sweep.held_out import Criterion
from supra_experiments.sweep.space import Value
from supra_experiments.sweep.storage import CheckpointStore
from supra_experiments.training.record import EpochRecord, RunRecord

if TYPE_CHECKING:
    from supra_experiments.training.fit import Encode

REPORT_EVERY = 10
"""Epochs between two reports of a trial."""


@dataclass(frozen=True)
class PlannedRun:
    """A run to do.

    Attributes:
        config: the settings.
        graph_digest: of the dataset's graph.
        selection: the criterion it reports.
        settings: those that a search chose; None for a run that leaves a record.
    """

    config: Config
    graph_digest: str
    selection: Criterion = "train_loss"
    settings: Mapping[str, Value] | None = None

    @property
    def name(self) -> str:
        """Tells it from all others."""
        return self.config.run_name(self.graph_digest)


def score_of(epoch: EpochRecord, selection: Criterion) -> float:
    """The criterion after an epoch, larger being better; -inf where there is none yet. The test never counts.

    Example:
        >>> score_of(EpochRecord(1, 0.5, None, 0.1), "train_loss")
        -0.5
    """
    by_epoch = {"train_loss": -epoch.loss, "validation_auc": epoch.validation_auc}
    value = by_epoch.get(selection)
    return value if value is not None and math.isfinite(value) else -math.inf


def best_score(record: RunRecord, selection: Criterion) -> float:
    """The best of all epochs; a score that is learned without any is judged once."""
    if not record.history and selection == "validation_auc" and record.validation is not None:
        return record.validation.auc if math.isfinite(record.validation.auc) else -math.inf
    return max((score_of(epoch, selection) for epoch in record.history), default=-math.inf)


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
    selection: Criterion = "train_loss",
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
    with store.open(config.run_name(dataset.graph.digest)) as checkpoint:
        history = _saved_history(checkpoint.path, config, dataset.graph.digest)
        best = max((score_of(epoch, selection) for epoch in history), default=-math.inf)

        def on_epoch(epoch: EpochRecord) -> None:
            nonlocal best
            best = max(best, score_of(epoch, selection))
            checkpoint.copy()
            if epoch.epoch % report_every == 0:
                told = {"epoch": epoch.epoch, "loss": epoch.loss, "resumed_from": len(history)}
                report(told | ({"score": best} if math.isfinite(best) else {}))

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
    from supra_experiments.training.checkpoint import Checkpoint

    try:
        saved = Checkpoint.load(path, config.run_name(graph_digest))
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
