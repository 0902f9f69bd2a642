"""Bayesian search for the settings of one cell; the test set has no say in it."""

import hashlib
import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from supra_experiments.config import Config
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.held_out import Criterion, HeldOut
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.space import Choice, Space, Value
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import Best, PlannedRun, best_of, better
from supra_experiments.training.pack_groups import fit_together, kind_of
from supra_experiments.training.record import RunRecord, Searched

Settings = Mapping[str, Value]

SHARE_AT_ONCE = 12
"""A cell's trials are asked for in at least so many packs."""
MAX_REPEATS, OWN_REPEATS = 200, 5
"""Suggestions in a row that were tried before, after which a space counts as exhausted; and after which the
estimator, sure of its own, is given settings from anywhere."""


class CellSearch:
    """The search in one cell: a tree-structured Parzen estimator, seeded by the cell's name.

    The first trial has the default settings and is never stopped early, so that what is found is at least as
    good as they are. What other settings gain over the default ones in other cells is a hint: the estimator
    learns from it as from trials of its own, but none of them is one.

    Args:
        spec: the sweep.
        cell: of it.
        graph_digest: of the cell's dataset.
        held_out: the training snapshots that trials run on, where they judge.

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

    def __init__(
        self, spec: SweepSpec, cell: Cell, graph_digest: str, held_out: HeldOut | None = None
    ) -> None:
        self.cell, self.spec, self.held_out = cell, spec, held_out
        self.graph_digest = graph_digest if held_out is None else held_out.dataset.graph.digest
        self.selection: Criterion = spec.selection(cell)
        self.space = spec.search_space(cell)
        self.num_trials = spec.trials(cell)
        self.finished: list[SearchTrial] = []
        self._asked: dict[str, Any] = {}
        self._hints: list[tuple[Settings, float]] = []
        self._distributions = _distributions(self.space)
        self._study, self._anywhere = _studies(cell, self.selection, self.num_trials)

    # ── asking ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def num_running(self) -> int:
        """Trials that were asked for and have not been told of."""
        return len(self._asked) - len(self.finished)

    @property
    def num_started(self) -> int:
        """Trials that were ever asked for."""
        return len(self._asked)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to ask for."""
        return len(self._asked) >= self.num_trials

    @property
    def has_ended(self) -> bool:
        """Whether all of its trials came to their end."""
        return self.is_over and not self.num_running

    @property
    def num_at_once(self) -> int:
        """Trials that one pack may have of this cell: who asks for many at once learns little from each.

        Where shapes are searched it is one: the runs of a pack share theirs, and a cell should see many.
        """
        return 1 if self._shaping else math.ceil(self.num_trials / SHARE_AT_ONCE)

    def ask(self, like: PlannedRun | None = None) -> PlannedRun | None:
        """The next trial; None when all were asked for.

        Args:
            like: another trial, of this cell or not: the next one must fit into a pack with it. What the
                shapes depend on is then taken over from it, all else is chosen freely; None where there is
                no such trial.
        """
        if self.is_over:
            return None
        taken = {} if like is None else self._taken_over(like)
        if taken is None:
            return None
        if not self._asked:
            return self._start({}, None)
        self._take_hints()
        for attempt in range(MAX_REPEATS):
            drawn = self._anywhere.ask(self._distributions).params if attempt >= OWN_REPEATS else {}
            if drawn or taken:
                self._study.enqueue_trial({**drawn, **taken})
            trial = self._study.ask(self._distributions)
            run = self.planned(trial.params)
            if run.config.digest not in self._asked:
                return self._start(trial.params, trial)
            # Tried before, or now: the same would come out.
            self._study.tell(trial, state=_state("FAIL"))
        if like is None:
            self.num_trials = len(self._asked)
        return None

    def _taken_over(self, like: PlannedRun) -> Settings | None:
        """The settings that make the next trial fit together with another; None where nothing does."""
        values = like.config.resolved().values()
        taken = {name: values[name] for name in self._shaping} if self._asked else {}
        if not all(_contains(self.space[name], value) for name, value in taken.items()):
            return None
        return taken if fit_together([like.config, self.planned(taken).config]) else None

    @cached_property
    def _shaping(self) -> tuple[str, ...]:
        """Searched settings whose values decide what a trial fits together with."""
        return tuple(
            name
            for name, space in self.space.items()
            if len({kind_of(self.planned({name: value}).config) for value in space.extremes}) > 1
        )

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
        known = set(trial.settings) <= set(self.space)
        digest = self.planned(trial.settings).config.digest
        if not known or trial.criterion != self.selection or trial.digest != digest:
            return False
        if trial.digest not in self._asked:
            self._asked[trial.digest] = None
            self.tell(trial)
        return True

    def gain(self, trial: SearchTrial) -> float | None:
        """What one of its trials adds to the criterion of the first; None where one of the two has none."""
        first = self._first_value
        known = trial.status == "done" and trial.value is not None and trial.settings and first is not None
        return cast(float, trial.value) - cast(float, first) if known else None

    def hint(self, settings: Settings, gain: float) -> None:
        """Other settings gained so much in a cell that is like this one."""
        self._hints.append((settings, gain))

    def best_of(self, record: RunRecord) -> Best:
        """What a trial that came to its end was at its best: there, or when it was judged before."""
        best = best_of(record, self.selection)
        if self.held_out is None:
            return best
        return better(Best(self.held_out.score(record, self.selection), len(record.history)), best)

    # ── the answer ─────────────────────────────────────────────────────────────────────────────────────────

    @property
    def best(self) -> SearchTrial | None:
        """The best trial that came to its end or was judged before it; None where there is none."""
        ended = [
            trial
            for trial in self.finished
            if trial.status == "done" and (not trial.stopped_early or trial.best_epochs is not None)
        ]
        sign = 1 if self.selection == "train_loss" else -1
        return min(ended, key=lambda trial: sign * cast(float, trial.value), default=None)

    @property
    def best_gain(self) -> float:
        """How much better the best trial is than the first; 0 where it is the first, or there is none."""
        gain = None if self.best is None else self.gain(self.best)
        return 0.0 if gain is None else -gain if self.selection == "train_loss" else gain

    def runs(self) -> dict[int, Config]:
        """The runs with the best setting, by seed."""
        settings = self.best.found if self.best is not None else {}
        return {seed: self.spec.config(self.cell, seed, **settings) for seed in self.spec.seeds(self.cell)}

    @property
    def found(self) -> Searched | None:
        """What the records of its runs tell of the search; None where it found nothing."""
        if self.best is None:
            return None
        return Searched(self.selection, len(self.finished), sum(trial.seconds for trial in self.finished))

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────

    def planned(self, settings: Settings) -> PlannedRun:
        """The trial with these settings."""
        judged = {} if self.held_out is None else self.held_out.settings
        config = self.spec.config(self.cell, self.spec.seeds(self.cell)[0], **settings, **judged)
        return PlannedRun(config, self.graph_digest, self.selection, dict(settings))

    @property
    def _first_value(self) -> float | None:
        """The criterion of the trial with default settings, once it is known."""
        return next((trial.value for trial in self.finished if not trial.settings), None)

    def _take_hints(self) -> None:
        """Let the estimator learn from other cells, as soon as this one has a first trial to compare with."""
        first = self._first_value
        if first is not None:
            for settings, gain in self._hints:
                params = {name: value for name, value in settings.items() if name in self.space}
                self._add(params, first + gain)
            self._hints.clear()

    def _start(self, settings: Settings, trial: Any) -> PlannedRun:
        run = self.planned(settings)
        self._asked[run.config.digest] = trial
        return run

    def _remember(self, trial: SearchTrial) -> None:
        """A finished trial as the estimator's own, if its values are among those that are searched."""
        values = self.planned(trial.settings).config.resolved().values()
        params = {name: values[name] for name in self.space}
        if all(_contains(space, params[name]) for name, space in self.space.items()):
            self._add(params, cast(float, trial.value))

    def _add(self, params: Settings, value: float) -> None:
        from optuna.trial import create_trial

        distributions = {name: self._distributions[name] for name in params}
        self._study.add_trial(create_trial(params=dict(params), distributions=distributions, value=value))


def _distributions(space: Mapping[str, Space]) -> dict[str, Any]:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    found: dict[str, Any] = {}
    for name, values in space.items():
        if isinstance(values, Choice):
            found[name] = CategoricalDistribution(values.values)
        else:
            numbers: Any = IntDistribution if values.integer else FloatDistribution
            found[name] = numbers(values.low, values.high, log=values.log)
    return found


def _studies(cell: Cell, selection: Criterion, num_trials: int) -> tuple[Any, Any]:
    """One that learns from trials, and one that draws evenly."""
    import optuna
    from optuna.samplers import RandomSampler, TPESampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed = int.from_bytes(hashlib.sha256(cell.name.encode()).digest()[:4], "big")
    # A third at random, at most Optuna's ten; the liar keeps trials that run side by side apart.
    sampler = TPESampler(seed=seed, n_startup_trials=max(1, min(10, num_trials // 3)), constant_liar=True)
    learning = optuna.create_study(
        sampler=sampler, direction="minimize" if selection == "train_loss" else "maximize"
    )
    return learning, optuna.create_study(sampler=RandomSampler(seed=seed))


def _state(name: str) -> Any:
    from optuna.trial import TrialState

    return TrialState[name]


def _contains(space: Space, value: Any) -> bool:
    if isinstance(space, Choice):
        return value in space.values
    return isinstance(value, (int, float)) and math.isfinite(value) and space.low <= value <= space.high
