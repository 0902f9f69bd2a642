import dataclasses
import math

import numpy as np
import pytest

from supra_experiments.analysis import cells, paper_cells, runs
from supra_experiments.analysis.frame import CELL_COLUMNS, FIGURES, RUN_COLUMNS
from supra_experiments.config import Config
from supra_experiments.errors import ExperimentError
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.record import RunRecord, Timings

from .paper_marks import paper_marks


def record(auc: float = 0.75, *, by_negatives: dict | None = None, **config) -> RunRecord:
    return RunRecord(
        config=Config(**{"dataset": "dblp"} | config),
        graph_digest="ab" * 32,
        selection="train_loss",
        best_epoch=3,
        test=Metrics(auc, auc / 2),
        test_new=Metrics(auc - 0.25, 0.5),
        test_new_step=Metrics(0.5, 0.5),
        per_snapshot=(Metrics(auc, auc / 2),),
        num_negatives=(12,),
        by_negatives=by_negatives or {},
        num_parameters=7,
        timings=Timings(1.5, 2.0, 3.0),
    )


def test_a_run_is_a_row_in_percent():
    others = {"uniform": Metrics(0.75, 0.5), "active": Metrics(0.5, 0.25), "historical": Metrics(0.25, 0.1)}
    table = runs([record(model="htgn", pe="slpe-e", features="zeros", seed=4, by_negatives=others)])
    assert table.columns.tolist() == RUN_COLUMNS
    row = table.iloc[0]
    found = row[["dataset", "model", "features", "pe", "seed"]].tolist()
    assert found == ["dblp", "htgn", "zeros", "slpe-e", 4]
    names = ["auc", "ap", "auc_new", "auc_active", "auc_historical"]
    assert row[names].tolist() == [75.0, 50.0, 50.0, 50.0, 25.0]
    assert (row.encoding_seconds, row.training_seconds, row.best_epoch) == (1.5, 2.0, 3)
    assert row.digest == Config(dataset="dblp", model="htgn", pe="slpe-e", features="zeros", seed=4).digest


@pytest.mark.parametrize(
    ("given", "model", "features", "pe"),
    [
        ({"model": "egcn"}, "egcn-h", "one-hot", "none"),
        ({"model": "egcn-h"}, "egcn-h", "one-hot", "none"),
        ({"model": "egcn-o", "pe": "lpe-t"}, "egcn-o", "one-hot", "lpe-t"),
        ({"model": "count"}, "count", "", "none"),
    ],
)
def test_names(given, model, features, pe):
    assert runs([record(**given)])[["model", "features", "pe"]].values.tolist() == [[model, features, pe]]


def test_the_auc_is_under_uniform_negatives_whatever_the_run_asked_for():
    hard = runs([record(0.5, negatives="historical")]).iloc[0]
    assert hard.auc_historical == 50.0
    assert all(math.isnan(hard[name]) for name in ("auc", "ap", "auc_new", "auc_active"))
    both = runs([record(0.5, negatives="historical", by_negatives={"uniform": Metrics(0.75, 0.5)})]).iloc[0]
    assert (both.auc, both.auc_historical) == (75.0, 50.0)


def test_runs_given_twice_count_once_and_no_runs_are_a_table_too():
    assert len(runs([record(), record(), record(seed=1)])) == 2
    assert len(runs([record(model="egcn"), record(model="egcn-h")])) == 1
    assert len(runs([record(model="count", pe="none"), record(model="count", pe="lpe-e")])) == 1
    assert len(runs([record(model="count", follow=True), record(model="count", follow=False)])) == 2
    first = runs([record(0.5), record(0.75), record(0.25, seed=1)])
    assert first[["auc", "seed"]].values.tolist() == [[50.0, 0], [25.0, 1]]
    assert runs([]).columns.tolist() == RUN_COLUMNS
    assert cells(runs([])).columns.tolist() == CELL_COLUMNS
    assert len(cells(runs([]))) == 0


def test_cells_are_means_over_seeds():
    aucs = [0.75, 0.5, math.nan]
    made = [record(auc, seed=seed) for seed, auc in enumerate(aucs)]
    made[2] = dataclasses.replace(made[2], diverged=True)
    table = cells(runs([*made, record(0.25, pe="slpe-i")]))
    assert table.columns.tolist() == CELL_COLUMNS
    first, second = table.iloc[0], table.iloc[1]
    assert (first.auc, first.auc_std, first.num_runs, first.num_diverged) == (62.5, 12.5, 2, 1)
    assert first.ap == 31.25
    assert (second.pe, second.auc, second.num_runs) == ("slpe-i", 25.0, 1)
    assert math.isnan(second.auc_std)


def test_a_cell_of_two_settings_is_refused():
    with pytest.raises(ExperimentError, match="seed 0 of dblp/htgn/one-hot/none is there twice"):
        cells(runs([record(), record(0.5, lr=0.02)]))


def test_cells_come_in_the_papers_order_and_strangers_last():
    given = [
        record(dataset="mine.csv"),
        record(model="count"),
        record(dataset="enron10", pe="lpe-t"),
        record(dataset="enron10", features="zeros"),
        record(dataset="enron10", pe="slpe-e"),
        record(dataset="canparl", model="slate"),
        record(dataset="canparl", model="egcn-h"),
    ]
    table = cells(runs(given))
    assert table[["dataset", "model", "features", "pe"]].values.tolist() == [
        ["canparl", "egcn-h", "one-hot", "none"],
        ["canparl", "slate", "one-hot", "none"],
        ["enron10", "htgn", "one-hot", "slpe-e"],
        ["enron10", "htgn", "one-hot", "lpe-t"],
        ["mine.csv", "htgn", "one-hot", "none"],
        ["enron10", "htgn", "zeros", "none"],
        ["dblp", "count", "", "none"],
    ]


def test_the_papers_cells():
    table = paper_cells()
    assert table.columns.tolist() == CELL_COLUMNS
    sizes = table[["dataset", "model", "features", "pe"]].nunique().tolist()
    assert sizes == [4, 4, 3, 7]
    assert len(table) == np.prod(sizes) == len(table.drop_duplicates(["dataset", "model", "features", "pe"]))
    assert (table.num_runs == 5).all()
    assert table[FIGURES].isna().all(axis=None)
    chosen = table.set_index(["dataset", "model", "features", "pe"])[["auc", "auc_std"]]
    # Read off the paper's three tables.
    assert chosen.loc[("canparl", "egcn-h", "one-hot", "none")].tolist() == [85.56, 0.27]
    assert chosen.loc[("enron10", "slate", "zeros", "slpe-t")].tolist() == [55.47, 0.96]
    assert chosen.loc[("as733", "grugcn", "random", "lpe-i")].tolist() == [94.16, 1.08]


def test_the_papers_marks():
    marks = paper_marks()
    assert marks["mark"].value_counts().to_dict() == {"": 188, "second": 50, "first": 49, "third": 49}
