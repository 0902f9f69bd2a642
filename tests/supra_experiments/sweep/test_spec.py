"""A sweep's file: what it means, and that it can be written and read again."""

import dataclasses
import inspect
import itertools
import json

import pytest
from hypothesis import given

from supra_experiments import Config, fit
from supra_experiments.config import NETWORKS, has_effect
from supra_experiments.errors import ConfigError
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.estimate import estimate
from supra_experiments.sweep.plan import compare
from supra_experiments.sweep.space import Choice, Interval
from supra_experiments.sweep.spec import PRESETS, SweepSpec
from supra_experiments.sweep.trial import best_score
from tgnn_models import build

from ..sweeps import SMALL, cells_of, specs

STUDY = (
    ("enron10", "dblp", "as733", "canparl"),
    ("egcn-h", "grugcn", "htgn", "slate"),
    ("none", "lpe-e", "lpe-i", "lpe-t", "slpe-e", "slpe-i", "slpe-t"),
    ("one-hot", "random", "zeros"),
)


# ── what it means ──────────────────────────────────────────────────────────────────────────────────────────


@given(spec=specs())
def test_what_is_written_is_read_as_the_same(spec):
    again = SweepSpec.from_toml(spec.to_toml())
    assert again == spec
    assert compare(spec, again).lines() == ()


@given(spec=specs())
def test_every_cell_has_every_seed_of_its_blocks_once(spec):
    pairs = list(spec.pairs())
    assert len(pairs) == len(set(pairs))
    expected = {
        (Cell(*parts), seed)
        for block in spec.blocks
        for parts in itertools.product(block.datasets, block.models, block.encodings, block.features)
        for seed in block.seeds
    }
    assert set(pairs) == expected
    assert set(spec.cells) == cells_of(spec)
    # Seed after seed: the first of all cells, then the second of all that have one, and so on.
    positions = [spec.seeds(cell).index(seed) for cell, seed in pairs]
    assert positions == sorted(positions)


@given(spec=specs())
def test_the_narrower_setting_wins(spec):
    for cell in spec.cells:
        config = spec.config(cell, 3, dropout=0.125)
        [own] = {json.dumps(block.fixed) for block in spec.blocks if cell in set(block.cells)}
        told = {**spec.fixed, **spec.by_model.get(cell.model, {}), **spec.by_dataset.get(cell.dataset, {})}
        told |= json.loads(own)
        assert config == Config(
            **told,
            dropout=0.125,
            dataset=cell.dataset,
            model=cell.model,
            pe=cell.pe,
            features=cell.features,
            seed=3,
        )


@given(spec=specs())
def test_numbers_agree(spec):
    numbers = estimate(spec, cores=2)
    assert numbers.num_runs == spec.num_runs
    num_baselines = 4 * len({cell.dataset for cell in spec.cells}) * spec.baselines
    assert spec.num_runs == num_baselines + len(list(spec.pairs()))
    if spec.mode == "grid":
        assert spec.num_searches == 0
        assert len({run.digest for run in spec.runs()}) == spec.num_runs
    else:
        # Dropout is always searched, so that there are more settings than trials.
        assert spec.num_searches == spec.num_trials * len(cells_of(spec))
        with pytest.raises(ConfigError, match="mode='search'"):
            spec.runs()


def test_scores_without_learning_come_once_a_dataset():
    spec = SweepSpec.from_toml(SMALL.replace('"demo"', '"demo", "enron10"'))
    runs = spec.runs()[:8]
    assert [(run.data.dataset, run.model.name) for run in runs] == [
        (dataset, name)
        for dataset in ("demo", "enron10")
        for name in ("edgebank", "degree", "count", "neighbours")
    ]
    assert {run.training.seed for run in runs} == {0}
    assert all(run.model.is_learned for run in spec.runs()[8:])


def test_blocks_take_what_they_do_not_say_from_the_top():
    spec = SweepSpec.from_toml("""
        models = ["htgn"]
        encodings = "all"
        features = ["one-hot", "zeros"]
        seeds = 5
        [[block]]
        datasets = ["Enron10", "COLAB"]
        [[block]]
        datasets = ["enron10"]
        models = ["slate"]
        seeds = [7, 3]
        [[block]]
        datasets = ["canparl"]
        encodings = "none"
        seeds = 3
    """)
    assert len(spec.cells) == 2 * 7 * 2 + 7 * 2 + 2
    assert spec.seeds(Cell("dblp", "htgn", "lpe-i", "zeros")) == (0, 1, 2, 3, 4)
    assert spec.seeds(Cell("enron10", "slate", "none", "one-hot")) == (7, 3)
    assert spec.seeds(Cell("canparl", "htgn", "none", "one-hot")) == (0, 1, 2)


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_paper_s_space_to_the_letter():
    spec = SweepSpec.read("paper")
    assert set(spec.cells) == {Cell(*parts) for parts in itertools.product(*STUDY)}
    assert {len(spec.seeds(cell)) for cell in spec.cells} == {5}
    assert spec.search == {
        "lr": Choice((0.1, 0.01, 0.001, 0.0001)),
        "weight_decay": Choice((1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)),
        "dropout": Interval(0.0, 0.5),
        "num_layers": Choice((2, 4, 8, 16)),
        "hidden_channels": Choice((8, 16, 32, 64, 128)),
        "window": Interval(2, 5, integer=True),
        "k": Interval(4, 16, integer=True),
        "pe_init": Choice(("normal", "rademacher", "uniform", "previous")),
        "max_steps": Choice((5, 10, 20, 50)),
        # Ours.
        "coupling": Choice((0.3, 1.0, 3.0, 10.0)),
        "align": Choice(("signs", "none")),
        "absent": Choice(("last", "zeros")),
        "scale_pe": Choice((True, False)),
    }
    assert {spec.selection(cell) for cell in spec.cells} == {"held_out_auc"}
    assert spec.carry == {"as733": ("enron10", "dblp", "canparl")}
    assert {cell.dataset for cell in spec.cells if by_default(spec).selection(cell) == "validation_auc"} == {
        "canparl"
    }


def by_default(spec: SweepSpec) -> SweepSpec:
    return dataclasses.replace(spec, criterion="auto")


def test_the_presets():
    whole, quick = SweepSpec.read("grid-default"), SweepSpec.read("quick")
    assert set(whole.cells) == {Cell(*parts) for parts in itertools.product(*STUDY)}
    assert len(whole.runs()) == 336 * 5 + 4 * 4
    assert set(quick.cells) == {Cell(*parts) for parts in itertools.product(("enron10",), *STUDY[1:])}
    assert {run.training.seed for run in quick.runs()} == {0}
    assert set(PRESETS) == {"paper", "grid-default", "quick"}


@pytest.mark.parametrize(
    ("model", "pe", "searched"),
    [
        ("htgn", "none", {"lr", "window"}),
        ("htgn", "lpe-e", {"lr", "window", "k"}),
        ("htgn", "slpe-i", {"lr", "window", "k", "pe_init", "max_steps"}),
        ("htgn", "slpe-t", {"lr", "window", "k", "pe_init", "max_steps"}),
        ("egcn-h", "none", {"lr"}),  # EvolveGCN has no window but the encoding's
        ("egcn-h", "slpe-e", {"lr", "window", "k"}),
        ("slate", "none", {"window"}),  # its learning rate is fixed
    ],
)
def test_what_has_no_effect_is_not_searched(model, pe, searched):
    spec = SweepSpec.from_toml(f"""
        mode = "search"
        datasets = "demo"
        models = "{model}"
        encodings = "{pe}"
        [by_model.slate]
        lr = 0.001
        [search]
        lr = [0.1, 0.01]
        window = {{ low = 2, high = 5, integer = true }}
        k = {{ low = 4, high = 16, integer = true }}
        pe_init = ["normal", "previous"]
        max_steps = [5, 10]
    """)
    assert spec.search_space(spec.cells[0]).keys() == searched


def test_a_small_space_needs_no_more_trials_than_it_has_settings():
    spec = SweepSpec.from_toml("""
        mode = "search"
        datasets = "demo"
        models = ["htgn", "grugcn"]
        encodings = ["none", "slpe-e"]
        num_trials = 20
        [by_model.grugcn]
        lr = 0.1
        [search]
        lr = [0.1, 0.2]
        k = { low = 2, high = 4, integer = true }
    """)
    trials = {(cell.model, cell.pe): spec.trials(cell) for cell in spec.cells}
    # The settings that are searched, and the default ones.
    assert trials == {
        ("htgn", "none"): 2 + 1,
        ("htgn", "slpe-e"): 2 * 3 + 1,
        ("grugcn", "none"): 0,
        ("grugcn", "slpe-e"): 3 + 1,
    }
    assert spec.num_searches == estimate(spec, 1).num_searches == 14
    assert SweepSpec.read("paper").num_searches == 252 * 12  # none on as733


@pytest.mark.parametrize("model", NETWORKS)
def test_effects_of_settings_of_models_are_those_that_training_passes_on(model):
    """The model's own constructor says which settings it takes."""
    taken = inspect.signature(type(build(model, 4, 8)[0])).parameters
    for name in Config(model=model).model.values():
        # A name, an argument of all, modules beside.
        beside = ("decoder", "decoder_history", "history_channels", "history_decay")
        if name not in ("model", "hidden_channels", *beside):
            assert has_effect(name, model, "none", "zeros") == (name in taken)


@pytest.mark.parametrize(("model", "own"), [("logistic", []), ("boosting", ["num_trees", "tree_depth"])])
def test_effects_of_settings_of_scores_are_those_that_change_a_run(model, own):
    base = Config(model=model, train_negatives="mixed", num_trees=5)
    changes = {"l2": 9.0, "history_decay": 0.9, "historical_share": 0.2, "negatives_per_link": 2, "seed": 1}
    changes |= {"num_trees": 2, "tree_depth": 1, "hidden_channels": 3, "lr": 0.5, "max_epochs": 1}
    changes |= {"dropout": 0.5, "held_out": 2, "consistency": 0.0, "features": "random"}
    before = fit(base).per_snapshot
    changed = [
        name for name, value in changes.items() if fit(base.replace(**{name: value})).per_snapshot != before
    ]
    assert changed == ["l2", "history_decay", "historical_share", "negatives_per_link", "seed", *own]
    assert [name for name in changes if has_effect(name, model, "none", "zeros")] == changed


def test_validation_is_asked_for_only_where_there_is_some():
    text = (
        'mode = "search"\nmodels = "htgn"\ncriterion = "validation_auc"\n{}\n[search]\nlr = [0.1, 0.01]\n{}'
    )
    assert SweepSpec.from_toml(text.format('datasets = "canparl"', ""))
    held_out = SweepSpec.from_toml(text.format('datasets = "demo"', "[fixed]\nvalidation_snapshots = 2"))
    assert held_out.selection(held_out.cells[0]) == "validation_auc"
    with pytest.raises(ConfigError, match="demo has no validation snapshots"):
        SweepSpec.from_toml(text.format('datasets = "demo"', ""))
    with pytest.raises(ConfigError, match="canparl has no validation snapshots"):
        SweepSpec.from_toml(text.format('datasets = "canparl"', "[fixed]\ntest_snapshots = 2"))


def test_what_is_learned_without_epochs_is_judged_by_validation_snapshots():
    text = 'mode = "search"\nmodels = "{}"\ndatasets = "demo"\n[search]\n{}\n[fixed]\n{}\n'
    found = SweepSpec.from_toml(text.format("logistic", "l2 = [0.1, 1.0]", "validation_snapshots = 1"))
    run = found.config(found.cells[0], 0)
    record = fit(run)
    assert found.selection(found.cells[0]) == "validation_auc"
    assert best_score(record, "validation_auc") == record.validation.auc
    with pytest.raises(ConfigError, match="search: boosting must be judged by validation snapshots"):
        SweepSpec.from_toml(text.format("boosting", "l2 = [0.1, 1.0]", ""))
    # The next-snapshot protocol brings its own.
    held = SweepSpec.from_toml(text.format("htgn", "lr = [0.1, 0.01]", 'protocol = "next"'))
    assert held.selection(held.cells[0]) == "validation_auc"


# ── what it reserves, and how long it takes ────────────────────────────────────────────────────────────────


def test_resources_by_model():
    spec = SweepSpec.from_toml(SMALL + "[resources]\ncpus = 2\ngpus = 0.5\n[resources.slate]\ngpus = 1")
    assert spec.resources.of("htgn") == Resources(2, 0.5)
    assert spec.resources.of("slate") == Resources(2, 1)


def test_what_nobody_measured_is_not_guessed():
    spec = SweepSpec.from_toml(SMALL.replace('"demo"', '"enron10", "mine.csv"'))
    numbers = estimate(spec, cores=2)
    assert numbers.unknown == {("mine.csv", "htgn"): 4, ("mine.csv", "grugcn"): 4}
    alone = estimate(SweepSpec.from_toml(SMALL.replace('"demo"', '"enron10"')), cores=2)
    # The scores without learning of the second dataset are all that is added.
    assert numbers.core_seconds == alone.core_seconds + 4


def test_twice_the_cores_take_half_the_time_and_reserved_ones_are_not_free():
    spec = SweepSpec.read("quick")
    seconds = [estimate(spec, cores).seconds for cores in (1, 2, 8)]
    assert seconds[0] == pytest.approx(2 * seconds[1]) == pytest.approx(8 * seconds[2])
    assert seconds[0] == pytest.approx(estimate(spec, 1).core_seconds)
    assert estimate(spec, 8, Resources(cpus=4)).seconds == pytest.approx(seconds[1])
