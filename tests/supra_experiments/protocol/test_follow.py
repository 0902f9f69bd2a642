"""Scores that use all snapshots before the one that is judged, and nothing of it or after."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from supra_experiments import load
from supra_experiments.config.model import LEARNED_SCORES
from supra_experiments.datasets.splits import Fractions, LastSnapshots, Split
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.protocol.baselines import BASELINES, baseline
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.negatives import edge_keys, evaluation_links, new_links
from supra_experiments.training import fit as fit_module
from supra_experiments.training.fit import fit

from ..helpers import REAL, needs_data
from ..toys import QUICK, toy, with_other_future

FOLLOWING = QUICK.replace(follow=True, num_heads=2, max_epochs=2)
MODELS = ("egcn-h", "egcn-o", "grugcn", "htgn", "slate")


@pytest.mark.parametrize("rule", [LastSnapshots(2, 1, follows=True), Fractions(0.2, 0.3, follows=True)])
def test_what_is_seen(rule):
    split = rule.split(10)
    assert [split.seen(t) for t in (*split.validation, *split.test)] == [*split.validation, *split.test]
    assert split.num_seen == 9  # never the last one
    assert "scores from all snapshots before" in str(split)
    assert Split(4, 0, 3).num_seen == 4


def test_settings_win_over_the_dataset():
    dataset = toy()
    assert [make_split(QUICK.replace(follow=follow), dataset).follows for follow in (None, True, False)] == [
        False,
        True,
        False,
    ]
    assert make_split(FOLLOWING.replace(test_snapshots=1), dataset).follows


@needs_data
def test_canparl_is_followed_and_the_others_are_not():
    found = {
        name: make_split(QUICK, load(name, root=REAL)).follows for name in ("canparl", "dblp", "enron10")
    }
    assert found == {"canparl": True, "dblp": False, "enron10": False}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pe", ["none", "slpe-e", "lpe-t"])
def test_training_is_the_same_and_the_first_test_snapshot_too(model, pe):
    """Up to the first snapshot that is judged there is nothing to follow."""
    # SLATE's own default depends on whether a dataset is followed.
    config = FOLLOWING.replace(model=model, pe=pe, active_only=False)
    followed, held = fit(config, dataset=toy()), fit(config.replace(follow=False), dataset=toy())
    assert [epoch.loss for epoch in followed.history] == [epoch.loss for epoch in held.history]
    assert followed.per_snapshot[0] == held.per_snapshot[0]
    # Without an encoding no edge reaches SLATE.
    assert (followed.per_snapshot[1] == held.per_snapshot[1]) == ((model, pe) == ("slate", "none"))


@pytest.mark.parametrize("model", [*MODELS, *LEARNED_SCORES, *BASELINES])
def test_a_snapshot_is_judged_by_nothing_of_itself_or_later(model):
    config = FOLLOWING.replace(model=model, pe="slpe-i", features="random")
    dataset = toy(test=3)
    other = toy(with_other_future(dataset.graph, stop=5), test=3)
    first, second = fit(config, dataset=dataset), fit(config, dataset=other)
    assert first.per_snapshot[:2] == second.per_snapshot[:2]
    assert first.per_snapshot[2] != second.per_snapshot[2]  # its links are others
    # What came before a snapshot does matter.
    earlier = fit(config, dataset=toy(with_other_future(dataset.graph, stop=4), test=3))
    assert first.per_snapshot[0] == earlier.per_snapshot[0]
    assert first.per_snapshot[1:] != earlier.per_snapshot[1:]


@pytest.mark.parametrize("name", BASELINES)
def test_scores_without_learning_follow_as_well(name):
    dataset = toy()
    split = make_split(FOLLOWING, dataset)
    links = [evaluation_links(dataset.graph, split, t) for t in split.test]
    expected = [
        roc_auc_score(part.labels, baseline(name, dataset.graph, part.snapshot)(part.pairs)) for part in links
    ]
    record = fit(FOLLOWING.replace(model=name), dataset=dataset)
    assert [metrics.auc for metrics in record.per_snapshot] == pytest.approx(expected, abs=1e-12)


def test_validation_snapshots_are_followed_as_well():
    config = FOLLOWING.replace(model="grugcn", max_epochs=4)
    followed = fit(config, dataset=toy(validation=2, test=1))
    held = fit(config.replace(follow=False), dataset=toy(validation=2, test=1))
    losses = [[epoch.loss for epoch in record.history] for record in (followed, held)]
    assert losses[0] == losses[1]
    assert [e.validation_auc for e in followed.history] != [e.validation_auc for e in held.history]


def test_test_links_follow():
    """New links are new since the snapshot before; active nodes are those of all snapshots before."""
    graph = toy().graph
    split, held = (make_split(QUICK.replace(follow=follow), toy()) for follow in (True, False))
    t = split.test[-1]
    new = new_links(graph, split, t)
    keys = np.sort(new.positives[0] * graph.num_nodes + new.positives[1])
    np.testing.assert_array_equal(keys, np.setdiff1d(edge_keys(graph, t), edge_keys(graph, t - 1)))
    # Uniform negatives do not depend on what is seen, so figures of both ways are of the same links.
    pairs = [evaluation_links(graph, each, t).pairs for each in (split, held)]
    np.testing.assert_array_equal(*pairs)


def test_encodings_are_of_all_that_is_seen_and_no_more(monkeypatch):
    def encode(config, graph, **options):
        sizes.append(graph.num_snapshots)
        return encode_graph(config, graph, **options)

    sizes = []
    monkeypatch.setattr(fit_module, "encode_graph", encode)
    config, dataset = FOLLOWING.replace(model="grugcn", pe="slpe-e"), toy()
    for each in (config, config.replace(follow=False)):
        fit(each, dataset=dataset)
    assert sizes == [make_split(config, dataset).num_seen, 4] == [5, 4]
