"""A trial that was best before its end: what it is worth, and the run that comes to the same."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments import fit
from supra_experiments.sweep.halving import milestones
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import Best, best_epoch, better
from supra_experiments.training.record import EpochRecord

from ..toys import QUICK, toy

SPEC = SweepSpec.from_toml("""
mode = "search"
datasets = ["enron10"]
models = ["grugcn"]
encodings = ["none"]
features = ["zeros"]
num_trials = 6
seeds = [4, 7]
criterion = "held_out_auc"
[search]
lr = [0.1, 0.03, 0.01, 0.001, 0.0001, 0.0003, 0.00001]
""")
[CELL] = SPEC.cells
SCORES = st.floats(0.0, 1.0)


@given(st.lists(st.tuples(SCORES, st.sampled_from([10, 30, 90, 120]), st.booleans()), min_size=6, max_size=6))
def test_the_best_of_all_trials_is_run_with_as_many_epochs_as_it_had_when_it_was_best(ends):
    """Each trial has 120 epochs, or is stopped where it was best; the oracle looks at all of them."""
    search = Search.of(SPEC, {"enron10": "graph"})
    told = []
    for (run,), (score, at, is_stopped) in zip(iter(search.next, None), ends, strict=True):
        trained = at if is_stopped else 120
        trial = search.ended(run, epochs=trained, best=Best(score, at), stopped_early=is_stopped)
        assert (trial.value, trial.epochs) == (score, trained)
        limit = {} if at == 120 and not is_stopped else {"max_epochs": at}
        told.append((score, dict(run.settings) | limit))
    best = max(score for score, _ in told)
    candidates = [settings for score, settings in told if score == best]
    for seed in SPEC.seeds(CELL):
        runs = [SPEC.config(CELL, seed, **settings) for settings in candidates]
        assert search.runs()[CELL, seed] in runs


@pytest.mark.parametrize("criterion", ["train_loss", "auto"])
def test_where_the_criterion_chooses_the_epoch_a_run_chooses_it_again(criterion):
    """It has all its epochs, and a trial that was stopped cannot be the best."""
    spec = SweepSpec.from_toml(SPEC.to_toml().replace("held_out_auc", criterion))
    search = Search.of(spec, {"enron10": "graph"})
    [first], [second] = search.next(), search.next()
    search.ended(first, epochs=120, best=Best(-0.5, 30))
    stopped = search.ended(second, epochs=30, best=Best(-0.1, 30), stopped_early=True)
    assert stopped.best_epochs is None
    assert search.runs()[CELL, 4] == spec.config(CELL, 4)


def test_a_lead_is_known_at_the_end_alone():
    spec = SweepSpec.from_toml(SPEC.to_toml().replace("held_out_auc", "held_out_lead"))
    search = Search.of(spec, {"enron10": "graph"})
    [run] = search.next()
    assert search.ended(run, epochs=120, best=Best(0.01, 120)).best_epochs is None


@pytest.mark.parametrize("model", ["grugcn", "egcn-h"])
def test_a_run_of_so_many_epochs_comes_to_exactly_that(model):
    config = QUICK.replace(model=model, features="one-hot", max_epochs=40, min_epochs=100, lr=0.05)
    held_out = HeldOut.of(toy(), config, "held_out_auc", 2)
    config = config.replace(**held_out.settings)
    compared = milestones(config.training)
    record = fit(config, dataset=held_out.dataset, judge_at=compared)
    judged = {epoch.epoch: epoch.judged_auc for epoch in record.history if epoch.judged_auc is not None}
    assert tuple(judged) == compared == (4, 12, 36)
    for epochs, auc in judged.items():
        short = fit(config.replace(max_epochs=epochs), dataset=held_out.dataset)
        assert (len(short.history), short.test.auc) == (epochs, auc)


def test_a_trial_is_worth_the_best_of_its_judgements():
    held_out = HeldOut.of(toy(), QUICK, "held_out_auc", 2)
    config = QUICK.replace(**held_out.settings, max_epochs=40, min_epochs=100)
    record = fit(config, dataset=held_out.dataset, judge_at=milestones(config.training))
    search = Search.of(SPEC, {"enron10": "graph"}, {"enron10": held_out})
    [run] = search.next()
    judged = [Best(epoch.judged_auc, epoch.epoch) for epoch in record.history if epoch.judged_auc is not None]
    candidates = [Best(record.test.auc, 40), *judged]
    found = search.best_of(run, record)
    assert found in candidates
    assert found.score == max(each.score for each in candidates)


@given(st.lists(st.none() | SCORES, max_size=8))
def test_the_first_of_the_best_epochs_counts(values):
    history = [EpochRecord(i, 0.5, None, 0.1, judged_auc=value) for i, value in enumerate(values, start=1)]
    known = [(value, i) for i, value in enumerate(values, start=1) if value is not None]
    best = max((value for value, _ in known), default=-math.inf)
    found = best_epoch(history, "held_out_auc")
    assert found.score == best
    if known:
        assert found.epochs == min(i for value, i in known if value == best)
    assert better(found, Best(best, 99)) == found


def test_a_cell_of_another_dataset_is_not_given_the_number_of_epochs():
    spec = dataclasses.replace(
        SPEC,
        blocks=(dataclasses.replace(SPEC.blocks[0], datasets=("enron10", "as733")),),
        carry={"as733": ("enron10",)},
    )
    search = Search.of(spec, dict.fromkeys(spec.datasets, "graph"))
    for (run,) in iter(search.next, None):
        search.ended(run, epochs=120, best=Best(0.5 + bool(run.settings), 30))
    runs = {cell.dataset: run for (cell, seed), run in search.runs().items() if seed == 4}
    assert runs["enron10"].training.max_epochs == 30
    assert runs["as733"].training.lr == runs["enron10"].training.lr is not None
    assert runs["as733"].training.max_epochs == 500
