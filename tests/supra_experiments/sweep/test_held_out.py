"""Settings judged on training snapshots: what is cut off, what is compared, what the search makes of it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from supra_core import TemporalGraph
from supra_experiments import fit
from supra_experiments.config import Config
from supra_experiments.config.data import NEGATIVES
from supra_experiments.config.model import UNLEARNED
from supra_experiments.datasets import load
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.sweep.cell_search import CellSearch
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import Best

from ..helpers import REAL

TOML = """
mode = "search"
datasets = ["enron10"]
models = ["logistic"]
encodings = ["none"]
num_trials = 4
seeds = [5, 6]
criterion = "{criterion}"
held_out = 3
[search]
l2 = [0.01, 1.0, 100.0, 10000.0]
"""


def spec_of(criterion: str = "held_out_lead") -> SweepSpec:
    return SweepSpec.from_toml(TOML.format(criterion=criterion))


@pytest.fixture(scope="module")
def enron10():
    return load("enron10", root=REAL)


@pytest.fixture(scope="module")
def held_out(enron10) -> HeldOut:
    return HeldOut.of(enron10, Config(dataset="enron10"), "held_out_lead", 3)


def test_nothing_that_is_tested_is_there(enron10, held_out):
    """enron10 is tested on its last three snapshots of eleven: whatever they hold, the same is left."""
    graph = enron10.graph
    for changed in (8, 10):
        kept = graph.time < changed
        parts = (part[kept] for part in (graph.source, graph.target, graph.time))
        other = TemporalGraph.from_edges(*parts, num_nodes=graph.num_nodes, num_snapshots=graph.num_snapshots)
        found = HeldOut.of(replace(enron10, graph=other), Config(dataset="enron10"), "held_out_lead", 3)
        assert found.dataset.graph.num_snapshots == 8
        assert found.opponents == held_out.opponents
        for snapshot in range(8):
            adjacency = found.dataset.graph.adjacency(snapshot)
            np.testing.assert_array_equal(adjacency.toarray(), graph.adjacency(snapshot).toarray())


def test_opponents_are_the_best_scores_without_learning(held_out):
    records = [
        fit(Config(dataset="enron10", model=name, **held_out.settings), dataset=held_out.dataset)
        for name in UNLEARNED
    ]
    for kind in NEGATIVES:
        assert held_out.opponents[kind] == max(record.by_negatives[kind].auc for record in records)


def test_a_lead_is_the_smallest_over_all_kinds_of_negatives(held_out):
    record = fit(Config(dataset="enron10", model="count", **held_out.settings), dataset=held_out.dataset)
    shifts = dict(zip(NEGATIVES, (0.03, -0.01, 0.02), strict=True))
    moved = {kind: Metrics(held_out.opponents[kind] + by, 0.5) for kind, by in shifts.items()}
    record = replace(record, by_negatives=moved)
    assert held_out.score(record, "held_out_lead") == pytest.approx(-0.01)
    assert held_out.score(record, "held_out_auc") == record.test.auc
    lost = replace(record, test=Metrics(math.nan, math.nan))
    assert held_out.score(lost, "held_out_auc") == -math.inf


@pytest.mark.parametrize(("num_snapshots", "expected"), [(None, 3), (1, 1), (7, 7)])
def test_how_many_judge(enron10, num_snapshots, expected):
    found = HeldOut.of(enron10, Config(dataset="enron10"), "held_out_auc", num_snapshots)
    assert found.settings["test_snapshots"] == expected
    assert found.opponents == {}


def test_validation_snapshots_choose_the_epoch_of_a_trial_as_of_a_run(enron10):
    """A run on enron10 with two of them: six train, two choose, three judge; a trial has the same before."""
    config = Config(dataset="enron10", test_snapshots=2, validation_snapshots=2)
    found = HeldOut.of(enron10, config, "held_out_auc", None)
    assert found.dataset.graph.num_snapshots == 11 - 2
    split = make_split(config.replace(**found.settings), found.dataset)
    assert (split.num_train, split.num_validation, split.num_test) == (5, 2, 2)
    assert split.selection == make_split(config, enron10).selection == "validation_auc"


@pytest.mark.parametrize("num_snapshots", [0, 8])
def test_one_has_to_be_left(enron10, num_snapshots):
    with pytest.raises(ConfigError, match=f"held_out={num_snapshots}: must leave one of enron10's 8"):
        HeldOut.of(enron10, Config(dataset="enron10"), "held_out_auc", num_snapshots)


def test_trials_run_on_what_is_left_and_the_winner_on_all(enron10, held_out):
    spec = spec_of()
    digests = {"enron10": enron10.graph.digest}
    search = Search.of(spec, digests, {"enron10": held_out})
    values = {}
    while (runs := search.next()) is not None:
        [run] = runs
        assert run.graph_digest == held_out.dataset.graph.digest != digests["enron10"]
        assert run.config.data.test_snapshots == 3
        record = fit(run.config, dataset=held_out.dataset)
        best = search.best_of(run, record)
        values[run.config.resolved().model.l2] = search.ended(run, best=best).value
    [cell] = spec.cells
    # Nothing of the winner's checkpoint is of use: it was trained on fewer snapshots.
    assert search.best_run(cell) is None
    best = max(values, key=lambda l2: values[l2])
    for seed in (5, 6):
        assert search.runs()[cell, seed].resolved() == spec.config(cell, seed, l2=best).resolved()


def test_trials_of_other_snapshots_are_not_recalled(enron10, held_out):
    spec = spec_of()
    [cell] = spec.cells
    search = CellSearch(spec, cell, "graph", held_out)
    run = search.ask()
    other = HeldOut.of(enron10, Config(dataset="enron10"), "held_out_lead", 2)
    trial = Search({cell: search}).ended(run, best=Best(0.5, 0))
    assert CellSearch(spec, cell, "graph", held_out).recall(trial)
    assert not CellSearch(spec, cell, "graph", other).recall(trial)


def test_a_file_comes_back():
    spec = spec_of()
    assert spec.held_out == 3
    assert SweepSpec.from_toml(spec.to_toml()) == spec
    assert "held_out" not in SweepSpec.read("quick").to_toml()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("held_out = 3", "held_out = 0"), "held_out=0: must be an integer >= 1"),
        (("held_out = 3", "held_out = true"), "held_out=True: must be an integer >= 1"),
        (('"held_out_auc"', '"train_loss"'), "held_out=3: is for a search by held_out_auc or held_out_lead"),
        (('"held_out_auc"', '"held_out"'), "criterion='held_out': must be one of 'auto', .*did you mean"),
    ],
)
def test_mistakes(changed, message):
    with pytest.raises(ConfigError, match=message):
        SweepSpec.from_toml(TOML.format(criterion="held_out_auc").replace(*changed))
