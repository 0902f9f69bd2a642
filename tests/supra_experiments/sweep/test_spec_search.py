"""What a sweep's file searches: the paper's space, the presets, and the settings that have an effect."""

import dataclasses
import inspect
import itertools

import pytest

from supra_experiments import Config, fit
from supra_experiments.config import NETWORKS, has_effect
from supra_experiments.errors import ConfigError
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.estimate import estimate
from supra_experiments.sweep.space import Choice, Interval
from supra_experiments.sweep.spec import PRESETS, SweepSpec
from supra_experiments.sweep.trial import best_of
from tgnn_models import build

STUDY = (
    ("enron10", "dblp", "as733", "canparl"),
    ("egcn-h", "grugcn", "htgn", "slate"),
    ("none", "lpe-e", "lpe-i", "lpe-t", "slpe-e", "slpe-i", "slpe-t"),
    ("one-hot", "random", "zeros"),
)


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


def test_the_paper_s_search_has_the_limits_that_its_own_runs_had():
    """No cell has hundreds of millions of parameters, and none a run of hours."""
    spec = SweepSpec.read("paper")
    for cell in spec.cells:
        large = cell.dataset == "as733"
        config = spec.config(cell, 0).resolved()
        epochs = {"slate": 5, "grugcn": 100, "htgn": 100}.get(cell.model, 500) if large else 500
        epochs = 50 if (cell.dataset, cell.model) == ("canparl", "slate") else epochs
        assert config.training.max_epochs == epochs
        mapped = large and cell.model == "egcn-h" and cell.features == "one-hot"
        assert config.model.embed_channels == (32 if mapped else None)
        if large and cell.model == "slate":
            assert config.model.active_only


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
    assert best_of(record, "validation_auc") == (record.validation.auc, 0)
    with pytest.raises(ConfigError, match="search: boosting must be judged by validation snapshots"):
        SweepSpec.from_toml(text.format("boosting", "l2 = [0.1, 1.0]", ""))
    # The next-snapshot protocol brings its own.
    held = SweepSpec.from_toml(text.format("htgn", "lr = [0.1, 0.01]", 'protocol = "next"'))
    assert held.selection(held.cells[0]) == "validation_auc"
