"""The tables of the paper, from any cells: AUC, averages, gains and how often encodings win.

Each function takes cells, complete or not, and gives a table that says how many cells it stands for; from our
cells and from the paper's they are the same tables, which can stand beside each other.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from supra_experiments.analysis.averages import (
    EXACT_INEXACT,
    SLPE_LPE,
    averages,
    balanced,
    describe,
    differences,
    frequencies,
    gains,
    ranked,
    unlearned_averages,
)
from supra_experiments.analysis.frame import (
    DATASETS,
    ENCODINGS,
    FEATURES,
    MODELS,
    UNLEARNED,
    VARIANTS,
    is_learned,
    ordered,
)
from supra_experiments.report.table import (
    AUC,
    COUNT,
    DIFFERENCE,
    KEY,
    LABEL,
    SHARE,
    Column,
    Table,
)
from supra_experiments.words import label

DATASET = Column("dataset", "dataset", KEY)
MODEL = Column("model", "model", KEY)
FEATURE = Column("features", "features", KEY)
ENCODING = Column("encoding", "pe", KEY)
ENCODING_OR_SCORE = Column("encoding", "pe", KEY, instead="score")


def auc_table(cells: pd.DataFrame, features: str) -> Table:
    """AUC ± standard deviation of every dataset, encoding and model for one kind of features."""
    table = ranked(cells[cells["features"] == features])
    models, datasets = ordered(table["model"], MODELS), ordered(table["dataset"], DATASETS)
    known = table[table["auc"].notna()]
    frame = _across(known, ["dataset", "pe"], "model", ["auc", "auc_std", "rank"])
    scores = cells[cells["model"].isin(UNLEARNED) & cells["dataset"].isin(datasets) & cells["auc"].notna()]
    scores = scores.sort_values("model", key=lambda names: names.map(UNLEARNED.index), kind="stable")
    scores = scores[["dataset", "model", "auc"]].rename(columns={"model": "score", "auc": "unlearned"})
    frame = _stacked(frame, scores, ["pe", "score"])
    frame = frame.sort_values("dataset", key=lambda names: names.map(datasets.index), kind="stable")
    columns = [_auc(label(name), f"auc {name}", f"auc_std {name}", f"rank {name}", 3) for name in models]
    fields = [field for column in columns for field in column.fields()]
    wanted = len(models) * len(ordered(table["pe"], VARIANTS)) * len(datasets)
    what = f"with {'zero' if features == 'zeros' else features} features" if features else "without features"
    return Table(
        # Features may be the path of a file; a table's name must not be.
        "auc-" + (re.sub(r"[^\w.-]+", "-", features).strip("-.") or "none"),
        f"AUC in percent {what}, mean ± standard deviation over runs",
        (
            DATASET,
            ENCODING_OR_SCORE,
            *columns,
            Column("without learning", "unlearned"),
        ),
        frame.reindex(columns=["dataset", "pe", "score", *fields, "unlearned"]),
        f"{_runs_note(known)} {_cells_note(len(known), wanted)} The three best encodings of each dataset and "
        "model are marked; equal figures share a mark, the next is left out.",
    )


def average_by_encoding(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding over datasets, models and features, the best first."""
    kept = balanced(cells)
    table = averages(cells, ["pe"]).sort_values("auc", ascending=False, kind="stable")
    return Table(
        "average-by-encoding",
        "Average AUC in percent of each encoding over datasets, models and features",
        (ENCODING_OR_SCORE, _auc("AUC", "auc", rank="rank", marks=3)),
        _stacked(table, unlearned_averages(cells, kept), ["pe", "score"]),
        _settings_note(cells, kept, ["dataset", "model", "features"]),
    )


def average_by_encoding_and_features(cells: pd.DataFrame) -> Table:
    """The average AUC of each encoding with each kind of features, over datasets and models."""
    kept = balanced(cells, ("pe", "features"))
    table = _across(averages(cells, ["pe", "features"]), ["pe"], "features", ["auc", "rank"])
    scores = _across(unlearned_averages(cells, kept, ["features"]), ["score"], "features", ["auc"])
    return Table(
        "average-by-encoding-and-features",
        "Average AUC in percent of each encoding with each kind of features",
        (ENCODING_OR_SCORE, *_by_features(kept)),
        _stacked(table, scores, ["pe", "score"]),
        _settings_note(cells, kept, ["dataset", "model"]) + " The two best of a column are marked.",
    )


def average_by_features_and_model(cells: pd.DataFrame) -> Table:
    """The average AUC of each model with each kind of features where encodings are used, and the range Δ."""
    encoded = cells[cells["pe"] != "none"]
    kept = balanced(encoded, ("features",))
    table = _across(averages(encoded, ["features", "model"]), ["features"], "model", ["auc"])
    names = ordered(kept["model"], MODELS)
    columns = [f"auc {name}" for name in names]
    table = table.reindex(columns=["features", *columns])
    table["average"] = table[columns].mean(axis=1)
    figures = table[[*columns, "average"]]
    span = (figures.max() - figures.min()).to_frame().T if len(table) else figures
    scores = _across(unlearned_averages(cells, kept, ["model"]), ["score"], "model", ["auc"])
    scores = scores.reindex(columns=["score", *columns])
    scores["average"] = scores[columns].mean(axis=1, skipna=False)
    frame = _stacked(pd.concat([table, span], ignore_index=True), scores, ["features", "score"])
    return Table(
        "average-by-features-and-model",
        "Average AUC in percent of each model and kind of features when encodings are used",
        (
            Column("features", "features", KEY, instead="score", empty="Δ"),
            *(_auc(label(name), f"auc {name}") for name in names),
            _auc("average", "average"),
        ),
        frame,
        _settings_note(encoded, kept, ["dataset", "model", "pe"])
        + " Δ is the best minus the worst kind of features.",
    )


def average_by_model_encoding_and_features(cells: pd.DataFrame) -> Table:
    """The average AUC over datasets of each model, encoding and kind of features."""
    kept = balanced(cells, ("pe", "features"))
    table = averages(cells, ["model", "pe", "features"])
    table = table.sort_values("model", key=lambda names: names.map(_places(names, MODELS)), kind="stable")
    table = _across(table, ["model", "pe"], "features", ["auc", "rank"])
    scores = _across(unlearned_averages(cells, kept, ["features"]), ["score"], "features", ["auc"])
    return Table(
        "average-by-model-encoding-and-features",
        "Average AUC in percent over datasets of each model, encoding and kind of features",
        (Column("model", "model", KEY, instead="score"), ENCODING, *_by_features(kept)),
        _stacked(table, scores.assign(pe="none"), ["model", "pe", "score"]),
        _settings_note(cells, kept, ["dataset", "model"])
        + " The two best encodings of each model and kind of features are marked.",
    )


def gain_table(cells: pd.DataFrame, by: Sequence[str]) -> Table:
    """The best encoding minus none: mean, standard deviation, median and quartiles."""
    table = gains(cells)
    fewer = int((table["num_encodings"] < len(ENCODINGS)).sum())
    return Table(
        "best-encoding-minus-none-by-" + "-and-".join(by),
        "Best encoding minus none, AUC points, by " + " and ".join(by),
        (*(Column(name, name, KEY) for name in by), *_spread("settings")),
        describe(table, "gain", by),
        f"{len(table)} settings of dataset, model and features, {fewer} of them with fewer than six "
        "encodings. The best of several is chosen by the test itself and so looks better than it is.",
    )


def difference_table(cells: pd.DataFrame) -> Table:
    """Exact minus inexact and SLPE minus LPE, pair by pair, for each model."""
    parts = []
    for contrast, pairs in (("E − I", EXACT_INEXACT), ("SLPE − LPE", SLPE_LPE)):
        table = differences(cells, pairs)
        models = describe(table, "difference", ["model"])
        whole = {"model": "", "mean": models["mean"].mean(), "median": models["median"].mean()}
        overall = pd.DataFrame([whole | {"num_cells": len(table)}] if len(table) else [])
        parts.append(pd.concat([models, overall], ignore_index=True).assign(contrast=contrast))
    return Table(
        "exact-and-supra-differences",
        "Exact minus inexact, and SLPE minus LPE, AUC points, by model",
        (
            Column("difference", "contrast", LABEL),
            Column("model", "model", KEY, empty="mean of models"),
            *_spread("pairs"),
        ),
        pd.concat(parts, ignore_index=True),
        "Each pair is two encodings in one setting of dataset, model and features.",
    )


def frequency_table(cells: pd.DataFrame) -> Table:
    """How often encodings win, overall and for each kind of features."""
    kinds = ordered(cells.loc[is_learned(cells), "features"], FEATURES)
    parts = [frequencies(cells).assign(features="")]
    parts += [frequencies(cells[cells["features"] == kind]).assign(features=kind) for kind in kinds]
    table = pd.concat(parts, ignore_index=True)
    return Table(
        "how-often",
        "How often encodings win",
        (
            Column("features", "features", KEY, empty="all"),
            Column("question", "question", LABEL),
            Column("better", "num_better", COUNT),
            Column("equal", "num_equal", COUNT),
            Column("of", "num_cases", COUNT),
            Column("better (%)", "share", SHARE, compared=True),
            Column("better or equal (%)", "share_equal", SHARE),
        ),
        table[table["num_cases"] > 0],
        "Only settings in which none and all six encodings were run. SLPE and LPE, E and I are compared "
        "by their mean over the variants of a setting.",
    )


DERIVED: tuple[Callable[[pd.DataFrame], Table], ...] = (
    average_by_encoding,
    average_by_encoding_and_features,
    average_by_features_and_model,
    partial(gain_table, by=["model"]),
    partial(gain_table, by=["features", "model"]),
    difference_table,
    frequency_table,
    average_by_model_encoding_and_features,
)
"""What the paper derives from its cells: averages, differences, counts."""


def _auc(name: str, field: str, spread: str = "", rank: str = "", marks: int = 0) -> Column:
    return Column(name, field, AUC, spread=spread, rank=rank, marks=marks, compared=True)


def _by_features(kept: pd.DataFrame) -> list[Column]:
    names = ordered(kept["features"], FEATURES)
    return [_auc(name, f"auc {name}", rank=f"rank {name}", marks=2) for name in names]


def _spread(counted: str) -> tuple[Column, ...]:
    """The columns of ``describe``."""
    return (
        Column("mean", "mean", DIFFERENCE, compared=True),
        Column("std", "std", AUC),
        Column("median", "median", DIFFERENCE, compared=True),
        Column("Q1", "q1", DIFFERENCE),
        Column("Q3", "q3", DIFFERENCE),
        Column(counted, "num_cells", COUNT),
    )


def _across(table: pd.DataFrame, index: list[str], key: str, values: list[str]) -> pd.DataFrame:
    """One row for each index, in the order they come; a column ``value name`` for each name of the key."""
    wide = table.pivot(index=index, columns=key, values=values)
    wide.columns = wide.columns.map(" ".join)
    return table[index].drop_duplicates().merge(wide.reset_index(), on=index, how="left")


def _stacked(learned: pd.DataFrame, scores: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Learned rows above those without learning; a key that does not apply is empty."""
    table = pd.concat([learned, scores], ignore_index=True).reindex(
        columns=list(dict.fromkeys([*learned.columns, *keys, *scores.columns]))
    )
    return table.assign(**{key: table[key].astype(object).where(table[key].notna(), "") for key in keys})


def _places(names: pd.Series, known: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(ordered(names, known))}


def _settings_note(cells: pd.DataFrame, kept: pd.DataFrame, setting: list[str]) -> str:
    """Over how many settings an average is, and how many were left out because something was not run."""
    total = len(cells.loc[is_learned(cells), setting].drop_duplicates())
    used = len(kept[setting].drop_duplicates())
    names = ", ".join(setting[:-1]) + " and " + {"pe": "encoding"}.get(setting[-1], setting[-1])
    if used == total:
        return f"All {total} settings of {names}."
    return f"{used} of {total} settings of {names}; in the others something that is compared was not run."


def _runs_note(known: pd.DataFrame) -> str:
    if known.empty:
        return "No runs."
    low, high = int(known["num_runs"].min()), int(known["num_runs"].max())
    return f"{low} run{'s' if low > 1 else ''} a cell." if low == high else f"{low} to {high} runs a cell."


def _cells_note(known: int, wanted: int) -> str:
    return f"All {wanted} cells." if known == wanted else f"{known} of {wanted} cells; a dash was not run."
