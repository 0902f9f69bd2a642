"""Variants compared seed by seed: runs of one setting and one seed share everything but the encoding."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from supra_experiments.analysis.averages import EXACT_DIGITS
from supra_experiments.analysis.frame import SETTING, VARIANTS, check_one_setting, is_learned

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
    known = runs[(runs["model"] == score) & runs[value].notna()].groupby("dataset")[value].mean()
    table = by_seed(runs, value)[list(pes)].mean(axis=1)
    reference = known.reindex(table.index.get_level_values("dataset")).to_numpy(dtype=np.float64)
    difference = (table - reference).round(EXACT_DIGITS).rename("difference")
    return difference.dropna().reset_index()[[*SETTING, "seed", "difference"]]
