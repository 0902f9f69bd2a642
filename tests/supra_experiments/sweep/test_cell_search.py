"""The search for settings in one cell: what it asks for, what it remembers, what it finds."""

import dataclasses
import itertools
import math
import statistics

import pytest

from supra_experiments.errors import ConfigError
from supra_experiments.sweep.cell_search import CellSearch
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.space import Choice
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import Searched

from .searches import asked, search_of, spec_of, trial_of


def test_the_first_trial_has_the_default_settings_and_all_differ():
    tasks = asked(search_of(num_trials=12))
    assert len(tasks) == 12
    assert tasks[0].settings == {}
    assert tasks[0].config == spec_of().config(Cell.of(tasks[0].config), 3)
    assert len({task.config.digest for task in tasks}) == 12
    for task in tasks[1:]:
        assert task.settings.keys() == {"lr", "hidden_channels", "k"}
        assert 1e-4 <= task.settings["lr"] <= 1e-1
        assert task.settings["hidden_channels"] in (16, 32)
        assert 4 <= task.settings["k"] <= 16
        assert task.config.training.seed == 3


def test_a_search_begins_where_it_is_told_to():
    search = search_of(start={"lr": 0.02, "hidden_channels": 32})
    first, second, *_ = asked(search)
    assert (first.settings, first.config.training.lr, first.config.model.hidden_channels) == ({}, 0.02, 32)
    assert second.settings["lr"] == second.config.training.lr != 0.02
    assert SweepSpec.from_toml(search.spec.to_toml()) == search.spec
    with pytest.raises(ConfigError, match="start: window is not searched; a setting of all runs belongs in"):
        spec_of(start={"window": 3})


def test_what_has_no_effect_is_not_searched():
    task = asked(search_of(cell=0))[1]
    assert task.config.encoding.pe == "none"
    assert task.settings.keys() == {"lr", "hidden_channels"}


def test_a_small_space_is_tried_once_and_no_more():
    search = search_of(num_trials=20, cell=3, search={"hidden_channels": spec_of().search["hidden_channels"]})
    tasks = asked(search)
    # The default is one of the two values.
    assert sorted(task.config.resolved().model.hidden_channels for task in tasks) == [16, 32]
    for task in tasks:
        search.tell(trial_of(task))
    assert search.is_over
    assert search.ask() is None


def test_a_finite_space_is_tried_to_its_last_setting():
    """Told that one value is best, an estimator suggests it again and again; the others have their turn."""
    spaces = {"hidden_channels": Choice((16, 32, 64)), "lr": Choice((0.1, 0.03, 0.01, 0.001))}
    search = search_of(num_trials=20, cell=3, search=spaces)
    values = []
    while (task := search.ask()) is not None:
        resolved = task.config.resolved()
        values.append((resolved.model.hidden_channels, resolved.training.lr))
        search.tell(trial_of(task, value=abs(values[-1][1] - 0.01)))
    # The default settings are among them.
    assert sorted(values) == sorted(itertools.product((16, 32, 64), (0.1, 0.03, 0.01, 0.001)))


def test_nothing_to_search_needs_no_trial():
    search = search_of(cell=0, search={"k": spec_of().search["k"]})
    assert asked(search) == []
    assert set(search.runs()) == {3, 4}
    assert search.best is None


@pytest.mark.parametrize(("dataset", "best"), [("demo", 0.2), ("canparl", 0.9)])
def test_the_best_trial_is_one_that_came_to_its_end(dataset, best):
    spec = spec_of()
    cell = next(cell for cell in spec.cells if cell.dataset == dataset)
    search = CellSearch(spec, cell, "graph")
    # The training loss is to be small; canparl has validation snapshots, whose AUC is to be large.
    assert search.selection == ("train_loss" if dataset == "demo" else "validation_auc")
    tasks = asked(search)
    for task, value in zip(tasks, (0.5, 0.2, 0.9), strict=False):
        search.tell(trial_of(task, value))
    search.tell(trial_of(tasks[3], 0.1 if dataset == "demo" else 0.99, stopped_early=True))
    search.tell(trial_of(tasks[4], None, status="diverged"))
    assert search.best.value == best
    for seed, config in search.runs().items():
        assert config == spec.config(cell, seed, **search.best.settings)


def test_a_search_goes_on_from_its_trials():
    search = search_of(num_trials=6)
    told = [trial_of(task, value) for value, task in enumerate(asked(search)[:4])]
    again = search_of(num_trials=6)
    assert all(again.recall(trial) for trial in told)
    assert again.best == told[0]
    left = asked(again)
    assert len(left) == 2
    assert not {task.config.digest for task in left} & {trial.digest for trial in told}


def test_trials_of_another_search_are_not_recalled():
    trial = trial_of(asked(search_of())[1])
    assert not search_of(fixed={"max_epochs": 7}).recall(trial)
    assert not search_of(search={"lr": spec_of().search["lr"]}).recall(trial)
    assert not search_of().recall(dataclasses.replace(trial, criterion="validation_auc"))


@pytest.mark.parametrize("optimum", [3e-4, 3e-3, 3e-2])
def test_suggestions_depend_on_what_was_told(optimum):
    """Late ones are nearer to the optimum than early ones, on the scale that is searched."""
    search = search_of(num_trials=60, search={"lr": spec_of().search["lr"]})
    distances = []
    for task in iter(search.ask, None):
        distances.append(abs(math.log10(task.config.resolved().training.lr / optimum)))
        search.tell(trial_of(task, distances[-1]))
    assert statistics.median(distances[-20:]) < 0.6 * statistics.median(distances[:20])
    assert search.best.value == min(distances)


# ── packs ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_told_of_a_search_counts_every_trial():
    search = search_of(num_trials=4)
    assert search.found is None
    ends = ({}, {"stopped_early": True}, {"status": "failed", "value": None}, {"status": "diverged"})
    for seconds, (task, end) in enumerate(zip(asked(search), ends, strict=True), start=1):
        search.tell(trial_of(task, **end, seconds=float(seconds)))
    assert search.found == Searched("train_loss", num_trials=4, seconds=10.0)
