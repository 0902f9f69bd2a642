"""A sweep's file: what it refuses, and how it says so."""

import pytest

from supra_experiments.errors import ConfigError
from supra_experiments.sweep.spec import SweepSpec

from ..sweeps import SMALL

GRID = 'datasets = "demo"\nmodels = "htgn"\n'
SEARCH = 'mode = "search"\n' + GRID + "[search]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("datasets = [", "not TOML: "),
        ('models = "htgn"', 'datasets: must be given, a list of names or "all"'),
        (GRID + "sedes = 3", "sedes: no such key; did you mean 'seeds'?"),
        (GRID + "[[block]]\nmodel = 'htgn'", "block.model: no such key; did you mean 'models'?"),
        (GRID + "block = 3", "block=3: must be tables [[block]]"),
        (GRID + "seeds = 0", "seeds=0: must be an integer >= 1, or a list of integers >= 0"),
        (GRID + "seeds = [1, -1]", "seeds=[1, -1]: must be an integer >= 1, or a list of integers >= 0"),
        (GRID + "seeds = true", "seeds=True: must be an integer >= 1, or a list of integers >= 0"),
        (GRID + 'name = "a/b"', "name='a/b': must be a text that can name a folder"),
        (GRID + 'name = ".."', "name='..': must be a text that can name a folder"),
        (GRID + "name = 3", "name=3: must be a text that can name a folder"),
        (GRID + 'mode = "gird"', "mode='gird': must be one of 'grid', 'search'; did you mean 'grid'?"),
        (GRID + "baselines = 1", "baselines=1: must be true or false"),
        (GRID + "num_trials = 0", "num_trials=0: must be an integer >= 1"),
        (GRID + "pack = 0", "pack=0: must be 'auto' or an integer >= 1"),
        (GRID + "pack = true", "pack=True: must be 'auto' or an integer >= 1"),
        (
            GRID + 'criterion = "test_auc"',
            "criterion='test_auc': must be one of 'auto', 'train_loss', 'validation_auc'",
        ),
        (GRID + 'encodings = ["slpe"]', "encodings='slpe': must be one of 'none', 'lpe-e', 'lpe-i'"),
        (GRID + "features = [1]", 'features=[1]: must be a list of names or "all"'),
        (GRID + "features = []", 'features=[]: must be a list of names or "all"'),
        (
            GRID + 'features = "ones"',
            "features='ones': must be one of 'one-hot', 'random', 'zeros', or the path",
        ),
        ('datasets = "enron11"\nmodels = "htgn"', "did you mean 'enron10'?"),
        ('datasets = "demo"\nmodels = "degree"', "scores without learning are run unless baselines = false"),
        (GRID + "[fixed]\nlearning = 1", "fixed.learning: no such setting; "),
        (
            GRID + "[fixed]\nhiden_channels = 1",
            "fixed.hiden_channels: no such setting; did you mean 'hidden_",
        ),
        (GRID + "[fixed]\nlr = -1.0", "fixed.lr=-1.0: must be "),
        (GRID + "[fixed]\nk = 'x'", "fixed.k='x': must be an integer"),
        (GRID + "[fixed]\nseed = 1", "fixed.seed: must be said by the list seeds of the sweep"),
        (GRID + "fixed = 1", "fixed=1: must be a table [fixed]"),
        (GRID + "[by_model.htng]\nk = 1", "by_model='htng': must be one of 'egcn', 'egcn-h'"),
        (GRID + "[by_model.htgn]\nk = 0", "by_model.htgn.k=0: must be an integer >= 1"),
        (GRID + "[by_model]\nhtgn = 1", "by_model.htgn=1: must be a table [by_model.htgn]"),
        (GRID + "[by_dataset.enorn10]\nk = 1", "by_dataset='enorn10': must be one of 'demo'"),
        (GRID + "[search]\nlr = [0.1]", 'search: a table of values to try is only for mode = "search"'),
        ('mode = "search"\n' + GRID, 'search: a table of values to try is needed where mode = "search"'),
        (SEARCH + "pe = ['none']", "search.pe: must be said by the list encodings of the sweep"),
        (SEARCH + "lrr = [0.1]", "search.lrr: no such setting; did you mean 'lr'?"),
        (SEARCH + "lr = 0.1", "search.lr=0.1: must be a list of values, or { low = …, high = … }"),
        (SEARCH + "lr = []", "search.lr=[]: must be a list of different values, at least one"),
        (SEARCH + "lr = [0.1, 0.1]", "search.lr=[0.1, 0.1]: must be a list of different values"),
        (SEARCH + "lr = [[0.1]]", "search.lr=[[0.1]]: must be a list of texts, numbers or booleans"),
        (SEARCH + "lr = [0.1, -0.1]", "search.lr=-0.1: must be "),
        (SEARCH + "lr = { low = 0.1 }", "search.lr={'low': 0.1}: must be a list of values, or"),
        (SEARCH + "lr = { low = 0.1, hihg = 1 }", "search.lr={'low': 0.1, 'hihg': 1}: must be"),
        (SEARCH + "lr = { low = 0.2, high = 0.1 }", "low must be below high"),
        (SEARCH + "lr = { low = nan, high = 0.1 }", "low and high must be numbers"),
        (SEARCH + "dropout = { low = 0, high = 0.5, log = true }", "low must be above 0 where log = true"),
        (SEARCH + "dropout = { low = 0.0, high = 1.0 }", "search.dropout=1.0: must be below 1"),
        (SEARCH + "k = { low = 2, high = 5.0, integer = true }", "low and high must be integers"),
        (SEARCH + "k = { low = 0, high = 5, integer = true }", "search.k=0: must be an integer >= 1"),
        (SEARCH + "k = { low = 2, high = 5 }", "search.k=2.0: must be an integer"),
        (SEARCH + "k = { low = 2, high = 5, integer = 1 }", "integer and log must be true or false"),
        (
            'mode = "search"\n' + GRID + "[fixed]\nlr = 0.1\n[search]\nlr = [0.1]",
            "lr: must be either in fixed or in search",
        ),
        (GRID + "[carry]\ndemo = 'enron10'", 'carry: is only for mode = "search"'),
        (SEARCH + "lr = [0.1]\n[carry]\ndemo = 3", "carry.demo=3: must be a list of names"),
        (SEARCH + "lr = [0.1]\n[carry]\ndblp = 'demo'", "carry.dblp: must be one of the sweep's datasets"),
        (
            SEARCH + "lr = [0.1]\n[carry]\ndemo = 'dblp'",
            "carry.demo: demo htgn none one-hot must be searched on dblp",
        ),
        (
            SEARCH + "lr = [0.1]\n[carry]\ndemo = 'demo'",
            "carry.demo: demo must have searches of its own",
        ),
        (GRID + "[[block]]\nfixed = 1", "block.fixed=1: must be a table [block.fixed]"),
        (GRID + "[[block]]\nfixed = {k = 0}", "block.fixed.k=0: must be an integer >= 1"),
        (
            GRID + "[[block]]\n[[block]]\nfixed = {k = 3}",
            "block.fixed: demo htgn none one-hot is in two blocks with different settings",
        ),
        (GRID + "[resources]\ngpus = -1", "resources.gpus=-1: must be a number >= 0"),
        (GRID + "[resources]\ngpus = 1.5", "resources.gpus=1.5: must be whole where it is above 1"),
        (GRID + "[resources]\ncpus = 0", "resources.cpus=0: must be a number above 0"),
        (GRID + "[resources]\ncpu = 1", "resources.cpu: no such entry; entries are cpus, gpus"),
        (GRID + "[resources.htng]\ncpus = 1", "resources.htng: must be one of egcn"),
        (GRID + "[resources.htgn]\ncpu = 1", "resources.htgn={'cpu': 1}: entries are cpus and gpus"),
        (
            'datasets = "demo"\nmodels = "slate"\n[fixed]\nhidden_channels = 20',
            "num_heads=8: must divide SLATE's hidden_channels, here 20",
        ),
    ],
)
def test_mistakes_are_one_line_with_the_key_the_value_and_what_is_allowed(text, message):
    with pytest.raises(ConfigError) as caught:
        SweepSpec.from_toml(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError, match=r"papr: no such file, and presets are .* did you mean 'paper'"):
        SweepSpec.read("papr")
    with pytest.raises(ConfigError, match="cannot be read"):
        SweepSpec.read(tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_text(SMALL + "sedes = 1")
    with pytest.raises(ConfigError, match=r"bad\.toml: sedes: no such key"):
        SweepSpec.read(bad)
    bad.write_text(SMALL)
    assert SweepSpec.read(bad) == SweepSpec.from_toml(SMALL)
    bad.write_text(SMALL.replace('name = "small"', ""))
    assert SweepSpec.read(bad).name == "bad"
