"""The tables that the paper derives from its cells: averages and differences.

They take any cells, complete or not, and say how many they stand for: from our cells and from the paper's
they are the same tables, which can stand beside each other.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd

from supra_experiments.analysis.agreement import matching
from supra_experiments.analysis.averages import (
    EXACT_INEXACT,
    SLPE_LPE,
    averages,
    balanced,
    describe,
    differences,
    unlearned_averages,
)
from supra_experiments.analysis.frame import FEATURES, MODELS, is_learned, ordered
from supra_experiments.report.columns import across, columns
from supra_experiments.report.study import Study
from supra_experiments.report.table import LABEL, Column, Table, beside_paper
from supra_experiments.words import listed


def average_by_encoding(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding over datasets, models and features, the best first."""
    kept = balanced(cells)
    table = averages(cells, ["pe"]).sort_values("auc", ascending=False, kind="stable")
    return Table(
        "average-by-encoding",
        "Average AUC in percent of each encoding over datasets, models and features",
        columns("pe", "auc", auc={"spread": "", "rank": "rank", "marks": 3, "compared": True}),
        _stacked(table, unlearned_averages(cells, kept), ["pe", "score"]),
        _settings_note(cells, kept, ["dataset", "model", "features"]),
    )


def average_by_encoding_and_features(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding with each kind of features, over datasets and models."""
    kept = balanced(cells, ("pe", "features"))
    table = _across(averages(cells, ["pe", "features"]), "pe", "features")
    scores = _across(unlearned_averages(cells, kept, ["features"]), "score", "features")
    return Table(
        "average-by-encoding-and-features",
        "Average AUC in percent of each encoding with each kind of features",
        columns("pe") + across("auc", ordered(kept["features"], FEATURES)),
        _stacked(table, scores, ["pe", "score"]),
        _settings_note(cells, kept, ["dataset", "model"]),
    )


def average_by_features_and_model(cells: pd.DataFrame) -> Table:
    """The average AUC of each model with each kind of features where encodings are used, and the range Δ."""
    encoded = cells[cells["pe"] != "none"]
    kept = balanced(encoded, ("features",))
    table = _across(averages(encoded, ["features", "model"]), "features", "model")
    names = ordered(kept["model"], MODELS)
    fields = [f"auc {name}" for name in names]
    table = table.reindex(columns=["features", *fields])
    table["auc average"] = table[fields].mean(axis=1)
    figures = table[[*fields, "auc average"]]
    span = (figures.max() - figures.min()).to_frame().T if len(table) else figures
    scores = _across(unlearned_averages(cells, kept, ["model"]), "score", "model")
    scores = scores.reindex(columns=["score", *fields])
    scores["auc average"] = scores[fields].mean(axis=1, skipna=False)
    frame = _stacked(pd.concat([table, span], ignore_index=True), scores, ["features", "score"])
    return Table(
        "average-by-features-and-model",
        "Average AUC in percent of each model and kind of features when encodings are used",
        columns("features", features={"instead": "score", "empty": "Δ"}) + across("auc", [*names, "average"]),
        frame,
        _settings_note(encoded, kept, ["dataset", "model", "pe"])
        + " Δ is the best minus the worst kind of features.",
    )


def difference_table(cells: pd.DataFrame) -> Table:
    """Exact minus inexact and SLPE minus LPE, pair by pair, for each model."""
    parts = []
    for contrast, pairs in (("E − I", EXACT_INEXACT), ("SLPE − LPE", SLPE_LPE)):
        table = differences(cells, pairs)
        models = describe(table, "difference", ["model"])
        whole = {"model": "", **models[["mean", "median"]].mean(), "num_cells": len(table)}
        overall = pd.DataFrame([whole] if len(table) else [])
        parts.append(pd.concat([models, overall], ignore_index=True).assign(contrast=contrast))
    figures = columns(
        *("model", "mean", "std", "median", "q1", "q3", "num_cells"),
        model={"empty": "mean of models"},
        num_cells={"name": "pairs"},
    )
    return Table(
        "exact-and-supra-differences",
        "Exact minus inexact, and SLPE minus LPE, AUC points, by model",
        (Column("difference", "contrast", LABEL), *figures),
        pd.concat(parts, ignore_index=True),
        "Each pair is two encodings in one setting of dataset, model and features.",
    )


DERIVED: tuple[Callable[[pd.DataFrame], Table], ...] = (
    average_by_encoding,
    average_by_encoding_and_features,
    average_by_features_and_model,
    difference_table,
)
"""What the paper derives from its cells: averages and differences."""


def derived_tables(study: Study) -> Iterator[Table]:
    """The paper's averages and differences over the cells that both have."""
    ours = pd.concat([matching(study.cells, study.paper), study.unlearned], ignore_index=True)
    shared = matching(study.paper, study.cells)
    if len(shared):
        for make in DERIVED:
            table = beside_paper(make(ours), make(shared))
            yield replace(table, note=f"{table.note} The paper's figures are over the same cells.")


def _across(table: pd.DataFrame, index: str, key: str) -> pd.DataFrame:
    """One row for each index, in the order they come; a column ``auc name`` for each name of the key."""
    wide = table.pivot(index=index, columns=key, values="auc").add_prefix("auc ").reset_index()
    return table[[index]].drop_duplicates().merge(wide, on=index, how="left")


def _stacked(learned: pd.DataFrame, scores: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Learned rows above those without learning; a key that does not apply is empty."""
    names = list(dict.fromkeys([*learned.columns, *keys, *scores.columns]))
    table = pd.concat([learned, scores], ignore_index=True).reindex(columns=names)
    return table.assign(**{key: table[key].astype(object).where(table[key].notna(), "") for key in keys})


def _settings_note(cells: pd.DataFrame, kept: pd.DataFrame, setting: list[str]) -> str:
    """Over how many settings an average is, and how many were left out because something was not run."""
    total = len(cells.loc[is_learned(cells), setting].drop_duplicates())
    used = len(kept[setting].drop_duplicates())
    names = listed([{"pe": "encoding"}.get(name, name) for name in setting])
    if used == total:
        return f"All {total} settings of {names}."
    return f"{used} of {total} settings of {names}; in the others something that is compared was not run."
