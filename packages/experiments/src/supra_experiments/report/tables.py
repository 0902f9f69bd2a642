"""The tables of a study: what encodings add, beside the paper, learning against counting, claims, cost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement
from supra_experiments.analysis.averages import ranked
from supra_experiments.analysis.claims import Claim
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import exact_cost
from supra_experiments.analysis.counting import KINDS, best_of_each_kind, by_negatives
from supra_experiments.analysis.frame import KEYS, NEGATIVES, in_order, is_learned
from supra_experiments.report.columns import columns
from supra_experiments.report.study import Study
from supra_experiments.report.table import Column, Table
from supra_experiments.words import label, points


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
    shown: dict[str, list[Column]] = {"auc": [], "difference": [], "num_runs": []}
    for side in study.sides:
        of = f" {side.name}"
        own = side.cells.merge(ranked(side.cells)[[*KEYS, "rank"]], on=KEYS, how="left").set_index(KEYS)
        frame = frame.join(own[["auc", "auc_std", "num_runs", "rank"]].add_suffix(of), on=KEYS)
        frame[f"difference{of}"] = frame[f"auc{of}"] - frame["paper_auc"]
        names = {"auc": side.words, "difference": f"{side.name} − paper", "num_runs": f"runs, {side.name}"}
        for column in columns("auc", "difference", "num_runs"):
            name = names[column.field] if len(study.sides) > 1 else column.name
            shown[column.field].append(replace(column, name=name, field=column.field + of))
        shown["auc"][-1] = replace(shown["auc"][-1], spread=f"auc_std{of}", rank=f"rank{of}", marks=3)
    learned = is_learned(frame)
    return Table(
        "cells",
        "Test AUC in percent, cell by cell",
        (
            *columns("dataset", "model", "features", "pe", pe={"instead": "", "empty": "no learning"}),
            *shown["auc"],
            *columns("paper_auc"),
            *shown["difference"],
            *shown["num_runs"],
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
    return Table(
        "gain-by-dataset",
        "What each encoding adds on each dataset, and what it costs",
        columns("dataset", "pe", "gain", "encoding_seconds", "training_seconds", "num_runs"),
        study.costs,
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
