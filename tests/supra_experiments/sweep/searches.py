"""A search of a few cells, and made-up trials of it."""

import dataclasses

from supra_experiments.sweep.cell_search import CellSearch
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.spec import SweepSpec

SPEC = """
mode = "search"
datasets = ["demo", "canparl"]
models = ["grugcn", "htgn"]
encodings = ["none", "slpe-e"]
features = "zeros"
seeds = [3, 4]
num_trials = {num_trials}
[search]
lr = {{low = 1e-4, high = 1e-1, log = true}}
hidden_channels = [16, 32]
k = {{low = 4, high = 16, integer = true}}
"""


def spec_of(num_trials: int = 8, **changes) -> SweepSpec:
    return dataclasses.replace(SweepSpec.from_toml(SPEC.format(num_trials=num_trials)), **changes)


def search_of(num_trials: int = 8, cell: int = 1, **changes) -> CellSearch:
    spec = spec_of(num_trials, **changes)
    return CellSearch(spec, spec.cells[cell], "graph")


def trial_of(task, value=1.0, **more) -> SearchTrial:
    return SearchTrial(
        digest=task.config.digest,
        cell=Cell.of(task.config),
        settings=dict(task.settings),
        criterion=task.selection,
        value=value,
        epochs=10,
        **more,
    )


def asked(search: CellSearch):
    return list(iter(search.ask, None))
