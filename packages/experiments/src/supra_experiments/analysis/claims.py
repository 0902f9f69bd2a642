"""The claims of the paper, and those on counting, each as a tested statement about runs or cells.

A claim is tested over settings of dataset, model and features: differences are taken seed by seed where runs
share seeds, averaged over the seeds of a setting, and each setting counts once. Beside it stands the test
over all pairs of seeds, which speaks of these very settings only. Settings on one dataset are not independent
of each other: the p-values tell of seeds and settings, not of datasets, of which there are few. Signed ranks
ask for the typical difference, which a few large ones do not move; the mean and its interval show those.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from supra_core.checks import check_nonnegative, check_probability
from supra_experiments.analysis.averages import EXACT_INEXACT, SLPE_LPE, WITH_NONE
from supra_experiments.analysis.contrasts import against_unlearned, contrast, over_seeds
from supra_experiments.analysis.frame import ENCODINGS, NEGATIVES, SETTING
from supra_experiments.analysis.statistics import Alternative, equivalence, holm, mean_interval, signed_rank

LEVEL = 0.05
PAPER_SEEDS = 5
"""Runs of each cell in the paper."""
EQUIVALENCE_MARGIN = 1.0
"""AUC points within which two encodings are about as good."""

COUNTING = ("count", "neighbours")
TRAJECTORY = (("slpe-t", "slpe-e"), ("slpe-t", "slpe-i"), ("lpe-t", "lpe-e"), ("lpe-t", "lpe-i"))

Verdict = Literal["holds", "contradicted", "not shown", "too few"]
_OPPOSITE: dict[Alternative, Alternative] = {"greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement and what speaks for it.

    Attributes:
        name: short and unique.
        text: the statement.
        statistic: what ``value`` is.
        value: the mean difference over settings, in AUC points.
        low, high: its 95 % interval by the bootstrap over settings.
        median: the median difference over settings.
        test: the test's name.
        p_value: over settings.
        p_adjusted: by Holm, over the claims that were tested together.
        p_opposite: the same for the opposite statement, adjusted.
        n: settings.
        p_value_seeds: the same test over all pairs of seeds.
        num_pairs: of seeds.
        by_dataset: the mean difference on each dataset: does one of them carry the claim alone?
        verdict: ``holds`` or ``contradicted`` at the level asked for, after adjustment; ``not shown``; or
            ``too few`` settings for any outcome to show it.
    """

    name: str
    text: str
    statistic: str
    value: float
    low: float
    high: float
    median: float
    test: str
    p_value: float
    p_adjusted: float = math.nan
    p_opposite: float
    n: int
    p_value_seeds: float
    num_pairs: int
    by_dataset: dict[str, float]
    verdict: Verdict = "too few"


def headline_claims(
    runs: pd.DataFrame, *, margin: float = EQUIVALENCE_MARGIN, level: float = LEVEL
) -> list[Claim]:
    """What the paper says of its encodings, at a level of significance.

    Exact and inexact encodings are about as good where they differ by less than ``margin`` AUC points.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> {claim.name: claim.verdict for claim in headline_claims(paper_cells())}["encodings-over-none"]
        'holds'
    """
    check_nonnegative("margin", margin, positive=True)
    within = f"typically equally good, to within {margin:g} AUC point{'' if margin == 1 else 's'}."
    exact, only_slpe = contrast(runs, EXACT_INEXACT), contrast(runs, EXACT_INEXACT[:1])
    with_none = contrast(runs, WITH_NONE)
    claims = [
        _claim("encodings-over-none", "Encodings beat none.", "mean of encodings − none", with_none),
        *(
            _claim(
                f"gain-zeros-over-{features}",
                f"Encodings help more with zero than with {features} features.",
                f"gain with zeros − gain with {features}",
                _gain_by_features(with_none, "zeros", features),
                unit=("dataset", "model"),
            )
            for features in ("one-hot", "random")
        ),
        _claim(
            "slpe-over-lpe",
            "SLPE is better than LPE.",
            "SLPE − LPE, mean over E, I, T",
            contrast(runs, SLPE_LPE),
        ),
        _claim("exact-over-inexact", "Exact beats inexact.", "E − I", exact),
        _claim("exact-like-inexact", f"Exact and inexact are {within}", "E − I", exact, margin=margin),
        _claim(
            "slpe-exact-like-inexact",
            f"SLPE-E and SLPE-I are {within}",
            "SLPE-E − SLPE-I",
            only_slpe,
            margin=margin,
        ),
        _claim(
            "trajectory-worse",
            "Trajectories are worse than eigenvectors.",
            "T − mean of E and I",
            contrast(runs, TRAJECTORY),
            "less",
        ),
    ]
    return _judged(claims, level)


def counting_claims(runs: pd.DataFrame) -> list[Claim]:
    """What learning and encodings add over counting, under each kind of negatives.

    For each kind: encodings over none; learned models, without and with encodings, over the scores that count
    past links (``count``) and common neighbours (``neighbours``). Kinds that no run reports are left out.
    ``runs[runs.features.isin(["one-hot", ""])]`` asks of one-hot features alone.
    """
    claims = []
    for kind, value in NEGATIVES.items():
        where = f"under {kind} negatives."
        if runs[value].notna().any():
            text, statistic = f"Encodings beat none {where}", "mean of encodings − none"
            pairs = contrast(runs, WITH_NONE, value)
            claims.append(_claim(f"encodings-over-none-{kind}", text, statistic, pairs))
        for score in COUNTING:
            for name, who, what, pes in (
                ("learning", "without encoding", "none", ("none",)),
                ("encodings", "with encodings", "mean of encodings", ENCODINGS),
            ):
                pairs = against_unlearned(runs, score, pes, value)
                if len(pairs):
                    text = f"Learned models {who} beat `{score}` {where}"
                    claims.append(_claim(f"{name}-over-{score}-{kind}", text, f"{what} − {score}", pairs))
    return _judged(claims, LEVEL)


def _claim(
    name: str,
    text: str,
    statistic: str,
    pairs: pd.DataFrame,
    alternative: Alternative = "greater",
    *,
    margin: float | None = None,
    unit: Sequence[str] = tuple(SETTING),
) -> Claim:
    """The claim that differences lean to one side or, with a margin, are smaller than it; not yet judged.

    Pairs have the ``difference`` by ``unit``, each of which counts once, and seed.
    """
    settings = over_seeds(pairs, unit)
    values = settings["difference"].to_numpy()
    if margin is None:
        result, by_seed = (signed_rank(part, alternative) for part in (values, pairs["difference"]))
        opposite = signed_rank(values, _OPPOSITE[alternative]).p_value
    else:
        result, by_seed = (equivalence(part, margin) for part in (values, pairs["difference"]))
        beyond = (signed_rank(values - margin, "greater"), signed_rank(values + margin, "less"))
        opposite = min(1.0, 2 * min(side.p_value for side in beyond))
    low, high = mean_interval(values)
    means = settings.groupby("dataset", sort=False)["difference"].mean()
    return Claim(
        name=name,
        text=text,
        statistic=statistic,
        value=float(settings["difference"].mean()),
        low=low,
        high=high,
        median=float(settings["difference"].median()),
        test=result.test,
        p_value=result.p_value,
        p_opposite=opposite,
        n=len(values),
        p_value_seeds=by_seed.p_value,
        num_pairs=len(pairs),
        by_dataset={str(dataset): float(mean) for dataset, mean in means.items()},
    )


def _judged(claims: Sequence[Claim], level: float) -> list[Claim]:
    """Claims that are tested together: p-values adjusted for their number, and verdicts."""
    check_probability("level", level)
    judged = []
    adjusted, opposite = holm([c.p_value for c in claims]), holm([c.p_opposite for c in claims])
    for claim, p, q in zip(claims, map(float, adjusted), map(float, opposite), strict=True):
        verdict: Verdict = "holds" if p <= level else "contradicted" if q <= level else "not shown"
        # The rarest outcome is one of the 2ⁿ choices of signs.
        if math.isnan(claim.p_value) or 2.0**-claim.n > level:
            verdict = "too few"
        judged.append(replace(claim, p_adjusted=p, p_opposite=q, verdict=verdict))
    return judged


def _gain_by_features(gains: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """The gain by encodings with one kind of features minus that with another, by dataset, model and seed."""
    table = gains.pivot(index=["dataset", "model", "seed"], columns="features", values="difference")
    table = table.reindex(columns=[first, second])
    return (table[first] - table[second]).rename("difference").dropna().reset_index()
