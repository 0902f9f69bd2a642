"""What a sweep does with the news of its trials: records kept, failures told, checkpoints removed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from supra_experiments.checkpoint_store import CheckpointStore, run_name
from supra_experiments.config import Config
from supra_experiments.journal import Failure, Journal, SearchTrial
from supra_experiments.records import RunRecord
from supra_experiments.search_space import Value
from supra_experiments.splits import Selection
from supra_experiments.sweep_progress import SweepProgress
from supra_experiments.sweep_types import Cell


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
class Book:
    """Keeps the journal, the progress and the checkpoints in step. Only the sweep's own process has one.

    Attributes:
        journal: where finished runs are kept.
        progress: who is told.
        store: where the checkpoints are.
    """

    journal: Journal
    progress: SweepProgress
    store: CheckpointStore
    _attempts: dict[str, int] = field(default_factory=dict)

    def started(self, task: Task) -> None:
        """A trial begins, or begins again."""
        self._attempts[task.name] = self._attempts.get(task.name, 0) + 1
        self.progress.started(task.config)

    def reported(self, task: Task, epoch: int, loss: float) -> None:
        """A trial is at this epoch."""
        self.progress.reported(task.config, epoch, loss)

    def finished(self, task: Task, record: RunRecord) -> None:
        """A trial came to its end. The record is on the disk before anything else happens."""
        if task.settings is None:
            self.journal.add(record)
            self.store.remove(task.name)
            if record.diverged:
                self.progress.failed(task.config, divergence(record), will_retry=False)
            else:
                self.progress.finished(task.config, record)

    def failed(self, task: Task, kind: str, reason: str, *, will_retry: bool) -> None:
        """An attempt failed; without a further one the failure is kept."""
        if not will_retry:
            failure = Failure(
                digest=task.config.digest,
                cell=Cell.of(task.config),
                seed=task.config.seed,
                reason=reason,
                kind=kind,
                attempts=self._attempts.get(task.name, 1),
            )
            self.journal.add_failure(failure)
        self.progress.failed(task.config, reason, will_retry=will_retry)

    def searched(self, task: Task, trial: SearchTrial) -> None:
        """A trial of a search is over."""
        self.journal.add_search(trial)
        self.progress.finished(task.config, value=trial.value)


def divergence(record: RunRecord) -> str:
    """The reason that goes with a run whose loss was no number any more."""
    return f"diverged at epoch {len(record.history)}"


def diverged(record: RunRecord) -> Failure:
    """A run that diverged, as a failure; it is not tried again, since it would do the same."""
    return Failure(
        digest=record.config.digest,
        cell=Cell.of(record.config),
        seed=record.config.seed,
        reason=divergence(record),
        kind="diverged",
    )
