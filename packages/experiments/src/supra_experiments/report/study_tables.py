"""The tables of a study: what encodings add, beside the paper, learning against counting, claims, cost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement, matching
from supra_experiments.analysis.averages import ranked
from supra_experiments.analysis.claims import Claim
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import cost_by_encoding, exact_cost
from supra_experiments.analysis.counting import KINDS, best_of_each_kind, by_negatives
from supra_experiments.analysis.frame import KEYS, NEGATIVES
from supra_experiments.report.cell_tables import DERIVED
from supra_experiments.report.columns import columns
from supra_experiments.report.study import Study
from supra_experiments.report.table import Table, beside_paper
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
    """Every cell that we have, beside the paper's where it has the same."""
    theirs = study.compared[[*KEYS, "paper_auc", "paper_std", "difference"]]
    learned = ranked(study.cells).merge(theirs, on=KEYS, how="left")
    return Table(
        "cells",
        "Test AUC in percent, cell by cell",
        columns(
            *("dataset", "model", "features", "pe", "auc", "num_runs", "paper_auc", "difference"),
            pe={"instead": "", "empty": "no learning"},
            auc={"rank": "rank", "marks": 3},
        ),
        pd.concat([learned[learned["auc"].notna()], study.unlearned.assign(pe="")], ignore_index=True),
        "The three best encodings of each dataset, model and features are marked.",
    )


def agreement_table(compared: pd.DataFrame) -> Table:
    """The share of reproduced cells by dataset and model, and overall."""
    overall = agreement(compared).assign(dataset="", model="")
    return Table(
        "agreement",
        f"Cells within {MARGIN:g} AUC points of the paper or better",
        columns(
            *("dataset", "model", "num_reproduced", "num_cells", "share", "share_close"),
            *("mean_difference", "median_difference"),
            num_cells={"name": "of"},
        ),
        pd.concat([agreement(compared, ["dataset", "model"]), overall], ignore_index=True),
        f"Close: within {MARGIN:g} points either way. Difference: ours minus the paper's.",
    )


def derived_tables(study: Study) -> Iterator[Table]:
    """The paper's averages and differences over the cells that both have."""
    ours = pd.concat([matching(study.cells, study.paper), study.unlearned], ignore_index=True)
    shared = matching(study.paper, study.cells)
    if len(shared):
        for make in DERIVED:
            table = beside_paper(make(ours), make(shared))
            yield replace(table, note=f"{table.note} The paper's figures are over the same cells.")


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
        *("text", "verdict", "value", "median", "num_settings", "p_adjusted"),
        *("paper_value", "by_dataset"),
        median={"compared": False},
    )
    rows = [
        {
            **{field: getattr(claim, field) for field in _OF_CLAIMS},
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


_OF_CLAIMS = ("verdict", "value", "low", "high", "median", "p_adjusted")


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
        "Encodings are computed once a run, for all snapshots." + _apart(study),
    )


def exact_cost_table(study: Study, first: str = "slpe-e", second: str = "slpe-i") -> Table:
    """Whether one of two encodings takes longer."""
    one, two = label(first), label(second)
    seconds = columns("encoding_seconds", "training_seconds")
    return Table(
        "exact-cost",
        f"Does {one} take longer than {two}?",
        (
            *columns("dataset"),
            replace(seconds[0], name=f"{one} (s)", field="first_seconds"),
            replace(seconds[1], name=f"{two} (s)", field="second_seconds"),
            *columns("ratio", "p_longer", "p_no_longer", "num_pairs"),
        ),
        exact_cost(study.pairs_of_times, first, second),
        "Seconds of encoding: medians, and the geometric mean of their ratio run by run. Signed-rank "
        f"tests that {one} takes longer, and that it takes no more than {100 * COST_MARGIN:g} % longer."
        + _apart(study),
    )


def _apart(study: Study) -> str:
    return "" if study.encoding_times is None else " Encodings were timed apart from the runs, in turns."
