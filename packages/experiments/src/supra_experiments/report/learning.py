"""What learning adds over counting, and encodings over learning, under each kind of negatives."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from supra_experiments.analysis.frame import DATASETS
from supra_experiments.analysis.table import label
from supra_experiments.report.facts import ordered
from supra_experiments.report.study import Study
from supra_experiments.report.table import Cell, Column, Row, Table

FIGURES = {
    "uniform": "auc",
    "active": "auc_active",
    "historical": "auc_historical",
    "uniform, new links": "auc_new",
}
"""Kinds of negatives and the figure that tells them; the last one is for links that training never saw."""


@dataclass(frozen=True, slots=True)
class Best:
    """The cell with the highest mean of a figure; no name and NaN where there is none."""

    name: str = ""
    value: float = math.nan


@dataclass(frozen=True, slots=True)
class Ladder:
    """The best of each kind on one dataset under one kind of negatives.

    Attributes:
        dataset, negatives: where.
        counting: the best score without learning.
        plain: the best model without encoding.
        encoded: the best model with one.
    """

    dataset: str
    negatives: str
    counting: Best
    plain: Best
    encoded: Best

    @property
    def learning_adds(self) -> float:
        """The best model minus the best score without learning; NaN where one is missing."""
        models = [best.value for best in (self.plain, self.encoded) if not math.isnan(best.value)]
        return max(models, default=math.nan) - self.counting.value

    @property
    def encodings_add(self) -> float:
        """The best model with an encoding minus the best one without."""
        return self.encoded.value - self.plain.value


def ladders(study: Study) -> list[Ladder]:
    """All of them, by dataset; those with nothing on them are left out."""
    found = []
    for dataset in ordered(study.cells["dataset"], DATASETS):
        here = study.cells[study.cells["dataset"] == dataset]
        learned = here["features"] != ""
        groups = (
            here[~learned],
            here[learned & (here["pe"] == "none")],
            here[learned & (here["pe"] != "none")],
        )
        for kind, figure in FIGURES.items():
            best = [_best(group, figure) for group in groups]
            if any(each.name for each in best):
                found.append(Ladder(dataset, kind, *best))
    return found


def learning_table(rungs: Iterable[Ladder]) -> Table:
    """The ladders as a table."""
    columns = (
        Column("dataset"),
        Column("negatives"),
        Column("no learning", number=True, help="AUC of the best score without learning"),
        Column("model", number=True, help="AUC of the best model without encoding"),
        Column("model and encoding", number=True, help="AUC of the best model with an encoding"),
        Column("learning adds", number=True, signed=True, help="best model minus best without learning"),
        Column("encodings add", number=True, signed=True, help="best with an encoding minus best without"),
        Column("which score"),
        Column("which model"),
        Column("which model and encoding"),
    )
    return Table(
        "learning-over-counting",
        "What learning adds over counting, and encodings over none",
        columns,
        tuple(_row(rung) for rung in rungs),
        "The best cell of each kind by its mean AUC on the test itself: a kind with more candidates has "
        "more chances. Active: both ends of a non-link were seen in training. Historical: non-links were "
        "links before. New links: positives that are not in the last snapshot that scores stand on.",
    )


def _row(rung: Ladder) -> Row:
    best = (rung.counting, rung.plain, rung.encoded)
    cells: list[Cell] = [label(rung.dataset), rung.negatives]
    cells += [each.value for each in best]
    cells += [rung.learning_adds, rung.encodings_add]
    cells += [each.name for each in best]
    return Row(tuple(cells), {"dataset": rung.dataset})


def _best(group: pd.DataFrame, figure: str) -> Best:
    known = group[group[figure].notna()].sort_values(figure, ascending=False, kind="stable")
    for cell in known.to_dict("records"):
        pe = label(cell["pe"]) if cell["pe"] != "none" else ""
        return Best(" ".join(filter(None, (label(cell["model"]), cell["features"], pe))), float(cell[figure]))
    return Best()
