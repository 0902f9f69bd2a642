"""Tests of paired differences, intervals, and ranks over many settings.

Differences are given as (n,), finite; Demšar (JMLR 2006) explains the tests.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy  # its `stats` is loaded at the first use: it takes longer than all else that a command loads
from numpy.typing import ArrayLike, NDArray

from supra_core.checks import check_choice, check_count, check_nonnegative, check_probability
from supra_experiments.errors import ExperimentError

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

EXACT_LIMIT = 100
"""Up to so many differences the distribution of the signed ranks is counted out, ties and all."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test of paired differences.

    Attributes:
        test: its name.
        statistic: the sum of the ranks of positive differences; of zeros, half of theirs.
        p_value: NaN without any difference that is not zero.
        n: differences, zeros included.
        effect: the matched-pairs rank-biserial correlation: from −1, all negative, to 1, all positive.
    """

    __test__ = False  # not a test of ours, whatever pytest makes of the name

    test: str
    statistic: float
    p_value: float
    n: int
    effect: float


def signed_rank(differences: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Wilcoxon's signed-rank test: are differences symmetric around zero?

    Ties share their mean rank; the ranks of zeros are split evenly between both sides. The p-value is exact
    given the ranks up to 100 differences, by the normal approximation beyond. The alternative is ``greater``
    where positive differences are expected.

    Example:
        >>> result = signed_rank([1.0, 2.0, 3.0, 4.0, 5.0], "greater")
        >>> result.p_value, result.effect  # one of the 2⁵ ways to choose signs
        (0.03125, 1.0)
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = _checked(differences)
    exact = len(values) <= EXACT_LIMIT
    name = f"Wilcoxon signed-rank, {'exact' if exact else 'normal approximation'}, {alternative}"
    signs = np.sign(values)
    if not signs.any():
        return TestResult(name, math.nan, math.nan, len(values), math.nan)
    ranks = scipy.stats.rankdata(np.abs(values))
    positive = float(ranks[signs > 0].sum() + ranks[signs == 0].sum() / 2)
    total = float(ranks.sum())
    effect = (2 * positive - total) / total
    if exact:
        p_value = _exact_p_value(ranks[signs != 0], float(ranks[signs > 0].sum()), alternative)
    else:
        p_value = float(
            scipy.stats.wilcoxon(
                values, zero_method="zsplit", alternative=alternative, method="approx"
            ).pvalue
        )
    return TestResult(name, positive, p_value, len(values), effect)


def equivalence(differences: ArrayLike, margin: float) -> TestResult:
    """Two one-sided signed-rank tests: is the difference smaller than a margin, either way?

    A small p-value refutes both "worse by the margin or more" and "better by the margin or more". It is that
    of the weaker of the two tests.

    Example:
        >>> equivalence([0.1, -0.2, 0.3, -0.1, 0.2], margin=1.0).p_value
        0.03125
    """
    check_nonnegative("margin", margin, positive=True)
    values = _checked(differences)
    sides = (signed_rank(values + margin, "greater"), signed_rank(values - margin, "less"))
    weaker = max(sides, key=lambda side: math.inf if math.isnan(side.p_value) else side.p_value)
    name = f"two one-sided Wilcoxon signed-rank tests, margin {margin:g}"
    return TestResult(name, weaker.statistic, weaker.p_value, len(values), signed_rank(values).effect)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted for their number (Holm's step-down); NaN stays NaN and does not count.

    Example:
        >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
        [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return adjusted


def mean_interval(
    values: ArrayLike, level: float = 0.95, *, seed: int = 0, num_resamples: int = 10_000
) -> tuple[float, float]:
    """A confidence interval of the mean by the bootstrap (percentiles of resampled means).

    Both ends are NaN with fewer than two values; the same seed gives the same interval.

    Example:
        >>> low, high = mean_interval([1.0, 2.0, 3.0, 4.0])
        >>> low < 2.5 < high
        True
    """
    check_probability("level", level)
    check_count("num_resamples", num_resamples)
    sample = _checked(values)
    if len(sample) < 2:
        return math.nan, math.nan
    found = scipy.stats.bootstrap(
        (sample,),
        np.mean,
        n_resamples=num_resamples,
        confidence_level=level,
        method="percentile",
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def t_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """A confidence interval of the mean by Student's t, better than the bootstrap for a handful of values.

    Example:
        >>> [round(end, 2) for end in t_interval([1.0, 2.0, 3.0])]
        [-0.48, 4.48]
    """
    check_probability("level", level)
    sample = _checked(values)
    if len(sample) < 2:
        return math.nan, math.nan
    half = float(scipy.stats.t.ppf((1 + level) / 2, len(sample) - 1)) * float(scipy.stats.sem(sample))
    mean = float(sample.mean())
    return mean - half, mean + half


@dataclass(frozen=True, slots=True)
class Ranking:
    """Variants by their average rank, 1 the best.

    Attributes:
        names: from the best average rank to the worst.
        average_ranks: of each.
        num_settings: over how many settings.
        chi2, p_value: Friedman's test that all variants rank alike, corrected for ties; NaN with fewer than
            three variants or two settings.
        level: of the critical difference.
        critical_difference: average ranks that differ by less cannot be told apart (Nemenyi).
        groups: the largest sets of variants that cannot be told apart, best first.
    """

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    num_settings: int
    chi2: float
    p_value: float
    level: float
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]


def rank_variants(scores: pd.DataFrame, level: float = 0.05) -> Ranking:
    """Friedman's test and Nemenyi's critical difference between the columns of a table of scores.

    There is one row a setting, one column a variant; higher is better, and equal scores share their mean
    rank. Settings in which a variant is missing are left out. ``level`` is the chance to find a difference
    where there is none.

    Example:
        >>> table = pd.DataFrame({"a": [3, 3, 3, 3], "b": [2, 2, 2, 1], "c": [1, 1, 1, 2]})
        >>> result = rank_variants(table)
        >>> result.names, result.average_ranks, result.groups
        (('a', 'b', 'c'), (1.0, 2.25, 2.75), (('a', 'b'), ('b', 'c')))
    """
    check_probability("level", level)
    table = scores.dropna()
    num_settings, num_variants = table.shape
    values = table.to_numpy(dtype=np.float64)
    ranks = scipy.stats.rankdata(-values, axis=1) if num_settings else np.empty((0, num_variants))
    means = ranks.mean(axis=0) if num_settings else np.full(num_variants, np.nan)
    order = np.argsort(means, kind="stable")
    names = tuple(str(table.columns[index]) for index in order)
    average_ranks = tuple(float(means[index]) for index in order)
    critical = critical_difference(num_variants, num_settings, level)
    groups = _groups(names, average_ranks, critical)
    return Ranking(names, average_ranks, num_settings, *_friedman(values), level, critical, groups)


def critical_difference(num_variants: int, num_settings: int, level: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks; NaN where there is nothing to compare.

    Example:
        >>> round(critical_difference(4, 14), 2)
        1.25
    """
    if num_variants < 2 or num_settings < 1:
        return math.nan
    quantile = float(scipy.stats.studentized_range.ppf(1 - level, num_variants, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(num_variants * (num_variants + 1) / (6 * num_settings))


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(array).all():
        raise ExperimentError("differences: must be finite; leave out what was not measured")
    return array


def _exact_p_value(ranks: NDArray[np.float64], positive: float, alternative: Alternative) -> float:
    """Under symmetry each rank is positive with chance one half: the sums' distribution, rank by rank."""
    # Mean ranks are multiples of one half, so twice a rank is a whole number.
    steps = np.rint(2 * ranks).astype(np.int64)
    chances = np.zeros(int(steps.sum()) + 1)
    chances[0] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] = chances[: len(chances) - step]
        chances = (chances + moved) / 2
    observed = round(2 * positive)
    at_least, at_most = float(chances[observed:].sum()), float(chances[: observed + 1].sum())
    p_values = {"greater": at_least, "less": at_most, "two-sided": 2 * min(at_least, at_most)}
    return min(p_values[alternative], 1.0)


def _friedman(values: np.ndarray) -> tuple[float, float]:
    num_settings, num_variants = values.shape
    if num_variants < 3 or num_settings < 2 or (values == values[:, :1]).all():
        return math.nan, math.nan
    result = scipy.stats.friedmanchisquare(*values.T)
    return float(result.statistic), float(result.pvalue)


def _groups(names: tuple[str, ...], ranks: tuple[float, ...], critical: float) -> tuple[tuple[str, ...], ...]:
    """Stretches of two or more whose ends are closer than the critical difference, none inside another."""
    found: list[tuple[int, int]] = []
    for start in range(len(names)):
        stop = start
        while stop + 1 < len(names) and ranks[stop + 1] - ranks[start] < critical:
            stop += 1
        if stop > start and (not found or stop > found[-1][1]):
            found.append((start, stop))
    return tuple(names[start : stop + 1] for start, stop in found)
