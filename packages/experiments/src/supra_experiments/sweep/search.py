"""Bayesian search for the settings of each cell, all cells side by side; the test set has no say in it."""

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from supra_experiments.config import Config
from supra_experiments.protocol.splits import Selection
from supra_experiments.sweep.book import Best, Book, Task
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.space import Choice, Space, Uniform, Value
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.types import Cell
from supra_experiments.training.record import RunRecord

Settings = Mapping[str, Value]

MAX_REPEATS = 50
"""Suggestions in a row that were tried before, after which a space counts as exhausted."""


class CellSearch:
    """The search in one cell: a tree-structured Parzen estimator, seeded by the cell's name.

    The first trial has the default settings and is never stopped early, so that what is found is at least as
    good as they are.

    Args:
        spec: the sweep.
        cell: of it.
        graph_digest: of the cell's dataset.

    Example:
        >>> spec = SweepSpec.from_toml('''
        ... mode = "search"
        ... datasets = ["demo"]
        ... models = ["htgn"]
        ... num_trials = 2
        ... [search]
        ... lr = {low = 1e-4, high = 1e-1, log = true}
        ... ''')
        >>> search = CellSearch(spec, spec.cells[0], "")
        >>> search.ask().settings
        {}
        >>> list(search.ask().settings), search.ask()
        (['lr'], None)
    """

    def __init__(self, spec: SweepSpec, cell: Cell, graph_digest: str) -> None:
        self.cell, self.spec, self.graph_digest = cell, spec, graph_digest
        self.selection: Selection = spec.selection(cell)
        self.space = spec.search_space(cell)
        # Where nothing has an effect there is nothing to search for.
        self.num_trials = spec.num_trials if self.space else 0
        self.finished: list[SearchTrial] = []
        self._asked: dict[str, Any] = {}
        self._lost: list[Task] = []
        self._study, self._distributions = _study(cell, self.space, self.selection, self.num_trials)

    # ── asking ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def num_running(self) -> int:
        """Trials that were asked for and have not been told of."""
        return len(self._asked) - len(self.finished) - len(self._lost)

    @property
    def num_started(self) -> int:
        """Trials that were ever asked for."""
        return len(self._asked)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to ask for."""
        return len(self._asked) >= self.num_trials and not self._lost

    def ask(self) -> Task | None:
        """The next trial; None when all were asked for."""
        if self._lost:
            return self._lost.pop()
        if self.is_over:
            return None
        if not self._asked:
            return self._start({}, None)
        for _ in range(MAX_REPEATS):
            trial = self._study.ask(self._distributions)
            task = self.task(trial.params)
            if task.config.digest not in self._asked:
                return self._start(trial.params, trial)
            # Tried before, or now: the same would come out.
            self._study.tell(trial, state=_state("FAIL"))
        self.num_trials = len(self._asked)
        return None

    def is_running(self, task: Task) -> bool:
        """Whether a trial was asked for and has not been told of."""
        return all(trial.digest != task.config.digest for trial in self.finished)

    def lost(self, task: Task) -> None:
        """A trial vanished through no fault of its own, and is to be asked for again."""
        self._lost.append(task)

    def tell(self, trial: SearchTrial) -> None:
        """A trial is over."""
        self.finished.append(trial)
        asked = self._asked.get(trial.digest)
        done = trial.status == "done" and trial.value is not None
        if asked is not None:
            self._study.tell(
                asked, trial.value if done else None, state=_state("COMPLETE" if done else "FAIL")
            )
        elif done:
            self._remember(trial)

    def recall(self, trial: SearchTrial) -> bool:
        """Take in a trial of an earlier start, if it is one of this search."""
        task = self.task(trial.settings)
        known = set(trial.settings) <= set(self.space)
        if not known or trial.criterion != self.selection or trial.digest != task.config.digest:
            return False
        if trial.digest not in self._asked:
            self._asked[trial.digest] = None
            self.tell(trial)
        return True

    # ── the answer ─────────────────────────────────────────────────────────────────────────────────────────

    @property
    def best(self) -> SearchTrial | None:
        """The best trial that came to its end; None where none did."""
        ended = [t for t in self.finished if t.status == "done" and not t.stopped_early]
        sign = 1 if self.selection == "train_loss" else -1
        return min(ended, key=lambda t: sign * cast(float, t.value), default=None)

    def runs(self) -> dict[int, Config]:
        """The runs with the best setting, by seed."""
        settings = self.best.settings if self.best is not None else {}
        return {seed: self.spec.config(self.cell, seed, **settings) for seed in self.spec.seeds(self.cell)}

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────

    def task(self, settings: Settings) -> Task:
        """The trial with these settings."""
        config = self.spec.config(self.cell, self.spec.seeds(self.cell)[0], **settings)
        return Task(config, self.graph_digest, self.selection, dict(settings))

    def _start(self, settings: Settings, trial: Any) -> Task:
        task = self.task(settings)
        self._asked[task.config.digest] = trial
        return task

    def _remember(self, trial: SearchTrial) -> None:
        """A finished trial as the estimator's own, if its values are among those that are searched."""
        from optuna.trial import create_trial

        values = self.task(trial.settings).config.resolved().values()
        params = {name: values[name] for name in self.space}
        if all(_contains(space, params[name]) for name, space in self.space.items()):
            self._study.add_trial(
                create_trial(params=params, distributions=self._distributions, value=trial.value)
            )


@dataclass
class Search:
    """The searches of all cells, which take turns: the one with the fewest trials under way is next.

    Attributes:
        cells: the searches.
    """

    cells: dict[Cell, CellSearch]

    @classmethod
    def of(cls, spec: SweepSpec, graph_digests: Mapping[str, str]) -> "Search":
        """Those of a sweep; ``graph_digests`` by dataset."""
        return cls({cell: CellSearch(spec, cell, graph_digests[cell.dataset]) for cell in spec.cells})

    @property
    def num_trials(self) -> int:
        """Of all cells."""
        return sum(search.num_trials for search in self.cells.values())

    def recall(self, trials: Iterable[SearchTrial]) -> Iterable[SearchTrial]:
        """Take in the trials of earlier starts; yields those that count."""
        for trial in trials:
            if trial.cell in self.cells and self.cells[trial.cell].recall(trial):
                yield trial

    def next(self) -> Task | None:
        """The next trial of any cell; None when there is none."""
        while waiting := [search for search in self.cells.values() if not search.is_over]:
            task = min(waiting, key=lambda search: (search.num_running, search.num_started)).ask()
            if task is not None:
                return task
        return None

    def lost(self, task: Task) -> None:
        """A trial is to be asked for again."""
        self._of(task).lost(task)

    @property
    def is_over(self) -> bool:
        """Whether all trials of all cells came to their end."""
        return all(search.is_over and not search.num_running for search in self.cells.values())

    @property
    def num_finished(self) -> int:
        """Trials that came to their end."""
        return sum(len(search.finished) for search in self.cells.values())

    # ── how a trial ends ───────────────────────────────────────────────────────────────────────────────────

    def finished(self, task: Task, record: RunRecord, book: Book) -> None:
        """A trial was trained to its end."""
        best = Best(task.selection)
        for epoch in record.history:
            best.add(epoch)
        self._end(task, book, len(record.history), None if record.diverged else best.score, record.diverged)

    def stopped(self, task: Task, last: Mapping[str, Any], book: Book) -> None:
        """A trial ended with this last report; unless it is known to have finished, it was stopped early."""
        if self._of(task).is_running(task):
            self._end(task, book, last.get("epoch", 0), last.get("score"), stopped_early=True)

    def failed(self, task: Task, book: Book) -> None:
        """A trial was given up."""
        self._end(task, book, 0, None)

    def _end(
        self,
        task: Task,
        book: Book,
        epochs: int,
        score: float | None,
        diverged: bool = False,
        stopped_early: bool = False,
    ) -> None:
        value = None if score is None else task.value(score)
        search = self._of(task)
        trial = SearchTrial(
            digest=task.config.digest,
            cell=search.cell,
            settings=dict(task.settings or {}),
            criterion=task.selection,
            value=value,
            epochs=epochs,
            stopped_early=stopped_early,
            status="done" if value is not None else "diverged" if diverged else "failed",
        )
        before = search.best
        search.tell(trial)
        # The checkpoint of the best trial saves the run with that setting from being trained once more.
        book.searched(task, trial, keep_checkpoint=search.best is trial)
        if before is not None and search.best is trial:
            book.storage.done_with(search.task(before.settings).name)

    def _of(self, task: Task) -> CellSearch:
        return self.cells[Cell.of(task.config)]


def _study(cell: Cell, space: Mapping[str, Space], selection: Selection, num_trials: int) -> tuple[Any, Any]:
    import optuna
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    distributions: dict[str, Any] = {}
    for name, values in space.items():
        if isinstance(values, Choice):
            distributions[name] = CategoricalDistribution(values.values)
        elif isinstance(values, Uniform):
            distributions[name] = FloatDistribution(values.low, values.high, log=values.log)
        else:
            distributions[name] = IntDistribution(values.low, values.high, log=values.log)
    seed = int.from_bytes(hashlib.sha256(cell.name.encode()).digest()[:4], "big")
    # A third at random, at most Optuna's ten; the liar keeps trials that run side by side apart.
    sampler = optuna.samplers.TPESampler(
        seed=seed, n_startup_trials=max(1, min(10, num_trials // 3)), constant_liar=True
    )
    return optuna.create_study(
        sampler=sampler, direction="minimize" if selection == "train_loss" else "maximize"
    ), distributions


def _state(name: str) -> Any:
    from optuna.trial import TrialState

    return TrialState[name]


def _contains(space: Space, value: Any) -> bool:
    if isinstance(space, Choice):
        return value in space.values
    return isinstance(value, (int, float)) and math.isfinite(value) and space.low <= value <= space.high
