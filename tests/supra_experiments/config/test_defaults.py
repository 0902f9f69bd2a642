"""What a setting is where it is not given: by model, by features and encoding, and by dataset."""

import dataclasses

import pytest

from supra_core import Encoder
from supra_experiments.config import FEATURES, PES, Config
from supra_experiments.config.encoding import ENCODED


def test_each_model_has_its_published_defaults():
    htgn, slate = Config(model="htgn").resolved(), Config(model="slate").resolved()
    assert (htgn.training.lr, htgn.training.weight_decay, htgn.model.hidden_channels, htgn.model.window) == (
        0.01,
        5e-7,
        16,
        5,
    )
    assert (
        htgn.training.max_epochs,
        htgn.training.min_epochs,
        htgn.training.patience,
        htgn.model.dropout,
    ) == (500, 100, 50, 0.0)
    assert (
        slate.training.lr,
        slate.model.hidden_channels,
        slate.model.num_heads,
        slate.training.grad_clip,
    ) == (5e-4, 128, 8, 1.0)
    assert Config(model="slate", lr=0.1, window=4).resolved().encoding.pe_window == 4


@pytest.mark.parametrize(
    ("model", "features", "flipped"),
    [
        ("slate", "one-hot", True),
        ("slate", "random", True),
        ("slate", "zeros", False),
        ("htgn", "one-hot", False),
    ],
)
def test_signs_are_flipped_beside_the_features_of_slate(model, features, flipped):
    config = Config(model=model, features=features, pe="slpe-e")
    assert config.resolved().encoding.scale_pe
    assert config.resolved().encoding.flip_signs == flipped
    assert not config.replace(flip_signs=False).resolved().encoding.flip_signs
    assert not config.replace(scale_pe=False).resolved().encoding.scale_pe


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("pe", ENCODED)
def test_slate_has_unit_vectors_of_an_lpe_beside_one_hot_features(features, pe):
    config = Config(model="slate", features=features, pe=pe)
    assert config.resolved().encoding.scale_pe == (features != "one-hot" or pe.startswith("slpe"))
    assert config.replace(scale_pe=True).resolved().encoding.scale_pe


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("pe", PES)
@pytest.mark.parametrize(
    ("data", "follows"),
    [
        ({"dataset": "canparl"}, True),
        ({"dataset": "CanParl", "test_snapshots": 1}, True),
        ({"dataset": "canparl", "follow": False}, False),
        ({"dataset": "enron10"}, False),
        ({"dataset": "enron10", "follow": True}, True),
        ({"dataset": "edges.csv"}, False),
    ],
)
def test_slate_that_follows_has_tokens_of_nodes_that_are_there(features, pe, data, follows):
    config = Config(model="slate", features=features, pe=pe, **data)
    assert config.data.follows == follows
    blind = features == "zeros" and pe == "none"
    assert config.resolved().model.active_only == (follows or blind)
    assert not config.replace(active_only=False).resolved().model.active_only


@pytest.mark.parametrize("model", ["egcn", "egcn-h", "egcn-o", "grugcn", "htgn"])
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("pe", PES)
def test_evolvegcn_has_unit_vectors_where_channels_change_with_the_window(model, features, pe):
    config = Config(model=model, features=features, pe=pe)
    unsteady = pe.startswith("lpe") or pe == "slpe-t"
    assert config.resolved().encoding.scale_pe == (not unsteady or not model.startswith("egcn"))
    assert not config.resolved().encoding.flip_signs
    assert config.replace(scale_pe=True).resolved().encoding.scale_pe


def test_encodings_have_the_encoders_own_defaults_but_for_slate():
    own, config = Encoder(), Config(model="grugcn", pe="slpe-e").resolved()
    assert config.encoder == own
    for model in ("egcn-h", "grugcn", "htgn"):
        assert Config(model=model, pe="slpe-e", features="zeros").encoder == own
    slate = Config(model="slate", pe="slpe-e", features="zeros")
    assert slate.encoder == dataclasses.replace(own, k=8, window=3, align=None)
    assert Config(model="slate", pe="lpe-e").resolved().encoding.absent == "zeros"


def test_models_may_have_defaults_of_their_own():
    values = {model: Config(model=model).resolved() for model in ("egcn-h", "grugcn", "htgn", "slate")}
    assert [value.model.hidden_channels for value in values.values()] == [64, 64, 16, 128]
    assert [value.training.lr for value in values.values()] == [0.001, 0.003, 0.01, 5e-4]
    before = Config.from_record({"model": "grugcn"}).resolved()
    assert (before.model.hidden_channels, before.training.lr) == (16, 0.01)
