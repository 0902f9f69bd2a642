"""Runs of a sweep: their plan, their training with checkpoints, and in plain words what went wrong."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import CheckpointError
from supra_experiments.sweep.halving import milestones
from supra_experiments.sweep.held_out import Criterion
from supra_experiments.sweep.space import Value
from supra_experiments.sweep.storage import CheckpointStore
from supra_experiments.training.record import EpochRecord, RunRecord


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

    @cached_property
    def name(self) -> str:
        """Tells it from all others; asked for after every epoch."""
        return self.config.run_name(self.graph_digest)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a worker gets them."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return own | {"config": self.config.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The way back from :meth:`to_dict`."""
        return cls(**{**values, "config": Config(**values["config"])})


Runs = tuple[PlannedRun, ...]
"""A pack: runs that train as one, or one alone."""


def score_of(epoch: EpochRecord, selection: Criterion) -> float:
    """The criterion after an epoch, larger being better; -inf where there is none yet. The test never counts.

    Example:
        >>> score_of(EpochRecord(1, 0.5, None, 0.1), "train_loss")
        -0.5
    """
    by_epoch = {
        "train_loss": -epoch.loss,
        "validation_auc": epoch.validation_auc,
        "held_out_auc": epoch.judged_auc,
    }
    value = by_epoch.get(selection)
    return value if value is not None and math.isfinite(value) else -math.inf


class Best(NamedTuple):
    """What a run came to at its best.

    Attributes:
        score: the criterion, larger being better; -inf where there is none yet.
        epochs: after how many epochs it was.
    """

    score: float
    epochs: int


NOTHING = Best(-math.inf, 0)
"""What a run without a score came to."""


def best_epoch(history: Iterable[EpochRecord], selection: Criterion) -> Best:
    """The first of the best epochs.

    Example:
        >>> best_epoch([EpochRecord(1, 0.5, None, 0.1), EpochRecord(2, 0.7, None, 0.1)], "train_loss")
        Best(score=-0.5, epochs=1)
    """
    scores = (Best(score_of(epoch, selection), epoch.epoch) for epoch in history)
    return max(scores, key=_score, default=NOTHING)


def best_of(record: RunRecord, selection: Criterion) -> Best:
    """The best of all epochs; a score that is learned without any is judged once."""
    if not record.history and selection == "validation_auc" and record.validation is not None:
        auc = record.validation.auc
        return Best(auc, 0) if math.isfinite(auc) else NOTHING
    return best_epoch(record.history, selection)


def better(first: Best, second: Best) -> Best:
    """The one with the higher score; the first where they are equal."""
    return max(first, second, key=_score)


def _score(best: Best) -> float:
    return best.score


class StoppedEarly(Exception):  # noqa: N818 (it is no error)
    """A trial of a search that is not worth going on.

    Attributes:
        epochs: how many it trained.
        best: what it came to.
        seconds: what its epochs took here.
    """

    def __init__(self, epochs: int, best: Best, seconds: float) -> None:
        super().__init__(epochs, best, seconds)
        self.epochs, self.best, self.seconds = epochs, best, seconds


Outcome = RunRecord | Exception
OnEpoch = Callable[[PlannedRun, EpochRecord, Best], None]
"""Told a run, its epoch and the best so far; if it raises, the run is over."""
OnOutcome = Callable[[PlannedRun, Outcome], None]
"""Told what became of a run, as soon as it is over."""


def run_pack(
    runs: Sequence[PlannedRun],
    *,
    dataset: Dataset,
    objective: Callable[..., object],
    store: CheckpointStore,
    on_epoch: OnEpoch,
    on_outcome: OnOutcome,
    cache: Path | None = None,
    device: str | None = None,
) -> None:
    """Train runs as one, or one alone; each goes on from its own checkpoint and ends for itself.

    Args:
        runs: what to train, on one dataset.
        dataset: the dataset.
        objective: what computes the records: ``try_pack``, or a function that takes its place.
        store: where the checkpoints are.
        on_epoch: told about each epoch of each run.
        on_outcome: told the record of each run, or the error in its place.
        cache: a folder in which encodings are kept, for all processes of this machine.
        device: the device to use instead of the settings'.
    """
    with ExitStack() as stack:
        checkpoints = [stack.enter_context(store.open(run.name)) for run in runs]
        best = [_saved_best(file.path, run) for file, run in zip(checkpoints, runs, strict=True)]

        def tell_epoch(i: int, epoch: EpochRecord) -> None:
            best[i] = better(best[i], Best(score_of(epoch, runs[i].selection), epoch.epoch))
            checkpoints[i].copy()
            on_epoch(runs[i], epoch, best[i])

        objective(
            [run.config for run in runs],
            dataset=dataset,
            checkpoints=[
                file.path if run.config.model.is_learned else None
                for file, run in zip(checkpoints, runs, strict=True)
            ],
            judge_at={epoch for run in runs for epoch in _judge_at(run)},
            on_epoch=tell_epoch,
            on_outcome=lambda i, outcome: on_outcome(runs[i], outcome),
            cache=cache,
            device=device,
        )


def _judge_at(run: PlannedRun) -> Collection[int]:
    """The epochs after which a search asks the held-out snapshots whether a trial is worth going on."""
    return milestones(run.config.training) if run.selection == "held_out_auc" else ()


def _saved_best(path: Path, run: PlannedRun) -> Best:
    """The best of a checkpoint's epochs; one that cannot be read is worth no more than none, and removed."""
    if not path.exists():
        return NOTHING
    from supra_experiments.training.checkpoint import Checkpoint

    try:
        saved = Checkpoint.load(path, run.name)
    except CheckpointError:
        path.unlink(missing_ok=True)
        return NOTHING
    return best_epoch(() if saved is None else saved.history, run.selection)


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
