"""Searches on a real cluster of two nodes: what they find, what they stop early."""

import dataclasses

import pytest

from supra_experiments.config.training import Training
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.halving import milestones
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.ray.run import run_sweep
from supra_experiments.sweep.spec import SweepSpec

from ... import objectives
from ...helpers import REAL, needs_data

pytestmark = [pytest.mark.cluster, pytest.mark.long]


@pytest.fixture
def address(two_nodes):
    return two_nodes.address


BOWL = """
name = "bowl"
mode = "search"
datasets = ["demo"]
models = ["grugcn", "htgn"]
encodings = ["slpe-e"]
seeds = 2
num_trials = 24
baselines = false
[fixed]
max_epochs = 100
[search]
lr = {low = 1e-5, high = 1.0, log = true}
k = {low = 4, high = 16, integer = true}
"""


@pytest.mark.parametrize("pack", [1, "auto"])
def test_a_search_finds_a_known_optimum_and_is_not_run_twice(address, tmp_path, pack):
    spec = dataclasses.replace(SweepSpec.from_toml(BOWL), pack=pack)
    common = {"storage_path": tmp_path, "address": address, "resources": Resources(cpus=1)}
    result = run_sweep(spec, objective=objectives.each(objectives.bowl), **common)
    with Journal(result.folder) as journal:
        trials = journal.search_trials
    for cell in spec.cells:
        own = [trial for trial in trials if trial.cell == cell]
        assert len(own) == 24
        assert len({trial.digest for trial in own}) == 24
        default = next(trial for trial in own if not trial.settings)
        assert not default.stopped_early
        assert default.epochs == 100
        # Bad settings are stopped before their last epoch, the others have the value of the function.
        assert any(trial.stopped_early and trial.epochs < 100 for trial in own)
        records = [record for record in result.records if Cell.of(record.config) == cell]
        assert {record.config.training.seed for record in records} == {0, 1}
        [found] = {objectives.bowl_value(record.config) for record in records}
        assert found <= objectives.bowl_value(spec.config(cell, 0))
        assert found < 0.25
        completed = [trial.value for trial in own if not trial.stopped_early]
        assert min(completed) == pytest.approx(found + 0.01)

    # More trials later: those of the first time are kept.
    more = SweepSpec.from_toml(BOWL.replace("num_trials = 24", "num_trials = 26"))
    again = run_sweep(more, objective=objectives.each(objectives.bowl), resume=True, **common)
    with Journal(again.folder) as journal:
        assert journal.search_trials[:48] == trials
        assert len(journal.search_trials) == 52


def test_what_is_found_is_carried_over_to_another_dataset(address, tmp_path):
    text = BOWL.replace('["demo"]', '["enron10", "demo"]').replace("num_trials = 24", "num_trials = 6")
    spec = SweepSpec.from_toml(text + '[carry]\nenron10 = ["demo"]\n')
    common = {"storage_path": tmp_path, "address": address, "resources": Resources(cpus=1)}
    result = run_sweep(spec, objective=objectives.each(objectives.bowl), **common)
    with Journal(result.folder) as journal:
        assert {trial.cell.dataset for trial in journal.search_trials} == {"demo"}
        assert len(journal.search_trials) == 2 * 6
    records = {(Cell.of(record.config), record.config.training.seed): record for record in result.records}
    assert set(records) == set(spec.pairs())
    for (cell, seed), record in records.items():
        found = records[dataclasses.replace(cell, dataset="demo"), seed].config
        assert record.config.replace(dataset="demo") == found
        assert record.searched.carried_from == (None if cell.dataset == "demo" else "demo")
    again = run_sweep(spec, objective=objectives.each(objectives.bowl), resume=True, **common)
    assert again.records == result.records


@needs_data
def test_a_search_on_enron10_is_at_least_as_good_as_the_default(address, tmp_path):
    spec = SweepSpec.from_toml("""
        name = "enron"
        mode = "search"
        datasets = ["enron10"]
        models = ["grugcn"]
        features = ["zeros"]
        encodings = ["lpe-e"]
        num_trials = 5
        baselines = false
        [fixed]
        max_epochs = 20
        [search]
        lr = {low = 1e-3, high = 1e-1, log = true}
        hidden_channels = [16, 32]
    """)
    result = run_sweep(
        spec, storage_path=tmp_path, address=address, data_root=REAL, resources=Resources(cpus=1)
    )
    with Journal(result.folder) as journal:
        [default] = [trial for trial in journal.search_trials if not trial.settings]
    [record] = result.records
    assert default.criterion == record.selection == "train_loss"
    assert min(epoch.loss for epoch in record.history) <= default.value


@pytest.mark.parametrize("criterion", ["train_loss", "held_out_auc"])
def test_a_search_in_packs_stops_runs_that_are_behind_and_no_others(address, tmp_path, criterion):
    spec = SweepSpec.from_toml("""
        name = "halved"
        mode = "search"
        datasets = ["demo"]
        models = ["grugcn"]
        features = ["zeros"]
        encodings = ["none", "lpe-e", "slpe-e"]
        num_trials = 18
        baselines = false
        [fixed]
        max_epochs = 20
        [search]
        lr = {low = 1e-6, high = 1e-1, log = true}
        dropout = [0.0, 0.1, 0.2]
    """)
    spec = dataclasses.replace(spec, criterion=criterion)
    result = run_sweep(spec, storage_path=tmp_path, address=address, resources=Resources(cpus=1))
    with Journal(result.folder) as journal:
        trials = journal.search_trials
    assert len(trials) == len({trial.digest for trial in trials}) == 3 * 18
    compared = set(milestones(Training(max_epochs=20)))
    assert {trial.epochs for trial in trials if trial.stopped_early} <= compared
    assert {trial.epochs for trial in trials if not trial.stopped_early} == {20}
    for cell in spec.cells:
        own = [trial for trial in trials if trial.cell == cell]
        assert 0 < sum(trial.stopped_early for trial in own) < 18
        [default] = [trial for trial in own if not trial.settings]
        assert not default.stopped_early
        if (
            criterion == "train_loss"
        ):  # a loss falls, while what an AUC was at a milestone may be more than later
            # Those that are stopped are worse than the best that went on.
            best = min(trial.value for trial in own if not trial.stopped_early)
            assert all(trial.value > best for trial in own if trial.stopped_early)
    assert len(result.records) == 3
    assert {record.searched.criterion for record in result.records} == {criterion}
    assert not result.failures
    # What is found has as many epochs as its trial had when it was best; by the loss a run chooses them.
    sign = 1 if criterion == "train_loss" else -1
    for record in result.records:
        own = [trial for trial in trials if trial.cell == Cell.of(record.config)]
        known = [trial for trial in own if not trial.stopped_early or trial.best_epochs is not None]
        assert len(known) == (
            len(own) if criterion == "held_out_auc" else 18 - sum(t.stopped_early for t in own)
        )
        lowest = min(sign * trial.value for trial in known)
        assert len(record.history) in {
            trial.best_epochs or 20 for trial in known if sign * trial.value == lowest
        }
    again = run_sweep(spec, storage_path=tmp_path, address=address, resources=Resources(cpus=1), resume=True)
    assert again.records == result.records
    with Journal(again.folder) as journal:
        assert journal.search_trials == trials


def test_a_search_by_held_out_snapshots_tests_its_winner_on_all(address, tmp_path):
    spec = SweepSpec.from_toml("""
        name = "held-out"
        mode = "search"
        datasets = ["enron10"]
        models = ["logistic"]
        num_trials = 3
        criterion = "held_out_lead"
        held_out = 3
        [search]
        l2 = [0.01, 10000.0]
    """)
    result = run_sweep(spec, storage_path=tmp_path, address=address, resources=Resources(cpus=0.25))
    with Journal(result.folder) as journal:
        trials = journal.search_trials
    assert len(trials) == 3
    best = max(trials, key=lambda trial: trial.value)
    [record] = [record for record in result.records if record.config.model.is_learned]
    assert (record.searched.criterion, record.searched.num_trials) == ("held_out_lead", 3)
    assert 0 < record.searched.seconds == pytest.approx(sum(trial.seconds for trial in trials))
    assert {each.searched for each in result.records if not each.config.model.is_learned} == {None}
    [cell] = spec.cells
    assert record.config == spec.config(cell, 0, **best.settings).resolved()
    assert len(record.per_snapshot) == 3
    assert {other.graph_digest for other in result.records} == {record.graph_digest}
