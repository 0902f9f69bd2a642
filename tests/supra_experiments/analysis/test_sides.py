"""How the settings of runs were found, and which runs are then compared with which."""

import dataclasses

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.analysis import main_side, runs, sides
from supra_experiments.analysis.frame import KEYS, settings_of
from supra_experiments.analysis.sides import beside
from supra_experiments.training.record import Searched

from ..report_records import record, unlearned

SEARCHED = Searched("held_out_auc", 12, 60.0)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, "default"),
        ({"model": "egcn"}, "default"),
        ({"seed": 7, "threads": 4, "device": "cuda"}, "default"),
        ({"lr": 0.01}, "default"),  # HTGN's own
        ({"lr": 0.02}, "chosen"),
        ({"model": "slate", "lr": 0.01}, "chosen"),  # but not SLATE's
        ({"k": 3}, "default"),  # nothing is encoded
        ({"k": 3, "pe": "slpe-e"}, "chosen"),
        ({"max_steps": 5, "pe": "slpe-e"}, "default"),  # of an exact solver
        ({"max_steps": 5, "pe": "slpe-i"}, "chosen"),
        ({"random_channels": 9, "features": "zeros"}, "default"),
        ({"random_channels": 9, "features": "random"}, "chosen"),
        ({"protocol": "next"}, "default"),  # another model, which has its own cell
        ({"protocol": "next", "patience": 3}, "chosen"),
        ({"dataset": "mine.csv", "every": "week"}, "default"),
        ({"follow": True}, "chosen"),
        ({"model": "count", "lr": 0.5, "k": 3}, "default"),
        ({"model": "logistic", "max_epochs": 3}, "default"),  # which has no epochs
    ],
)
def test_what_nobody_asked_for_otherwise_is_default(settings, found):
    run = record(70.0, **{"model": "htgn", "dataset": "enron10"} | settings)
    assert settings_of(run) == found
    assert settings_of(dataclasses.replace(run, searched=SEARCHED)) == "searched"


WAYS = ("default", "chosen", "searched")
CELLS = [
    (dataset, model, "zeros", pe)
    for dataset in ("dblp", "enron10")
    for model in ("htgn", "slate")
    for pe in ("none", "lpe-e")
]


@given(
    st.lists(
        st.tuples(st.sampled_from(CELLS), st.integers(0, 2), st.sampled_from(WAYS)), unique=True, min_size=1
    )
)
def test_every_run_is_on_one_side_and_each_side_has_a_cell_and_seed_once(found):
    rows = [(*cell, seed, way) for cell, seed, way in found]
    rows += [("dblp", "count", "", "none", 0, "default")]
    table = pd.DataFrame(rows, columns=[*KEYS, "seed", "settings"])
    two = sides(table)
    parts = [*two, *beside(table)]
    learned = [place for part in parts for place in part.runs.index if place != len(found)]
    assert sorted(learned) == list(range(len(found)))
    for part in parts:
        assert not part.runs.duplicated([*KEYS, "seed"]).any()
    assert all(len(found) in side.runs.index for side in two), "a score without learning is on both"
    # Of a cell with default settings, these runs count.
    at_default = {cell for cell, _, way in found if way == "default"}
    for cell, _, way in found:
        place = [
            part.words for part in parts if cell in set(part.runs[KEYS].itertuples(index=False, name=None))
        ]
        assert ("after search" in place) >= (way == "searched")
        assert ("at chosen settings" in place) or way != "chosen" or cell not in at_default
    assert main_side(table).num_cells == max(side.num_cells for side in two)


def test_scores_alone_are_one_side():
    [side] = sides(runs(unlearned("dblp")))
    assert (len(side.runs), side.num_cells) == (4, 0)


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        ({"default"}, "at default settings"),
        ({"chosen"}, "at chosen settings"),
        ({"default", "chosen"}, "at fixed settings"),
        ({"searched"}, "after search"),
    ],
)
def test_sides_are_called_by_what_their_runs_share(ways, words):
    rows = [(*cell, 0, way) for cell, way in zip(CELLS, sorted(ways), strict=False)]
    [side] = sides(pd.DataFrame(rows, columns=[*KEYS, "seed", "settings"]))
    assert side.words == words
