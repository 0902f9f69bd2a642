"""AUC cell by cell, and its averages."""

import re
from collections.abc import Sequence

import pandas as pd

from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, UNLEARNED, VARIANTS
from supra_experiments.analysis.summaries import averages, balanced, ranked
from supra_experiments.analysis.table import NAN, Score, Table, Value, label
from supra_experiments.analysis.table_parts import (
    present,
    rows_of,
    settings_note,
    unlearned_auc,
    unlearned_rows,
)


def auc_table(cells: pd.DataFrame, features: str) -> Table:
    """AUC ± standard deviation of every dataset, encoding and model for one kind of features."""
    table = ranked(cells[cells["features"] == features])
    table["place"] = table["rank"].where(table["rank"] <= 3, 0).fillna(0).astype(int)
    keyed = table.set_index(["dataset", "pe", "model"])[["auc", "auc_std", "place"]]
    scores = {key: Score(*row) for key, row in zip(keyed.index, keyed.itertuples(index=False), strict=True)}
    models, variants = present(table, "model", MODELS), present(table, "pe", VARIANTS)
    datasets = present(table, "dataset", DATASETS)
    rows: list[tuple[Value, ...]] = []
    for dataset in datasets:
        for pe in variants:
            found = [scores.get((dataset, pe, model), Score(NAN)) for model in models]
            if any(score.mean == score.mean for score in found):
                rows.append((label(dataset), label(pe), *found, NAN))
        for name, auc in unlearned_rows(cells, [dataset]):
            rows.append((label(dataset), name, *[Score(NAN)] * len(models), auc))
    wanted = len(models) * len(variants) * len(datasets)
    return Table(
        # Features may be the path of a file; a table's name must not be.
        name="auc-" + re.sub(r"[^\w.-]+", "-", features).strip("-."),
        title=f"AUC in percent with {_adjective(features)} features, mean ± standard deviation over runs",
        columns=("dataset", "encoding", *map(label, models), "without learning"),
        rows=tuple(rows),
        note=f"{_runs_note(table)} {_cells_note(int(table['auc'].notna().sum()), wanted)} The three best "
        "encodings of each dataset and model are marked; equal figures share a mark, the next is left out.",
    )


def variant_table(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding over datasets, models and features, the best first."""
    kept = balanced(cells)
    table = averages(cells, ["pe"]).sort_values("auc", ascending=False, kind="stable")
    rows: list[tuple[Value, ...]] = [
        (label(row.pe), Score(row.auc, rank=place if place <= 3 else 0))
        for place, row in enumerate(rows_of(table), start=1)
    ]
    rows += [(name, Score(auc)) for name, auc in unlearned_rows(cells, kept["dataset"])]
    return Table(
        name="average-by-encoding",
        title="Average AUC in percent of each encoding over datasets, models and features",
        columns=("encoding", "AUC"),
        rows=tuple(rows),
        note=settings_note(cells, kept, ["dataset", "model", "features"]),
    )


def variant_feature_table(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding with each kind of features, over datasets and models."""
    kept = balanced(cells, ("pe", "features"))
    features = present(kept, "features", FEATURES)
    rows = _pivot(averages(cells, ["pe", "features"]), "pe", VARIANTS, "features", features)
    rows += [(name, *[Score(auc)] * len(features)) for name, auc in unlearned_rows(cells, kept["dataset"])]
    return Table(
        name="average-by-encoding-and-features",
        title="Average AUC in percent of each encoding with each kind of features",
        columns=("encoding", *features),
        rows=tuple(rows),
        note=settings_note(cells, kept, ["dataset", "model"]) + " The two best of a column are marked.",
    )


def feature_model_table(cells: pd.DataFrame) -> Table:
    """The average AUC of each model with each kind of features where encodings are used, and the range Δ."""
    encoded = cells[cells["pe"] != "none"]
    kept = balanced(encoded, ("features",))
    table = averages(encoded, ["features", "model"])
    models, features = present(table, "model", MODELS), present(table, "features", FEATURES)
    values = table.pivot(index="features", columns="model", values="auc").reindex(features)[models]
    values["average"] = values.mean(axis=1)
    values.loc["Δ"] = values.max() - values.min()
    rows: list[tuple[Value, ...]] = [
        (str(name), *row) for name, row in zip(values.index, values.to_numpy().tolist(), strict=True)
    ]
    for name in UNLEARNED:
        aucs = [unlearned_auc(cells, name, kept.loc[kept["model"] == model, "dataset"]) for model in models]
        if any(auc == auc for auc in aucs):
            rows.append((name, *aucs, sum(aucs) / len(aucs)))
    return Table(
        name="average-by-features-and-model",
        title="Average AUC in percent of each model and kind of features when encodings are used",
        columns=("features", *map(label, models), "average"),
        rows=tuple(rows) if len(table) else (),
        note=settings_note(encoded, kept, ["dataset", "model", "pe"])
        + " Δ is the best minus the worst kind of features.",
    )


def model_variant_feature_table(cells: pd.DataFrame) -> Table:
    """The average AUC over datasets of each model, encoding and kind of features."""
    kept = balanced(cells, ("pe", "features"))
    table = averages(cells, ["model", "pe", "features"])
    features = present(kept, "features", FEATURES)
    rows: list[tuple[Value, ...]] = []
    for model in present(kept, "model", MODELS):
        part = _pivot(table[table["model"] == model], "pe", VARIANTS, "features", features)
        rows += [(label(model), *row) for row in part]
    for name, auc in unlearned_rows(cells, kept["dataset"]):
        rows.append((name, "none", *[Score(auc)] * len(features)))
    return Table(
        name="average-by-model-encoding-and-features",
        title="Average AUC in percent over datasets of each model, encoding and kind of features",
        columns=("model", "encoding", *features),
        rows=tuple(rows),
        note=settings_note(cells, kept, ["dataset", "model"])
        + " The two best encodings of each model and kind of features are marked.",
    )


def _pivot(
    table: pd.DataFrame, index: str, order: Sequence[str], columns: str, names: Sequence[str]
) -> list[tuple[Value, ...]]:
    """Averages as rows, the two best of each column marked."""
    values = table.pivot(index=index, columns=columns, values="auc")
    values = values.reindex([name for name in order if name in values.index])[list(names)]
    places = values.round(2).rank(ascending=False, method="min")
    rows: list[tuple[Value, ...]] = []
    for name in values.index:
        scores = [
            Score(float(values.loc[name, column]), rank=int(place) if place <= 2 else 0)
            for column in names
            for place in [float(places.loc[name, column])]
        ]
        rows.append((label(str(name)), *scores))
    return rows


def _runs_note(table: pd.DataFrame) -> str:
    runs = table.loc[table["auc"].notna(), "num_runs"]
    if runs.empty:
        return "No runs."
    low, high = int(runs.min()), int(runs.max())
    return f"{low} run{'s' if low > 1 else ''} a cell." if low == high else f"{low} to {high} runs a cell."


def _cells_note(known: int, wanted: int) -> str:
    return f"All {wanted} cells." if known == wanted else f"{known} of {wanted} cells; a dash was not run."


def _adjective(features: str) -> str:
    return "zero" if features == "zeros" else features
