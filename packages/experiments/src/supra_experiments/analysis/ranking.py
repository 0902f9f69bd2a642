"""Many settings, several variants: Friedman's test, Nemenyi's critical difference (Demšar, JMLR 2006)."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from supra_core.checks import check_probability
from supra_experiments.analysis.averages import DIGITS, wide


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
    """Rank the columns of a table of scores.

    Args:
        scores: one row a setting, one column a variant, higher is better. Settings in which a variant is
            missing are left out. Equal scores share their mean rank.
        level: the chance to find a difference where there is none.

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
    ranks = stats.rankdata(-values, axis=1) if num_settings else np.empty((0, num_variants))
    means = ranks.mean(axis=0) if num_settings else np.full(num_variants, np.nan)
    order = np.argsort(means, kind="stable")
    names = tuple(str(table.columns[index]) for index in order)
    average_ranks = tuple(float(means[index]) for index in order)
    critical = critical_difference(num_variants, num_settings, level)
    groups = _groups(names, average_ranks, critical)
    return Ranking(names, average_ranks, num_settings, *_friedman(values), level, critical, groups)


def rank_encodings(cells: pd.DataFrame, level: float = 0.05) -> Ranking:
    """Rank the encodings over the settings in which all of them were run.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> rank_encodings(paper_cells()).names[0]
        'slpe-e'
    """
    return rank_variants(wide(cells).round(DIGITS), level)


def critical_difference(num_variants: int, num_settings: int, level: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks; NaN where there is nothing to compare.

    Example:
        >>> round(critical_difference(4, 14), 2)
        1.25
    """
    if num_variants < 2 or num_settings < 1:
        return math.nan
    quantile = float(stats.studentized_range.ppf(1 - level, num_variants, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(num_variants * (num_variants + 1) / (6 * num_settings))


def _friedman(values: np.ndarray) -> tuple[float, float]:
    num_settings, num_variants = values.shape
    if num_variants < 3 or num_settings < 2 or (values == values[:, :1]).all():
        return math.nan, math.nan
    result = stats.friedmanchisquare(*values.T)
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
