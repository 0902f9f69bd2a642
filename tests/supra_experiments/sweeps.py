"""Small sweeps, and records without training."""

import dataclasses
import math
from functools import cache, partial
from typing import Any

from hypothesis import strategies as st

from supra_experiments import Config, RunRecord, fit
from supra_experiments.config import FEATURES, LEARNED, NETWORKS, PES
from supra_experiments.sweep.cells import Block, Cell, Resources
from supra_experiments.sweep.space import Choice, Interval
from supra_experiments.sweep.spec import SweepSpec

SMALL = """
name = "small"
datasets = ["demo"]
models = ["htgn", "grugcn"]
encodings = ["none", "slpe-i"]
features = ["zeros"]
seeds = 2
"""


@cache
def _measured() -> RunRecord:
    return fit(Config(model="degree"))


def record_of(config: Config, auc: float = 0.75, **changes) -> RunRecord:
    """A record of these settings with this AUC; everything else is that of some other run."""
    some = _measured()
    test = dataclasses.replace(some.test, auc=auc)
    return dataclasses.replace(
        some, config=config.resolved(), test=test, diverged=math.isnan(auc), **{"best_epoch": 3} | changes
    )


def _some(values, max_size: int = 2):
    return st.lists(st.sampled_from(values), min_size=1, max_size=max_size, unique=True).map(tuple)


blocks = st.builds(
    Block,
    datasets=_some(("demo", "enron10", "canparl", "mine.csv")),
    models=_some(NETWORKS),  # a search judges learned scores by validation snapshots alone
    encodings=_some(PES),
    features=_some(FEATURES),
    seeds=st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True).map(tuple),
)
_texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
_fixed = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(1, 20),
        "lr": st.floats(1e-6, 1.0),
        "device": _texts,
        "global_nodes": st.booleans(),
    },
)
_spaces = st.fixed_dictionaries(
    {"dropout": st.just(Interval(0.0, 0.5))},
    optional={
        "weight_decay": st.just(Interval(1e-8, 1e-3, log=True)),
        "max_steps": st.just(Choice((5, 10))),
        "pe_init": st.just(Choice(("normal", "previous"))),
        "window": st.just(Interval(2, 5, integer=True)),
        "active_only": st.just(Choice((True, False))),
    },
)
_resources = st.builds(Resources, cpus=st.sampled_from([0.5, 1, 4]), gpus=st.sampled_from([0, 0.25, 1, 2]))


def _with_own_settings(own: list[Block]) -> st.SearchStrategy[tuple[Block, ...]]:
    """Blocks that share no cell may have settings of their own."""
    cells = [cell for block in own for cell in block.cells]
    if len(set(cells)) < len(cells):
        return st.just(tuple(own))
    return st.tuples(*(_fixed.map(partial(_with_fixed, block)) for block in own))


def _with_fixed(block: Block, fixed: dict[str, Any]) -> Block:
    return dataclasses.replace(block, fixed=fixed)


@st.composite
def specs(draw: st.DrawFn) -> SweepSpec:
    searched = draw(st.booleans())
    return SweepSpec(
        name=draw(_texts.filter(lambda name: not set(name) & set("/\\\0") and name[0] != ".")),
        blocks=draw(st.lists(blocks, min_size=1, max_size=2).flatmap(_with_own_settings)),
        mode="search" if searched else "grid",
        fixed=draw(_fixed),
        by_model=draw(st.dictionaries(st.sampled_from(LEARNED), _fixed, max_size=2)),
        by_dataset=draw(st.dictionaries(st.sampled_from(["demo", "mine.csv"]), _fixed, max_size=2)),
        search=draw(_spaces) if searched else {},
        num_trials=draw(st.integers(1, 50)),
        criterion=draw(st.sampled_from(["auto", "train_loss"])),
        baselines=draw(st.booleans()),
        pack=draw(st.sampled_from(["auto", 1, 8])),
        resources=dataclasses.replace(
            draw(_resources), by_model=draw(st.dictionaries(st.sampled_from(LEARNED), _resources, max_size=2))
        ),
    )


def cells_of(spec: SweepSpec) -> set[Cell]:
    """Every combination, counted by hand."""
    return {
        Cell(dataset, model, pe, features)
        for block in spec.blocks
        for dataset in block.datasets
        for model in block.models
        for pe in block.encodings
        for features in block.features
    }
