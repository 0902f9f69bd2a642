"""The next-snapshot protocol: what predicts a snapshot has seen nothing of it."""

import numpy as np
import pytest
import torch

from supra_core import InvalidArgumentError
from supra_experiments.config import NETWORKS, Config
from supra_experiments.datasets.splits import Split
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.features import node_features
from supra_experiments.training.fit import fit
from supra_experiments.training.trainer import Trainer

from ..toys import QUICK, toy, with_other_future

MODELS = tuple(model for model in NETWORKS if model != "egcn")
NEXT = QUICK.replace(protocol="next", num_heads=2, max_epochs=3)
HISTORY = NEXT.replace(decoder_history=True, train_negatives="mixed")


def predictions(config, dataset, num_train):
    """What predicts each snapshot in the first epoch: embeddings, index, features of its links."""
    config = config.resolved()
    graph = dataset.graph.window(num_train - 1, num_train)
    trainer = Trainer(config, graph, *node_features(config, dataset), encode_graph(config, graph))
    seen = []
    inner = trainer.decoder.forward

    def forward(z, index, *features):
        seen.append((z.detach().clone(), index.clone(), [each.clone() for each in features]))
        return inner(z, index, *features)

    trainer.decoder.forward = forward
    trainer.epoch(1)
    return seen


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pe", ["none", "slpe-e"])
def test_nothing_of_a_snapshot_or_later_predicts_it(model, pe):
    # Weights that stand still: later snapshots may move them, and how features are standardised.
    config = HISTORY.replace(model=model, pe=pe, features="random", lr=1e-30)
    dataset, stop = toy(), 3
    first = predictions(config, dataset, 6)
    second = predictions(config, toy(with_other_future(dataset.graph, stop=stop)), 6)
    assert len(first) == len(second) == 5  # the first snapshot has nothing before it
    for t, (one, other) in enumerate(zip(first, second, strict=True), start=1):
        links = np.stack(dataset.graph.snapshot(t)[:2])
        assert np.array_equal(one[1][:, : links.shape[1]], links)
        if t <= stop:
            torch.testing.assert_close(one[0], other[0], rtol=0, atol=0)
        if t < stop:  # the pairs are the same as well
            torch.testing.assert_close(one[2], other[2], rtol=0, atol=0)
    assert not torch.equal(first[-1][0], second[-1][0]) or (model, pe) == ("slate", "none")


@pytest.mark.parametrize("model", MODELS)
def test_what_comes_after_training_changes_nothing_that_was_learned(model):
    config = HISTORY.replace(model=model, pe="lpe-e")
    dataset = toy()
    split = make_split(config, dataset)
    first = fit(config, dataset=dataset)
    second = fit(config, dataset=toy(with_other_future(dataset.graph, stop=split.num_train + 1)))
    assert [(each.loss, each.validation_auc) for each in first.history] == [
        (each.loss, each.validation_auc) for each in second.history
    ]
    assert first.per_snapshot[0] == second.per_snapshot[0]


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("config", [NEXT, HISTORY], ids=["plain", "history"])
def test_the_last_training_snapshot_chooses_the_epoch(config, follow):
    record = fit(config.replace(model="grugcn", follow=follow, max_epochs=5), dataset=toy())
    aucs = [epoch.validation_auc for epoch in record.history]
    assert record.selection == "validation_auc"
    assert record.best_epoch == 1 + int(np.argmax(aucs))
    assert record.validation.auc == pytest.approx(max(aucs))


def test_weights_do_not_come_from_held_out_snapshots_but_scores_use_them():
    dataset = toy()  # four training snapshots, of which the last one judges
    config = NEXT.replace(model="grugcn", max_epochs=1)
    assert make_split(config, dataset) == Split(4, 0, 2, num_held_out=1)
    other = toy(with_other_future(dataset.graph, stop=3))
    first, second = fit(config, dataset=dataset), fit(config, dataset=other)
    assert first.history[0].loss == second.history[0].loss
    # The links of the test are compared with scores from other embeddings.
    assert first.per_snapshot != second.per_snapshot


def test_held_out_snapshots_of_a_split():
    split = Split(8, 0, 3, num_held_out=2)
    assert (split.num_fitted, list(split.judging), split.selection) == (6, [6, 7], "validation_auc")
    assert [split.seen(t) for t in (6, 7, 8, 10)] == [6, 7, 8, 8]
    assert str(split).endswith("epoch chosen by best validation AUC (of 6–7)")
    with pytest.raises(InvalidArgumentError, match=r"held_out=2: must leave two of 3 training snapshots"):
        Split(3, 0, 1, num_held_out=2)


def test_validation_snapshots_choose_where_there_are_any():
    assert make_split(NEXT, toy(validation=1)) == Split(3, 1, 2)


def test_the_published_protocol_and_scores_hold_nothing_out():
    for config in (QUICK, NEXT.replace(model="logistic"), NEXT.replace(model="count")):
        assert make_split(config, toy()).num_held_out == 0


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    config = HISTORY.replace(model="htgn", pe="slpe-e", max_epochs=4)
    whole = fit(config, dataset=toy())

    def stop(epoch):
        if epoch.epoch == 2:
            raise KeyboardInterrupt

    path = tmp_path / "run.pt"
    with pytest.raises(KeyboardInterrupt):
        fit(config, dataset=toy(), checkpoint=path, checkpoint_every=1, on_epoch=stop)
    assert fit(config, dataset=toy(), checkpoint=path).outcome() == whole.outcome()


def test_history_needs_the_next_snapshot():
    with pytest.raises(ConfigError, match="decoder_history=True: must go with protocol='next'"):
        Config(model="htgn", decoder_history=True)
    Config(model="count", decoder_history=True)  # has no decoder
