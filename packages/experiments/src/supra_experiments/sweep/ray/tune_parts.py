"""The parts of Tune that a sweep brings along: what to run, what came of it, when to stop."""

import functools
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import ray
from ray import tune
from ray.tune.experiment import Trial
from ray.tune.schedulers import AsyncHyperBandScheduler, FIFOScheduler, TrialScheduler
from ray.tune.search import Searcher

from supra_experiments.sweep.book import Book, Grid, Task
from supra_experiments.sweep.interrupts import Interrupt
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.trial_news import News
from supra_experiments.sweep.types import Cell

GRACE, REDUCTION = 0.1, 3
"""Halving begins after this share of the epochs, and keeps one in so many trials."""


class Tasks(Searcher):
    """Tune's view of what is to be run."""

    def __init__(self, source: Grid | Search) -> None:
        super().__init__(metric="score", mode="max")
        self.source = source
        self.by_name: dict[str, Task] = {}

    def suggest(self, trial_id: str) -> Any:
        """The settings of the next trial."""
        task = self.source.next()
        if task is None:
            return Searcher.FINISHED
        self.by_name[task.name] = task
        return {"name": task.name, "config": task.config.to_dict(), "selection": task.selection}

    def of(self, trial: Trial) -> Task:
        """The task that a trial is about."""
        return self.by_name[trial.config["name"]]

    def on_trial_complete(self, trial_id: str, result: dict | None = None, error: bool = False) -> None:
        """The recorder hears of it too, and of more."""

    def save_to_dir(self, checkpoint_dir: str, session_str: str = "default") -> None:
        """The journal is what a sweep goes on from."""


def _kept(method: Callable[..., None]) -> Callable[..., None]:
    """Keep an error of ours, a full disk say, and end the sweep: Tune would take it for one of the trial."""

    @functools.wraps(method)
    def call(self: "Recorder", *arguments: Any, **named: Any) -> None:
        if self.error is None:
            try:
                method(self, *arguments, **named)
            except Exception as error:
                self.error = error
                self.interrupt.asked = True

    return call


class Recorder(tune.Callback):
    """Tune's news, passed on one after another.

    Attributes:
        error: the first that came up here.
    """

    def __init__(self, book: Book, tasks: Tasks, interrupt: Interrupt) -> None:
        self.tasks, self.interrupt = tasks, interrupt
        self.error: Exception | None = None
        self.news = News(book, tasks.source, _dead_nodes, self._forgive)
        self._trials: dict[str, Trial] = {}

    def _forgive(self, name: str) -> None:
        self._trials[name].max_failures += 1

    @_kept
    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial began, or began again."""
        self._trials[trial.config["name"]] = trial
        self.news.started(self.tasks.of(trial))

    @_kept
    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict, **info: Any
    ) -> None:
        """An epoch, a record or the reason of a failure."""
        self.news.reported(self.tasks.of(trial), result)

    @_kept
    def on_trial_complete(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial came to its end or was halved away."""
        self.news.completed(self.tasks.of(trial), trial.last_result or {})

    @_kept
    def on_trial_recover(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial failed and is tried again."""
        self._trials[trial.config["name"]] = trial
        self.news.retried(self.tasks.of(trial), _last_error(trial))

    @_kept
    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial failed for good."""
        self._trials[trial.config["name"]] = trial
        self.news.failed(self.tasks.of(trial), _last_error(trial))

    @_kept
    def on_step_end(self, iteration: int, trials: list[Trial], **info: Any) -> None:
        """Time to see to what could not be settled at once."""
        self.news.settle()
        self.news.book.storage.settle()


def _last_error(trial: Trial) -> str:
    """What Tune wrote down of a trial's last failure."""
    with suppress(OSError):
        text = Path(trial.error_file).read_text(encoding="utf-8", errors="replace")
        return text.rpartition("Failure #")[2]
    return ""


def _dead_nodes() -> set[str]:
    return {node["NodeID"] for node in ray.nodes() if not node["Alive"]}


class Halving(FIFOScheduler):
    """Successive halving in each cell by itself: cells do not compete, and default settings always finish."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self.tasks = tasks
        self._by_cell: dict[Cell, AsyncHyperBandScheduler] = {}

    def _own(self, trial: Trial) -> AsyncHyperBandScheduler:
        config = self.tasks.of(trial).config
        cell = Cell.of(config)
        if cell not in self._by_cell:
            self._by_cell[cell] = AsyncHyperBandScheduler(
                time_attr="epoch",
                metric="score",
                mode="max",
                max_t=config.training.max_epochs,
                grace_period=max(1, math.ceil(GRACE * config.training.max_epochs)),
                reduction_factor=REDUCTION,
                stop_last_trials=False,
            )
        return self._by_cell[cell]

    def on_trial_add(self, tune_controller: Any, trial: Trial) -> None:
        """Told to the cell."""
        self._own(trial).on_trial_add(tune_controller, trial)

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict) -> str:
        """The cell's decision, unless the settings are the default ones."""
        decision = self._own(trial).on_trial_result(tune_controller, trial, result)
        return decision if self.tasks.of(trial).settings else TrialScheduler.CONTINUE

    def on_trial_complete(self, tune_controller: Any, trial: Trial, result: dict) -> None:
        """Told to the cell."""
        self._own(trial).on_trial_complete(tune_controller, trial, result)

    def on_trial_remove(self, tune_controller: Any, trial: Trial) -> None:
        """Told to the cell."""
        self._own(trial).on_trial_remove(tune_controller, trial)


class Stop(tune.Stopper):
    """Ends all trials when the user says so."""

    def __init__(self, interrupt: Interrupt) -> None:
        self.interrupt = interrupt

    def __call__(self, trial_id: str, result: dict) -> bool:
        """No trial is stopped by itself."""
        return False

    def stop_all(self) -> bool:
        """Whether the user said so."""
        return self.interrupt.asked
