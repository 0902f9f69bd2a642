import dataclasses
import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.config import FEATURES, MODELS, PES, Config
from supra_experiments.config.data import NEGATIVES
from supra_experiments.config.encoding import INITS
from supra_experiments.config.run_config import PARTS, SETTINGS
from supra_experiments.errors import ConfigError

COUNT = st.integers(1, 10**6)
POSITIVE = st.floats(1e-300, 1e300)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
VALUES = {
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


@given(st.fixed_dictionaries({}, optional=VALUES))
def test_toml_and_plain_values_lead_back_to_the_same_settings(settings):
    config = Config(**settings)
    assert Config.from_toml(config.to_toml()) == config
    assert Config(**config.to_dict()) == config
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
        (
            "decoder = 'dots'",
            "decoder='dots': must be one of 'dot', 'fermi-dirac', 'mlp', 'cross-attention'; did",
        ),
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
        Config().encoding.k = 3  # type: ignore[misc]
    with pytest.raises(ConfigError, match="seeed: no such setting; did you mean 'seed'"):
        Config().replace(seeed=1)


DIGEST = "34ad205c8296bddf"
# Digests from before there was the setting ``gru_init``.
EGCN_DIGESTS = {"egcn": "37f759b70199b654", "egcn-h": "4cb28eae1e45e2ec", "egcn-o": "bd2fc3f8181b5bce"}
OTHER_DIGESTS = {
    "grugcn": "3960048c59d1a013",
    "htgn": "c90b57beefd651e7",
    "slate": "586ec4cc0514d035",
    "logistic": "a1a533d1d9961910",
}
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
    assert (config.encoding.k, config.encoding.coupling, config.encoding.align, config.encoding.absent) == (
        8,
        1.0,
        "none",
        "zeros",
    )
    assert not config.encoding.with_age
    # The digest that version 0.1.0 gave to these settings.
    assert config.digest == DIGEST
    assert config.replace(align="signs").digest != DIGEST
    assert config.replace(absent="last").digest != DIGEST
    assert config.replace(with_age=True).digest != DIGEST


@pytest.mark.parametrize("model", ["egcn", "egcn-h", "egcn-o"])
def test_records_of_egcn_from_before_started_slowly(model):
    """Theirs is another run than that of the same settings today, under the digest that they had."""
    before = {"dataset": "demo", "model": model}
    config = Config.from_record(before).resolved()
    assert config.model.gru_init == "slow"
    assert config.digest == EGCN_DIGESTS[model]
    assert Config(**before).resolved().model.gru_init == "published"
    assert Config(**before).digest != config.digest
    assert Config.from_record(Config(**before).resolved().to_dict()).model.gru_init == "published"


@pytest.mark.parametrize(("model", "digest"), OTHER_DIGESTS.items())
def test_only_egcn_has_a_start_of_its_weights(model, digest):
    # Two had other defaults then.
    then = {
        "grugcn": {"hidden_channels": 16, "lr": 0.01},
        "slate": {"coupling": 1.0, "absent": "zeros", "scale_pe": False},
    }
    config = Config(model=model, **then.get(model, {})).resolved()
    assert config.digest == digest
    assert config.model.gru_init is None
    assert Config.from_record(config.to_dict()).resolved() == config


def test_egcn_is_egcn_h_by_another_name():
    """One run, but each record keeps the digest by which files of its time know it."""
    short, long = Config(model="egcn", pe="slpe-e", seed=3), Config(model="egcn-h", pe="slpe-e", seed=3)
    assert short.model.name == long.model.name == "egcn-h"
    assert short.identity == long.identity != long.replace(seed=4).identity
    assert short.digest != long.digest
    assert Config.from_record(short.resolved().to_dict()).digest == short.digest
    assert Config.from_record(long.resolved().to_dict()).digest == long.digest


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        ({"k": 3, "lr": 0.5, "seed": 7, "features": "random", "pe": "lpe-e"}, True),
        ({"follow": True}, False),
        ({"follow": False}, False),
        ({"negatives": "active"}, False),
        ({"test_snapshots": 2}, False),
        ({"every": "week"}, False),
        ({"model": "count"}, False),
    ],
)
def test_a_score_without_learning_depends_on_the_data_alone(settings, same):
    config = Config(model="degree")
    assert (config.replace(**settings).identity == config.identity) == same


def test_every_setting_is_owned_once_and_says_what_it_means():
    names = [name for part in PARTS.values() for name in part.settings()]
    assert len(names) == len(set(names)) == len(SETTINGS)
    assert all(known.help.endswith((".", "…")) for known in SETTINGS.values())


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
    assert math.isclose(Config.from_toml(config.to_toml()).training.weight_decay, 1e-8)
