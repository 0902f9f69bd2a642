"""What a sweep does with the news of its trials: records kept, failures told, checkpoints removed."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from supra_experiments.config import Config
from supra_experiments.protocol.splits import Selection
from supra_experiments.sweep.checkpoints import run_name
from supra_experiments.sweep.journal import Failure, Journal, SearchTrial
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.space import Value
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.types import Cell
from supra_experiments.training.record import EpochRecord, RunRecord


@dataclass(frozen=True)
class Task:
    """A run to do.

    Attributes:
        config: the settings.
        graph_digest: of the dataset's graph.
        selection: the criterion it reports.
        settings: those that a search chose; None for a run that leaves a record.
    """

    config: Config
    graph_digest: str
    selection: Selection = "train_loss"
    settings: Mapping[str, Value] | None = None

    @property
    def name(self) -> str:
        """Tells it from all others."""
        return run_name(self.config, self.graph_digest)

    def value(self, score: float) -> float | None:
        """The criterion as people know it, from the score that is best when largest; None without any."""
        if not math.isfinite(score):
            return None
        return -score if self.selection == "train_loss" else score


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


class Grid:
    """Runs in their order; a grid is no more than that.

    Args:
        tasks: what to run.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._waiting = deque(tasks)

    def next(self) -> Task | None:
        """The next run; None when there is none."""
        return self._waiting.popleft() if self._waiting else None

    def lost(self, task: Task) -> None:
        """A run vanished through no fault of its own, and is to be done again."""
        self._waiting.append(task)


@dataclass
class Book:
    """Keeps the journal, the progress and the checkpoints in step. Only the sweep's own process has one.

    Attributes:
        journal: where finished runs are kept.
        progress: who is told.
        storage: where the checkpoints are.
        given_up: names of the tasks whose last attempt failed.
    """

    journal: Journal
    progress: SweepProgress
    storage: SweepStorage
    given_up: set[str] = field(default_factory=set)
    _attempts: dict[str, int] = field(default_factory=dict)
    _lost: dict[str, int] = field(default_factory=dict)

    def is_over(self, task: Task) -> bool:
        """Whether nothing more is to be done for a run: it has a record, or was given up."""
        return task.name in self.given_up or self.journal.has(task.config, task.graph_digest)

    def started(self, task: Task) -> None:
        """A trial begins, or begins again."""
        self._attempts[task.name] = self._attempts.get(task.name, 0) + 1
        self.progress.started(task.config)

    def reported(self, task: Task, epoch: int, loss: float) -> None:
        """A trial is at this epoch."""
        self.progress.reported(task.config, epoch, loss)

    def finished(self, task: Task, record: RunRecord) -> None:
        """A run came to its end. The record is on the disk before anything else happens."""
        self.journal.add(record)
        self.storage.done_with(task.name)
        if record.diverged:
            self.progress.failed(task.config, divergence(record), will_retry=False)
        else:
            self.progress.finished(task.config, record)

    def searched(self, task: Task, trial: SearchTrial, *, keep_checkpoint: bool) -> None:
        """A trial of a search is over; the checkpoint of the best one saves its run from being trained."""
        self.journal.add_search(trial)
        if not keep_checkpoint:
            self.storage.done_with(task.name)
        self.progress.finished(task.config, value=trial.value)

    def retried(self, task: Task, reason: str) -> None:
        """An attempt failed, and there will be another one."""
        self.progress.failed(task.config, reason, will_retry=True)

    def lost(self, task: Task) -> int:
        """A trial lost its node; how often it did by now."""
        self._lost[task.name] = self._lost.get(task.name, 0) + 1
        return self._lost[task.name]

    def failed(self, task: Task, kind: str, reason: str) -> None:
        """The last attempt failed."""
        self.given_up.add(task.name)
        self.journal.add_failure(
            Failure(
                digest=task.config.digest,
                cell=Cell.of(task.config),
                seed=task.config.training.seed,
                reason=reason,
                kind=kind,
                attempts=self._attempts.get(task.name, 1),
            )
        )
        self.progress.failed(task.config, reason, will_retry=False)


def divergence(record: RunRecord) -> str:
    """The reason that goes with a run whose loss was no number any more."""
    return f"diverged at epoch {len(record.history)}"


def diverged(record: RunRecord) -> Failure:
    """A run that diverged, as a failure; it is not tried again, since it would do the same."""
    return Failure(
        digest=record.config.digest,
        cell=Cell.of(record.config),
        seed=record.config.training.seed,
        reason=divergence(record),
        kind="diverged",
    )
