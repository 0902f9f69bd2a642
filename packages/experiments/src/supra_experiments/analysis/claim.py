"""A statement about differences between runs, tested.

A claim is tested over settings of dataset, model and features: differences are taken seed by seed where runs
share seeds, averaged over the seeds of a setting, and each setting counts once. Beside it stands the test
over all pairs of seeds, which speaks of these very settings only. Settings on one dataset are not independent
of each other: the p-values tell of seeds and settings, not of datasets, of which there are few. Signed ranks
ask for the typical difference, which a few large ones do not move; the mean and its interval show those.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_experiments.analysis.paired import over_seeds
from supra_experiments.analysis.statistics import (
    Alternative,
    TestResult,
    equivalence,
    holm,
    mean_interval,
    p_text,
    signed_rank,
)
from supra_experiments.analysis.summaries import SETTING
from supra_experiments.analysis.table import NAN, Table, Value, label, number

Verdict = Literal["holds", "contradicted", "not shown", "too few"]
_OPPOSITE: dict[str, Alternative] = {"greater": "less", "less": "greater"}


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
        effect: the rank-biserial correlation, −1 … 1.
        test: the test's name.
        p_value: over settings.
        p_adjusted: by Holm, over the claims that were tested together.
        p_opposite: the same for the opposite statement, adjusted; NaN for a two-sided test.
        n: settings.
        rarest: the smallest p-value that so many settings can give.
        p_value_seeds: the same test over all pairs of seeds.
        num_pairs: of seeds.
        num_datasets: on which the settings are.
        by_dataset: the mean difference on each: does one dataset carry the claim alone?
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
    effect: float
    test: str
    p_value: float
    p_adjusted: float
    p_opposite: float
    n: int
    rarest: float
    p_value_seeds: float
    num_pairs: int
    num_datasets: int
    by_dataset: tuple[tuple[str, float], ...]
    verdict: Verdict


def differ(
    name: str,
    text: str,
    statistic: str,
    pairs: pd.DataFrame,
    alternative: Alternative,
    unit: Sequence[str] = tuple(SETTING),
) -> Claim:
    """The claim that differences lean to one side, by signed ranks; not yet judged.

    Args:
        name, text, statistic: as in :class:`Claim`.
        pairs: ``difference`` by ``unit`` and seed, as from ``paired.contrast``.
        alternative: the side, or ``two-sided``.
        unit: what counts once.
    """
    settings = over_seeds(pairs, unit)["difference"].to_numpy()
    opposite = _OPPOSITE.get(alternative)
    return _claim(
        (name, text, statistic),
        settings,
        pairs,
        unit,
        result=signed_rank(settings, alternative),
        by_seed=signed_rank(pairs["difference"], alternative),
        p_opposite=NAN if opposite is None else signed_rank(settings, opposite).p_value,
        # The rarest outcome is one of the 2ⁿ choices of signs, or one of two.
        rarest=2.0 ** -len(settings) * (2 if opposite is None else 1),
    )


def alike(name: str, text: str, statistic: str, pairs: pd.DataFrame, margin: float) -> Claim:
    """The claim that differences are smaller than a margin, by two one-sided tests; not yet judged."""
    settings = over_seeds(pairs)["difference"].to_numpy()
    beyond = (signed_rank(settings - margin, "greater"), signed_rank(settings + margin, "less"))
    return _claim(
        (name, text, statistic),
        settings,
        pairs,
        result=equivalence(settings, margin),
        by_seed=equivalence(pairs["difference"], margin),
        p_opposite=min(1.0, 2 * min(side.p_value for side in beyond)),
        rarest=2.0 ** -len(settings),
    )


def judged(claims: Sequence[Claim], level: float) -> list[Claim]:
    """Claims that are tested together: p-values adjusted for their number, and verdicts."""
    adjusted = holm([claim.p_value for claim in claims])
    opposite = holm([claim.p_opposite for claim in claims])
    return [
        dataclasses.replace(
            claim,
            p_adjusted=float(p),
            p_opposite=float(q),
            verdict=_verdict(claim, float(p), float(q), level),
        )
        for claim, p, q in zip(claims, adjusted, opposite, strict=True)
    ]


def claims_table(claims: Sequence[Claim], name: str = "claims", title: str = "Claims, tested") -> Table:
    """Claims as a table; p-values as text, so that small ones stay readable."""
    rows: list[tuple[Value, ...]] = [
        (
            claim.text,
            claim.verdict,
            claim.statistic,
            claim.value,
            claim.low,
            claim.high,
            claim.median,
            claim.n,
            p_text(claim.p_value),
            p_text(claim.p_adjusted),
            claim.num_pairs,
            p_text(claim.p_value_seeds),
            ", ".join(f"{label(name)} {number(mean, 2)}" for name, mean in claim.by_dataset),
            claim.test,
        )
        for claim in claims
    ]
    return Table(
        name=name,
        title=title,
        columns=(
            "claim",
            "verdict",
            "statistic",
            "mean",
            "95 % from",
            "to",
            "median",
            "settings",
            "p",
            "p (Holm)",
            "pairs of seeds",
            "p (seeds)",
            "mean by dataset",
            "test",
        ),
        rows=tuple(rows),
        note="AUC points. Each setting of dataset, model and features counts once; intervals are by the "
        "bootstrap over settings. Signed ranks ask for the typical difference, which a few large ones do not "
        "move; the mean shows those. Settings on one dataset are not independent of each other.",
    )


def _claim(
    words: tuple[str, str, str],
    settings: NDArray[np.float64],
    pairs: pd.DataFrame,
    unit: Sequence[str] = tuple(SETTING),
    *,
    result: TestResult,
    by_seed: TestResult,
    p_opposite: float,
    rarest: float,
) -> Claim:
    name, text, statistic = words
    low, high = mean_interval(settings)
    means = over_seeds(pairs, unit).groupby("dataset", sort=False)["difference"].mean()
    by_dataset = tuple((str(name), float(mean)) for name, mean in means.items())
    return Claim(
        name=name,
        text=text,
        statistic=statistic,
        value=float(settings.mean()) if len(settings) else NAN,
        low=low,
        high=high,
        median=float(np.median(settings)) if len(settings) else NAN,
        effect=result.effect,
        test=result.test,
        p_value=result.p_value,
        p_adjusted=NAN,
        p_opposite=p_opposite,
        n=len(settings),
        rarest=rarest,
        p_value_seeds=by_seed.p_value,
        num_pairs=len(pairs),
        num_datasets=len(by_dataset),
        by_dataset=by_dataset,
        verdict="too few",
    )


def _verdict(claim: Claim, p_adjusted: float, p_opposite: float, level: float) -> Verdict:
    if math.isnan(claim.p_value) or claim.rarest > level:
        return "too few"
    if p_adjusted <= level:
        return "holds"
    return "contradicted" if p_opposite <= level else "not shown"
