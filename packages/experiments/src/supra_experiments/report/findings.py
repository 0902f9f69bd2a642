"""What the records say in a few sentences, each from figures and never beyond them."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement
from supra_experiments.analysis.claims import LEVEL, Claim
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import exact_cost
from supra_experiments.analysis.counting import best_of_each_kind
from supra_experiments.analysis.frame import is_learned
from supra_experiments.report.study import Study
from supra_experiments.words import counted, known, label, p_text, points

_VERDICTS = {
    "holds": ("Holds here", "holds"),
    "contradicted": ("Contradicted here", "fails"),
    "not shown": ("Not shown here", "open"),
    "too few": ("Too few settings to tell", "open"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or two under a word or two; plain text."""

    head: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the records say to a claim, in words.

    Attributes:
        claim: what is claimed.
        verdict: in a few words, with the p-value.
        tone: ``holds``, ``fails`` or ``open``.
        figures: those behind the verdict.
    """

    claim: str
    verdict: str
    tone: str
    figures: str


def findings(study: Study) -> list[Finding]:
    """Agreement with the paper, its claims, learning against counting, exact against inexact."""
    return [*_agreement(study), *_claims(study), *_learning(study), *_default(study)]


def verdicts(study: Study) -> list[Verdict]:
    """The paper's claims, each with the verdict of our runs and of its own cells."""
    paper = {claim.name: claim for claim in study.paper_claims}
    found = []
    for claim in study.claims:
        head, tone = _VERDICTS[claim.verdict]
        p = f", p = {p_text(claim.p_verdict)}" if known(claim.p_verdict) else ""
        text = claim.text.replace("`", "")
        found.append(Verdict(text, head.lower() + p, tone, _figures(claim, paper[claim.name])))
    return found


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
    where = ", ".join(
        f"{label(row['model'])} on {label(row['dataset'])} ({int(row['num_reproduced'])} of "
        f"{int(row['num_cells'])}, {points(row['mean_difference'])} on average)"
        for row in parts[parts["share"] < 50].to_dict("records")
    )
    if where:
        yield Finding("Where not", f"Fewer than half of the cells are reproduced for {where}.")


def _claims(study: Study) -> Iterator[Finding]:
    """The claims that hold, that are contradicted, and those that the records leave open."""
    for verdict, (head, _) in _VERDICTS.items():
        texts = []
        for claim in study.claims:
            if claim.verdict == verdict:
                p = f", p = {p_text(claim.p_verdict)}" if known(claim.p_verdict) else ""
                settings = counted(claim.n, "setting")
                texts.append(f"{claim.text.rstrip('.')} ({points(claim.value)} points, {settings}{p})")
        if texts:
            yield Finding(head, "; ".join(texts) + ".")


def _figures(claim: Claim, paper: Claim) -> str:
    """``SLPE − LPE: +1.09 points on average (95 % interval +0.40 to +1.80), median +0.31, …``."""
    text = f"{claim.statistic[:1].upper()}{claim.statistic[1:]}: {points(claim.value)} points on average"
    if known(claim.low):
        text += f" (95 % interval {points(claim.low)} to {points(claim.high)})"
    text += f", median {points(claim.median)}, in {counted(claim.n, 'setting')} "
    text += f"on {counted(len(claim.by_dataset), 'dataset')}. "
    text += f"p = {p_text(claim.p_value)} over settings ({claim.test})"
    if claim.num_pairs > claim.n:
        text += f", {p_text(claim.p_value_seeds)} over {claim.num_pairs} pairs of seeds"
    text += f". On the paper's own cells: {paper.verdict}, {points(paper.value)} points on average"
    return text + f", adjusted p = {p_text(paper.p_adjusted)}."


def _learning(study: Study) -> Iterator[Finding]:
    """What models add over counting on each dataset, under the published negatives and the hardest."""
    table = best_of_each_kind(study.cells)
    table = table[table["learning_adds"].notna() & table["negatives"].isin(["uniform", "historical"])]
    for dataset, rows in table.groupby("dataset", sort=False):
        parts = []
        for row in rows.to_dict("records"):
            # ``Uniform negatives: neighbours, which learns nothing, 95.70; the best model 93.95 (−1.75), …``
            text = (
                f"{row['negatives'].capitalize()} negatives: {row['counting_model']}, which learns nothing, "
                f"{row['counting']:.2f}; the best model {row['counting'] + row['learning_adds']:.2f} "
                f"({points(row['learning_adds'])})"
            )
            if known(row["encodings_add"]):
                text += f", the best without encoding {row['plain']:.2f}"
            parts.append(text + ".")
        yield Finding(f"Learning on {label(str(dataset))}", " ".join(parts))


def _default(study: Study) -> Iterator[Finding]:
    """Whether SLPE-E costs more than SLPE-I, and which is then the better default."""
    rows = exact_cost(study.pairs_of_times)
    if rows.empty:
        return
    row = rows.iloc[-1]
    datasets = ", ".join(map(label, rows["dataset"][:-1]))
    pairs = counted(int(row["num_pairs"]), "pair") + (
        " of runs" if study.encoding_times is None else f" on {datasets}"
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
    alike = next((claim for claim in study.claims if claim.name == "slpe-exact-like-inexact"), None)
    if alike is not None:
        text += f". In AUC, SLPE-E minus SLPE-I is {points(alike.value)} points on average"
        if known(alike.low):
            text += f" (95 % interval {points(alike.low)} to {points(alike.high)})"
    yield Finding("Exact or inexact", text + ".")


def _longest_share(study: Study, rows: pd.DataFrame) -> float:
    """How much longer an exact encoding takes as a share of training, on the dataset where that is most."""
    learned = study.runs[is_learned(study.runs)]
    training = learned.groupby("dataset")["training_seconds"].median()
    by_dataset = rows.set_index("dataset")
    longer = (by_dataset["first_seconds"] - by_dataset["second_seconds"]) / training
    return float(longer.max())
