import math

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score

from supra_experiments.config import NETWORKS, Config
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.features import node_features
from supra_experiments.protocol.negatives import evaluation_links, sample_non_edges
from supra_experiments.training.fit import fit
from supra_experiments.training.trainer import Trainer

from ..helpers import REAL, needs_data
from ..toys import QUICK, toy, with_other_future

MODELS = tuple(model for model in NETWORKS if model != "egcn")


def trainer_of(config: Config, dataset=None) -> Trainer:
    dataset, config = dataset or toy(), config.resolved()
    split = make_split(config, dataset)
    graph = dataset.graph.window(split.num_train - 1, split.num_train)
    x, channels = node_features(config, dataset)
    return Trainer(config, graph, x, channels, None)


# ── the same seed, the same numbers ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pe", ["none", "slpe-i"])
def test_two_runs_with_one_seed_are_equal_and_another_seed_differs(model, pe):
    config = QUICK.replace(model=model, pe=pe, dropout=0.2, num_heads=2, max_epochs=3)
    first = fit(config, dataset=toy())
    torch.manual_seed(123)  # what the caller did before must not matter
    second = fit(config, dataset=toy())
    assert first.outcome() == second.outcome()
    assert first.history != fit(config.replace(seed=1), dataset=toy()).history
    assert all(math.isfinite(epoch.loss) for epoch in first.history)
    assert 0 <= first.test.auc <= 1


def test_a_run_leaves_the_callers_random_state_and_threads_alone():
    torch.manual_seed(7)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    fit(QUICK.replace(model="grugcn", dropout=0.5), dataset=toy())
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_num_threads() == threads


# ── metrics ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("model", ["grugcn", "slate"])
def test_reported_metrics_are_scikit_learns_on_the_raw_scores(model):
    config, dataset = QUICK.replace(model=model, num_heads=2, max_epochs=1), toy()
    record = fit(config, dataset=dataset)
    trainer = trainer_of(config, dataset)
    with torch.random.fork_rng():
        trainer.epoch(1)
    score = trainer.scorers()[trainer.num_train]
    split = make_split(config, dataset)
    links = [evaluation_links(dataset.graph, split, t) for t in split.test]
    auc = [roc_auc_score(part.labels, score(part.pairs)) for part in links]
    ap = [average_precision_score(part.labels, score(part.pairs)) for part in links]
    assert record.test.auc == pytest.approx(np.mean(auc), abs=1e-9)
    assert record.test.ap == pytest.approx(np.mean(ap), abs=1e-9)
    assert [part.auc for part in record.per_snapshot] == pytest.approx(auc, abs=1e-9)


def test_the_loss_is_the_published_one():
    """−log p over the edges, −log(1 − p) over the non-edges, and the consistency term, in plain NumPy."""
    config = QUICK.replace(model="grugcn", consistency=0.5).resolved()
    trainer = trainer_of(config)
    state = trainer.model.initial_state(24)
    with torch.no_grad():
        z, _ = trainer.model(trainer.snapshots[:1], state)
        loss, _ = trainer.loss(0, state, np.random.default_rng(4))
    source, target, _ = trainer.graph.snapshot(0)
    drawn = sample_non_edges(trainer.pairs.keys[0], 24, len(source), np.random.default_rng(4))
    vectors = z.numpy().astype(np.float64)
    p = 1 / (1 + np.exp(-(vectors[source] * vectors[target]).sum(axis=1)))
    q = 1 / (1 + np.exp(-(vectors[drawn[0]] * vectors[drawn[1]]).sum(axis=1)))
    last = state.tensors[0][-1].numpy()
    expected = -np.log(p).mean() - np.log(1 - q).mean() + 0.5 * ((vectors - last) ** 2).sum(axis=1).mean()
    assert float(loss) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_steps_are_taken_as_published(model, monkeypatch):
    trainer = trainer_of(QUICK.replace(model=model, num_heads=2))
    steps = []
    real = trainer.optimizer.step
    monkeypatch.setattr(trainer.optimizer, "step", lambda: steps.append(1) or real())
    trainer.epoch(1)
    assert len(steps) == (1 if model.startswith("egcn") else trainer.graph.num_snapshots)


def test_training_learns_the_training_snapshots():
    record = fit(QUICK.replace(model="grugcn", max_epochs=80, lr=0.05), dataset=toy())
    assert min(epoch.loss for epoch in record.history) < 0.87 * record.history[0].loss
    assert record.test.auc > 0.6


def test_signs_flip_while_training_and_not_when_scoring():
    config = QUICK.replace(model="grugcn", pe="slpe-e", features="zeros", max_epochs=2, flip_signs=True)
    assert (
        fit(config, dataset=toy()).history[0].loss
        != fit(config.replace(flip_signs=False), dataset=toy()).history[0].loss
    )
    from supra_experiments.encoding.tensors import encode_graph

    dataset, config = toy(), config.resolved()
    graph = dataset.graph.window(3, 4)
    encoded = encode_graph(config, graph)
    x, channels = node_features(config, dataset)
    trainer = Trainer(config, graph, x, channels, encoded)
    for t in range(4):
        assert torch.equal(trainer.inputs(t, None)[0].pe, encoded.windows[t][0])
        flipped = [trainer.inputs(t, np.random.default_rng(seed))[0].pe for seed in range(20)]
        assert any(not torch.equal(pe, encoded.windows[t][0]) for pe in flipped)


def test_evolvegcn_on_zero_features_without_encoding_knows_exactly_nothing():
    for model in ("egcn-h", "egcn-o"):
        record = fit(QUICK.replace(model=model, features="zeros"), dataset=toy())
        assert record.test.auc == 0.5
        assert record.test_new.auc == 0.5


# ── no leakage, selection ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("model", ["grugcn", "egcn-o", "slate"])
@pytest.mark.parametrize("pe", ["none", "slpe-e"])
def test_test_snapshots_change_no_training_number(model, pe):
    config = QUICK.replace(model=model, pe=pe, num_heads=2)
    dataset = toy()
    other = toy(with_other_future(dataset.graph, stop=4))
    first, second = fit(config, dataset=dataset), fit(config, dataset=other)
    losses = [[epoch.loss for epoch in record.history] for record in (first, second)]
    assert losses[0] == losses[1]
    assert first.best_epoch == second.best_epoch
    assert first.test != second.test


def test_without_validation_the_lowest_training_loss_is_reported():
    record = fit(QUICK.replace(model="grugcn", max_epochs=12, lr=0.3), dataset=toy())
    losses = [epoch.loss for epoch in record.history]
    assert record.selection == "train_loss"
    assert record.best_epoch == 1 + int(np.argmin(losses))
    assert record.validation is None


def test_with_validation_the_best_validation_auc_is_reported():
    record = fit(QUICK.replace(model="grugcn", max_epochs=12, lr=0.1), dataset=toy(validation=1))
    aucs = [epoch.validation_auc for epoch in record.history]
    assert record.selection == "validation_auc"
    assert record.best_epoch == 1 + int(np.argmax(aucs))
    assert record.validation.auc == max(aucs), "the reported weights are those of that epoch"


def test_training_stops_when_patience_ends():
    config = QUICK.replace(model="grugcn", max_epochs=60, min_epochs=8, patience=2, lr=0.5)
    record = fit(config, dataset=toy())
    assert 8 <= len(record.history) < 60
    assert len(record.history) - record.best_epoch >= 2


def test_a_run_that_diverges_says_so():
    record = fit(QUICK.replace(model="egcn-h", lr=1e30, max_epochs=30), dataset=toy())
    assert record.diverged
    assert len(record.history) < 30
    assert record.to_json()


def test_one_run_is_judged_under_every_kind_of_negatives():
    record = fit(QUICK.replace(model="grugcn", max_epochs=3), dataset=toy())
    assert record.by_negatives["uniform"] == record.test
    for kind in ("active", "historical"):
        alone = fit(QUICK.replace(model="grugcn", max_epochs=3, negatives=kind), dataset=toy())
        assert alone.test == record.by_negatives[kind] != record.test


def test_user_split_settings():
    record = fit(QUICK.replace(model="degree", test_snapshots=1, validation_snapshots=2), dataset=toy())
    assert len(record.per_snapshot) == 1
    assert record.validation is not None
    with pytest.raises(ValueError, match="num_snapshots=6: must exceed the 9 test"):
        fit(QUICK.replace(model="degree", test_snapshots=9), dataset=toy())


# ── every input with every model ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("features", ["one-hot", "random", "zeros"])
@pytest.mark.parametrize("pe", ["lpe-e", "lpe-t", "slpe-e", "slpe-t"])
def test_every_encoding_goes_with_every_feature_and_model(features, pe):
    for model in MODELS:
        config = QUICK.replace(model=model, features=features, pe=pe, num_heads=2, max_epochs=1)
        record = fit(config, dataset=toy())
        assert math.isfinite(record.test.auc)
        assert record.encoding["channels"] == 3 * (3 if pe.endswith("t") else 1)
        assert record.timings.encoding > 0


@pytest.mark.parametrize("kind", ["uniform", "active", "historical"])
def test_the_kind_of_negatives_is_in_the_record(kind):
    record = fit(QUICK.replace(model="count", negatives=kind), dataset=toy())
    assert record.config.data.negatives == kind
    assert len(record.num_negatives) == 2


@needs_data
def test_encodings_lift_a_model_without_features_far_above_chance():
    """A short run; the full figures are in the README."""
    config = Config(dataset="enron10", model="egcn-h", features="zeros", max_epochs=60)
    assert fit(config.replace(max_epochs=3), data_root=REAL).test.auc == 0.5
    assert fit(config.replace(pe="slpe-e"), data_root=REAL).test.auc > 0.7
