"""Variants compared seed by seed: runs of one setting and one seed share everything but the encoding."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from supra_experiments.analysis.frame import KEYS, VARIANTS, check_one_setting, is_learned
from supra_experiments.analysis.statistics import cohen_d, holm, signed_rank, t_interval
from supra_experiments.analysis.summaries import EXACT_DIGITS, SETTING
from supra_experiments.analysis.table import Table, Value, label

Pairs = Sequence[tuple[str, str]]


def by_seed(runs: pd.DataFrame, value: str = "auc") -> pd.DataFrame:
    """One row a setting and seed, one column a variant; NaN where it was not run.

    Args:
        runs: as from :func:`~supra_experiments.analysis.frame.runs`; cells will do and count as one seed.
        value: the column.

    Raises:
        ExperimentError: two runs of one cell and seed, that is of different settings.
    """
    table = runs[is_learned(runs)]
    table = table if "seed" in table.columns else table.assign(seed=0)
    check_one_setting(table)
    result = table.pivot(index=[*SETTING, "seed"], columns="pe", values=value)
    result.columns.name = None
    return result.reindex(columns=list(VARIANTS)).astype(float)


def contrast(runs: pd.DataFrame, pairs: Pairs, value: str = "auc") -> pd.DataFrame:
    """The mean over pairs of variants of (first − second), for each setting and seed that has such a pair.

    Args:
        runs: runs or cells.
        pairs: such as ``[("slpe-e", "lpe-e"), ("slpe-i", "lpe-i")]``.
        value: the column that is compared.

    Returns:
        The columns ``dataset, model, features, seed, difference``.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = contrast(paper_cells(), [("slpe-i", "none")])
        >>> len(table), float(table.difference.mean().round(2))
        (48, 8.83)
    """
    table = by_seed(runs, value)
    parts = pd.concat([table[first] - table[second] for first, second in pairs], axis=1)
    difference = parts.mean(axis=1).round(EXACT_DIGITS).rename("difference")
    return difference.dropna().reset_index()


def over_seeds(contrasts: pd.DataFrame, by: Sequence[str] = tuple(SETTING)) -> pd.DataFrame:
    """The mean difference of each setting over its seeds, with ``num_seeds``: one value a setting.

    Seeds of one setting tell of that setting alone; a claim over settings counts each once.
    """
    groups = contrasts.groupby(list(by), sort=False)["difference"]
    return groups.agg(difference="mean", num_seeds="count").reset_index()


def seed_tests(runs: pd.DataFrame, pairs: Pairs, value: str = "auc") -> pd.DataFrame:
    """Each pair of variants in each setting, tested over its seeds.

    With five seeds the smallest p-value that signed ranks can give is 0.0625, so Student's t stands beside
    them; it takes the differences to be normal.

    Returns:
        The columns ``dataset, model, features, first, second, num_seeds, mean, low, high`` (95 %, by
        Student's t), ``p_wilcoxon, p_t``, the same adjusted by Holm over all rows (``p_wilcoxon_holm,
        p_t_holm``) and ``cohen_d``. Settings with fewer than two seeds are left out.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> len(seed_tests(paper_cells(), [("slpe-i", "none")]))  # the paper has no seeds
        0
    """
    rows = []
    for first, second in pairs:
        table = contrast(runs, [(first, second)], value)
        for setting, group in table.groupby(SETTING, sort=False):
            if len(group) > 1:
                rows.append((*_key(setting), first, second, *_tested(group["difference"].to_numpy())))
    names = [*SETTING, "first", "second", "num_seeds", "mean", "low", "high", "p_wilcoxon", "p_t", "cohen_d"]
    result = pd.DataFrame(rows, columns=names)
    for name in ("p_wilcoxon", "p_t"):
        result[f"{name}_holm"] = holm(result[name].to_numpy(dtype=np.float64))
    return result


def seed_test_table(runs: pd.DataFrame, pairs: Pairs, level: float = 0.05) -> Table:
    """How many settings differ for each pair of variants, judged over their seeds."""
    table = seed_tests(runs, pairs)
    rows: list[tuple[Value, ...]] = []
    for first, second in pairs:
        part = table[(table["first"] == first) & (table["second"] == second)]
        clear = part[part["p_t_holm"] <= level]["mean"]
        if len(part):
            counts = (int((clear > 0).sum()), int((clear < 0).sum()), len(part))
            seeds = f"{part['num_seeds'].min()} to {part['num_seeds'].max()}"
            rows.append((f"{label(first)} − {label(second)}", float(part["mean"].mean()), *counts, seeds))
    return Table(
        name="seed-tests",
        title="In how many settings encodings differ, judged over seeds",
        columns=("difference", "mean", "clearly better", "clearly worse", "settings", "seeds"),
        rows=tuple(rows),
        note=f"Clearly: Student's t over the seeds of a setting, p ≤ {level:g} after Holm's correction over "
        f"all {len(table)} tests.",
    )


def against_unlearned(
    runs: pd.DataFrame, score: str, pes: Iterable[str] = VARIANTS, value: str = "auc"
) -> pd.DataFrame:
    """Learned models minus a score without learning on the same dataset, for each setting and seed.

    Args:
        runs: runs or cells.
        score: such as ``count``.
        pes: the mean over those of these variants that were run is compared.
        value: the column that is compared.

    Returns:
        The columns ``dataset, model, features, seed, difference``.
    """
    known = runs[(runs["model"] == score) & runs[value].notna()].groupby("dataset")[value].mean().to_dict()
    table = by_seed(runs, value)[list(pes)].mean(axis=1)
    datasets = table.index.get_level_values("dataset")
    reference = np.array([known.get(name, math.nan) for name in datasets], dtype=np.float64)
    difference = (table - reference).round(EXACT_DIGITS).rename("difference")
    return difference.dropna().reset_index()[[*KEYS[:3], "seed", "difference"]]


def _key(setting: object) -> tuple[str, ...]:
    return tuple(str(part) for part in setting) if isinstance(setting, tuple) else (str(setting),)


def _tested(differences: np.ndarray) -> tuple[float, ...]:
    low, high = t_interval(differences)
    spread = float(differences.std(ddof=1))
    p_t = float(stats.ttest_1samp(differences, 0.0).pvalue) if spread > 0 else math.nan
    p_wilcoxon = signed_rank(differences).p_value
    mean = float(differences.mean())
    return (len(differences), mean, low, high, p_wilcoxon, p_t, cohen_d(differences))
