"""A sweep's file: what it means, and that it can be written and read again."""

import itertools
import json

import pytest
from hypothesis import given

from supra_experiments import Config
from supra_experiments.errors import ConfigError
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.estimate import estimate
from supra_experiments.sweep.plan import compare
from supra_experiments.sweep.spec import SweepSpec

from ..sweeps import SMALL, cells_of, specs

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
