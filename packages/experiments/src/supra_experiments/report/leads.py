"""What a section finds, in a sentence or two: from figures, and never beyond them."""

from collections import Counter

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement
from supra_experiments.analysis.claims import LEVEL
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import exact_cost
from supra_experiments.analysis.counting import best_of_each_kind
from supra_experiments.analysis.frame import is_learned
from supra_experiments.report.study import Study
from supra_experiments.words import counted, known, label, listed, p_text, points

_VERDICTS = {"holds": "hold here", "contradicted": "are contradicted here", "not shown": "are not shown here"}


def on_agreement(study: Study) -> str:
    """How many of the paper's cells are reproduced, and where fewer than half are."""
    if study.compared.empty:
        return ""
    overall = agreement(study.compared).iloc[0]
    text = (
        f"{int(overall['num_reproduced'])} of the {int(overall['num_cells'])} cells that were run "
        f"({overall['share']:.1f} %) are at most {MARGIN:g} AUC points below the paper's, or better; "
        f"{overall['share_close']:.1f} % are within {MARGIN:g} points either way. The median difference is "
        f"{points(overall['median_difference'])}."
    )
    parts = agreement(study.compared, ["dataset", "model"]).sort_values("share", kind="stable")
    where = ", ".join(
        f"{label(row['model'])} on {label(row['dataset'])} ({int(row['num_reproduced'])} of "
        f"{int(row['num_cells'])}, {points(row['mean_difference'])} on average)"
        for row in parts[parts["share"] < 50].to_dict("records")
    )
    return text + (f" Fewer than half of the cells are reproduced for {where}." if where else "")


def on_counting(study: Study) -> str:
    """On which datasets a score that only counts is ahead of every model, and on which it is not."""
    table = best_of_each_kind(study.cells)
    table = table[(table["negatives"] == "uniform") & table["learning_adds"].notna()]
    sentences = []
    for ahead, who in (
        (False, "A model is ahead of every score without learning"),
        (True, "Counting is ahead"),
    ):
        rows = table[(table["learning_adds"] <= 0) == ahead].to_dict("records")
        where = [
            f"{label(row['dataset'])} ({row['counting_model']} {row['counting']:.2f}, the best model "
            f"{row['counting'] + row['learning_adds']:.2f})"
            for row in rows
        ]
        if where:
            sentences.append(f"{who} on {listed(where)}.")
    return " ".join(sentences)


def on_claims(study: Study) -> str:
    """How many of the paper's claims hold."""
    counts = Counter(str(claim.verdict) for claim in study.claims)
    parts = [f"{counts[verdict]} {words}" for verdict, words in _VERDICTS.items() if counts[verdict]]
    if not parts:
        return ""
    return f"Of {counted(len(study.claims), 'claim')} of the paper that can be tested {listed(parts)}."


def on_ranks(study: Study) -> str:
    """Friedman's test, where there is one."""
    ranking = study.ranking
    if not known(ranking.p_value):
        return ""
    return (
        f"Friedman's test that all encodings rank alike, over {counted(ranking.num_settings, 'setting')}: "
        f"χ² = {ranking.chi2:.2f}, p = {p_text(ranking.p_value)}."
    )


def on_cost(study: Study) -> str:
    """Whether SLPE-E costs more than SLPE-I, and which is then the better default."""
    rows = exact_cost(study.pairs_of_times)
    if rows.empty or not known(rows.iloc[-1]["low"]):
        return ""
    row = rows.iloc[-1]
    datasets = ", ".join(map(label, rows["dataset"][:-1]))
    pairs = counted(int(row["num_pairs"]), "pair") + (
        " of runs" if study.encoding_times is None else f" on {datasets}"
    )
    text = (
        f"SLPE-E took {row['ratio']:.2f} times the seconds of SLPE-I (95 % interval {row['low']:.2f} to "
        f"{row['high']:.2f}, {pairs})" + _which_is_cheaper(study, rows)
    )
    alike = next((claim for claim in study.claims if claim.name == "slpe-exact-like-inexact"), None)
    if alike is not None:
        text += f". In AUC, SLPE-E minus SLPE-I is {points(alike.value)} points on average"
        if known(alike.low):
            text += f" (95 % interval {points(alike.low)} to {points(alike.high)})"
    return text + "."


def _which_is_cheaper(study: Study, rows: pd.DataFrame) -> str:
    row = rows.iloc[-1]
    better = "its vectors depend on no start and no number of steps: the better default"
    if row["p_no_longer"] <= LEVEL:
        return (
            f": no more than {100 * COST_MARGIN:g} % longer (p = {p_text(row['p_no_longer'])}). It is exact "
            f"at no extra cost, {better}"
        )
    if row["p_longer"] > LEVEL:
        return "; these times do not tell which is cheaper"
    text = f": it takes longer (p = {p_text(row['p_longer'])})"
    share = _longest_share(study, rows)
    if known(share):
        text += f", by {100 * share:.1f} % of the time of training at most"
        if share <= COST_MARGIN:
            text += f". That hardly matters, and {better}"
    return text


def _longest_share(study: Study, rows: pd.DataFrame) -> float:
    """How much longer an exact encoding takes as a share of training, on the dataset where that is most."""
    learned = study.runs[is_learned(study.runs)]
    training = learned.groupby("dataset")["training_seconds"].median()
    by_dataset = rows.set_index("dataset")
    longer = (by_dataset["first_seconds"] - by_dataset["second_seconds"]) / training
    return float(longer.max())
