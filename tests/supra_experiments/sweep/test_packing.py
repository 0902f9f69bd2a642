"""Which runs of a sweep train as one, and how many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.config import Config
from supra_experiments.sweep.packing import (
    CPU_MEMORY,
    MAX_AUTO,
    GraphSize,
    Packing,
    Room,
    published_size,
    run_memory,
)
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import PlannedRun
from supra_experiments.training.fit import fit
from supra_experiments.training.pack_groups import fit_together, is_stackable

from ..toys import QUICK, toy

SPEC = SweepSpec.from_toml("""
datasets = ["enron10", "as733"]
models = ["grugcn", "egcn-h", "slate"]
encodings = ["none", "slpe-e", "slpe-i"]
features = ["zeros", "one-hot"]
seeds = 3
""")
RUNS = [PlannedRun(config, "graph") for config in SPEC.runs()]


def packing(wanted="auto", num_trials=2, memory=CPU_MEMORY) -> Packing:
    return Packing(wanted, published_size, lambda model: Room(num_trials, memory))


@given(
    st.sampled_from(["auto", 1, 3, 50]),
    st.integers(0, 100),
    st.sampled_from([2**20, CPU_MEMORY, 2**33]),
    st.lists(st.sampled_from(RUNS), unique_by=lambda run: run.config.digest),
)
def test_every_run_is_in_one_pack_that_is_not_too_large(wanted, num_trials, memory, runs):
    packs = packing(wanted, num_trials, memory).packs(runs)
    assert sorted(run.name for pack in packs for run in pack) == sorted(run.name for run in runs)
    num_stackable = sum(is_stackable(run.config) for run in runs)
    for pack in packs:
        configs = [run.config for run in pack]
        assert fit_together(configs)
        assert len(pack) <= (MAX_AUTO if wanted == "auto" else wanted)
        if wanted == "auto" and len(pack) > 1:
            needed = max(run_memory(config, published_size(config.data.dataset)) for config in configs)
            assert len(pack) * needed <= memory
            # If all packs were as large, every worker would still have one.
            assert (len(pack) - 1) * max(num_trials, 1) < num_stackable


def test_large_graphs_and_large_models_are_not_packed():
    small, large = (Config(dataset=name, model="grugcn", hidden_channels=16) for name in ("enron10", "as733"))
    wide = small.replace(hidden_channels=2048)
    assert [packing().most(config, 1000) for config in (small, large, wide)] == [MAX_AUTO, 1, 1]
    assert packing(memory=2**33).most(large, 1000) == MAX_AUTO
    assert packing(wanted=7).most(large, 1000) == 7


def test_slate_is_packed_on_a_gpu_alone():
    config = Config(dataset="enron10", model="slate")
    rooms = [Room(2, 2**33, on_gpu=on_gpu) for on_gpu in (False, True)]
    assert [
        Packing("auto", published_size, lambda model, room=room: room).most(config, 40) for room in rooms
    ] == [1, 20]


def test_what_is_not_known_is_not_packed():
    assert packing().most(Config(dataset="mine.csv", model="grugcn"), 1000) == 1


@pytest.mark.parametrize("model", ["egcn-h", "egcn-o", "grugcn", "htgn", "slate"])
@pytest.mark.parametrize("features", ["one-hot", "zeros", "random"])
def test_memory_holds_all_weights_gradients_and_moments(model, features):
    config = QUICK.replace(model=model, features=features, pe="slpe-e", max_epochs=1, hidden_channels=8)
    graph = toy().graph
    size = GraphSize(graph.num_nodes, graph.num_snapshots, graph.num_edges / graph.num_snapshots)
    num_weights = fit(config, dataset=toy()).num_parameters
    assert run_memory(config, size) >= 4 * 4 * num_weights
