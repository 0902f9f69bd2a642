"""The tables of a study: what encodings add, beside the paper, learning against counting, claims, cost.

Those that the paper derives from its cells take any cells, complete or not, and say how many they stand for:
from our cells and from the paper's they are the same tables, which can stand beside each other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement, matching
from supra_experiments.analysis.averages import (
    EXACT_INEXACT,
    SLPE_LPE,
    averages,
    balanced,
    describe,
    differences,
    ranked,
    unlearned_averages,
)
from supra_experiments.analysis.claims import Claim
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import cost_by_encoding, exact_cost
from supra_experiments.analysis.counting import KINDS, best_of_each_kind, by_negatives
from supra_experiments.analysis.frame import FEATURES, KEYS, MODELS, NEGATIVES, in_order, is_learned, ordered
from supra_experiments.report.columns import across, columns
from supra_experiments.report.study import Study
from supra_experiments.report.table import LABEL, Column, Table, beside_paper
from supra_experiments.words import label, listed, points


def gain_table(study: Study) -> Table:
    """Encodings by what they add over none, the best first, and none among them."""
    table = study.gains[study.gains["features"] == ""]
    ranks = dict(zip(study.ranking.names, study.ranking.average_ranks, strict=True))
    rows = pd.concat([table, pd.DataFrame([{"pe": "none", "gain": 0.0}] * bool(len(table)))])
    rows = rows.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
    counts = sorted(set(table["num_settings"]))
    several = [] if counts in ([], [1]) else ["num_better", *["num_settings"] * (len(counts) > 1), "rank"]
    over = "each over its own settings" if len(counts) > 1 else f"over {sum(counts)} settings"
    note = f"Mean and 95 % interval {over} of dataset, model and features that have none and every encoding."
    return Table(
        "encodings",
        "Encodings by what they add over none",
        columns(
            *("pe", "gain", *several),
            gain={"name": "AUC points over none"},
            num_better={"name": f"better of {counts[0]}" if len(counts) == 1 else "better"},
        ),
        rows.assign(rank=rows["pe"].map(ranks).astype(float)),
        "Mean over seeds and its 95 % interval." if counts == [1] else note,
    )


def cells_table(study: Study) -> Table:
    """Every cell that we have, for each side of the study, beside the paper's where it has the same."""
    paper = study.paper.rename(columns={"auc": "paper_auc", "auc_std": "paper_std"})
    known = pd.concat([side.cells for side in study.sides], ignore_index=True)
    rows = in_order(known.loc[known["auc"].notna(), KEYS].drop_duplicates(ignore_index=True))
    frame = rows.merge(paper[[*KEYS, "paper_auc", "paper_std"]], on=KEYS, how="left")
    figures: list[Column] = []
    differences: list[Column] = []
    for side in study.sides:
        of = f" {side.words}"
        own = side.cells.merge(ranked(side.cells)[[*KEYS, "rank"]], on=KEYS, how="left").set_index(KEYS)
        frame = frame.join(own[["auc", "auc_std", "num_runs", "rank"]].add_suffix(of), on=KEYS)
        frame[f"difference{of}"] = frame[f"auc{of}"] - frame["paper_auc"]
        marked = {"field": f"auc{of}", "spread": f"auc_std{of}", "rank": f"rank{of}", "marks": 3}
        name = of if len(study.sides) > 1 else ""
        figures += columns(
            *("auc", "num_runs"),
            auc={"name": name.strip() or "AUC", **marked},
            num_runs={"name": f"runs{name}", "field": f"num_runs{of}"},
        )
        differences += columns(
            "difference", difference={"name": f"difference{name}", "field": f"difference{of}"}
        )
    learned = is_learned(frame)
    return Table(
        "cells",
        "Test AUC in percent, cell by cell",
        (
            *columns(*("dataset", "model", "features", "pe"), pe={"instead": "", "empty": "no learning"}),
            *figures,
            *columns("paper_auc"),
            *differences,
        ),
        pd.concat([frame[learned], frame[~learned].assign(pe="")], ignore_index=True),
        "The three best encodings of each dataset, model and features are marked.",
    )


def agreement_table(compared: Mapping[str, pd.DataFrame]) -> Table:
    """The share of reproduced cells by dataset and model, and overall, for each side of a study."""
    parts = []
    for words, table in compared.items():
        overall = agreement(table).assign(dataset="", model="")
        parts += [each.assign(side=words) for each in (agreement(table, ["dataset", "model"]), overall)]
    return Table(
        "agreement",
        f"Cells within {MARGIN:g} AUC points of the paper or better",
        columns(
            *["side"] * (len(compared) > 1),
            *("dataset", "model", "num_reproduced", "num_cells", "share", "share_close"),
            *("mean_difference", "median_difference"),
            num_cells={"name": "of"},
        ),
        pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(),
        f"Close: within {MARGIN:g} points either way. Difference: ours minus the paper's.",
    )


def learning_table(cells: pd.DataFrame) -> Table:
    """What learning adds over counting, and encodings over none: the best of each."""
    table = best_of_each_kind(cells)
    which = {
        f"{kind}_name": [
            " ".join(filter(None, (label(model), features, label(pe) if pe != "none" else "")))
            for model, features, pe in table[[f"{kind}_model", f"{kind}_features", f"{kind}_pe"]].to_numpy()
        ]
        for kind in KINDS
    }
    return Table(
        "learning-over-counting",
        "What learning adds over counting, and encodings over none",
        columns("dataset", "negatives", *KINDS, "learning_adds", "encodings_add"),
        table.assign(**which),
        "AUC in percent. The best cell of each kind by its mean AUC on the test itself: a kind with more "
        "candidates has more chances. Active: both ends of a non-link were seen in training. Historical: "
        "non-links were links before. New links: positives that are not in the last snapshot that scores may "
        "use.",
    )


def negatives_table(cells: pd.DataFrame) -> Table:
    """Scores without learning beside averages of learned models, under each kind of negatives."""
    return Table(
        "negatives",
        "AUC in percent under each kind of negatives: scores without learning beside learned models",
        columns("dataset", "group", *NEGATIVES, "num_cells"),
        by_negatives(cells),
        "Learned: the mean over models and features in which all encodings of the dataset were run. The "
        "best cell is chosen by the test itself and so looks better than it is.",
    )


def claims_table(claims: Sequence[Claim], name: str, title: str, paper: Sequence[Claim] = ()) -> Table:
    """Claims with the figures behind their verdicts, and what the paper's own cells say to them."""
    theirs = {claim.name: claim for claim in paper}
    fields = columns(
        *("text", "verdict", "value", "median", "num_settings", "p_adjusted", "paper_value", "by_dataset"),
        median={"compared": False},
    )
    as_they_are = ("verdict", "value", "low", "high", "median", "p_adjusted")
    rows = [
        {
            **{field: getattr(claim, field) for field in as_they_are},
            "text": f"{claim.text.replace('`', '')} ({claim.statistic})",
            "num_settings": claim.n,
            "paper_value": theirs[claim.name].value if theirs else None,
            "paper_verdict": theirs[claim.name].verdict if theirs else "",
            "by_dataset": ", ".join(f"{label(at)} {points(mean)}" for at, mean in claim.by_dataset.items()),
        }
        for claim in claims
    ]
    names = list(dict.fromkeys(name for each in fields for name in each.fields()))
    note = (
        "In brackets what is averaged, in AUC points. Each setting of dataset, model and features counts "
        "once; intervals are by the bootstrap over settings. Signed ranks ask for the typical difference, "
        "which a few large ones do not move; the mean shows those. Settings on one dataset are not "
        "independent of each other."
    )
    return Table(name, title, fields, pd.DataFrame(rows, columns=names), note)


def dataset_gain_table(study: Study) -> Table:
    """What each encoding adds on each dataset, and the seconds it takes."""
    table = cost_by_encoding(study.priced)
    return Table(
        "gain-by-dataset",
        "What each encoding adds on each dataset, and what it costs",
        columns("dataset", "pe", "gain", "encoding_seconds", "training_seconds", "num_runs"),
        table.assign(low=table["gain"] - table["half"], high=table["gain"] + table["half"]),
        "Mean gain over none in AUC points, with the 95 % interval over seeds where there are three or more; "
        "median seconds. Over models, features and seeds that have none and every encoding of the dataset. "
        "Encodings are computed once a run, for all snapshots." + study.how_timed,
    )


def exact_cost_table(study: Study) -> Table:
    """Whether SLPE-E takes longer than SLPE-I."""
    return Table(
        "exact-cost",
        "Does SLPE-E take longer than SLPE-I?",
        columns(
            *("dataset", "encoding_seconds", "training_seconds", "ratio", "p_longer", "p_no_longer"),
            "num_pairs",
            encoding_seconds={"name": "SLPE-E (s)", "field": "first_seconds"},
            training_seconds={"name": "SLPE-I (s)", "field": "second_seconds"},
        ),
        exact_cost(study.pairs_of_times),
        "Seconds of encoding: medians, and the geometric mean of their ratio run by run. Signed-rank "
        f"tests that SLPE-E takes longer, and that it takes no more than {100 * COST_MARGIN:g} % longer."
        + study.how_timed,
    )


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
