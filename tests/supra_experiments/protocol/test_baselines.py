import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.config.model import UNLEARNED
from supra_experiments.protocol.baselines import BASELINES, baseline
from supra_experiments.training.fit import fit

from ..helpers import REAL, edge_set, graphs, needs_data

# Test AUC in percent on the published test sets, from an independent implementation.
REFERENCE = {
    ("edgebank", "enron10"): 86.25,
    ("edgebank", "dblp"): 80.31,
    ("degree", "enron10"): 85.89,
    ("degree", "dblp"): 69.03,
    ("count", "enron10"): 93.48,
    ("count", "dblp"): 86.07,
    ("neighbours", "enron10"): 95.60,
    ("neighbours", "dblp"): 86.71,
}


@given(graphs(min_nodes=3, max_nodes=7), st.data())
def test_scores_equal_their_definition_spelled_out(graph, data):
    num_train = data.draw(st.integers(1, graph.num_snapshots))
    layers = [edge_set(graph, t) for t in range(num_train)]
    union = set().union(*layers)
    pairs = list(itertools.combinations(range(graph.num_nodes), 2))

    def degree(node, decay=1.0):
        return sum(
            decay ** (num_train - 1 - t) for t, layer in enumerate(layers) for pair in layer if node in pair
        )

    def count(pair, decay=1.0):
        return sum(decay ** (num_train - 1 - t) for t, layer in enumerate(layers) if pair in layer)

    def friends(node):
        return {other for pair in union if node in pair for other in pair} - {node}

    expected = {
        "edgebank": [float(pair in union) for pair in pairs],
        "degree": [degree(a) * degree(b) for a, b in pairs],
        "count": [count((a, b), 0.5) + 1e-6 * degree(a, 0.5) * degree(b, 0.5) for a, b in pairs],
        "neighbours": [
            count((a, b)) + 0.1 * len(friends(a) & friends(b)) + 1e-6 * degree(a) * degree(b)
            for a, b in pairs
        ],
    }
    index = np.array(pairs).T
    for name in BASELINES:
        np.testing.assert_allclose(baseline(name, graph, num_train)(index), expected[name], atol=1e-12)


def test_only_training_snapshots_count():
    graph = TemporalGraph.from_edges([0, 1, 0, 2], [1, 2, 2, 3], [0, 0, 1, 1])
    other = TemporalGraph.from_edges([0, 1, 1], [1, 2, 3], [0, 0, 1], num_nodes=4)
    pairs = np.array(list(itertools.combinations(range(4), 2))).T
    for name in BASELINES:
        np.testing.assert_array_equal(baseline(name, graph, 1)(pairs), baseline(name, other, 1)(pairs))


def test_an_unknown_score_is_refused():
    with pytest.raises(ValueError, match="model='magic': must be one of 'edgebank'"):
        baseline("magic", TemporalGraph.from_edges([0], [1], [0]), 1)


@needs_data
@pytest.mark.parametrize(("model", "dataset"), REFERENCE)
def test_the_published_rows_without_learning_are_reproduced(model, dataset):
    record = fit(Config(dataset=dataset, model=model), data_root=REAL)
    assert 100 * record.test.auc == pytest.approx(REFERENCE[model, dataset], abs=0.5)
    assert record.selection == "none"


@needs_data
@pytest.mark.parametrize("dataset", ["enron10", "dblp"])
def test_harder_negatives_are_harder(dataset):
    """Negatives among active nodes cannot be told apart by activity; past edges not by having been seen."""
    auc = {
        kind: fit(Config(dataset=dataset, model="neighbours", negatives=kind), data_root=REAL).test.auc
        for kind in ("uniform", "active", "historical")
    }
    assert auc["historical"] < auc["active"] < auc["uniform"]


def test_every_score_without_learning_can_be_asked_for_by_its_name():
    assert tuple(BASELINES) == UNLEARNED
