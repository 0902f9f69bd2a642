"""The search for settings by itself: what it asks for, what it remembers, what it finds."""

import dataclasses
import itertools
import math
import statistics
from collections import Counter

import pytest

from supra_experiments.errors import ConfigError
from supra_experiments.sweep.cell_search import SHARE_AT_ONCE, CellSearch
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.space import Choice
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.pack_groups import fit_together
from supra_experiments.training.record import Searched

SPEC = """
mode = "search"
datasets = ["demo", "canparl"]
models = ["grugcn", "htgn"]
encodings = ["none", "slpe-e"]
features = "zeros"
seeds = [3, 4]
num_trials = {num_trials}
[search]
lr = {{low = 1e-4, high = 1e-1, log = true}}
hidden_channels = [16, 32]
k = {{low = 4, high = 16, integer = true}}
"""


def spec_of(num_trials: int = 8, **changes) -> SweepSpec:
    return dataclasses.replace(SweepSpec.from_toml(SPEC.format(num_trials=num_trials)), **changes)


def search_of(num_trials: int = 8, cell: int = 1, **changes) -> CellSearch:
    spec = spec_of(num_trials, **changes)
    return CellSearch(spec, spec.cells[cell], "graph")


def trial_of(task, value=1.0, **more) -> SearchTrial:
    return SearchTrial(
        digest=task.config.digest,
        cell=Cell.of(task.config),
        settings=dict(task.settings),
        criterion=task.selection,
        value=value,
        epochs=10,
        **more,
    )


def asked(search: CellSearch):
    return list(iter(search.ask, None))


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


def test_cells_take_turns():
    spec = spec_of(num_trials=3)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    tasks = [task for (task,) in iter(search.next, None)]
    assert len(tasks) == 3 * len(spec.cells) == search.num_trials
    for start in range(0, len(tasks), len(spec.cells)):
        turn = tasks[start : start + len(spec.cells)]
        assert {Cell.of(task.config) for task in turn} == set(spec.cells)
    assert not search.is_over  # none has ended
    names = [task.name for task in tasks]
    assert len(set(names)) == len(names)


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


def alike_of(num_trials: int) -> SweepSpec:
    """With two encodings of one width."""
    text = SPEC.format(num_trials=num_trials)
    return SweepSpec.from_toml(text.replace('["none", "slpe-e"]', '["none", "lpe-e", "slpe-e"]'))


@pytest.mark.parametrize("limit", [1, 5, 32])
def test_every_trial_is_asked_for_once_in_packs_that_fit_together(limit):
    spec = alike_of(num_trials=18)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    packs = list(iter(lambda: search.next(lambda config, num_left: limit), None))
    tasks = [task for pack in packs for task in pack]
    names = [task.name for task in tasks]
    assert len(set(names)) == len(names) == 18 * len(spec.cells)
    seen = set()
    for pack in packs:
        assert 1 <= len(pack) <= limit
        assert fit_together([task.config for task in pack])
        for cell, number in Counter(Cell.of(task.config) for task in pack).items():
            assert number == 1  # the width is searched, of which a cell should see many
            # The default settings come first, as without packs.
            assert cell in seen or any(Cell.of(task.config) == cell and not task.settings for task in pack)
            seen.add(cell)
    assert (len(packs) == len(tasks)) == (limit == 1)


def test_runs_of_a_pack_share_shapes_and_choose_all_else_freely():
    spec = alike_of(num_trials=24)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    packs = [pack for pack in iter(lambda: search.next(lambda config, num_left: 32), None) if len(pack) > 1]
    searched = [pack for pack in packs if all(task.settings for task in pack)]
    assert searched
    for pack in searched:
        assert len({task.settings["hidden_channels"] for task in pack}) == 1
        assert len({task.settings.get("k") for task in pack}) == 1
        assert len({task.settings["lr"] for task in pack}) == len(pack)


def test_a_cell_has_several_trials_in_a_pack_where_no_shape_is_searched():
    spec = spec_of(num_trials=24, search={"lr": spec_of().search["lr"]})
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    packs = list(iter(lambda: search.next(lambda config, num_left: 32), None))
    for pack in packs:
        own = Counter(Cell.of(task.config) for task in pack)
        assert set(own.values()) <= {1, 24 // SHARE_AT_ONCE}
    assert sum(map(len, packs)) == 24 * len(spec.cells)
    assert max(map(len, packs)) == 24 // SHARE_AT_ONCE


def test_as_many_are_asked_for_as_are_left_over():
    spec = spec_of(num_trials=3)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    told = []
    search.next(lambda config, num_left: told.append(num_left) or 1)
    first = spec.cells[0]
    alike = [cell for cell in spec.cells if (cell.dataset, cell.model) == (first.dataset, first.model)]
    assert told == [3 * len(alike)]


def test_what_is_told_of_a_search_counts_every_trial():
    search = search_of(num_trials=4)
    assert search.found is None
    ends = ({}, {"stopped_early": True}, {"status": "failed", "value": None}, {"status": "diverged"})
    for seconds, (task, end) in enumerate(zip(asked(search), ends, strict=True), start=1):
        search.tell(trial_of(task, **end, seconds=float(seconds)))
    assert search.found == Searched("train_loss", num_trials=4, seconds=10.0)


def test_a_search_that_found_nothing_chose_no_settings():
    search = Search.of(spec_of(num_trials=1), {"demo": "graph", "canparl": "graph"})
    tasks = [own.ask() for own in search.cells.values()]
    for task in tasks[1:]:
        search.ended(task, epochs=3, score=-0.5, seconds=2.0)
    search.ended(tasks[0])
    first, *others = search.cells
    assert search.found(first) is None
    found = [search.found(cell) for cell in others]
    assert {(each.num_trials, each.seconds) for each in found} == {(1, 2.0)}
    assert search.found(Cell("demo", "degree", "none", "zeros")) is None


def test_one_dataset_and_model_is_over_before_the_next_begins_and_what_it_found_comes_once():
    spec = spec_of(num_trials=3)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    seen, tests = [], []
    for (task,) in iter(search.next, None):
        cell = Cell.of(task.config)
        seen.append((cell.dataset, cell.model))
        assert search.newly_over() == []
        search.ended(task, epochs=3, score=-0.5)
        tests.append(search.newly_over())
    groups = list(dict.fromkeys((cell.dataset, cell.model) for cell in spec.cells))
    assert [group for group, _ in itertools.groupby(seen)] == groups
    # After the last trial of each: every cell of it with every seed.
    last = [place for place, runs in enumerate(tests) if runs]
    assert last == [place for place in range(len(seen)) if seen[place : place + 2] != [seen[place]] * 2]
    for place, group in zip(last, groups, strict=True):
        cells = [cell for cell in spec.cells if (cell.dataset, cell.model) == group]
        assert [Cell.of(run) for run in tests[place]] == [cell for cell in cells for _ in range(2)]
        assert [run.training.seed for run in tests[place]] == [3, 4] * len(cells)


def test_a_cell_learns_from_the_others_of_its_dataset_and_model_and_from_no_more():
    """What gains elsewhere is suggested; a cell whose own level is another one takes part all the same."""
    spec = dataclasses.replace(spec_of(num_trials=40), search={"lr": Choice((1e-4, 1e-3, 1e-2, 1e-1))})
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    near, other = spec.cells[0], spec.cells[1]
    far = next(cell for cell in spec.cells if cell.dataset != near.dataset)

    def tell(cell: Cell, level: float) -> None:
        run = search.cells[cell].ask()
        gain = 0.2 if run.settings.get("lr") == 1e-3 else 0.0
        search.ended(run, score=level + gain)

    for cell, level in ((other, -0.9), (far, -0.9)):
        tell(cell, level)  # default settings
    for _ in range(4):
        tell(near, -0.3)
    own = search.cells[near].finished
    assert [trial.settings for trial in own[:1]] == [{}]
    assert len({trial.settings["lr"] for trial in own[1:]}) == 3
    search.cells[other].ask()
    search.cells[far].ask()
    told = {cell: search.cells[cell]._study.trials for cell in (near, other, far)}
    hints = [trial for trial in told[other] if trial.value is not None]
    assert [trial.params["lr"] for trial in hints] == [trial.settings["lr"] for trial in own[1:]]
    for hint, trial in zip(hints, own[1:], strict=True):
        # The loss of the cell's own first trial, and what the other cell gained over its own.
        assert hint.value == pytest.approx(0.9 + trial.value - 0.3)
    assert not [trial for trial in told[far] if trial.value is not None]
    # Nobody else's trial is one of its own.
    assert len(search.cells[other].finished) == 1
