import dataclasses
import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder
from supra_experiments.config.run_config import FEATURES, INITS, MODELS, PES, Config
from supra_experiments.encoding.tensors import make_encoder
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.negatives import NEGATIVES

COUNT = st.integers(1, 10**6)
POSITIVE = st.floats(1e-300, 1e300)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
SETTINGS = {
    "dataset": NAMES,
    "num_snapshots": st.none() | COUNT,
    "test_snapshots": st.none() | COUNT,
    "validation_snapshots": st.none() | st.integers(0, 9),
    "negatives": st.sampled_from(NEGATIVES),
    "features": st.sampled_from(FEATURES) | NAMES.map(lambda name: name + ".csv"),
    "pe": st.sampled_from(PES),
    "k": st.none() | COUNT,
    "align": st.sampled_from([None, "rotation", "signs", "none"]),
    "absent": st.sampled_from([None, "last", "zeros"]),
    "with_age": st.booleans(),
    "coupling": st.none() | st.floats(0, 1e300),
    "normalization": st.sampled_from(["none", "sym", "rw"]),
    "global_nodes": st.booleans(),
    "with_eigenvalues": st.booleans(),
    "pe_init": st.sampled_from(INITS),
    "max_steps": COUNT,
    "model": st.sampled_from(MODELS),
    "hidden_channels": st.none() | COUNT,
    "dropout": st.floats(0, 1, exclude_max=True),
    "window": st.none() | COUNT,
    "lr": st.none() | POSITIVE,
    "weight_decay": st.floats(0, 1e300),
    "grad_clip": st.none() | POSITIVE,
    "seed": st.integers(0, 2**63),
    "patience": COUNT,
}


@given(st.fixed_dictionaries({}, optional=SETTINGS))
def test_toml_and_plain_values_lead_back_to_the_same_settings(settings):
    config = Config(**settings)
    assert Config.from_toml(config.to_toml()) == config
    assert Config.from_dict(config.to_dict()) == config
    assert tomllib.loads(config.to_toml()) == config.to_dict()


def test_files(tmp_path):
    config = Config(dataset="dblp", lr=0.1, dropout=0.25)
    config.write(tmp_path / "a.toml")
    assert Config.read(tmp_path / "a.toml") == config
    (tmp_path / "a.toml").write_text("hiden_channels = 8")
    with pytest.raises(
        ConfigError, match=r"a\.toml: hiden_channels: no such setting; did you mean 'hidden_cha"
    ):
        Config.read(tmp_path / "a.toml")
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        Config.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modle = 'htgn'", "modle: no such setting; did you mean 'model'?"),
        ("learning_rate = 1", "learning_rate: no such setting; did you mean"),
        ("weight-decay = 0.1", "weight-decay: no such setting; did you mean 'weight_decay'?"),
        ("k = '8'", "k='8': must be an integer"),
        ("k = true", "k=True: must be an integer"),
        ("k = 8.0", "k=8.0: must be an integer"),
        ("k = 0", "k=0: must be an integer >= 1"),
        ("lr = 'fast'", "lr='fast': must be a number"),
        ("lr = 0", "lr=0.0: must be a finite number > 0"),
        ("weight_decay = nan", "weight_decay=nan: must be a finite number >= 0"),
        ("dropout = 1", "dropout=1.0: must be below 1"),
        ("global_nodes = 1", "global_nodes=1: must be true or false"),
        ("dataset = 3", "dataset=3: must be a string"),
        ("model = 'gcn'", "model='gcn': must be one of 'egcn', "),
        ("features = 'ones'", "features='ones': must be one of 'one-hot', 'random', 'zeros', or the path"),
        ("align = 'sign'", "align='sign': must be one of 'rotation', 'signs', 'none'"),
        ("absent = 'none'", "absent='none': must be one of 'last', 'zeros'"),
        ("seed = -1", "seed=-1: must be an integer >= 0"),
        ("[model]\nname = 'htgn'", "model={'name': 'htgn'}: must be a string"),
        ("k 8", "not TOML: "),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(ConfigError) as caught:
        Config.from_toml(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_settings_are_frozen_and_replace_refuses_unknown_names():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().k = 3  # type: ignore[misc]
    with pytest.raises(ConfigError, match="seeed: no such setting; did you mean 'seed'"):
        Config().replace(seeed=1)


def test_each_model_has_its_published_defaults():
    htgn, slate = Config(model="htgn").resolved(), Config(model="slate").resolved()
    assert (htgn.lr, htgn.weight_decay, htgn.hidden_channels, htgn.window) == (0.01, 5e-7, 16, 5)
    assert (htgn.max_epochs, htgn.min_epochs, htgn.patience, htgn.dropout) == (500, 100, 50, 0.0)
    assert (slate.lr, slate.hidden_channels, slate.num_heads, slate.grad_clip) == (5e-4, 128, 8, 1.0)
    assert Config(model="slate", lr=0.1, window=4).resolved().pe_window == 4


@pytest.mark.parametrize(
    ("model", "features", "scaled"),
    [
        ("slate", "one-hot", False),
        ("slate", "random", False),
        ("slate", "zeros", True),
        ("htgn", "one-hot", True),
    ],
)
def test_eigenvectors_are_small_beside_the_features_of_slate(model, features, scaled):
    config = Config(model=model, features=features)
    assert (config.resolved().scale_pe, config.resolved().flip_signs) == (scaled, not scaled)
    assert config.replace(scale_pe=True, flip_signs=False).resolved().scale_pe


def test_encodings_have_the_encoders_own_defaults_but_for_slate():
    own, config = Encoder(), Config(model="grugcn", pe="slpe-e").resolved()
    assert make_encoder(config) == own
    for model in ("egcn-h", "grugcn", "htgn"):
        assert make_encoder(Config(model=model, pe="slpe-e", features="zeros")) == own
    slate = Config(model="slate", pe="slpe-e", features="zeros").resolved()
    assert (slate.k, slate.pe_window, slate.coupling, slate.align, slate.absent) == (
        8,
        3,
        1.0,
        "none",
        "zeros",
    )


DIGEST = "34ad205c8296bddf"
EARLIER_RECORD = {
    "dataset": "demo",
    "model": "grugcn",
    "pe": "slpe-e",
    "k": 8,
    "coupling": 1.0,
    "pe_window": 5,
    "scale_pe": True,
    "flip_signs": False,
}


def test_records_of_earlier_versions_mean_what_was_done_then():
    config = Config.from_record(EARLIER_RECORD).resolved()
    assert (config.k, config.coupling, config.align, config.absent) == (8, 1.0, "none", "zeros")
    assert not config.with_age
    # The digest that version 0.1.0 gave to these settings.
    assert config.digest == DIGEST
    assert config.replace(align="signs").digest != DIGEST
    assert config.replace(absent="last").digest != DIGEST
    assert config.replace(with_age=True).digest != DIGEST


def test_the_digest_names_exactly_these_settings():
    assert Config().digest == Config(lr=0.01).digest == Config().resolved().digest
    assert Config().digest != Config(lr=0.011).digest
    assert len({Config(seed=seed).digest for seed in range(50)}) == 50


def test_every_hyperparameter_of_the_study_is_settable():
    """Appendix: lr, weight decay, dropout, layers, channels, window, k, initialisation, iterations."""
    config = Config(
        lr=1e-4,
        weight_decay=1e-8,
        dropout=0.5,
        num_layers=16,
        hidden_channels=128,
        window=2,
        k=16,
        pe_init="previous",
        max_steps=50,
    )
    assert math.isclose(Config.from_toml(config.to_toml()).weight_decay, 1e-8)
