"""Learning beside counting: models beside scores that learn nothing, under each kind of negatives."""

from collections.abc import Iterator

import pandas as pd

from supra_experiments.analysis.averages import balanced
from supra_experiments.analysis.frame import DATASETS, NEGATIVES, UNLEARNED, is_learned, ordered

ALL_NEGATIVES = NEGATIVES | {"uniform, new links": "auc_new"}
"""The last one is for links that training never saw."""

KINDS = ("counting", "plain", "encoded")
"""Scores without learning, models without encoding, models with one."""


def best_of_each_kind(cells: pd.DataFrame) -> pd.DataFrame:
    """The highest mean AUC of each kind of score on each dataset, under each kind of negatives.

    Returns:
        One row a dataset and kind of negatives: ``dataset, negatives``; for each of :data:`KINDS` the AUC
        under its name, NaN where there is none, and the cell it is of, ``{kind}_model, {kind}_features,
        {kind}_pe``, empty where there is none; ``learning_adds`` (the best model minus the best score without
        learning) and ``encodings_add`` (the best model with an encoding minus the best without).
    """
    learned, encoded = is_learned(cells), cells["pe"] != "none"
    groups = dict(
        zip(KINDS, (cells[~learned], cells[learned & ~encoded], cells[learned & encoded]), strict=True)
    )
    rows = []
    for dataset in ordered(cells["dataset"], DATASETS):
        for negatives, column in ALL_NEGATIVES.items():
            row: dict[str, object] = {"dataset": dataset, "negatives": negatives}
            for kind, group in groups.items():
                row |= _best(group[group["dataset"] == dataset], column, kind)
            rows.append(row)
    names = [name for kind in KINDS for name in (kind, *(f"{kind}_{key}" for key in _CELL))]
    table = pd.DataFrame(rows, columns=["dataset", "negatives", *names])
    table = table[table[list(KINDS)].notna().any(axis=1)].reset_index(drop=True)
    return table.assign(
        learning_adds=table[["plain", "encoded"]].max(axis=1) - table["counting"],
        encodings_add=table["encoded"] - table["plain"],
    )


def by_negatives(cells: pd.DataFrame) -> pd.DataFrame:
    """Each score without learning, and averages of learned models, under each kind of negatives.

    Returns:
        The columns ``dataset``; ``score`` for a score without learning or ``group`` for learned models, the
        other one empty; the mean AUC under each of :data:`NEGATIVES`; and ``num_cells``. Datasets on which
        no other negatives than uniform ones are known are left out.
    """
    known = cells[cells[list(NEGATIVES.values())[1:]].notna().any(axis=1)]
    rows = [row for dataset in ordered(known["dataset"], DATASETS) for row in _groups(known, dataset)]
    return pd.DataFrame(rows, columns=["dataset", "score", "group", *NEGATIVES, "num_cells"])


def _groups(cells: pd.DataFrame, dataset: str) -> Iterator[tuple[object, ...]]:
    columns = list(NEGATIVES.values())
    here = cells[cells["dataset"] == dataset]
    fair, learned = balanced(here), here[is_learned(here)]
    groups = [(name, "", here[here["model"] == name]) for name in UNLEARNED]
    groups.append(("", "learned, no encoding", fair[fair["pe"] == "none"]))
    groups.append(("", "learned, mean of encodings", fair[fair["pe"] != "none"]))
    for score, group, part in groups:
        if len(part):
            yield dataset, score, group, *part[columns].mean(), len(part)
    if len(learned):
        yield dataset, "", "learned, best cell of each column", *learned[columns].max(), len(learned)


_CELL = ("model", "features", "pe")


def _best(group: pd.DataFrame, column: str, kind: str) -> dict[str, object]:
    known = group[group[column].notna()].sort_values(column, ascending=False, kind="stable").head(1)
    names = known[list(_CELL)].to_numpy().tolist()[0] if len(known) else [""] * len(_CELL)
    value = float(known[column].sum()) if len(known) else float("nan")
    return {kind: value} | {f"{kind}_{key}": name for key, name in zip(_CELL, names, strict=True)}
