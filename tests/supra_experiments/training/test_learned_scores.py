"""Scores that are learned without a network, against scikit-learn's own pipeline and formulae by hand."""

import json
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from supra_core import PairFeatures, TemporalGraph, pair_features
from supra_experiments.config import Config
from supra_experiments.config.model import LEARNED_SCORES
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.negatives import edge_keys, evaluation_links
from supra_experiments.training.fit import fit
from supra_experiments.training.learned_scores import Logistic
from supra_experiments.training.pair_history import PairHistory, TrainingPairs, training_features
from supra_experiments.training.record import RunRecord

from ..toys import QUICK, toy, with_other_future

PES = ["none", "slpe-e", "lpe-i"]


def signed_log(values):
    return np.sign(values) * np.log1p(np.abs(values))


@pytest.mark.parametrize("pe", PES)
def test_the_record_has_all_of_a_logistic_regression(pe):
    """From the record's JSON alone and the training snapshots, the test's AUC comes out again."""
    config = QUICK.replace(model="logistic", pe=pe, l2=0.5, history_decay=0.7)
    dataset = toy()
    record = RunRecord.from_json(fit(config, dataset=dataset).to_json())
    kept, split = record.coefficients, make_split(config, dataset)
    encoder, encoding = config.encoder, None
    if encoder is not None:
        seen = dataset.graph.window(split.num_train - 1, split.num_train)
        encoding = encode_graph(config, seen).windows[-1][-1].numpy()
    for kind, found in record.by_negatives.items():
        aucs = []
        for t in split.test:
            links = evaluation_links(dataset.graph, split, t, kind, config.data.test_seed)
            features = pair_features(
                dataset.graph, split.num_train - 1, links.pairs, encoding=encoding, decay=0.7
            )
            assert list(features.names) == kept["names"]
            logit = kept["intercept"] + sum(
                weight * (signed_log(features.values[:, j]) - kept["mean"][j]) / kept["scale"][j]
                for j, weight in enumerate(kept["weight"])
            )
            aucs.append(roc_auc_score(links.labels, logit))
        assert found.auc == pytest.approx(np.mean(aucs), abs=1e-9)
    assert record.num_parameters == len(kept["weight"]) + 1
    assert Logistic.from_dict(json.loads(json.dumps(kept))).to_dict() == kept


@pytest.mark.parametrize("l2", [0.01, 1.0, 50.0])
def test_it_learns_what_the_pipeline_of_the_library_learns(l2):
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.poisson(3, 200), rng.normal(size=200) * 100, np.full(200, 7.0)])
    labels = values[:, 0] + rng.normal(size=200) > 3
    config = Config(model="logistic", l2=l2)
    names = ("count", "normal", "constant")
    learned = Logistic.learn(config, PairFeatures(values, names), labels)
    pipeline = make_pipeline(
        FunctionTransformer(signed_log), StandardScaler(), LogisticRegression(C=1 / l2, max_iter=2000)
    ).fit(values, labels)
    assert learned(PairFeatures(values, names)) == pytest.approx(pipeline.decision_function(values), abs=1e-4)


@pytest.mark.parametrize("model", LEARNED_SCORES)
@pytest.mark.parametrize("pe", PES)
def test_settings_and_graph_grow_the_same_score_again(model, pe):
    config = QUICK.replace(model=model, pe=pe, train_negatives="mixed", num_trees=10)
    record = RunRecord.from_json(fit(config, dataset=toy()).to_json())
    assert fit(record.config, dataset=toy()).outcome() == record.outcome()
    other = fit(config.replace(seed=1), dataset=toy())
    assert other.per_snapshot != record.per_snapshot
    assert (record.selection, record.best_epoch, record.history) == ("none", 0, ())
    assert record.config.training.protocol == "next"
    assert all(0.5 < part.auc < 1 for part in record.per_snapshot)  # blocks are easy to see


@pytest.mark.parametrize("model", LEARNED_SCORES)
def test_what_comes_after_training_changes_no_score(model):
    config = QUICK.replace(model=model, pe="slpe-e", num_trees=10)
    dataset = toy()
    split = make_split(config, dataset)
    assert not split.follows
    other = toy(with_other_future(dataset.graph, stop=split.num_train + 1))
    first, second = fit(config, dataset=dataset), fit(config, dataset=other)
    assert first.coefficients == second.coefficients
    assert first.per_snapshot[0] == second.per_snapshot[0]
    assert first.per_snapshot[1] != second.per_snapshot[1]  # its links are others


@pytest.mark.parametrize("t", [1, 2, 3, 4])
@pytest.mark.parametrize("pe", PES)
def test_features_before_a_snapshot_have_nothing_of_it_or_after(t, pe):
    """The encodings as well, though those of all snapshots are computed together."""
    graph = toy().graph
    other = with_other_future(graph, stop=t)
    assert not np.array_equal(edge_keys(graph, t), edge_keys(other, t))
    pairs = np.stack(np.triu_indices(graph.num_nodes, 1))
    config = QUICK.replace(pe=pe)
    values = [
        PairHistory(each, encode_graph(config, each), 0.5).before(t, pairs).values for each in (graph, other)
    ]
    np.testing.assert_array_equal(*values)


def test_training_rows_are_links_and_non_edges_with_what_came_before():
    config = QUICK.replace(model="logistic", negatives_per_link=2)
    graph = toy().graph
    features, truth = training_features(config, PairHistory(graph, None, 0.5), 4)
    sizes = [len(edge_keys(graph, t)) for t in range(1, 4)]
    assert (truth.sum(), len(truth)) == (sum(sizes), 3 * sum(sizes))
    start = 0
    for t, size in zip(range(1, 4), sizes, strict=True):
        links = np.stack(graph.snapshot(t)[:2])
        expected = pair_features(graph, t - 1, links).values
        np.testing.assert_array_equal(features.values[start : start + size], expected)
        assert truth[start : start + size].all()
        assert not truth[start + size : start + 3 * size].any()
        start += 3 * size


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_mixed_negatives_are_past_links_and_others(share):
    graph = toy().graph
    config = Config(train_negatives="mixed", historical_share=share)
    pairs = TrainingPairs(config, graph, 4)
    for t in range(4):
        past = set().union(*(edge_keys(graph, s).tolist() for s in range(t))) if t else set()
        absent = past - set(edge_keys(graph, t).tolist())
        drawn = pairs.non_edges(t, 20, np.random.default_rng(t))
        keys = (drawn[0] * graph.num_nodes + drawn[1]).tolist()
        wanted = min(round(20 * share), len(absent))
        assert len(keys) == 20
        assert set(keys[:wanted]) <= absent
        assert len(set(keys[:wanted])) == wanted
        assert not set(keys) & set(edge_keys(graph, t).tolist())


def test_what_cannot_be_learned_is_refused():
    single = toy(TemporalGraph.from_edges([0, 1, 2], [1, 2, 3], [0, 1, 2]), test=2)
    with pytest.raises(ConfigError, match=r"model='logistic': needs links and non-edges"):
        fit(Config(model="logistic"), dataset=single)
    with pytest.raises(ConfigError, match=r"protocol='autoencode': must be 'next' for boosting"):
        Config(model="boosting", protocol="autoencode")
    for name, value in (("l2", 0.0), ("history_decay", 0.0), ("historical_share", 1.5), ("tree_depth", 0)):
        with pytest.raises(ConfigError, match=name):
            Config(model="boosting", **{name: value})


def test_node_features_make_no_other_run():
    first, second = (Config(model="logistic", features=features) for features in ("zeros", "random"))
    assert first.identity == second.identity != Config(model="logistic", pe="slpe-e").identity
    assert math.isnan(fit(first).seconds_per_epoch)
