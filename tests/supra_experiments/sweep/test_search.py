"""The searches of all cells: whose turn it is, what trains as one, what they learn from each other."""

import dataclasses
import itertools
from collections import Counter

import pytest

from supra_experiments.sweep.cell_search import SHARE_AT_ONCE
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.space import Choice
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import Best
from supra_experiments.training.pack_groups import fit_together

from .searches import SPEC, spec_of


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


def test_a_search_that_found_nothing_chose_no_settings():
    search = Search.of(spec_of(num_trials=1), {"demo": "graph", "canparl": "graph"})
    tasks = [own.ask() for own in search.cells.values()]
    for task in tasks[1:]:
        search.ended(task, epochs=3, best=Best(-0.5, 3), seconds=2.0)
    search.ended(tasks[0])
    first, *others = search.cells
    assert search.found(first) is None
    found = [search.found(cell) for cell in others]
    assert {(each.num_trials, each.seconds) for each in found} == {(1, 2.0)}
    assert search.found(Cell("demo", "degree", "none", "zeros")) is None


def test_trials_that_are_over_have_reached_the_milestones_they_passed_with_what_they_came_to():
    spec = spec_of(num_trials=3)  # up to 500 epochs, 100 at least: compared after 10, 30, 90 and 270
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    first, second, third = (search.cells[spec.cells[0]].ask() for _ in range(3))
    search.ended(first, epochs=100, best=Best(-0.5, 100))
    search.ended(second, epochs=30, best=Best(-0.7, 30), stopped_early=True)
    search.ended(third, epochs=100)  # failed
    cell = spec.cells[0].name
    assert list(search.reached()) == [
        *((cell, first.name, epoch, -0.5) for epoch in (10, 30, 90)),
        *((cell, second.name, epoch, -0.7) for epoch in (10, 30)),
    ]


def test_one_dataset_and_model_is_over_before_the_next_begins_and_what_it_found_comes_once():
    spec = spec_of(num_trials=3)
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    seen, tests = [], []
    for (task,) in iter(search.next, None):
        cell = Cell.of(task.config)
        seen.append((cell.dataset, cell.model))
        assert search.newly_over() == []
        search.ended(task, epochs=3, best=Best(-0.5, 3))
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
        search.ended(run, best=Best(level + gain, 0))

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
