"""The claims of the paper, each as a tested statement about runs or cells."""

import pandas as pd

from supra_core.checks import check_nonnegative, check_probability
from supra_experiments.analysis.claim import Claim, alike, claims_table, differ, judged
from supra_experiments.analysis.paired import Pairs, against_unlearned, contrast
from supra_experiments.analysis.summaries import ENCODINGS, EXACT_INEXACT, SLPE_LPE
from supra_experiments.analysis.table import label

__all__ = ["Claim", "claims_table", "counting_claims", "headline_claims", "model_claims"]

LEVEL = 0.05
EQUIVALENCE_MARGIN = 1.0
"""AUC points within which two encodings are about as good."""

NEGATIVES = {"uniform": "auc", "active": "auc_active", "historical": "auc_historical"}
COUNTING = ("count", "neighbours")
WITH_NONE = tuple((name, "none") for name in ENCODINGS)
TRAJECTORY = (("slpe-t", "slpe-e"), ("slpe-t", "slpe-i"), ("lpe-t", "lpe-e"), ("lpe-t", "lpe-i"))


def headline_claims(
    runs: pd.DataFrame, *, margin: float = EQUIVALENCE_MARGIN, level: float = LEVEL
) -> list[Claim]:
    """What the paper says of its encodings.

    Args:
        runs: as from :func:`~supra_experiments.analysis.frame.runs`; cells will do, as one seed each.
        margin: AUC points within which exact and inexact encodings are about as good.
        level: of significance.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> {claim.name: claim.verdict for claim in headline_claims(paper_cells())}["encodings-over-none"]
        'holds'
    """
    check_nonnegative("margin", margin, positive=True)
    check_probability("level", level)
    exact = contrast(runs, EXACT_INEXACT)
    claims = [
        differ(
            "encodings-over-none",
            "Encodings beat none.",
            "mean of encodings − none",
            contrast(runs, WITH_NONE),
            "greater",
        ),
        *(
            differ(
                f"gain-zeros-over-{features}",
                f"Encodings help more with zero than with {features} features.",
                f"gain with zeros − gain with {features}",
                _gain_by_features(runs, "zeros", features),
                "greater",
                unit=("dataset", "model"),
            )
            for features in ("one-hot", "random")
        ),
        differ(
            "slpe-over-lpe",
            "SLPE is better than LPE.",
            "SLPE − LPE, mean over E, I, T",
            contrast(runs, SLPE_LPE),
            "greater",
        ),
        differ("exact-over-inexact", "Exact beats inexact.", "E − I", exact, "greater"),
        alike(
            "exact-like-inexact",
            f"Exact and inexact are typically equally good, to within {_points(margin)}.",
            "E − I",
            exact,
            margin,
        ),
        alike(
            "slpe-exact-like-inexact",
            f"SLPE-E and SLPE-I are typically equally good, to within {_points(margin)}.",
            "SLPE-E − SLPE-I",
            contrast(runs, EXACT_INEXACT[:1]),
            margin,
        ),
        differ(
            "trajectory-worse",
            "Trajectories are worse than eigenvectors.",
            "T − mean of E and I",
            contrast(runs, TRAJECTORY),
            "less",
        ),
    ]
    return judged(claims, level)


def counting_claims(runs: pd.DataFrame, *, level: float = LEVEL) -> list[Claim]:
    """What learning and encodings add over counting, under each kind of negatives.

    For each kind: encodings over none; learned models, without and with encodings, over the scores that count
    past links (``count``) and common neighbours (``neighbours``). Kinds that no run reports are left out.
    ``runs[runs.features.isin(["one-hot", ""])]`` asks of one-hot features alone.
    """
    check_probability("level", level)
    claims = []
    for kind, value in NEGATIVES.items():
        if runs[value].notna().any():
            difference = contrast(runs, WITH_NONE, value)
            text, statistic = f"Encodings beat none under {kind} negatives.", "mean of encodings − none"
            claims.append(differ(f"encodings-over-none-{kind}", text, statistic, difference, "greater"))
        for score in COUNTING:
            for name, what, pes in (
                ("learning", "Learned models without encoding", ("none",)),
                ("encodings", "Learned models with encodings", ENCODINGS),
            ):
                difference = against_unlearned(runs, score, pes, value)
                if len(difference):
                    text = f"{what} beat `{score}` under {kind} negatives."
                    statistic = f"{'none' if name == 'learning' else 'mean of encodings'} − {score}"
                    claims.append(
                        differ(f"{name}-over-{score}-{kind}", text, statistic, difference, "greater")
                    )
    return judged(claims, level)


def model_claims(
    runs: pd.DataFrame, pairs: Pairs = SLPE_LPE, what: str = "SLPE − LPE", *, level: float = LEVEL
) -> list[Claim]:
    """A difference for each model, two-sided: by default that of SLPE and LPE."""
    check_probability("level", level)
    table = contrast(runs, pairs)
    claims = [
        differ(f"difference-{model}", f"{what} is not zero for {label(str(model))}.", what, part, "two-sided")
        for model, part in table.groupby("model", sort=False)
    ]
    return judged(claims, level)


def _gain_by_features(runs: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """The gain by encodings with one kind of features minus that with another, by dataset, model and seed."""
    table = contrast(runs, WITH_NONE).pivot(
        index=["dataset", "model", "seed"], columns="features", values="difference"
    )
    table = table.reindex(columns=[first, second])
    return (table[first] - table[second]).rename("difference").dropna().reset_index()


def _points(margin: float) -> str:
    return f"{margin:g} AUC point" + ("" if margin == 1 else "s")
