"""What the records say in a few sentences, each from figures and never beyond them."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from supra_experiments.analysis.claims import LEVEL
from supra_experiments.analysis.compare import MARGIN, agreement
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import exact_cost
from supra_experiments.analysis.frame import is_learned
from supra_experiments.analysis.statistics import p_text
from supra_experiments.analysis.table import label
from supra_experiments.report.inputs import counted
from supra_experiments.report.learning import Ladder, ladders
from supra_experiments.report.shown_claims import points
from supra_experiments.report.study import Study
from supra_experiments.report.table import known


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or two under a word or two; plain text."""

    head: str
    text: str


def findings(study: Study) -> list[Finding]:
    """Agreement with the paper, its claims, learning against counting, exact against inexact."""
    return [*_agreement(study), *_claims(study), *_learning(study), *_default(study)]


def _agreement(study: Study) -> Iterator[Finding]:
    if study.compared.empty:
        return
    overall = agreement(study.compared).iloc[0]
    yield Finding(
        "Agreement",
        f"{int(overall['num_reproduced'])} of the {int(overall['num_cells'])} cells that were run "
        f"({overall['share']:.1f} %) are at most {MARGIN:g} AUC points below the paper's, or better; "
        f"{overall['share_close']:.1f} % are within {MARGIN:g} points either way. The median difference is "
        f"{points(overall['median_difference'])}.",
    )
    parts = agreement(study.compared, ["dataset", "model"]).sort_values("share", kind="stable")
    worst = parts[parts["share"] < 50]
    if len(worst):
        where = ", ".join(
            f"{label(row['model'])} on {label(row['dataset'])} ({int(row['num_reproduced'])} of "
            f"{int(row['num_cells'])}, {points(row['mean_difference'])} on average)"
            for row in worst.to_dict("records")
        )
        yield Finding("Where not", f"Fewer than half of the cells are reproduced for {where}.")


def _claims(study: Study) -> Iterator[Finding]:
    """The claims that hold, that are contradicted, and those that the records leave open."""
    heads = {
        "holds": "Holds here",
        "contradicted": "Contradicted here",
        "not shown": "Not shown here",
        "too few": "Too few settings to tell",
    }
    for verdict, head in heads.items():
        found = [claim for claim in study.claims if claim.n and claim.verdict == verdict]
        if found:
            texts = []
            for claim in found:
                p = claim.p_opposite if verdict == "contradicted" else claim.p_adjusted
                text = (
                    f"{claim.text.rstrip('.')} ({points(claim.value)} points, {counted(claim.n, 'setting')}"
                )
                texts.append(text + (f", p = {p_text(p)})" if known(p) else ")"))
            yield Finding(head, "; ".join(texts) + ".")


def _learning(study: Study) -> Iterator[Finding]:
    """What models add over counting on each dataset, under the published negatives and the hardest."""
    rungs = [rung for rung in ladders(study) if known(rung.learning_adds)]
    for dataset in dict.fromkeys(rung.dataset for rung in rungs):
        here = {rung.negatives: rung for rung in rungs if rung.dataset == dataset}
        parts = [_rung(here[kind]) for kind in ("uniform", "historical") if kind in here]
        if parts:
            yield Finding(f"Learning on {label(dataset)}", " ".join(parts))


def _rung(rung: Ladder) -> str:
    """``Uniform negatives: neighbours, which learns nothing, 95.70; the best model 93.95 (−1.75), …``."""
    best = max(rung.plain, rung.encoded, key=lambda each: each.value if known(each.value) else 0.0)
    text = (
        f"{rung.negatives.capitalize()} negatives: {rung.counting.name}, which learns nothing, "
        f"{rung.counting.value:.2f}; the best model {best.value:.2f} ({points(rung.learning_adds)})"
    )
    if known(rung.encodings_add):
        text += f", the best without encoding {rung.plain.value:.2f}"
    return text + "."


def _default(study: Study) -> Iterator[Finding]:
    """Whether SLPE-E costs more than SLPE-I, and which is then the better default."""
    rows = exact_cost(study.pairs_of_times)
    if rows.empty:
        return
    row = rows.iloc[-1]
    pairs = counted(int(row["num_pairs"]), "pair") + (
        " of runs" if study.encoding_times is None else f" on {', '.join(map(label, rows['dataset'][:-1]))}"
    )
    text = (
        f"SLPE-E took {row['ratio']:.2f} times the seconds of SLPE-I (95 % interval {row['low']:.2f} to "
        f"{row['high']:.2f}, {pairs})"
    )
    better = "its vectors depend on no start and no number of steps: the better default"
    if row["p_no_longer"] <= LEVEL:
        text += (
            f": no more than {100 * COST_MARGIN:g} % longer (p = {p_text(row['p_no_longer'])}). It is exact "
            f"at no extra cost, {better}"
        )
    elif row["p_longer"] <= LEVEL:
        text += f": it takes longer (p = {p_text(row['p_longer'])})"
        share = _longest_share(study, rows)
        if known(share):
            text += f", by {100 * share:.1f} % of the time of training at most"
            if share <= COST_MARGIN:
                text += f". That hardly matters, and {better}"
    else:
        text += "; these times do not tell which is cheaper"
    claims = {claim.name: claim for claim in study.claims}
    alike = claims.get("slpe-exact-like-inexact")
    if alike is not None and alike.n:
        text += f". In AUC, SLPE-E minus SLPE-I is {points(alike.value)} points on average"
        if known(alike.low):
            text += f" (95 % interval {points(alike.low)} to {points(alike.high)})"
    yield Finding("Exact or inexact", text + ".")


def _longest_share(study: Study, rows: pd.DataFrame) -> float:
    """How much longer an exact encoding takes as a share of training, on the dataset where that is most."""
    learned = study.runs[is_learned(study.runs)]
    training = learned.groupby("dataset")["training_seconds"].median()
    by_dataset = rows[rows["dataset"] != "all"].set_index("dataset")
    longer = (by_dataset["first_seconds"] - by_dataset["second_seconds"]) / training
    return float(longer.max())
